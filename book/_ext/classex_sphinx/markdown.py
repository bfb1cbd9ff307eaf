"""Plain Markdown, as Jupyter shows it, from a page that Sphinx has read and resolved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

_SKIPPED = (
    nodes.comment,
    nodes.target,
    nodes.raw,
    nodes.pending,
    nodes.substitution_definition,
    nodes.system_message,
    nodes.title,
    nodes.caption,
    addnodes.index,
    addnodes.toctree,
    addnodes.highlightlang,
)
_ABROAD = ("http://", "https://", "mailto:")
_LANGUAGES = {"ipython3": "python", "default": "", "none": ""}


@dataclass(frozen=True)
class Text:
    """A block of Markdown."""

    markdown: str


@dataclass(frozen=True)
class Code:
    """The place of a code cell: its index among the cells of the source."""

    index: int


class MarkdownWriter:
    """Turns a resolved page into blocks of Markdown and places of code cells, in reading order.

    Parameters
    ----------
    config : sphinx.config.Config or mapping
        For the wording of numbered captions.
    numbers : mapping
        Numbers of figures, equations and theorems on the page: kind -> id -> tuple.
    solutions : bool
        Whether to write the text of solutions. The places of their code cells are given in either case.
    """

    def __init__(
        self, config: Any, numbers: Mapping[str, Mapping[str, tuple[int, ...]]], *, solutions: bool = True
    ) -> None:
        self._solutions = solutions
        self._formats: Mapping[str, str] = config["numfig_format"]
        self._numbers = numbers
        self._depth = 0
        self._writers: tuple[tuple[type[nodes.Element], Callable[[Any], str | list[Code | Text]]], ...] = (
            (nodes.section, self._section),
            (nodes.container, self._container),
            (nodes.paragraph, self._inlines),
            (nodes.rubric, lambda node: f"**{self._inlines(node)}**"),
            (nodes.math_block, self._equation),
            (nodes.literal_block, self._literal),
            (nodes.bullet_list, lambda node: self._list(node, lambda _: "-")),
            (nodes.enumerated_list, lambda node: self._list(node, lambda index: f"{index + node.get('start', 1)}.")),
            (nodes.definition_list_item, self._definition),
            (nodes.field, self._definition),
            (nodes.block_quote, lambda node: self._quoted(self._children(node))),
            (nodes.figure, self._figure),
            (nodes.image, lambda node: f"*[Image: {node.get('alt', '')}]*"),
            (nodes.table, self._table),
            (nodes.footnote, self._footnote),
            (nodes.citation, self._footnote),
            (nodes.transition, lambda _: "---"),
            (solution_node, self._solution),
            (nodes.Admonition, self._admonition),
        )

    def stream(self, node: nodes.Node) -> list[Code | Text]:
        """Blocks of `node`, outermost first."""
        if isinstance(node, _SKIPPED):
            return []
        for kind, write in self._writers:
            if isinstance(node, kind):
                written = write(node)
                return [Text(written)] if isinstance(written, str) else written
        if isinstance(node, nodes.Text | nodes.Inline):
            return [Text(self.inline(node))]
        return self._children(node)

    def _children(self, node: nodes.Node) -> list[Code | Text]:
        return [item for child in node.children for item in self.stream(child)]

    def _text(self, node: nodes.Node) -> str:
        """The blocks inside a node that cannot hold code cells."""
        return "\n\n".join(item.markdown for item in self._children(node) if isinstance(item, Text) and item.markdown)

    def _section(self, node: nodes.section) -> list[Code | Text]:
        title = node.next_node(nodes.title, descend=True)
        if title is None or title.parent is not node:
            return self._children(node)  # theorems keep their content in a section without a title
        self._depth += 1
        heading = Text("#" * min(self._depth, 6) + " " + self._inlines(title))
        out = [heading, *self._children(node)]
        self._depth -= 1
        return out

    def _container(self, node: nodes.container) -> list[Code | Text]:
        if node.get("nb_element") != "cell_code":
            return self._children(node)
        # of the outputs, only captions: the reader's own run makes the rest
        return [Code(node["cell_index"]), *(Text(self._caption(figure)) for figure in node.findall(nodes.figure))]

    def _equation(self, node: nodes.math_block) -> str:
        number = self._number("displaymath", node) or node.get("number")
        tag = f" \\tag{{{number}}}" if number else ""
        body = node.astext().strip()
        if re.match(r"\\begin\{(align|gather|equation|multline|flalign|alignat)", body):
            return f"$$\n{body}\n$$"
        return f"$$\n{body}{tag}\n$$"

    def _literal(self, node: nodes.literal_block) -> str:
        language = node.get("language", "")
        text = node.astext().rstrip("\n")
        fence = "```" if "```" not in text else "````"
        return f"{fence}{_LANGUAGES.get(language, language)}\n{text}\n{fence}"

    def _list(self, node: nodes.Element, marker: Callable[[int], str]) -> str:
        items = []
        for index, item in enumerate(node.children):
            prefix = marker(index) + " "
            items.append(prefix + self._text(item).replace("\n", "\n" + " " * len(prefix)))
        return "\n".join(items)

    def _definition(self, node: nodes.Element) -> str:
        term, *rest = node.children
        return f"**{self._inlines(term)}**\n\n" + "\n\n".join(self._text(child) for child in rest)

    def _quoted(self, items: Iterable[Code | Text]) -> list[Code | Text]:
        return [
            item
            if isinstance(item, Code)
            else Text("\n".join(f"> {line}".rstrip() for line in item.markdown.split("\n")))
            for item in items
        ]

    def _admonition(self, node: nodes.Element) -> list[Code | Text]:
        if isinstance(node.next_node(), nodes.Admonition):
            return self._children(node)  # a proof is an admonition around another one
        kind = node.get("countertype", node.tagname)
        number = self._number(kind, node) or self._number("exercise", node)
        label = node.get("realtype", node.tagname.removesuffix("_node").split("_")[0]).capitalize()
        title = next((self._inlines(child).strip() for child in node.children if isinstance(child, nodes.title)), "")
        if number:
            title = f"{label} {number} {title}".strip()
        elif "realtype" in node:
            title = f"{label} {title}".strip()
        items = self._children(node)
        if title or label != "Admonition":
            items.insert(0, Text(f"**{title or label}**"))
        if any(isinstance(item, Code) for item in items):
            return items
        # one quotation, not one for each paragraph
        return self._quoted([Text("\n\n".join(item.markdown for item in items if isinstance(item, Text)))])

    def _solution(self, node: nodes.Element) -> list[Code | Text]:
        items = self._admonition(node)
        return items if self._solutions else [item for item in items if isinstance(item, Code)]

    def _figure(self, node: nodes.figure) -> str:
        image = node.next_node(nodes.image)
        alt = image.get("alt", "") if image is not None else ""
        return f"*[Image: {alt}]*\n\n{self._caption(node)}"

    def _caption(self, node: nodes.figure) -> str:
        caption = node.next_node(nodes.caption)
        number = self._number("figure", node)
        label = self._formats["figure"] % number + " " if number else ""
        return f"**{label.strip()}** {self._inlines(caption) if caption is not None else ''}".strip()

    def _table(self, node: nodes.table) -> str:
        rows = [[self._text(entry).replace("\n", " ") for entry in row.children] for row in node.findall(nodes.row)]
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        number = self._number("table", node)
        lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
        lines.insert(1, "|" + " --- |" * len(rows[0]))
        caption = self._inlines(title) if title is not None else ""
        heading = f"**{self._formats['table'] % number}** {caption}" if number else caption
        return (heading + "\n\n" if heading else "") + "\n".join(lines)

    def _footnote(self, node: nodes.Element) -> str:
        label, *rest = node.children
        return f"[{label.astext()}] " + "\n\n".join(
            item.markdown for c in rest for item in self.stream(c) if isinstance(item, Text)
        )

    def _number(self, kind: str, node: nodes.Element) -> str:
        numbers = self._numbers.get(kind, {})
        return next((".".join(map(str, numbers[i])) for i in node["ids"] if i in numbers), "")

    def inline(self, node: nodes.Node) -> str:
        """Markdown of a node inside a paragraph."""
        if isinstance(node, nodes.Text):
            return _escaped(str(node))
        if isinstance(node, nodes.math):
            return f"${node.astext().strip()}$"
        if isinstance(node, nodes.literal):
            return f"`` {node.astext()} ``" if "`" in node.astext() else f"`{node.astext()}`"
        if isinstance(node, nodes.image):
            return f"[Image: {node.get('alt', '')}]"
        if isinstance(node, nodes.footnote_reference):
            return f"[{node.astext()}]"
        if isinstance(node, nodes.raw | nodes.target | nodes.comment | addnodes.index):
            return ""
        inner = self._inlines(node)
        if isinstance(node, nodes.reference) and str(node.get("refuri", "")).startswith(_ABROAD):
            return f"[{inner}]({node['refuri']})"
        if isinstance(node, nodes.emphasis | nodes.strong) and inner:
            mark = "*" if isinstance(node, nodes.emphasis) else "**"
            return f"{mark}{inner}{mark}"
        if isinstance(node, nodes.subscript | nodes.superscript):
            tag = "sub" if isinstance(node, nodes.subscript) else "sup"
            return f"<{tag}>{inner}</{tag}>"
        return inner

    def _inlines(self, node: nodes.Node) -> str:
        return "".join(self.inline(child) for child in node.children)


def _escaped(text: str) -> str:
    text = re.sub(r"([\\`*$<])", r"\\\1", text.replace("\n", " "))
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
