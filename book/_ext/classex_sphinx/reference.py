"""The API reference, written from ``classex`` itself: a new public name appears without an edit of the page.

On the page that holds the line ``% classex-api`` that line is replaced by one section per public module and one
entry per public name. In docstrings, single backticks link to the entry of a public name and set anything else
(an argument, a value) as code.
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx import addnodes
from sphinx.application import Sphinx

MARKER = "% classex-api"
# members inherited from these are not documented again with every class
_BASES = "object, tuple, ValueError, AttributeError"


@cache
def public_names(package: str = "classex") -> dict[str, list[str]]:
    """Full names of everything public, by the module of `package` in whose section they stand."""
    top = import_module(package)
    sections: dict[str, list[str]] = {}
    for name in top.__all__:
        value = getattr(top, name)
        if isinstance(value, ModuleType):
            sections.setdefault(value.__name__, [])
        elif callable(value):
            sections.setdefault(_section(package, value.__module__), []).append(f"{package}.{name}")
    for module, names in sections.items():
        promised = {full.rsplit(".", 1)[1] for full in names}
        for name in getattr(import_module(module), "__all__", ()):
            value = getattr(import_module(module), name)
            # what a module passes on from another section stands there
            if callable(value) and name not in promised and _section(package, value.__module__) == module:
                names.append(f"{module}.{name}")
    return {module: sorted(names) for module, names in sorted(sections.items()) if names}


def _section(package: str, module: str) -> str:
    return ".".join(module.split(".")[: package.count(".") + 2])


def write_reference(sections: dict[str, list[str]]) -> str:
    """MyST source of the reference."""
    parts = []
    for module, names in sections.items():
        summary = (inspect.getdoc(import_module(module)) or "").partition("\n\n")[0].replace("\n", " ")
        parts.append(f"## `{module}`\n\n```{{eval-rst}}\n.. py:module:: {module}\n```\n\n{summary}\n")
        parts += ["```{eval-rst}\n" + _entry(full) + "```\n" for full in names]
    return "\n".join(parts)


def _entry(full: str) -> str:
    module, name = full.rsplit(".", 1)
    if inspect.isclass(getattr(import_module(module), name)):
        return f".. autoclass:: {full}\n   :members:\n   :inherited-members: {_BASES}\n"
    return f".. autofunction:: {full}\n"


def insert_reference(_app: Sphinx, _docname: str, source: list[str]) -> None:
    """Replace the marker on the page being read."""
    lines = source[0].split("\n")
    if MARKER in lines:
        place = lines.index(MARKER)
        lines[place : place + 1] = write_reference(public_names()).split("\n")
        source[0] = "\n".join(lines)


def skip_foreign_members(
    _app: Sphinx, _kind: str, _name: str, value: object, _skip: bool, _options: object
) -> bool | None:
    """Leave out what a class inherits from another library, whose documentation is elsewhere."""
    function = value.fget if isinstance(value, property) else value
    module = getattr(function, "__module__", None)
    return True if module and not module.startswith("classex") else None


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
