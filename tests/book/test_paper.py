"""The numbering of the parts on paper, without LaTeX."""

from __future__ import annotations

import re

from classex_sphinx.paper import number_parts, resolve, wrap_columns

TEX = r"""\begin{document}
\part{Before}
\chapter{How}
\part{I. Theory}
\chapter{One}
\part{III. Reference}
\chapter{Errata}
\end{document}
"""


def test_only_the_parts_that_are_numbered_on_the_screen_are_numbered_on_paper():
    made = number_parts(TEX, ["I. Theory"])
    depths = re.findall(r"\\setcounter\{secnumdepth\}\{(.*?)\}$|\\(part|chapter)\{(.*)\}", made, re.MULTILINE)
    words = [depth or f"{kind} {title}" for depth, kind, title in depths]
    assert words == [
        *("-2", "part Before", "chapter How"),
        *("-2", "part I. Theory", r"\value{classexdepth}", "chapter One"),
        *("-2", "part III. Reference", "chapter Errata"),
    ]
    assert made.index(r"\newcounter{classexdepth}") < made.index(r"\begin{document}")
    # chapters are remembered over a part without numbers
    assert made.count(r"\setcounter{classexchapter}{\value{chapter}}") == 2
    assert made.count(r"\setcounter{chapter}{\value{classexchapter}}") == 1


DANGLING = r"""\hyperref[\detokenize{notebooks/a:exr-ch1-x}]{Exercise \ref{\detokenize{notebooks/a:exr-ch1-x}}} and
{\hyperref[\detokenize{notebooks/b:thm-y}]{\sphinxcrossref{Theorem 2.1}}}
\phantomsection \label{exercise:exr-ch1-x}

\begin{sphinxadmonition}{note}{Exercise 1.4 (Title)}
\label{None:thm-y}
"""


def test_references_to_theorems_and_exercises_lead_somewhere():
    made = resolve(DANGLING)
    assert made.startswith(r"\hyperref[exercise:exr-ch1-x]{Exercise 1.4} and")
    assert r"\label{\detokenize{notebooks/b:thm-y}}" in made
    assert r"\ref{" not in made
    assert "None:" not in made


def test_columns_of_long_tables_break_their_lines_where_they_must():
    head = r"\begin{longtable}{lr}" + "\n" + r"\sphinxtableatstartofbodyhook" + "\n"
    end = r"\end{longtable}"
    short = head + "\\sphinxAtStartPar\none\n&\ntwo\n\\\\\n" + end
    assert wrap_columns(short) == short
    long = (
        head + rf"\sphinxAtStartPar {'word ' * 40}" + "\n&\n" + r"\hyperref[\detokenize{a:b}]{two}" + "\n\\\\\n" + end
    )
    assert wrap_columns(long).startswith(r"\begin{longtable}{\X{45}{52}\X{7}{52}}")
