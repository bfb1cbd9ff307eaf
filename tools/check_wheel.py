"""Build the source archive and from it the wheels, and try them as a new user does, away from the sources.

``python tools/check_wheel.py PYTHON [--lowest]`` makes empty environments of that Python, installs the wheel with the
newest versions of what it needs or (``--lowest``) with the oldest that ``pyproject.toml`` allows, and checks:

- a wheel is the same when it is built from the source archive, and its metadata are those of ``pyproject.toml``;
- the library's alone runs the README's ten lines and the command line, with read-only files and without a home too,
  and says in one line which extra a figure needs;
- with the course's and all extras its examples and a part of the tests pass (``--quick`` leaves this out).

It needs a network or a folder of wheels that pip knows, and hatchling in the Python that runs it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MOST_MB = {"classex": 1.0, "classex_book": 10.0}
NUMBER = re.compile(r"\d+\.\d+")
BESIDE = ("pytest", "hypothesis", "pyyaml")  # for the tests
TESTS = (
    "distributions/test_limits.py",
    "methods/test_regression.py",
    "methods/test_pseudolikelihood.py",
    "ranks/test_ranks.py",
)
SMOKE = """
import sys
import numpy as np
import classex as cx
from classex.models import GaussianClasses

trial = GaussianClasses(n_features=5).sample(30, n_repeats=2, rng=0)
np.savez(sys.argv[1], scores=trial.scores, labels=trial.labels)
for name in cx.methods.METHODS:
    assert 0 < cx.Extrapolator(name).fit(trial.scores, trial.labels).predict([1000])[0] < 1, name
try:
    cx.extrapolate(trial.scores, trial.labels, n_classes=1000).plot()
except ImportError as error:
    assert "pip install 'classex[plot]'" in str(error), error
else:
    raise AssertionError("an extra is installed")
"""


def run(*command: str | Path, **options: object) -> str:
    """Standard output of a command; what it says is shown only if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def build(source: Path, work: Path) -> Path:
    """Build the archive from the sources, a wheel from both, and compare the two wheels."""
    work.mkdir()
    run(sys.executable, "-m", "hatchling", "build", "-d", work / "dist", cwd=source)
    (archive,) = (work / "dist").glob("*.tar.gz")
    (direct,) = (work / "dist").glob("*.whl")
    with tarfile.open(archive) as packed:
        packed.extractall(work / "unpacked", filter="data")
    (unpacked,) = (work / "unpacked").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", work / "again", cwd=unpacked)
    wheel = work / "again" / direct.name
    if wheel.read_bytes() != direct.read_bytes():
        raise SystemExit("the wheels from the sources and from the source archive differ")
    for file in (archive, wheel):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")
    look_into(wheel, archive.name.partition("-")[0], source)
    return wheel


def look_into(wheel: Path, package: str, source: Path) -> None:
    """Compare the wheel's metadata with pyproject.toml; ``tests/test_packaging.py`` compares its files."""
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (metadata,) = (packed.read(name).decode() for name in names if name.endswith("/METADATA"))
    licences = {name.partition("/licenses/")[2] for name in names if "/licenses/" in name}
    shipped = {path.relative_to(source).as_posix() for one in project["license-files"] for path in source.glob(one)}
    if licences != shipped:
        raise SystemExit(f"licences: {licences}")
    if f"{package}/py.typed" not in names:
        raise SystemExit("py.typed is missing")
    if f"License-Expression: {project['license']}\n" not in metadata or "](book/" in metadata:
        raise SystemExit(f"metadata:\n{metadata}")
    if wheel.stat().st_size > MOST_MB[package] * 1e6:
        raise SystemExit(f"the wheel is larger than {MOST_MB[package]:g} MB")


