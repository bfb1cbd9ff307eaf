"""The long description of the wheel: the README without its picture, which has no address outside the sources."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: a picture that stands by itself, and the line in italics below it
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n\n\*[^*]*\*\n\n", re.MULTILINE)


class ReadmeHook(MetadataHookInterface):
    """Fill in the dynamic field ``readme``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set it from README.md."""
        text, pictures = PICTURE.subn("", (Path(self.root) / "README.md").read_text(encoding="utf-8"))
        if pictures != 1 or "](book/" in text:
            raise ValueError(
                "README.md must hold one picture, with a line in italics below it, and no other local link"
            )
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
