"""The minutes that a page states follow one rule, which agrees with a careful reader's."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import numpy as np
import pytest
from classex_sphinx.minutes import LINE, LONGEST, RATES, Effort, effort, with_line
from scipy.optimize import nnls

ROOT = Path(__file__).parents[2]
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for folder in ("book", "notebooks")
    for path in sorted((ROOT / folder).glob("*.md"))
    if LINE.search(path.read_text(encoding="utf-8"))
}
PAGE = """---
front: matter
---

(label)=
# A title of five words

One, two three $x$ and {term}`four`.

**Time.** 90 minutes.

$$
y = z
$$ (eq)

```{math}
a
```

```{prf:proof}
It is so.
```

```{code-cell} ipython3
:tags: [hide-input]
folded = 1
```

```{code-cell} ipython3
import a
from b import (
    c,
)
```

```{code-cell} ipython3
shown = 1
```

```{code-cell} ipython3
---
mystnb:
  figure: {name: f, caption: "Four words of caption."}
tags: [remove-input]
---
```

```{exercise-start}
:label: no-such-exercise
:class: proof min-35
```
Words of an exercise $x$.
```{exercise-end}
```

```{solution-start} no-such-exercise
```
Words of a solution.

$$ w $$

```{solution-end}
```
"""


def test_a_page_is_counted():
    # title 5, text 6, "Time. 90 minutes." 3, proof 3, caption 4
    assert effort(PAGE) == Effort(21, 1, 2, 1, 1, 1, 35)
    assert "**Time.** 5 minutes to read, and about 35 minutes for the exercise.\n" in with_line(PAGE)


def test_exercises_are_not_read_and_long_pages_take_longer():
    assert effort("word " * 900).minutes == 10
    assert effort("word " * 900).said == "10 minutes."
    assert Effort(words=90, exercises=12, exercise_minutes=275).said.endswith("about 4.5 hours for the 12 exercises.")


def test_the_rule_agrees_with_a_reader_as_well_as_the_best_rates_do():
    lines = (ROOT / "tests" / "book" / "honest_minutes.csv").read_text(encoding="utf-8").splitlines()
    read = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    counts = np.array([[float(row[kind]) for kind in RATES] for row in read])
    minutes = np.array([float(row["minutes"]) for row in read])
    best, length = nnls(counts, minutes)
    error = counts @ np.array(list(RATES.values())) - minutes
    assert np.sqrt(np.mean(error**2)) < 1.1 * length / np.sqrt(minutes.size) < 5.5
    assert best[0] == pytest.approx(RATES["words"], rel=0.1)
    assert abs(error.sum()) < 0.05 * minutes.sum()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_states_the_minutes_of_the_rule_and_is_one_sitting(name):
    assert with_line(PAGES[name]) == PAGES[name]
    assert effort(PAGES[name]).minutes <= LONGEST


def test_the_tool_writes_the_line(tmp_path, capsys):
    main = runpy.run_path(str(ROOT / "tools" / "page_minutes.py"))["main"]
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert main([str(page)]) == 1
    assert "line differs" in capsys.readouterr().out
    assert main([str(page), "--write"]) == 0
    assert page.read_text(encoding="utf-8") == with_line(PAGE)
    assert main([str(page)]) == 0
