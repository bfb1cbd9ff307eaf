"""The three lists of requirements agree: pyproject.toml, environment.yml and the lock."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def requirements(lines: list[str]) -> dict[str, Requirement]:
    parsed = {}
    for line in lines:
        requirement = Requirement(line)
        parsed[canonicalize_name(requirement.name)] = requirement
    return parsed


def declared() -> dict[str, Requirement]:
    """Everything pyproject.toml asks for: the library, its extras, the book and the tests."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = [*data["project"]["dependencies"]]
    for group in (data["project"]["optional-dependencies"], data["dependency-groups"]):
        lines += [line for group_lines in group.values() for line in group_lines]
    return requirements([line for line in lines if not line.startswith("classex[")])


def conda() -> tuple[dict[str, Requirement], list[str]]:
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    names = [entry for entry in entries if isinstance(entry, str)]
    return requirements(
        [*names, *(line for entry in entries if isinstance(entry, dict) for line in entry["pip"])]
    ), names


def test_conda_and_pip_ask_for_the_same_packages_in_the_same_versions():
    wanted = {name: str(requirement.specifier) for name, requirement in declared().items()}
    offered = {name: str(requirement.specifier) for name, requirement in conda()[0].items()}
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert offered.pop("python") == python
    assert offered.pop("pip") == ""
    assert offered == wanted


def test_the_conda_file_repeats_no_package():
    names = [canonicalize_name(Requirement(line).name) for line in conda()[1]]
    assert len(names) == len(set(names))


def test_the_lock_satisfies_every_requirement():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==([\w.!+]+)", text, re.M)}
    for name, requirement in declared().items():
        assert name in locked, f"{name} is not in the lock"
        assert requirement.specifier.contains(locked[name], prereleases=True), f"{name} {locked[name]} in the lock"
