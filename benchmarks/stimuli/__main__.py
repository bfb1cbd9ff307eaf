"""Power of the permutation test, simulated: ``python -m benchmarks.stimuli`` writes the table ``stimuli/power``.

Scores are standard normal, and those of the correct stimulus are larger by the square root of twice the information:
the high-dimensional limit. The information is the one that the formula detects with power .2, .5 or .8.
"""

from __future__ import annotations

import numpy as np

from benchmarks import study
from classex.fields.identification import detectable_information, permutation_test

COMMAND = "python -m benchmarks.stimuli"
HEADER = "n_stimuli,n_repeats,n_classes,information,predicted,simulated,standard_error,experiments"
N_EXPERIMENTS, N_PERMUTATIONS, SEED = 2000, 999, 20261128
# two-way accuracy, and the accuracy among all stimuli where ten or more responses are right by chance
CELLS = (
    *((k, 60 // k, 2, power) for k, power in ((6, 0.5), (10, 0.8), (20, 0.5), (60, 0.8))),
    *((k, 240 // k, 2, power) for k, power in ((6, 0.8), (20, 0.2), (60, 0.5), (240, 0.5))),
    *((6, 10, 6, 0.5), (6, 40, 6, 0.8), (20, 12, 20, 0.5)),
)


def row(n_stimuli: int, n_repeats: int, n_classes: int, power: float) -> tuple:
    """Predicted and simulated power of one design."""
    information = detectable_information(n_stimuli, n_repeats, power=power, n_classes=n_classes)
    rng = np.random.default_rng([SEED, n_stimuli, n_repeats, n_classes])
    labels = np.repeat(np.arange(n_stimuli), n_repeats)
    found = 0
    for _ in range(N_EXPERIMENTS):
        scores = rng.normal(size=(labels.size, n_stimuli))
        scores[np.arange(labels.size), labels] += np.sqrt(2 * information)
        options = {"n_classes": n_classes, "n_permutations": N_PERMUTATIONS, "rng": rng}
        found += permutation_test(scores, labels=labels, **options).p_value <= 0.05
    share = found / N_EXPERIMENTS
    error = np.sqrt(share * (1 - share) / N_EXPERIMENTS)
    return n_stimuli, n_repeats, n_classes, f"{information:.5f}", power, f"{share:.3f}", f"{error:.3f}", N_EXPERIMENTS


if __name__ == "__main__":
    folder = study.STORED / "stimuli"
    folder.mkdir(exist_ok=True)
    study.write(folder / "power.csv", COMMAND, HEADER, [row(*cell) for cell in CELLS])
