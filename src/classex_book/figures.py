"""The book's figures: each drawn from one piece of code for light and for dark pages, for a desk and for a phone.

A cell decorates the function that draws; the function is called once for every variant, so it must not use up
random numbers or change anything. What comes out is one output that holds

- scalable pictures in two colour schemes, and in a narrow layout where the figure is wider than a phone,
- one light picture for paper.

The book's extension (``classex_sphinx.figures``) makes of it one figure with one number, one caption and a
description. Colours have one meaning through the book: `OBSERVED`, `EXTRAPOLATED`, `TRUTH`, `GUESSING`.
"""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from classex._optional import needed_for

with needed_for("classex_book.figures"):
    from cycler import cycler
    from matplotlib import rcParams
    from matplotlib import style as mpl_style
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.font_manager import fontManager
    from matplotlib.text import Text
    from matplotlib.ticker import FixedLocator

# colours by meaning; "C0", "C1", ... are looked up when the line is made, so they follow the theme
OBSERVED: dict[str, Any] = {"color": "C0", "linestyle": "-"}
EXTRAPOLATED: dict[str, Any] = {"color": "C1", "linestyle": "--"}
TRUTH: dict[str, Any] = {"color": "C2", "linestyle": "-"}
SECOND: dict[str, Any] = {"color": "C3", "linestyle": "-."}
GUESSING: dict[str, Any] = {"color": "C6", "linestyle": ":"}

_INK, _CYCLE = "#E4E4E4", ("#56B4E9", "#FF9A4D", "#2FD0A0", "#F0A8D0", "#A6B8FF", "#F2DA5E", "#B4B4B4")
_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
_DARK = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "axes.edgecolor"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "patch.edgecolor", "hatch.color"), _INK),
    "grid.color": "#808080",
    "axes.facecolor": "none",
}
_FACE = "ClassEx Sans"  # the page's Source Sans 3 under a name of its own; matplotlib reads no WOFF2
for _style in ("Regular", "Italic", "Bold"):
    with as_file(files("classex_book") / "fonts" / f"ClassExSans-{_style}.ttf") as _path:
        fontManager.addfont(_path)
_COMMON = {
    "font.size": 11.0,  # as high as DejaVu Sans of 10 points
    "font.family": [_FACE, "DejaVu Sans"],
    "mathtext.fontset": "custom",
    **dict.fromkeys(("mathtext.rm", "mathtext.sf", "mathtext.tt", "mathtext.cal"), _FACE),
    **dict.fromkeys(("mathtext.it", "mathtext.bfit"), f"{_FACE}:italic"),
    "mathtext.bf": f"{_FACE}:bold",
    "mathtext.fallback": "stixsans",
    "svg.fonttype": "path",
    "svg.hashsalt": "classex",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.bbox": "standard",
}
THEMES = ("light", "dark")
PHONE = 327.0  # width of the text on a phone of 375 pixels
_NARROW = 4.0  # inches; nothing wider is shown on a phone
_WIDE = 4.4
_SMALLEST = 9.0  # pixels
_LABEL_GAP = 1.44  # least distance of two labels, in font sizes
_DPI = 200  # of what is drawn with rasterized=True


@dataclass(frozen=True)
class Picture:
    """One picture of a drawing: which theme and layout, which panel, and the SVG itself."""

    theme: str
    layout: str
    panel: int
    width: float
    height: float
    svg: bytes


