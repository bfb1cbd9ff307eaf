"""What a type checker sees of the package from a user's script: the real type of every public name, never Any."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import classex as cx

ROOT = Path(__file__).parents[1]
UNTYPED = ("numba", "scipy", "sklearn", "cvxpy", "joblib", "tqdm", "dask", "distributed", "threadpoolctl", "h5py")
PACKAGES = ("curves", "distributions", "methods", "intervals", "information", "advantage", "plots", "open_set", "bayes")


def checked(script: Path) -> subprocess.CompletedProcess[str]:
    """Mypy's strict verdict on a script outside the project, which has settings of its own."""
    settings = script.with_name("mypy.ini")
    settings.write_text(
        f"[mypy]\nstrict = True\nmypy_path = {ROOT / 'src'}\n"
        "[mypy-" + ".*,".join(UNTYPED) + ".*]\n"
        "ignore_missing_imports = True\nfollow_imports = skip\n"
        "[mypy-classex.*]\nignore_errors = True\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings), "--cache-dir", str(script.parent / "c")]
    return subprocess.run([*command, str(script)], capture_output=True, text=True, check=False, cwd=script.parent)


def test_every_public_name_has_its_type(tmp_path):
    names = [f"cx.{name}" for name in cx.__all__]
    names += [f"cx.{package}.{name}" for package in PACKAGES for name in getattr(cx, package).__all__]
    script = tmp_path / "user.py"
    wrong = '\ncx.correct_ranks("scores")\ncx.no_such_thing\n'
    script.write_text("import classex as cx\n" + "\n".join(f"reveal_type({n})" for n in names) + wrong, "utf-8")
    result = checked(script)
    revealed = re.findall(r'Revealed type is "(.*)"', result.stdout)
    assert len(revealed) == len(names), result.stdout + result.stderr
    unknown = [name for name, kind in zip(names, revealed, strict=True) if kind == "Any"]
    assert not unknown
    errors = re.findall(r": error: (.*)", result.stdout)
    assert any("correct_ranks" in error for error in errors), errors
    assert any('has no attribute "no_such_thing"' in error for error in errors)
    assert len(errors) == 2


def test_the_front_door_is_narrow():
    from types import ModuleType

    names = [name for name in cx.__all__ if not isinstance(getattr(cx, name), ModuleType) and name != "__version__"]
    assert len(names) <= 40
