"""Rebuild ``src/classex_book/data/telugu.npz`` from the Telugu fonts of Debian.

    apt-get install -y --no-install-recommends fonts-telu fonts-telu-extra fonts-teluguvijayam \
        fonts-lohit-telu fonts-noto-core fonts-noto-extra
    python scripts/build_telugu.py

Every image has its own random stream, fixed by the seed, the class, the split and its number: any sample can be
rendered again by itself. The script prints what it left out and why, and stores that beside the images.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import PIL
from archives import write
from PIL import features
from telugu_faces import FAMILIES, PACKAGES, SYLLABLES, Face, missing_files
from telugu_render import SIDE, distance_field, distort

SEED = 20170418
PER_CLASS = 50
MIN_FAMILIES = 8
TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "data" / "telugu.npz"
SPLITS = ("train", "test")


@dataclass(frozen=True)
class Resampling:
    """What to draw: the classes in their published order, and the usable faces of each family."""

    syllables: tuple[str, ...]
    faces: tuple[Face, ...]
    family_of_face: tuple[int, ...]

    def usable(self, syllable: str, split: str) -> dict[int, list[int]]:
        """Return the faces that draw `syllable`, by family, on one side of the split."""
        found: dict[int, list[int]] = {}
        for face, family in enumerate(self.family_of_face):
            if FAMILIES[family].split == split and syllable not in self.faces[face].faults:
                found.setdefault(family, []).append(face)
        return found


def make_plan() -> Resampling:
    """Load every face and shuffle the classes into their published order."""
    pairs = [(Face(file), index) for index, family in enumerate(FAMILIES) for file in family.files]
    plan = Resampling((), tuple(face for face, _ in pairs), tuple(index for _, index in pairs))
    kept = [text for text in SYLLABLES if all(len(plan.usable(text, split)) >= MIN_FAMILIES for split in SPLITS)]
    order = np.random.default_rng(SEED).permutation(len(kept))
    return Resampling(tuple(kept[position] for position in order), plan.faces, plan.family_of_face)


@lru_cache(maxsize=256)
def _field(face: Face, syllable: str) -> np.ndarray:
    return distance_field(face.draw(syllable))


def render_class(plan: Resampling, syllable: str, split: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the images (PER_CLASS, 48, 48) of one class on one side, and the face that each comes from.

    The families take turns, in an order shuffled for every class, so that their shares differ by one image at most.
    """
    number = list(SYLLABLES).index(syllable)
    side = SPLITS.index(split)
    usable = plan.usable(syllable, split)
    turns = np.random.default_rng([SEED, number, side]).permutation(sorted(usable))
    images = np.empty((PER_CLASS, SIDE, SIDE), dtype=bool)
    chosen = np.empty(PER_CLASS, dtype=np.uint8)
    for image in range(PER_CLASS):
        rng = np.random.default_rng([SEED, number, side, image])
        chosen[image] = rng.choice(usable[int(turns[image % turns.size])])
        images[image] = distort(_field(plan.faces[chosen[image]], syllable), rng)
    return images, chosen


def pack(images: np.ndarray) -> np.ndarray:
    """Return eight pixels a byte, the bytes of one column side by side (strokes are upright: it compresses better)."""
    return np.ascontiguousarray(np.swapaxes(np.packbits(images, axis=-1), -1, -2))


def left_out(plan: Resampling) -> list[list[str]]:
    """Return (file, reason, syllables) for everything that was left out."""
    rows = [
        [face.file, reason, " ".join(text for text, why in face.faults.items() if why == reason)]
        for face in plan.faces
        for reason in sorted(set(face.faults.values()))
    ]
    dropped = [text for text in SYLLABLES if text not in plan.syllables]
    if dropped:
        rows.append(["(class)", f"drawn by fewer than {MIN_FAMILIES} families", " ".join(dropped)])
    return rows


def versions() -> dict[str, str]:
    """Return the versions of what draws the glyphs; the pixels depend on them."""
    return {"pillow": PIL.__version__} | {
        name: str(features.version(name)) for name in ("freetype2", "raqm", "harfbuzz")
    }


def build(target: Path) -> None:
    """Render everything and write one deterministic .npz."""
    plan = make_plan()
    arrays: dict[str, np.ndarray] = {}
    for split in SPLITS:
        rendered = [render_class(plan, syllable, split) for syllable in plan.syllables]
        arrays[f"{split}_bits"] = pack(np.stack([images for images, _ in rendered]))
        arrays[f"{split}_faces"] = np.stack([faces for _, faces in rendered])
    about = {
        "seed": SEED,
        "versions": versions(),
        "syllables": list(plan.syllables),
        "transliterations": [SYLLABLES[text] for text in plan.syllables],
        "families": [[family.name, family.split, family.designer, family.package] for family in FAMILIES],
        "faces": [[Path(face.file).name, family] for face, family in zip(plan.faces, plan.family_of_face, strict=True)],
        "left_out": left_out(plan),
    }
    text = json.dumps(about, ensure_ascii=False, indent=1).encode()
    arrays["about"] = np.frombuffer(text, dtype=np.uint8)
    write(target, arrays)
    report(plan, target)


def report(plan: Resampling, target: Path) -> None:
    """Print what was made, what was left out and why."""
    for file, reason, syllables in left_out(plan):
        print(f"left out: {file}: {reason}: {len(syllables.split())} classes: {syllables}")
    for split in SPLITS:
        counts = Counter(len(plan.usable(text, split)) for text in plan.syllables)
        print(f"{split}: families per class (families: classes) {dict(sorted(counts.items()))}")
    print(f"{len(plan.syllables)} classes of {len(SYLLABLES)}, {PER_CLASS} images a class on each side")
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB, versions {versions()}")


def main() -> None:
    """Check the fonts and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=TARGET)
    target = parser.parse_args().output
    if missing := missing_files():
        parser.error(f"{len(missing)} fonts are missing ({missing[0]}, ...): install {' '.join(PACKAGES)}")
    if not features.check("raqm"):
        parser.error("Pillow lacks raqm and cannot shape Telugu; install Pillow's own wheel")
    build(target)


if __name__ == "__main__":
    main()