@dataclass(frozen=True)
class Drawing:
    """All pictures of one figure, in a form that Jupyter shows.

    Attributes
    ----------
    pictures : tuple of Picture
        By panel, layout and theme.
    paper : bytes
        One PDF with all panels side by side.
    alt : str
        What it shows, or empty if the options of the cell say it.
    """

    pictures: tuple[Picture, ...]
    paper: bytes
    alt: str = ""

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The output of the cell: HTML for the screen, PDF for paper."""
        return {
            "text/html": self.to_html(),
            "application/pdf": base64.b64encode(self.paper).decode(),
            "text/plain": "<figure>",
        }

    def to_html(self) -> str:
        """HTML with the pictures inside; where no style sheet chooses, the light one is shown."""
        shown = []
        for picture in self.pictures:
            names = f"classex-fig classex-drawn only-{picture.theme} classex-{picture.layout}"
            hidden = "" if (picture.theme, picture.layout) in {("light", "wide"), ("light", "any")} else "display:none"
            data = base64.b64encode(picture.svg).decode()
            shown.append(
                f'<img class="{names}" data-panel="{picture.panel}" alt="{html.escape(self.alt)}" '
                f'width="{picture.width:.0f}" height="{picture.height:.0f}" style="{hidden}" '
                f'src="data:image/svg+xml;base64,{data}">'
            )
        return '<div class="classex-figure">\n' + "\n".join(shown) + "\n</div>"


@contextmanager
def theme(name: str) -> Iterator[None]:
    """Matplotlib's settings for ``"light"`` or ``"dark"`` pages."""
    styles: list[Any] = ["classex.book", _COMMON]
    if name == "dark":
        styles.append({**_DARK, "axes.prop_cycle": cycler(color=_CYCLE) + cycler(linestyle=_STYLES)})
    with mpl_style.context(styles, after_reset=True):
        yield


def figure(**shape: Any) -> Callable[[Callable[..., object]], None]:
    """Draw the decorated function and show the result, in every theme and layout.

    The name of the decorated function is bound to None.

    Parameters
    ----------
    **shape
        Panels, grid and sizes, as `draw` takes them.
    """

    def decorate(function: Callable[..., object]) -> None:
        from IPython.display import display

        display(draw(function, **shape))  # type: ignore[no-untyped-call]

    return decorate


def draw(
    function: Callable[..., object],
    *,
    panels: int = 1,
    grid: tuple[int, int] | None = None,
    width: float | None = None,
    height: float = 3.5,
    narrow: tuple[float, float] | None = None,
    alt: str = "",
) -> Drawing:
    """Draw a function in every theme and layout.

    Parameters
    ----------
    function : callable
        What draws, given the axes.
    panels : int
        Number of panels. Each is a picture of its own, so that they stack on a phone; the function gets that
        many axes.
    grid : (rows, columns), optional
        Many small axes in one picture instead; the function gets them as one flat array, row by row. On a phone
        there are half as many columns.
    width, height : float
        Size of one panel in inches; the width is 6.2 for one panel and 3.7 for several.
    narrow : (width, height), optional
        Size on a phone, for figures wider than 4.4 inches; 4 inches by `height` by default.
    alt : str, optional
        What the picture shows, in words. In the book's pages the options of the cell say it instead.

    Raises
    ------
    ValueError
        If a text of the figure would be smaller than 9 pixels on a phone, or `panels` and `grid` are both given.
    """
    if grid is not None and panels != 1:
        raise ValueError(f"panels must be 1 where grid is given, not {panels}")
    wide = width if width is not None else (6.2 if panels == 1 else 3.7)
    layouts = {"any": (wide, height, grid)}
    if wide > _WIDE:
        small = narrow or (_NARROW, height)
        layouts = {"wide": (wide, height, grid), "narrow": (*small, _halved(grid))}
    pictures = []
    for layout, (across, down, cells) in layouts.items():
        for name in THEMES:
            with theme(name):
                made = _figures(function, panels, cells, across, down)
                if layout != "wide" and name == "light":
                    _check_size(made)
                size = (96 * across, 96 * down)
                pictures += [Picture(name, layout, i, *size, _saved(fig, "svg")) for i, fig in enumerate(made)]
    pictures.sort(key=lambda picture: picture.panel)
    with theme("light"):
        paper = _saved(_on_paper(function, panels, grid, wide, height), "pdf")
    return Drawing(tuple(pictures), paper, alt)


