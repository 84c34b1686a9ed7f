"""The vaults that Obsidian knows on this machine, from its own list, which is only read."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import orjson

LIST: Final = "obsidian.json"


def known_vaults(places: list[Path] | None = None) -> list[Path]:
    """Return the folders of Obsidian's vaults that are there, the one that was opened last first.

    Args:
        places: Where the list may be; by default where Obsidian keeps it on this system.
    """
    opened: dict[Path, float] = {}
    for place in places if places is not None else list(_places(sys.platform, Path.home(), dict(os.environ))):
        for folder, time in _read(place):
            opened[folder] = max(time, opened.get(folder, 0))
    return sorted(opened, key=lambda folder: (-opened[folder], str(folder)))


def _places(system: str, home: Path, environ: dict[str, str]) -> Iterator[Path]:
    """Yield the places where the list may be: of an ordinary installation, and of a Flatpak and a Snap."""
    if system == "win32":
        yield Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "obsidian" / LIST
        return
    if system == "darwin":
        yield home / "Library" / "Application Support" / "obsidian" / LIST
        return
    yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "obsidian" / LIST
    yield home / ".var" / "app" / "md.obsidian.Obsidian" / "config" / "obsidian" / LIST
    yield home / "snap" / "obsidian" / "current" / ".config" / "obsidian" / LIST


def _read(file: Path) -> Iterator[tuple[Path, float]]:
    """Yield the vaults of one list, with the time of their last opening; none when it is missing or damaged."""
    try:
        vaults = orjson.loads(file.read_bytes())["vaults"].values()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    for vault in vaults:
        path, time = (vault.get("path"), vault.get("ts")) if isinstance(vault, dict) else (None, None)
        if not isinstance(path, str) or "\0" in path:
            continue
        folder = Path(path)
        if folder.is_absolute() and folder.is_dir():
            yield folder.resolve(), time if isinstance(time, int | float) else 0
