"""Write what the explorer's scripts must know of the library: its prior, grids and weights, none of them typed twice.

Run as ``python scripts/explorer_settings.py`` from the root of the sources.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from classex._estimates import UNSEEN_UNITS
from classex.distributions import probit_normal
from classex.forecast import posterior
from classex.forecast.forecast import MOST_SIZES
from classex.forecast.posterior import ACCURACY_CURVES
from classex.methods import gaussian_process

OUT = Path(__file__).parents[1] / "book" / "_static" / "explorer" / "settings.js"


def settings() -> dict[str, Any]:
    """Constants of the methods, by method."""
    matched, nodes, log_a = gaussian_process._MATCHED, gaussian_process._NODES, posterior._LOG_A
    legendre, weights = np.polynomial.legendre.leggauss(20)
    centre, width = probit_normal._LOG_NU_PRIOR
    parts = [{"component": type(part).__name__, **asdict(part)} for part in ACCURACY_CURVES.components]
    for part in parts:
        part.pop("kind", None)  # a sentence of the library's
    return {
        "probitNormal": {
            "muBounds": probit_normal._MU_BOUNDS,
            "logNuBounds": probit_normal._LOG_NU_BOUNDS,
            "logNuPrior": {"centre": centre, "width": width},
            "fitNodes": probit_normal._FIT_NODES,
        },
        "process": {
            "components": parts,
            "temper": ACCURACY_CURVES.temper,
            "level_sd": posterior._LEVEL_SD,
            "log_a": {"first": log_a[0], "last": log_a[-1], "count": log_a.size},
            "step": posterior._STEP,
            "least_variance": posterior._LEAST_VARIANCE,
            "least_weight": posterior._LEAST_WEIGHT,
            "deviations": posterior._DEVIATIONS,
            "halvings": posterior._HALVINGS,
            "most_sizes": MOST_SIZES,
            "jitter": gaussian_process._JITTER,
            "unseen_units": UNSEEN_UNITS,
            "matched": {"first": matched[0], "last": matched[-1], "count": matched.size},
            "nodes": {"first": nodes[0], "step": float(np.round(nodes[1] - nodes[0], 12)), "count": nodes.size},
            "roughness": gaussian_process._ROUGHNESS,
            "weight_of_one": gaussian_process._WEIGHT_OF_SUM,
        },
        "legendre": {"nodes": legendre.tolist(), "weights": weights.tolist()},
    }


def as_script(data: dict[str, Any]) -> str:
    """Return the text of the script."""
    return (
        "// Written by scripts/explorer_settings.py: constants of the library's laws.\n"
        "(function part() {\n"
        '  "use strict";\n\n'
        f"  const settings = {json.dumps(data)};\n\n"
        "  window.classexExplorer.parts.push(part);\n"
        "  Object.assign(window.classexExplorer, { settings });\n"
        "})();\n"
    )


if __name__ == "__main__":
    OUT.write_text(as_script(settings()), encoding="utf-8")
