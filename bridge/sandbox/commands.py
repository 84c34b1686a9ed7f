"""The sandboxes that are programs of the system, and the commands that run a program in them.

Bubblewrap, the sandbox of Flatpak, gives a program a file system of its own, and no other processes beside it. It works
where the system lets users make namespaces, and where a distribution allows them to it alone.

`sandbox-exec` is the sandbox of macOS. In its profiles the last rule that fits decides, so what is hidden or kept comes
last. Everything is denied that is not named.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from bridge.sandbox.profile import Layer, LayerKind, Profile, devices, real_places

BUBBLEWRAP_KEEPERS: Final = 2
"""Processes of its own around a program, one in another."""
_EMPTY: Final = "4096"
"""Bytes of a folder that stands where something is hidden: one page."""
_ALONE: Final = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL")
_OPTIONS: Final = {LayerKind.READ: "--ro-bind", LayerKind.WRITE: "--bind", LayerKind.LINK: "--symlink"}


@cache
def bubblewrap_beginnings() -> tuple[tuple[str, ...], ...]:
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


def bubblewrap_command(begin: Sequence[str], layers: Sequence[Layer], folder: Path, *, network: bool) -> list[str]:
    """Return the command that runs a program, without the program.

    Args:
        begin: One of `bubblewrap_beginnings`.
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


SEATBELT: Final = "/usr/bin/sandbox-exec"
_SYSTEM: Final = ("/System", "/Library", "/private/var/db/dyld", "/private/var/db/timezone", "/private/etc", "/dev/fd")
_BASE: Final = """(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow mach-lookup (global-name "com.apple.system.logger"))
"""


@cache
def has_seatbelt() -> bool:
    """Return whether this system has `sandbox-exec`."""
    return sys.platform == "darwin" and Path(SEATBELT).exists()


def seatbelt_command(profile: Profile) -> list[str]:
    """Return the command that runs a program as a profile with real paths says, without the program."""
    read = [*_SYSTEM, *real_places(), *map(str, (*profile.read, *profile.write))]
    lines = [_rule("allow file-read*", [*read, *devices()]), _rule("allow file-write*", [*map(str, profile.write)])]
    lines.append(_rule("allow file-write-data", [*devices()]))
    if profile.network:
        lines.append("(allow network-outbound (remote ip))\n(allow network-inbound (local ip))\n(allow system-socket)")
        lines.append('(allow mach-lookup (global-name "com.apple.mDNSResponder"))')
        lines.append('(allow network-outbound (literal "/private/var/run/mDNSResponder"))')
    lines.append(_rule("deny file-write*", [*map(str, profile.kept)]))
    lines.append(_rule("deny file-read* file-write*", [*map(str, profile.shut_within)]))
    return [SEATBELT, "-p", _BASE + "\n".join(filter(None, lines))]


def _rule(what: str, places: list[str]) -> str:
    """Return one rule for some places and everything below them; nothing for none."""
    return f"({what} {' '.join(f'(subpath {_quoted(place)})' for place in places)})" if places else ""


def _quoted(text: str) -> str:
    """Return a text in the language of the profiles. Raises ValueError for what cannot be written there."""
    if any(ord(character) < ord(" ") for character in text):
        raise ValueError("a place with a control character in its name cannot be given to a program")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
