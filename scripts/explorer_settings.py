"""Write what the explorer's scripts must know of the library: its prior, grids and weights, none of them typed twice.

Run as ``python scripts/explorer_settings.py`` from the root of the sources.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from classex.methods import curve_prior, gaussian_process, probit_normal

OUT = Path(__file__).parents[1] / "book" / "_static" / "explorer" / "settings.js"


def settings() -> dict[str, Any]:
    """Constants of the methods, by method."""
    matched, nodes = gaussian_process._MATCHED, gaussian_process._NODES
    legendre, weights = np.polynomial.legendre.leggauss(20)
    centre, width = probit_normal._LOG_NU_PRIOR
    return {
        "probitNormal": {
            "muBounds": probit_normal._MU_BOUNDS,
            "logNuBounds": probit_normal._LOG_NU_BOUNDS,
            "logNuPrior": {"centre": centre, "width": width},
            "fitNodes": probit_normal._FIT_NODES,
        },
        "process": {
            **asdict(curve_prior.CurvePrior()),
            "unusual_times": curve_prior._UNUSUAL,
            "most_sizes": gaussian_process.MOST_SIZES,
            "jitter": gaussian_process._JITTER,
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
