"""Bubblewrap, the sandbox of Flatpak: a file system of its own for a program, and no other processes beside it.

A program sees only what it is given, at the places where it is told, so nothing needs to be forbidden. It works where
the system lets users (or root, in a container) make namespaces.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from bridge.sandbox.profile import MEGABYTE, Profile
from bridge.sandbox.system import readable_places

_SECONDS: Final = 10.0
_SHARED_MEMORY: Final = 64 * MEGABYTE
"""Bytes that programs can share in /dev/shm, which no limit of theirs counts."""
_EMPTY: Final = "4096"
"""Bytes of a folder that stands where something is hidden: one page."""
_ALONE: Final = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL")


@cache
def starts() -> tuple[str, ...] | None:
    """The command that really starts a program here, with what must be said first; None where none does."""
    found = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin") if sys.platform.startswith("linux") else None
    if found is None:
        return None
    # As root it does without a namespace of users, which containers often do not allow; so both are tried.
    for first in (("--unshare-user",), ()):
        begin = (found, *first)
        command = [*begin, *_ALONE, "--unshare-net", *_system(), "--", "/usr/bin/env", "true"]
        try:
            subprocess.run(command, check=True, timeout=_SECONDS, env={}, cwd="/", capture_output=True)  # noqa: S603 - the program above
        except (OSError, subprocess.SubprocessError):
            continue
        return begin
    return None


def wrapper(begin: Sequence[str], profile: Profile, folder: Path) -> list[str]:
    """The command that runs a program as a profile says, without the program.

    Args:
        begin: What `starts` found.
        profile: With real paths.
        folder: Where the program starts.
    """
    layers: list[tuple[int, int, list[str]]] = []

    def lay(order: int, kind: str, source: Path | str, path: Path) -> None:
        seen = shown(profile, path)
        layers.append((len(seen.parts), order, [kind, str(source), str(seen)]))

    for path in profile.shut_within:
        if path.is_dir():
            layers.append((len(path.parts), 0, ["--size", _EMPTY, "--tmpfs", str(shown(profile, path))]))
        elif path.exists():
            lay(0, "--ro-bind", os.devnull, path)
    for path in profile.read:
        lay(1, "--ro-bind", path, path)
    for path in profile.write:
        lay(2, "--bind", path, path)
    for path in profile.kept:
        if path.exists() and any(path.is_relative_to(given) for given in profile.write):
            lay(3, "--ro-bind", path, path)
    command = [*begin, *_ALONE, *(() if profile.network else ("--unshare-net",)), *_system()]
    # Outer folders first, so that what lies in them is laid over them.
    for _depth, _order, layer in sorted(layers):
        command += layer
    return [*command, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", str(shown(profile, folder))]


def shown(profile: Profile, path: Path) -> Path:
    """Where a program sees a place that it is given."""
    for real, seen in profile.shown_at:
        if path.is_relative_to(real):
            return seen / path.relative_to(real)
    return path


def _system() -> Iterator[str]:
    """The system's programs, devices and processes."""
    for place in readable_places():
        if place.is_symlink() and place.is_dir():
            yield from ("--symlink", str(place.readlink()), str(place))
        else:
            yield from ("--ro-bind", os.path.realpath(place), str(place))
    yield from ("--proc", "/proc", "--dev", "/dev", "--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm")  # noqa: S108 - its own
