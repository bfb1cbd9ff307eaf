"""The accuracies in the plane that the coverage study integrates."""

from __future__ import annotations

import numpy as np

from benchmarks.coverage.bounds import plane_accuracies


def test_accuracies_in_the_plane_against_simulation():
    """z = 4 for each class, with the rule that knows the means and with stored examples."""
    rng = np.random.default_rng(3)
    mean = rng.standard_normal((6, 2))
    for stored_points in (mean, mean + 0.2 * rng.standard_normal((6, 2))):
        exact = plane_accuracies(mean, stored_points, 0.4, 0.05)
        points = mean[:, np.newaxis] + 0.4 * rng.standard_normal((6, 20_000, 2))
        nearest = np.square(points[:, :, np.newaxis] - stored_points).sum(axis=-1).argmin(axis=-1)
        counted = (nearest == np.arange(6)[:, np.newaxis]).mean(axis=1)
        assert (np.abs(counted - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 2e-3).all()
