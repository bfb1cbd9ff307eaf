"""The API reference, written from ``classex`` itself: a new public name appears without an edit of a page.

A page names its part of the library on a line such as ``% classex-api: ranks, results.CorrectRanks``: subpackages,
and single names that are taken from the page of their subpackage. There stand then a list of the names, each with
its first sentence, and an entry for each. What no page names stands where the line is ``% classex-api: *``. In
docstrings, single backticks link to the entry of a public name and set anything else (an argument, a value) as code.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx import addnodes
from sphinx.application import Sphinx

MARKER = re.compile(r"^% classex-api: (.+)$", re.MULTILINE)
# members inherited from these are not documented again with every class
_BASES = "object, tuple, ValueError, AttributeError, BaseException"
_PRIVATE = re.compile(r", _\w+(?=[,)])")  # a field that its class fills in for itself
_LONG_TEXT = re.compile(r"(['\"])(?:(?!\1)[^\\]|\\.){60,}\1")  # a default value that nobody reads in a signature
PACKAGES = ("classex", "classex_book")


@cache
def public_names(package: str = "classex") -> dict[str, list[str]]:
    """Full names of everything public, by the module of `package` in whose section they stand."""
    top = import_module(package)
    sections: dict[str, list[str]] = {}
    for name in top.__all__:
        value = getattr(top, name)
        if isinstance(value, ModuleType):
            inner = [getattr(value, one) for one in getattr(value, "__all__", ())]
            for module in (value, *(one for one in inner if isinstance(one, ModuleType))):
                sections.setdefault(module.__name__, [])
        elif callable(value):
            sections.setdefault(_section(package, value.__module__), []).append(f"{package}.{name}")
    for module, names in sections.items():
        promised = {full.rsplit(".", 1)[1] for full in names}
        for name in getattr(import_module(module), "__all__", ()):
            value = getattr(import_module(module), name)
            # what a module passes on from another section stands there
            if callable(value) and name not in promised and _inside(value.__module__, module, sections):
                names.append(f"{module}.{name}")
    return {module: sorted(names) for module, names in sorted(sections.items()) if names}


def _section(package: str, module: str) -> str:
    return ".".join(module.split(".")[: package.count(".") + 2])


def _inside(home: str, module: str, sections: dict[str, list[str]]) -> bool:
    """Whether a value defined in the module `home` belongs to this section and to none beneath it."""
    holding = [one for one in sections if home == one or home.startswith(one + ".")]
    return bool(holding) and max(holding, key=len) == module


def everything() -> dict[str, list[str]]:
    """Full names of everything public in the library and in the package of the course, by section."""
    sections = {section: list(names) for package in PACKAGES for section, names in public_names(package).items()}
    course = [
        name for section in list(sections) if section.startswith("classex_book") for name in sections.pop(section)
    ]
    return {**sections, "classex_book": sorted(course)}


def contents(markers: dict[str, str]) -> dict[str, dict[str, list[str]]]:
    """Names by page and section, from the text of the marker on every page.

    Raises
    ------
    ValueError
        If a marker names what is not public, or two pages name the same.
    """
    rest = everything()
    wanted = {page: [part.strip() for part in marker.split(",")] for page, marker in markers.items()}
    found: dict[str, dict[str, list[str]]] = {page: {} for page in wanted}
    # single names first, so that they are gone from the page of their subpackage; at last what nobody named
    for kind in ("name", "section", "rest"):
        for page, parts in wanted.items():
            for part in parts:
                section_named = f"classex.{part}" in rest or part in PACKAGES
                if kind != ("rest" if part == "*" else "section" if section_named else "name"):
                    continue
                for section, names in _take(rest, part, page).items():
                    found[page].setdefault(section, []).extend(names)
    return found


def _take(rest: dict[str, list[str]], part: str, page: str) -> dict[str, list[str]]:
    if part == "*":
        taken = {section: names for section, names in rest.items() if names}
        rest.clear()
        return taken
    module, _, name = ("" if f"classex.{part}" in rest else part).partition(".") if "." in part else (part, "", "")
    section = part if part in PACKAGES else f"classex.{module or part}"
    names = rest.get(section, [])
    taken_names = [full for full in names if not name or full.rsplit(".", 1)[1] == name]
    if not taken_names:
        raise ValueError(f"{page}: {part!r} is not public, or stands on another page already")
    rest[section] = [full for full in names if full not in taken_names]
    return {section: taken_names}


def write_reference(sections: dict[str, list[str]], *, with_modules: bool = True) -> str:
    """MyST source of one page of the reference: a table of its names, then their entries."""
    names = [full for names in sections.values() for full in names]
    if not names:
        return ""
    rows = [f"| {{py:obj}}`{_shown(full)} <{full}>` | {_first_sentence(full)} |" for full in names]
    parts = ["## On this page\n\n| name | what it does |\n|:--|:--|\n" + "\n".join(rows) + "\n"]
    for section, in_it in sections.items():
        whole = 2 * len(in_it) > len(everything()[section])
        if whole:
            parts.append(f"## `{section}`\n")
            if with_modules:
                parts.append(f"```{{eval-rst}}\n.. py:module:: {section}\n```\n")
            parts.append(_first_paragraph(import_module(section)) + "\n")
        else:
            parts.append(f"## Also of `{section}`\n")
        parts += ["```{eval-rst}\n" + _entry(full) + "```\n" for full in in_it]
    return "\n".join(parts)


def _shown(full: str) -> str:
    return full.removeprefix("classex.")


def _value(full: str) -> Any:
    module, name = full.rsplit(".", 1)
    return getattr(import_module(module), name)


def _first_paragraph(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")


def _first_sentence(full: str) -> str:
    text = _first_paragraph(_value(full))
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text)
    return re.sub(r"`{1,2}([^`]*)`{1,2}", r"`\1`", text).replace("|", r"\|")


def _entry(full: str) -> str:
    if not inspect.isclass(_value(full)):
        return f".. autofunction:: {full}\n"
    inherited = inherited_members(full)
    stop = ", ".join([_BASES, *(owner.rsplit(".", 1)[1] for owner in inherited)])
    entry = f".. autoclass:: {full}\n   :members:\n   :inherited-members: {stop}\n"
    for owner, names in inherited.items():
        links = ", ".join(f":py:obj:`{name} <{owner}.{name}>`" for name in names)
        entry += f"\n   From :py:obj:`{_shown(owner)} <{owner}>`: {links}.\n" if names else ""
    makers = returned_by().get(full.rsplit(".", 1)[1], [])
    if makers:
        links = ", ".join(f":py:obj:`{_shown(maker)} <{maker}>`" for maker in makers[:4])
        entry += f"\n   Returned by {links}.\n"
    return entry


def inherited_members(full: str) -> dict[str, list[str]]:
    """Methods that a class takes from classes with entries of their own, which describe them, by the other's name."""
    public = {_value(name): name for names in everything().values() for name in names if inspect.isclass(_value(name))}
    found: dict[str, list[str]] = {}
    owner, seen = "", set(vars(_value(full)))
    for cls in _value(full).__mro__[1:]:
        owner = public.get(cls, owner)
        if cls in public:
            found[owner] = []
        for name, member in vars(cls).items():
            is_method = inspect.isroutine(member) or isinstance(member, property)
            ours = (cls.__module__ or "").startswith(PACKAGES)
            if (
                owner
                and ours
                and is_method
                and not name.startswith("_")
                and name not in seen
                and inspect.getdoc(member)
            ):
                found[owner].append(name)
            seen.add(name)
    return found


