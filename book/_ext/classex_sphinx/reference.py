"""The API reference, written from ``classex`` itself: a new public name appears without an edit of a page.

A page names its part of the library on a line such as ``% classex-api: curves, classex.UnitSpread``: subpackages,
and single names that are taken from the page of their subpackage. There stand then a list of the names, made by
autosummary, and an entry for each, made by autodoc. In docstrings, single backticks link to the entry of a public
name and set anything else (an argument, a value) as code.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx import addnodes
from sphinx.application import Sphinx

MARKER = re.compile(r"^% classex-api: (.+)$", re.MULTILINE)
# members inherited from these are not documented again with every class
_BASES = ("object", "tuple", "ValueError", "AttributeError", "BaseException")
_PRIVATE = re.compile(r", _\w+(?=[,)])")  # a field that its class fills in for itself
_LONG_TEXT = re.compile(r"(['\"])(?:(?!\1)[^\\]|\\.){60,}\1")  # a default value that nobody reads in a signature
PACKAGES = ("classex", "classex_book")


@cache
def public_names() -> dict[str, list[str]]:
    """Full names of everything public in the library and in the package of the course, by section."""
    library = _sections(import_module("classex"))
    course = sorted(name for names in _sections(import_module("classex_book")).values() for name in names)
    return {**library, "classex_book": course}


def _sections(top: ModuleType) -> dict[str, list[str]]:
    """Full names of everything public in a package, by the subpackage in whose section they stand."""

    values = {name: getattr(top, name) for name in top.__all__}
    # by the name under which it is reached, which need not be that of its file
    rooms = {f"{top.__name__}.{name}": value for name, value in values.items() if isinstance(value, ModuleType)}
    rooms |= {
        f"{full}.{name}": value
        for full, room in list(rooms.items())
        for name in getattr(room, "__all__", ())
        if isinstance(value := getattr(room, name), ModuleType)
    }
    sections: dict[str, list[str]] = {full: [] for full in rooms}

    def section(value: Any) -> str:
        inside = [full for full, room in rooms.items() if f"{value.__module__}.".startswith(f"{room.__name__}.")]
        return max(inside, key=lambda full: len(rooms[full].__name__), default=top.__name__)

    for name, value in values.items():
        if callable(value):
            sections.setdefault(section(value), []).append(f"{top.__name__}.{name}")
    for full, names in sections.items():
        room = resolve_name(full)
        for name in getattr(room, "__all__", ()):
            value = getattr(room, name)
            # what stands at the top, and what a module passes on from another section, stands there
            if callable(value) and f"{top.__name__}.{name}" not in names and section(value) == full:
                names.append(f"{full}.{name}")
    return {full: sorted(names) for full, names in sorted(sections.items()) if names}


def contents(markers: dict[str, str]) -> dict[str, dict[str, list[str]]]:
    """Names by page and section, from the text of the marker on every page."""
    wanted = {page: marker.split(", ") for page, marker in markers.items()}
    single = {part for parts in wanted.values() for part in parts if f"classex.{part}" not in public_names()}
    found: dict[str, dict[str, list[str]]] = {page: {} for page in wanted}
    for page, parts in wanted.items():
        for part in parts:
            module, _, name = (part, "", "") if f"classex.{part}" in public_names() else part.rpartition(".")
            module = module or name
            name = "" if module == part else name
            section = module if module in PACKAGES else f"classex.{module}"
            names = {f"{module}.{full.rsplit('.', 1)[1]}": full for full in public_names().get(section, [])}
            taken = [names[part]] if part in names else [names[key] for key in names if not name and key not in single]
            if not taken:
                raise ValueError(f"{page}: {part!r} is not public")
            found[page].setdefault(section, []).extend(taken)
    return found


def write_reference(sections: dict[str, list[str]]) -> str:
    """MyST source of one page of the reference: a table of its names, then their entries."""
    listed = "\n".join(f"   {name}" for names in sections.values() for name in names)
    parts = [f"## On this page\n\n```{{eval-rst}}\n.. autosummary::\n   :nosignatures:\n\n{listed}\n```\n"]
    for section, names in sections.items():
        if 2 * len(names) > len(public_names()[section]):
            about = (inspect.getdoc(resolve_name(section)) or "").partition("\n\n")[0]
            parts.append(f"## `{section}`\n\n```{{eval-rst}}\n.. py:module:: {section}\n```\n\n{about}\n")
        else:
            parts.append(f"## Also of `{section}`\n")
        parts += ["```{eval-rst}\n" + _entry(name) + "```\n" for name in names]
    return "\n".join(parts)


def value_of(full: str) -> Any:
    """The object of a full name."""
    return resolve_name(full)


def _entry(full: str) -> str:
    value = value_of(full)
    if not inspect.isclass(value):
        return f".. autofunction:: {full}\n"
    public = {value_of(name): name for names in public_names().values() for name in names}
    bases = [base for base in value.__mro__[1:] if base in public]
    stop = ", ".join([*_BASES, *(base.__name__ for base in bases)])
    links = ", ".join(f":py:obj:`~{public[base]}`" for base in bases)
    entry = f".. autoclass:: {full}\n   :members:\n   :inherited-members: {stop}\n"
    return entry + (f"\n   Has the methods of {links} too.\n" if bases else "")


def insert_reference(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the marker on the page being read."""
    if MARKER.search(source[0]):
        sections = contents(markers_of(Path(app.srcdir)))[docname]
        source[0] = MARKER.sub(lambda _: write_reference(sections), source[0])


def markers_of(root: Path) -> dict[str, str]:
    """The marker of every page that has one."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((root / "book").rglob("*.md"))}
    found = {path: MARKER.search(text) for path, text in texts.items()}
    return {path.relative_to(root).with_suffix("").as_posix(): marker[1] for path, marker in found.items() if marker}


def skip_foreign_members(
    _app: Sphinx, _kind: str, _name: str, value: object, _skip: bool, _options: object
) -> bool | None:
    """Leave out what a class inherits from another library, and fields of a named tuple, which its class describes."""
    function = value.fget if isinstance(value, property) else value
    module = getattr(function, "__module__", None)
    is_field = (getattr(value, "__doc__", None) or "").startswith("Alias for field number")
    return True if is_field or (module and not module.startswith(PACKAGES)) else None


def shorten_defaults(
    _app: Sphinx, _kind: str, _name: str, _value: object, _options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Put dots for long texts in a signature, and leave out private fields."""
    return (_PRIVATE.sub("", _LONG_TEXT.sub("...", signature)) if signature else signature), returns


def backticks(
    _name: str, rawtext: str, text: str, _lineno: int, inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Role for single backticks in docstrings: a link to a public name, code for all else."""
    env = inliner.document.settings.env
    content = nodes.literal(rawtext, text)
    documented = {full for names in public_names().values() for full in names}
    scope = env.ref_context.get("py:module") or "classex"
    target = next((full for full in (text, f"{scope}.{text}", f"classex.{text}") if full in documented), None)
    if target is None:
        return [content], []
    reference = addnodes.pending_xref(rawtext, content, refdomain="py", reftype="obj", reftarget=target)
    reference["refdoc"] = env.docname
    return [reference], []


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.add_role("backticks", backticks)
    app.connect("source-read", insert_reference)
    app.connect("autodoc-skip-member", skip_foreign_members)
    app.connect("autodoc-process-signature", shorten_defaults)
