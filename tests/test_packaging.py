"""What is published agrees with itself: metadata, wheels, recipe, workflows, hooks, README and changelog."""

from __future__ import annotations

import re
import shlex
import subprocess
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
import yaml
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.licenses import canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import classex
from classex.cli import main

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
COURSE = ROOT / "src" / "classex_book"
COURSE_PROJECT = tomllib.loads((COURSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# names that differ on conda-forge, where the plain ones bring more than is needed
CONDA = {"matplotlib-base": "matplotlib", "dask-core": "dask"}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def floors(lines: list[str]) -> dict[str, str]:
    found = [Requirement(line) for line in lines if not line.startswith("classex")]
    return {requirement.name: str(requirement.specifier) for requirement in found}


def test_the_core_needs_little_and_extras_bring_the_rest():
    assert set(floors(PROJECT["dependencies"])) == {
        "cvxpy",
        "joblib",
        "numba",
        "numpy",
        "scipy",
        "threadpoolctl",
        "lazy-loader",
        "tqdm",
    }
    assert {"plot", "sklearn", "distributed", "course", "book"} <= set(EXTRAS)
    (whole,) = EXTRAS["all"]
    assert Requirement(whole).extras == {"plot", "sklearn", "distributed"}


def test_the_version_is_one():
    assert PROJECT["version"] == COURSE_PROJECT["version"] == classex.__version__
    assert COURSE_PROJECT["dependencies"] == [f"classex[course]=={classex.__version__}"]
    assert yaml.safe_load(text("recipe/recipe.yaml"))["context"]["version"] == classex.__version__
    assert f"classex-{classex.__version__.partition('.dev')[0]}-py3-none-any.whl" in text("README.md")
    heading = "[Unreleased]" if "dev" in classex.__version__ else f"[{classex.__version__}] - "
    assert re.search(r"^## (.*)", text("CHANGELOG.md"), re.MULTILINE)[1].startswith(heading)


def test_the_licence_names_that_of_the_data_and_all_notices_are_shipped():
    for project in (PROJECT, COURSE_PROJECT):
        assert canonicalize_license_expression(project["license"]) == project["license"]
        assert project["requires-python"] == PROJECT["requires-python"]
    assert "LicenseRef-WordNet" in COURSE_PROJECT["license"]
    assert PROJECT["license-files"] == ["LICENSE", "LICENSE-TEXT"]
    for name in PROJECT["license-files"]:
        assert (COURSE / name).read_text(encoding="utf-8") == text(name)
    assert set((ROOT / "src").rglob("*LICENSE*")) == {
        path for pattern in COURSE_PROJECT["license-files"] for path in COURSE.glob(pattern)
    }


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel of the library and that of the course."""
    folder = tmp_path_factory.mktemp("wheels")
    built = {}
    for place in (ROOT, COURSE):
        (wheel,) = WheelBuilder(str(place)).build(directory=str(folder / place.name), versions=["standard"])
        built[place.name] = Path(wheel)
    return built


def tracked(*folders: str) -> set[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout: there is no list of tracked files")
def test_each_wheel_holds_its_package_and_nothing_else(wheels):
    for place, package in ((ROOT, "classex"), (COURSE, "classex_book")):
        with zipfile.ZipFile(wheels[place.name]) as packed:
            names = {name for name in packed.namelist() if ".dist-info/" not in name}
        beside = {f"classex_book/{name}" for name in ("pyproject.toml", "LICENSE", "LICENSE-TEXT")}
        assert names == {name.removeprefix("src/") for name in tracked(f"src/{package}")} - beside


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout: there is no list of tracked files")
def test_the_archive_of_the_sources_holds_the_tests_and_all_that_they_read(tmp_path):
    (archive,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(archive) as packed:
        names = {member.name.partition("/")[2] for member in packed.getmembers() if member.isfile()}
    assert tracked() <= names
    assert names - tracked() <= {"PKG-INFO"}


def packages(lines: list[str]) -> Iterator[Distribution]:
    """What an installation of these requirements brings."""
    wanted, seen = [Requirement(line) for line in lines], set()
    while wanted:
        requirement = wanted.pop()
        if requirement.name.lower() not in seen:
            seen.add(requirement.name.lower())
            found = distribution(requirement.name)
            yield found
            needed = map(Requirement, found.requires or ())
            wanted += [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]


def test_the_sizes_in_the_readme_are_those_of_the_wheels_and_of_what_they_bring(wheels):
    """Sizes may differ by a few per cent: another zlib, another release or platform of what is needed."""
    found = list(packages(PROJECT["dependencies"]))
    files = [file.locate() for one in found for file in one.files or ()]
    gigabytes = sum(Path(file).stat().st_size for file in files if Path(file).is_file()) / 1e9
    own, course = (wheels[place.name].stat().st_size / 1e6 for place in (ROOT, COURSE))
    readme, guide = " ".join(text("README.md").split()), " ".join(text("book/how_to_use.md").split())
    said = re.search(r"The wheel is ([\d.]+) MB. It brings (\d+) packages \(([\d.]+) GB\)", readme)
    assert float(said[1]) == pytest.approx(own, abs=0.06)
    assert int(said[2]) == len(found)
    assert float(said[3]) == pytest.approx(gigabytes, abs=0.06)
    assert float(re.search(r"`classex-book` \(([\d.]+) MB\)", readme)[1]) == pytest.approx(course, rel=0.02)
    assert f"the library alone ({said[3]} GB with its dependencies)" in guide


def test_both_packages_say_that_they_are_typed():
    assert all((ROOT / "src" / package / "py.typed").is_file() for package in ("classex", "classex_book"))


def test_the_readme_names_every_extra():
    (table,) = re.findall(r"\| extra \|.*?\n((?:\|.*\n)+)", text("README.md"))
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(EXTRAS)


def test_the_recipe_asks_for_what_the_project_asks_for():
    recipe = yaml.safe_load(text("recipe/recipe.yaml"))
    run = floors(recipe["requirements"]["run"])
    assert run.pop("python") == PROJECT["requires-python"]
    assert run == floors(PROJECT["dependencies"])
    optional = floors([line for extra in ("plot", "sklearn", "distributed") for line in EXTRAS[extra]])
    limits = floors(recipe["requirements"]["run_constraints"])
    assert {CONDA.get(name, name): limit for name, limit in limits.items()}.items() <= optional.items()
    about = recipe["about"]
    assert (about["license"], about["summary"]) == (PROJECT["license"], PROJECT["description"])
    assert {ROOT / name for name in about["license_file"]} == {
        path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)
    }
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command == "classex = " + PROJECT["scripts"]["classex"]


def test_the_recipe_s_commands_work(capsys):
    commands = [line for test in yaml.safe_load(text("recipe/recipe.yaml"))["tests"] for line in test.get("script", ())]
    assert len(commands) == 2
    for command in commands:
        name, *words = shlex.split(command)
        assert name == "classex"
        try:
            assert main(words) == 0
        except SystemExit as end:  # of --help
            assert not end.code  # noqa: PT017
        assert capsys.readouterr().out


def test_oldest_and_newest_versions_are_tested():
    jobs = yaml.safe_load(text(".github/workflows/tests.yml"))["jobs"]
    tried = [(entry["python"], entry["versions"]) for entry in jobs["versions"]["strategy"]["matrix"]["include"]]
    assert SpecifierSet(PROJECT["requires-python"]) == SpecifierSet(f">={PYTHONS[0]}")
    assert (PYTHONS[0], "lowest") in tried
    assert (PYTHONS[-1], "newest") in tried


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_what_exists(file):
    content = file.read_text(encoding="utf-8")
    workflow = yaml.safe_load(content)
    assert workflow["permissions"] == {"contents": "read"}  # a job that may more says so itself
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"run: make (\w+)", content)) <= targets
    assert all((ROOT / name).is_file() for name in re.findall(r"tools/[\w.-]+|\./\.github/\S+", content))


def test_the_changelog_says_where_old_names_are():
    table, *_ = re.findall(r"\| in 0\.2\.0 \|.*?\n((?:\|.*\n)+)", text("CHANGELOG.md"))
    new = [row.split("|")[2] for row in table.splitlines()[1:]]
    named = {name for cell in new for name in re.findall(r"`cx\.([\w.]+)", cell)}
    assert len(named) >= 5
    for name in named:
        found = classex
        for part in name.split("."):
            found = getattr(found, part)