@cache
def returned_by() -> dict[str, list[str]]:
    """Public functions by the name of the class that they return."""
    found: dict[str, list[str]] = {}
    for names in everything().values():
        for full in names:
            function = _value(full)
            if inspect.isclass(function):
                continue
            for word in re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", ""))):
                found.setdefault(word, []).append(full)
    return found


def markers_of(root: Path) -> dict[str, str]:
    """The marker of every page that has one."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((root / "book").rglob("*.md"))}
    return {
        path.relative_to(root).with_suffix("").as_posix(): MARKER.findall(text)[0]
        for path, text in texts.items()
        if MARKER.search(text)
    }


def insert_reference(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the marker on the page being read."""
    if MARKER.search(source[0]):
        sections = contents(markers_of(Path(app.srcdir)))[docname]
        source[0] = MARKER.sub(lambda _: write_reference(sections), source[0])


def skip_foreign_members(
    _app: Sphinx, _kind: str, _name: str, value: object, _skip: bool, _options: object
) -> bool | None:
    """Leave out what a class inherits from another library, whose documentation is elsewhere."""
    if (getattr(value, "__doc__", None) or "").startswith("Alias for field number"):
        return True  # of a named tuple, whose attributes are described with the class
    function = value.fget if isinstance(value, property) else value
    module = getattr(function, "__module__", None)
    return True if module and not module.startswith(PACKAGES) else None


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
    documented = {full for names in everything().values() for full in names}
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
