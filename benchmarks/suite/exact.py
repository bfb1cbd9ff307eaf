"""Worlds whose law is known: Gaussian classes, the bivariate normal, faces on a sphere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from benchmarks.suite.worlds import SEED, Block, World
from classex.models import BivariateNormal, GaussianClasses, VonMisesFisherClasses
from classex.models._base import Model, Sample


class ExactWorld(World):
    """Models by name; the observed classes are independent draws, the truth a formula."""

    def __init__(
        self, name: str, models: Mapping[str, Model], steps: Mapping[int, tuple[int, ...]], n_repeats: int = 1
    ) -> None:
        super().__init__(name, dict.fromkeys(models, True), steps, 0, n_repeats)
        object.__setattr__(self, "models", models)

    models: Mapping[str, Model]

    def draw(self, recogniser: str, k1: int, draw: int) -> Block:
        """See `World.draw`."""
        sample = self._sample(recogniser, k1, draw, 0)
        return sample.scores, sample.labels

    def _sample(self, recogniser: str, k1: int, draw: int, size: int) -> Sample:
        """Draw k1 classes (size 0), or others that go with them to make another set."""
        seed = [SEED, sum(map(ord, self.name)), list(self.models).index(recogniser), k1, draw]
        rng = np.random.default_rng([*seed, size] if size else seed)
        return self.models[recogniser].sample(size or k1, n_repeats=self.n_repeats, rng=rng)

    def set_accuracy(self, recogniser: str, k1: int, draw: int, size: int, *, superset: bool) -> float:
        """Accuracy on one set of `size` classes, fresh or with the observed classes in it."""
        parts = [self._sample(recogniser, k1, draw, size)]
        if superset:
            parts = [self._sample(recogniser, k1, draw, 0), self._sample(recogniser, k1, draw, size - k1)]
        references = np.concatenate([part.references for part in parts])
        right = []
        before = 0
        for part in parts:
            for rows in np.array_split(np.arange(len(part.labels)), -(-len(part.labels) // 500)):
                scores = part.model.scores(part.points[rows], references)
                right.append(scores.argmax(axis=1) == part.labels[rows] + before)
            before += part.references.shape[0]
        return float(np.concatenate(right).mean())


@cache
def exact_world(name: str) -> ExactWorld:
    """Return one of the worlds with an exact truth."""
    if name == "Gaussian":
        models: dict[str, Model] = {f"noise {noise:g}": GaussianClasses(10, noise) for noise in (0.05, 0.1, 0.2, 0.35)}
        return ExactWorld(name, models, {500: (1_000, 2_000, 5_000, 10_000), 2_000: (10_000, 40_000)})
    if name == "bivariate":
        models = {f"correlation {rho:g}": BivariateNormal(rho) for rho in (0.9, 0.99, 0.999)}
        return ExactWorld(name, models, {20: (200,), 200: (2_000,)}, n_repeats=5)
    example = VonMisesFisherClasses.calibrated(0.43, 1_672)
    models = {
        "example .43": example,
        "centroid .43": VonMisesFisherClasses.calibrated(0.43, 1_672, stored="centroid"),
        "example .90": VonMisesFisherClasses.calibrated(0.90, 1_672),
    }
    return ExactWorld("faces", models, {100: (1_672,), 400: (1_672, 16_720)})
