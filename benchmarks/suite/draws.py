"""Store the draws that CleaneX is trained on: ``python -m benchmarks.suite.draws`` writes ``_draws/draws.npz``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.suite.worlds import real_world

TARGET = Path(__file__).parent / "_draws" / "draws.npz"
# world, recogniser, observed classes, draws
PLAN = (
    ("words", "TF-IDF", 100, 10),
    ("words", "SVD", 100, 10),
    ("words", "TF-IDF", 500, 5),
    ("words", "SVD", 500, 5),
    ("names", "TF-IDF", 100, 10),
    ("names", "TF-IDF", 500, 5),
)


def main() -> None:
    """Write every block of scores, its labels and the target sizes."""
    arrays = {}
    for name, recogniser, k1, draws in PLAN:
        world = real_world(name)
        for draw in range(draws):
            scores, labels = world.draw(recogniser, k1, draw)
            key = f"{name}|{recogniser}|{k1}|{draw}"
            arrays[f"{key}|scores"] = scores.astype(np.float32)
            arrays[f"{key}|labels"] = labels.astype(np.int32)
            arrays[f"{key}|sizes"] = np.array(world.targets(recogniser)[k1])
    TARGET.parent.mkdir(exist_ok=True)
    np.savez_compressed(TARGET, allow_pickle=False, **arrays)
    print(f"{TARGET}: {len(arrays) // 3} draws, {TARGET.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
