"""Checks before a release: every file names the version, and the build is complete. Standard library only."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.bundle import bundle_name, source_name, wheel_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ("main.js", "manifest.json", "styles.css")
"""The files that Obsidian downloads from a release."""


def version_faults(version: str, root: Path = ROOT) -> Iterator[str]:
    """Yield what does not fit that version, in sentences.

    Args:
        version: The tag.
        root: The checkout.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"{version!r} is not three numbers with dots; Obsidian takes no other tag."
    manifest, versions, package = (_json(root / f"{name}.json") for name in ("manifest", "versions", "package"))
    named = {
        "bridge/__init__.py": _match(root / "bridge" / "__init__.py", r'^__version__ = "(.*)"$'),
        "manifest.json": manifest["version"],
        "package.json": package["version"],
        "obsidian-plugin/package.json": _json(root / "obsidian-plugin" / "package.json")["version"],
    }
    for file, found in named.items():
        if found != version:
            yield f"{file} has version {found}, not {version}."
    if versions.get(version) != manifest["minAppVersion"]:
        yield f"versions.json does not say that {version} needs Obsidian {manifest['minAppVersion']}."
    if _match(root / "CHANGELOG.md", rf"^## \[({re.escape(version)})\]") is None:
        yield f"CHANGELOG.md has no heading for {version}."


def repository_faults(address: str, root: Path = ROOT) -> Iterator[str]:
    """Yield what the plugin lacks to say where its bridge is installed from, in a sentence.

    Args:
        address: The repository that is released from.
        root: The checkout.
    """
    package = json.loads((root / "obsidian-plugin" / "package.json").read_text(encoding="utf-8"))
    named = (package.get("repository") or {}).get("url", "").removeprefix("git+").removesuffix(".git")
    if named != address:
        yield f"obsidian-plugin/package.json has {named or 'no address'} as its repository, not {address}."


def built_faults(version: str, folder: Path) -> Iterator[str]:
    """Yield what the built packages lack, in sentences.

    Args:
        version: The tag.
        folder: Where the wheel and the source archive are.
    """
    wheel, source = folder / wheel_name(version), folder / source_name(version)
    for archive, prefix in ((wheel, ""), (source, f"{source.name.removesuffix('.tar.gz')}/")):
        if not archive.is_file():
            yield f"{archive.name} was not built."
            continue
        names = _names(archive)
        for name in PLUGIN:
            if f"{prefix}bridge/plugin_files/{name}" not in names:
                yield f"{archive.name} lacks the plugin's {name}."


def bundle_faults(version: str, folder: Path) -> Iterator[str]:
    """Yield what the MCP bundle and the registry's file lack, in sentences.

    Args:
        version: The tag.
        folder: Where they are, beside the wheel.
    """
    bundle, described, wheel = folder / bundle_name(version), folder / "server.json", folder / wheel_name(version)
    for file in (bundle, described):
        if not file.is_file():
            yield f"{file.name} was not built."
            return
    with zipfile.ZipFile(bundle) as packed:
        inside = {name: packed.read(name) for name in packed.namelist()}
    if wheel.is_file() and inside.get(wheel.name) != wheel.read_bytes():
        yield f"{bundle.name} does not hold {wheel.name} as it was built."
    for name, found in (
        ("its manifest", json.loads(inside.get("manifest.json", b"{}"))),
        ("server.json", json.loads(described.read_bytes())),
    ):
        if found.get("version") != version:
            yield f"{bundle.name}: {name} has version {found.get('version')}, not {version}."
    if hashlib.sha256(bundle.read_bytes()).hexdigest() not in described.read_text(encoding="utf-8"):
        yield f"server.json does not name {bundle.name} as it was built."


def main(arguments: Sequence[str]) -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(prog="scripts/check-release", description="Say whether a version can be released.")
    parser.add_argument("version", metavar="VERSION", help="the tag, such as 1.2.3")
    parser.add_argument(
        "--built",
        type=Path,
        metavar="DIR",
        help="also look at what was built there: the wheel, the source archive, the MCP bundle",
    )
    parser.add_argument(
        "--repository", metavar="URL", help="also look whether the plugin names it as where releases are"
    )
    options = parser.parse_args(arguments)
    faults = [*version_faults(options.version)]
    if options.repository is not None:
        faults += repository_faults(options.repository)
    if options.built is not None:
        faults += built_faults(options.version, options.built)
        faults += bundle_faults(options.version, options.built)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _json(file: Path) -> dict[str, str]:
    loaded: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def _match(file: Path, pattern: str) -> str | None:
    found = re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)
    return None if found is None else found[1]


def _names(archive: Path) -> set[str]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return set(wheel.namelist())
    with tarfile.open(archive) as source:
        return set(source.getnames())