def _halved(grid: tuple[int, int] | None) -> tuple[int, int] | None:
    """The grid with half as many columns, where that leaves no gap."""
    if grid is None:
        return None
    rows, columns = grid
    half = math.ceil(columns / 2)
    return (rows * columns // half, half) if rows * columns % half == 0 else grid


def _figures(
    function: Callable[..., object], panels: int, grid: tuple[int, int] | None, width: float, height: float
) -> list[Figure]:
    """One matplotlib figure for each panel, drawn."""
    figures = [Figure(figsize=(width, height), layout="constrained") for _ in range(panels)]
    if grid is not None:
        function(np.ravel(figures[0].subplots(*grid)))
    else:
        function(*(fig.subplots() for fig in figures))
    return figures


def _on_paper(
    function: Callable[..., object], panels: int, grid: tuple[int, int] | None, width: float, height: float
) -> Figure:
    """All panels in one figure."""
    fig = Figure(figsize=(width * panels, height), layout="constrained")
    axes = np.ravel(fig.subplots(*(grid or (1, panels))))
    function(axes) if grid is not None else function(*axes)
    return fig


def _saved(fig: Figure, kind: str) -> bytes:
    """The file, without a date, so that two builds are the same."""
    out = io.BytesIO()
    dates = {"Date": None, "Creator": None} if kind == "svg" else {"CreationDate": None, "Creator": None}
    fig.savefig(out, format=kind, dpi=_DPI, metadata=dates)
    return out.getvalue()


def _check_size(figures: Sequence[Figure]) -> None:
    """Refuse text that nobody can read on a phone."""
    for fig in figures:
        across = 96 * fig.get_figwidth()
        for text in fig.findobj(Text):
            if isinstance(text, Text) and text.get_visible() and text.get_text().strip():
                pixels = float(text.get_fontsize()) * 96 / 72 * min(1.0, PHONE / across)
                if pixels < _SMALLEST:
                    raise ValueError(
                        f"the text {text.get_text()!r} would be {pixels:.1f} pixels high on a phone; at least "
                        f"{_SMALLEST:.0f} are needed: use a larger font, or a narrower figure"
                    )


def band(ax: Any, x: Any, interval: Any, *, color: str = "C1", **kwargs: Any) -> None:
    """Draw an interval as a band; `interval` has a row for each `x` with the lower and the upper end."""
    ends = np.asarray(interval, dtype=float)
    ax.fill_between(x, ends[:, 0], ends[:, 1], **{"color": color, "alpha": 0.22, "linewidth": 0, **kwargs})


def ink() -> Any:
    """Colour map for pictures in black and white: nothing where they are 0, the colour of text where they are 1."""
    colour = to_rgb(rcParams["text.color"])
    return LinearSegmentedColormap.from_list("ink", [(*colour, 0.0), (*colour, 1.0)])


def probit_axis(axis: Any, ticks: Sequence[float] = (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999)) -> None:
    """Stretch an axis of probabilities by the normal quantile function, so that both ends can be read."""
    axis._set_axes_scale("function", functions=(_probit, ndtr))
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.minorticks_off()


def _probit(values: Any) -> Any:
    """The normal quantile function, finite at 0 and 1 because matplotlib asks there."""
    return ndtri(np.clip(values, 1e-12, 1 - 1e-12))


def label_ends(ax: Any, *, pad: float = 4.0) -> None:
    """Write the label of every line beside its right end, in its colour, instead of a legend.

    Call it last, when scales and limits are set. Labels that would overlap are moved apart.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes whose lines carry labels.
    pad : float
        Distance from the line's end in points.
    """
    ax.autoscale_view()  # else limits that nobody has set are not known yet
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    ends = []
    for line in lines:
        points = ax.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
        inside = ax.transAxes.inverted().transform(points)
        good = np.isfinite(inside).all(axis=1) & (np.abs(inside - 0.5) <= 0.5 + 1e-9).all(axis=1)
        last = np.flatnonzero(good)[-1] if good.any() else 0
        ends.append(inside[last])
    size = float(Text(text="x", figure=ax.figure).get_fontsize())
    height = _LABEL_GAP * size / (72 * ax.get_figure().get_figheight() * ax.get_position().height)
    heights = _apart(np.array([end[1] for end in ends]), height)
    for line, end, y in zip(lines, ends, heights, strict=True):
        ax.annotate(
            line.get_label(),
            xy=(end[0], y),
            xycoords="axes fraction",
            xytext=(pad, 0),
            textcoords="offset points",
            color=line.get_color(),
            va="center",
            annotation_clip=False,
        )


def _apart(values: np.ndarray, least: float) -> np.ndarray:
    """The values moved as little as a few sweeps need so that no two are nearer than `least`."""
    order = np.argsort(values, kind="stable")
    moved = values[order].astype(float)
    for _ in range(200):
        short = least - np.diff(moved)
        if (short <= 1e-9).all():
            break
        push = np.maximum(short, 0) / 2
        moved[:-1] -= push
        moved[1:] += push
    out = np.empty_like(moved)
    out[order] = moved
    return out
