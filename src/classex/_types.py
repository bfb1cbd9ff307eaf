"""Types: arrays, and options with few values, of which a type checker refuses what `one_of` refuses at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: whether each class weighs the same, or each test point
Average = Literal["balanced", "points"]
#: what an interval is for
Target = Literal["average", "fresh", "superset"]
#: what intervals of a retrieval metric are for: queries like those observed, or these
RetrievalTarget = Literal["average", "queries"]
#: how groups grow; not an ArrayLike, which any string is
GroupGrowth = Literal["same groups", "more groups"] | Mapping[Any, float] | Sequence[Sequence[float]] | NDArray[Any]
#: the keys of `classex.methods.METHODS`
MethodName = Literal[
    "gaussian-process",
    "probit-normal",
    "regression",
    "empirical-bayes",
    "beta-binomial",
    "pitman-yor",
    "kernel-density",
    "polynomial",
    "pseudolikelihood",
    "exponential",
]
#: bounds of the accuracy of one rule, and of the average Bayes accuracy
BoundMethod = Literal["clopper-pearson", "hoeffding", "thesis"]
AverageBoundMethod = Literal["joint", "chernoff", "split", "cantelli", "thesis"]
