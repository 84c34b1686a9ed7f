"""Bubblewrap, the sandbox of Flatpak: a file system of its own for a program, and no other processes beside it.

It works where the system lets users make namespaces, and where a distribution allows them to it alone.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from bridge.sandbox.view import Layer, LayerKind

KEEPERS: Final = 2
"""Processes of its own around a program, one in another."""
_EMPTY: Final = "4096"
"""Bytes of a folder that stands where something is hidden: one page."""
_ALONE: Final = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL")
_OPTIONS: Final = {LayerKind.READ: "--ro-bind", LayerKind.WRITE: "--bind", LayerKind.LINK: "--symlink"}


@cache
def beginnings() -> tuple[tuple[str, ...], ...]:
    """Return the commands by which it may work here, with what must be said first; none if it is not installed.

    Root is not offered it: the devices that it shows are the system's own, and root could change their permissions.
    """
    if sys.platform != "linux":
        return ()
    found = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if found is None or os.geteuid() == 0:
        return ()
    # Where its program has the right to make namespaces, it does without one of users, so both are tried.
    return (found, "--unshare-user"), (found,)


def wrapper(begin: Sequence[str], layers: Sequence[Layer], folder: Path, *, network: bool) -> list[str]:
    """Return the command that runs a program, without the program.

    Args:
        begin: One of `beginnings`.
        layers: What the program sees.
        folder: Its working directory, as it sees it.
        network: Whether it may use the network.
    """
    command = [*begin, *_ALONE, *(() if network else ("--unshare-net",)), "--proc", "/proc", "--dev", "/dev"]
    for layer in layers:
        command += _option(layer)
    # At the end, since something that is given may lie in a folder that stands where another is hidden.
    for place in ("/", "/dev", *(layer.place for layer in layers if layer.kind is LayerKind.EMPTY)):
        command += ("--remount-ro", place)
    return [*command, "--chdir", str(folder)]


def _option(layer: Layer) -> Iterator[str]:
    if layer.kind is LayerKind.EMPTY:
        yield from ("--size", _EMPTY, "--tmpfs", layer.place)
    else:
        yield from (_OPTIONS[layer.kind], layer.source, layer.place)
