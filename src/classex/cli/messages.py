"""Messages of the library in the words of a shell: arguments become options, calls become commands."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["in_shell"]

# What to do, in Python and in a shell
_REMEDIES = {
    r"^\[Errno -?\d+\] ": "",
    r"give left_out=np\.isnan\(scores\)": "write -inf there",
    r"give them to information\.confusion_information, and their accuracy to .* or Extrapolator\.fit_curve": (
        "give their accuracy to classex bound or classex extrapolate --curve"
    ),
    r"call extrapolate_open_set": "predict with --to",
    r"call fit\(scores, labels\)": "give scores",
    r"n_classes of a report": "classes of a report",
    r"fit_curve needs": "--curve needs",
    r"Extrapolator\((.*)\)": r"\1",
    r"after fit_curve": "with --curve",
    r"n_test or standard_error": "--points N or a column standard_error",
    r"result\.growth": "growth in --json",
    r"stopped=True": "--stopped",
    r"stopped=False": "--fixed",
    r"stopped=(\w+)": r"--batch \1",
    r"\(in pandas, (index=False)\)": r"(in pandas, '\1')",
    # readers name the option themselves: "x= (--x NAME)", or a call
    r"\b(?:\w+=\S*|gallery) \((--[^()]+)\)": r"\1",
    r" \([^()]*information\.confusion_information\)|; with your own, [^;]*ranks_from_neighbours takes them": "",
    r" \(in Python, \w+=\w+\)|, load_\w+\(\w+=\w+\)|,? (?:or|and)(?: see)? (?:load_\w+|Extrapolator\.fit_curve"
    r"|ranks_from_wins\([^()]*\))": "",
}
# Arguments whose option has another name; the numbers of classes of a command are --classes or --to
_TO, _POINTS = dict.fromkeys(("n_enrolled", "n_people"), "--to"), dict.fromkeys(("n_test", "n_searches"), "--points")
_OPTIONS = {**_TO, **_POINTS, "n_items": "--corpus"}
# name=, name='value', name=True; and the subject of a sentence. What is in quotes, or in the name of a file, stays
_KEYWORD = re.compile(r"(?<![\w'\"./-])([a-z][a-z_]*)=(?:'([^']*)'|True|(False))?(?![\w./-])")
_SUBJECT = re.compile(r"(?<![\w'\"./-])(?<!column )[a-z]+(?:_[a-z]+)+(?= (?:must|needs|goes|holds)\b)")


def in_shell(text: str, options: Collection[str]) -> str:
    """Return a message in the words of a shell, for a command with options of these names.

    Examples
    --------
    >>> from classex.cli.messages import in_shell
    >>> in_shell("n_repeats must be 1 or more", {"repeats", "classes"})
    '--repeats must be 1 or more'
    >>> in_shell("more than one format fits: choose by format=", {"format"})
    'more than one format fits: choose by --format'
    """
    for python, shell in _REMEDIES.items():
        text = re.sub(python, shell, text)

    def option(name: str) -> str:
        known = name if name in options else name.removeprefix("n_")
        if name in _OPTIONS or known not in options:
            return _OPTIONS.get(name, "--to" if name == "n_classes" else name)
        return f"--{known.replace('_', '-')}"

    def keyword(match: re.Match[str]) -> str:
        said = option(match[1])
        value = match[2] if said.startswith("--") or not match[2] else f"'{match[2]}'"
        return " ".join(filter(None, [said, value or match[3]]))

    text = _KEYWORD.sub(keyword, text)
    return _SUBJECT.sub(lambda match: option(match[0]), text)
