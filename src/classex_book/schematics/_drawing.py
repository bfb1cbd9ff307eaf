"""What a schematic is, and the strokes that all of them use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from classex_book.figures import Drawing, draw


@dataclass(frozen=True)
class Schematic:
    """A drawing with its description, `extent` high where it is 10 wide."""

    function: Callable[[Any], None]
    alt: str
    extent: float

    @property
    def height(self) -> float:
        """Height of the picture, which is 4.4 inches wide."""
        return 0.44 * self.extent

    def on(self, ax: Any) -> None:
        """Draw into `ax`."""
        ax.set(xlim=(0, 10), ylim=(0, self.extent), aspect="equal")
        ax.axis("off")
        self.function(ax)

    def drawn(self) -> Drawing:
        """The pictures for all pages."""
        return draw(self.on, width=4.4, height=self.height, alt=self.alt)


SCHEMATICS: dict[str, Schematic] = {}


def add(name: str, alt: str, *, extent: float = 6.0) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Register a drawing that is `extent` high where it is 10 wide."""

    def decorate(function: Callable[[Any], None]) -> Callable[[Any], None]:
        SCHEMATICS[name] = Schematic(function, alt, extent)
        return function

    return decorate


def box(ax: Any, x: float, y: float, width: float, height: float, text: str, colour: str = "C0") -> None:
    """A rounded box centred at (x, y), with text."""
    from matplotlib.patches import FancyBboxPatch

    corner = (x - width / 2 + 0.15, y - height / 2 + 0.15)
    size = (width - 0.3, height - 0.3)
    ax.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0.15", fc=colour, alpha=0.16, lw=0))
    ax.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0.15", fc="none", ec=colour, lw=1.2))
    ax.text(x, y, text, ha="center", va="center", fontsize=9.5)


def arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], colour: str = "C6", bend: float = 0.0) -> None:
    """An arrow."""
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 2, "shrinkB": 2}
    ax.annotate("", xy=end, xytext=start, arrowprops={**style, "connectionstyle": f"arc3,rad={bend}"})


def label(ax: Any, x: float, y: float, text: str, *, colour: str | None = None, ha: str = "center") -> None:
    """A line or two of text."""
    colours = {} if colour is None else {"color": colour}
    ax.text(x, y, text, ha=ha, va="center", fontsize=9.5, linespacing=1.25, **colours)
