"""Visits of the built book: its pages in their order, one of them in a browser, its colours."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from PIL import Image

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "_build" / "html"
# milliseconds that a busy machine may take for what takes a reader's a moment
PATIENCE = 30_000
PHONE = 375


def table_of_contents() -> list[str]:
    """Every page, in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))

    def pages(entries: list[dict[str, Any]]) -> Iterator[str]:
        for entry in entries:
            yield entry["file"]
            yield from pages(entry.get("sections", []))

    return [toc["root"], *(page for part in toc["parts"] for page in pages(part["chapters"]))]


CONTENTS = table_of_contents()


class Visit:
    """A page opened from the folder, with everything it complained of and everything it asked for."""

    def __init__(self, browser, path: Path, query: str = "") -> None:
        self.page = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self.hear)
        self.page.goto(path.as_uri() + query)
        self.page.evaluate("window.MathJax && MathJax.startup.promise")

    def hear(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


def contrast(picture: bytes, background: tuple[int, ...]) -> np.ndarray:
    """WCAG contrast of every pixel with the background."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=float) / 255

    def luminance(colour):
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    light, ground = luminance(pixels), luminance(np.array(background) / 255)
    return (np.maximum(light, ground) + 0.05) / (np.minimum(light, ground) + 0.05)


def darken(page, scheme: str = "dark") -> None:
    """Ask for dark pages, as the reader's system does, and wait until the page has followed."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'", timeout=PATIENCE)
