"""Count what one call passes through: modules of ours, moves from one file to another, and circles between modules.

python tools/path_of_a_call.py            # three calls of classex.extrapolate
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PREPARE = """
import numpy as np
rng = np.random.default_rng(0)
scores = rng.normal(size=(120, 40)); labels = np.arange(120) % 40; scores[np.arange(120), labels] += 1.5
"""
CALLS = {
    "scores": "cx.extrapolate(scores, labels, n_classes=[1000])",
    "groups": "cx.extrapolate(scores, labels, n_classes=[1000], groups=np.arange(40) % 4)",
    "weights": "cx.extrapolate(scores, labels, n_classes=[1000], weights=1 + np.arange(40) % 2)",
}
# the call runs twice: the first one imports and compiles
MEASURE = """
import sys, warnings; warnings.simplefilter("ignore")
import classex as cx
{prepare}
{call}
modules = sorted(name for name in sys.modules if name.split(".")[0] == "classex")
package = cx.__file__.rsplit("/", 1)[0]
state = {{"last": None, "moves": 0, "functions": set(), "files": set()}}
def profile(frame, event, _):
    if event not in ("call", "return"):
        return
    if event == "return":
        frame = frame.f_back
    while frame is not None and not frame.f_code.co_filename.startswith(package):
        frame = frame.f_back if event == "return" else None
    if frame is None:
        return
    file = frame.f_code.co_filename
    state["moves"] += file != state["last"] and state["last"] is not None
    state["last"] = file
    state["files"].add(file)
    state["functions"].add((file, frame.f_code.co_qualname))
sys.setprofile(profile)
{call}
sys.setprofile(None)
print(len(modules), len(state["files"]), len(state["functions"]), state["moves"], *modules)
"""


def measured(call: str) -> tuple[list[int], list[str]]:
    """Return the numbers of modules, files, functions and moves of a call, and the names of the modules."""
    code = MEASURE.format(prepare=PREPARE, call=CALLS[call])
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return [int(one) for one in out[:4]], out[4:]


def main() -> None:
    """Print a table of the calls."""
    print(f"{'call':10}{'modules':>9}{'files':>7}{'functions':>11}{'moves':>7}")
    for call in CALLS:
        numbers, modules = measured(call)
        print(f"{call:10}{numbers[0]:9}{numbers[1]:7}{numbers[2]:11}{numbers[3]:7}")
        if "--names" in sys.argv:
            print("   ", " ".join(Path(name).name.removeprefix("classex.") for name in modules))


if __name__ == "__main__":
    main()
