"""The file system that a program sees, in sandboxes that give it one of its own: layers, one over another.

It sees only what it is given, at the places that it is told, so nothing needs to be forbidden.
"""

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from bridge.sandbox.profile import Profile
from bridge.sandbox.system import readable_places

SHARED: Final = Path("/dev/shm")  # noqa: S108 - the program's own
"""Folder for memory that programs share by name: on the disk, so that it is measured like all that they write."""


class LayerKind(StrEnum):
    """The kind of layer at a place."""

    READ = "read"
    """Something outside, to be read."""
    WRITE = "write"
    """Something outside, to be changed too."""
    EMPTY = "empty"
    """A folder without anything in it, over one that is hidden."""
    LINK = "link"
    """A symbolic link."""


class Layer(NamedTuple):
    """One thing that a program sees.

    Attributes:
        kind: What it is.
        source: What lies there, or where a link leads; nothing for an empty folder.
        place: Where the program sees it.
    """

    kind: LayerKind
    source: str
    place: str


def layers(profile: Profile, shared: Path) -> list[Layer]:
    """Return all that a program sees but devices and processes, outer folders before what lies in them.

    Args:
        profile: With real paths.
        shared: An empty folder, for what programs share by name.
    """
    found: list[tuple[int, int, Layer]] = []

    def lay(order: int, kind: LayerKind, source: Path | str, path: Path) -> None:
        seen = shown(profile, path)
        found.append((len(seen.parts), order, Layer(kind, str(source), str(seen))))

    for path in profile.shut_within:
        if path.is_dir():
            lay(0, LayerKind.EMPTY, "", path)
        elif path.exists():
            lay(0, LayerKind.READ, os.devnull, path)
    for path in profile.read:
        lay(1, LayerKind.READ, path, path)
    for path in profile.write:
        lay(2, LayerKind.WRITE, path, path)
    for path in profile.kept:
        if path.exists() and any(path.is_relative_to(given) for given in profile.write):
            lay(3, LayerKind.READ, path, path)
    inner = [layer for _depth, _order, layer in sorted(found)]
    return [*_system(), Layer(LayerKind.WRITE, str(shared), str(SHARED)), *inner]


def shown(profile: Profile, path: Path) -> Path:
    """Return where a program sees a place that it is given."""
    for real, seen in profile.shown_at:
        if path.is_relative_to(real):
            return seen / path.relative_to(real)
    return path


def _system() -> Iterator[Layer]:
    """Yield the system's programs and libraries, and what they look up."""
    for place in readable_places():
        if place.is_symlink() and place.is_dir():
            yield Layer(LayerKind.LINK, str(place.readlink()), str(place))
        else:
            yield Layer(LayerKind.READ, os.path.realpath(place), str(place))
