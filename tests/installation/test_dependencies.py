"""What the package imports is among its own dependencies by name: another package's dependencies can change."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from bridge.health import reinstalling
from bridge.health.installation import PACKAGES
from scripts.lib.bundle import DISTRIBUTION

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_LOADERS = {"import_module", "find_spec"}


def normal(name: str) -> str:
    """The name of a distribution as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[str]) -> set[str]:
    """The distributions that requirements name."""
    return {normal(found[0]) for each in requirements if (found := re.match(r"[\w.-]+", each))}


REQUIRED = named(PROJECT["dependencies"])
DECLARED = REQUIRED.union(*map(named, PROJECT["optional-dependencies"].values()))


def imported(code: str) -> Iterator[str]:
    """The packages that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield from [module.partition(".")[0]]
            case ast.Call(
                func=ast.Name(id=loader) | ast.Attribute(attr=loader), args=[ast.Constant(value=str(module)), *_]
            ) if loader in _LOADERS:
                yield from [module.partition(".")[0]]


def foreign() -> dict[str, str]:
    """The packages of others that ours imports, each with a file that does."""
    found: dict[str, str] = {}
    for file in sorted((ROOT / "bridge").rglob("*.py")):
        for package in imported(file.read_text(encoding="utf-8")):
            if package not in sys.stdlib_module_names and package != "bridge":
                found.setdefault(package, file.relative_to(ROOT).as_posix())
    return found


# These have no build for some systems, and need not be here to be known.
DISTRIBUTIONS = {
    "hyperscan": ["hyperscan"],
    "cv2": ["opencv-python-headless"],
    **packages_distributions(),
}


@pytest.mark.parametrize(("package", "file"), foreign().items())
def test_the_distribution_of_each_imported_package_is_declared(package: str, file: str) -> None:
    owners = {normal(owner) for owner in DISTRIBUTIONS.get(package, ())}
    assert owners & DECLARED, f"{file} imports {package}, of {sorted(owners)}: name one in pyproject.toml"


def test_the_doctor_loads_every_package_that_no_extra_brings() -> None:
    owned = {package for package in foreign() if {normal(owner) for owner in DISTRIBUTIONS[package]} & REQUIRED}
    assert {package.partition(".")[0] for package in PACKAGES} == owned | {"lxml_html_clean"}


def test_the_name_is_the_same_everywhere() -> None:
    assert {PROJECT["name"], reinstalling.DISTRIBUTION} == {DISTRIBUTION}
    plugin = (ROOT / "obsidian-plugin" / "src" / "core" / "program" / "commands.ts").read_text(encoding="utf-8")
    assert f"/{DISTRIBUTION.replace('-', '_')}-${{version}}-py3-none-any.whl" in plugin


def test_what_trafilatura_needs_of_lxml_is_asked_for_by_name() -> None:
    assert "lxml-html-clean" in REQUIRED
