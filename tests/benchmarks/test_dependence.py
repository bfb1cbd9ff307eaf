"""Coverage where rows are not independent: the first experiments of stored settings again."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import dependence
from classex_book import load_study

pytestmark = pytest.mark.no_cover


@pytest.mark.parametrize(
    ("field", "shared", "n", "experiments"),
    [("verification", "speakers differ", 10, 40), ("growth", "groups of unequal spread", 3, 8)],
)
def test_the_argument_restores_coverage(field, shared, n, experiments, monkeypatch):
    """Coverage with the argument within three and a half standard errors of the stored one, or of .95 if that is 1."""
    function, argument, _ = dependence.FIELDS[field]
    monkeypatch.setitem(dependence.FIELDS, field, (function, argument, experiments))
    (found,) = dependence.rows(field, shared, n)
    now = dict(zip(dependence.HEADER.split(","), map(str, found), strict=True))
    (stored,) = (row for row in load_study(dependence.TABLE) if [*row.values()][:3] == [field, shared, str(n)])
    p = min(float(stored["with"]), 0.95)
    assert p >= 0.9
    assert float(stored["without"]) < p
    assert float(now["with"]) > p - 3.5 * np.sqrt(p * (1 - p) / experiments)
    assert float(now["width_with"]) == pytest.approx(float(stored["width_with"]), rel=0.15)