def floors(*extras: str) -> str:
    """Constraints that hold everything asked for at the oldest version allowed."""
    lines = [*PROJECT["dependencies"]]
    lines += [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    return "".join(re.sub(r"\[.*?\]", "", line).replace(">=", "==") + "\n" for line in lines if "classex" not in line)


def install(python: str, folder: Path, constraints: str, *what: str | Path) -> Path:
    """Make an environment, install into it, say how much that is, and return its Python."""
    run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    (folder / "constraints.txt").write_text(constraints, encoding="utf-8")
    pip = (inside, "-m", "pip", "--disable-pip-version-check")
    start = time.perf_counter()
    run(*pip, "install", "--quiet", "--only-binary", ":all:", "-c", folder / "constraints.txt", *what)
    seconds = time.perf_counter() - start
    listed = run(*pip, "list", "--format=freeze", "--exclude", "pip", "--exclude", "setuptools").split()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    names = ", ".join(Path(one).name for one in what)
    print(f"{names}: {len(listed)} packages, {size / 1e6:.0f} MB, {seconds:.0f} s: {' '.join(listed)}")
    return inside


def outside(folder: Path, **more: str) -> dict[str, str]:
    """Environment of a process that sees neither the sources nor anybody's settings."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(folder), "MPLBACKEND": "agg", **more}


def readme(python: Path, folder: Path) -> None:
    """Run the README's ten lines and compare what they print; the last digit may differ."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (promised,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    printed = run(python, "-c", code, cwd=folder, env=outside(folder))
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(promised), strict=True)
    same = all(abs(float(one) - float(other)) < 0.0011 for one, other in pairs)
    if not same or NUMBER.sub("#", printed) != NUMBER.sub("#", promised):
        raise SystemExit(f"the README's lines print\n{printed}and not\n{promised}")
    print(printed, end="")


def try_alone(python: Path, folder: Path) -> None:
    """Try the wheel without any extra: in an ordinary place, then with read-only files and no home."""
    readme(python, folder)
    scores = folder / "scores.npz"
    run(python, "-c", SMOKE, scores, cwd=folder, env=outside(folder))
    command = python.with_name("classex")
    for words in (["--help"], ["extrapolate", scores, "--to", "1000"]):
        run(command, *words, cwd=folder, env=outside(folder))
    print("alone: every method, the commands, and what is said where an extra is missing: as they should be")
    found = run(python, "-c", "import classex; print(classex.__path__[0])", cwd=folder, env=outside(folder))
    packages = Path(found.strip()).parent
    for path in (packages, *packages.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    # root may write anywhere, unless it gives up that right
    powerless = ("setpriv", "--bounding-set=-all") if os.geteuid() == 0 else ()
    home = folder / "home"
    home.mkdir(mode=0o555)
    for place in (packages / "classex", home):
        probe = f"open({str(place / 'probe')!r}, 'w')"
        done = subprocess.run([*powerless, python, "-c", probe], capture_output=True, text=True, check=False)
        if "PermissionError" not in done.stderr:
            raise SystemExit(f"{place} could be written: the check without a writable home says nothing")
    for words in (["--help"], ["extrapolate", scores, "--to", "1000"]):
        run(*powerless, command, *words, cwd=folder, env=outside(home))
    print("read-only, without a home: as they should be")


def try_all(python: Path, folder: Path) -> None:
    """Run the examples of the installed packages, the course's command and a part of the tests with all extras."""
    run(python.with_name("classex"), "mark", "--help", cwd=folder, env=outside(folder))
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *BESIDE)
    tests = folder / "tests"
    shutil.copytree(ROOT / "tests", tests, ignore=shutil.ignore_patterns("__pycache__", "pages"))
    shutil.copy(ROOT / "tools" / "pytest-installed.ini", folder / "pytest.ini")
    pytest = (python, "-m", "pytest", "-q")
    examples = run(*pytest, "--doctest-modules", "--pyargs", "classex", cwd=folder, env=outside(folder))
    print(f"examples: {examples.splitlines()[-1]}")
    found = run(*pytest, *(tests / name for name in TESTS), cwd=folder, env=outside(folder))
    print(f"tests: {found.splitlines()[-1]}")


def main() -> None:
    """Check the wheel with one Python."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("python", nargs="?", default=sys.executable, help="the Python to try it with")
    parser.add_argument("--lowest", action="store_true", help="with the oldest versions of what it needs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="put the archive and the wheel there when all is well")
    parser.add_argument("--quick", action="store_true", help="without the extras' tests")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="classex-wheel-") as name:
        work = Path(name)
        wheel = build(ROOT, work / "library")
        course = build(ROOT / "src" / "classex_book", work / "course")
        print(run(arguments.python, "--version").strip(), "with the", "lowest" if arguments.lowest else "newest")
        alone = install(arguments.python, work / "alone", floors() if arguments.lowest else "", wheel)
        try_alone(alone, work / "alone")
        if not arguments.quick:
            extras = ("plot", "sklearn", "distributed")
            limits = floors(*extras) if arguments.lowest else ""
            try_all(install(arguments.python, work / "all", limits, f"{wheel}[all]", course), work / "all")
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            for file in (wheel, course, *work.glob("*/dist/*.tar.gz")):
                shutil.copy(file, arguments.keep)


if __name__ == "__main__":
    main()
