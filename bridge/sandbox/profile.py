"""Access rights and limits of a program that the bridge starts, and how the sandboxes are told of them.

Every program may read the system's own programs and libraries. Nothing of that is a user's: in `/etc` only what
programs look up is named, since other files there hold secrets.

In sandboxes that give a program a file system of its own, it sees layers, one over another: only what it is given, at
the places that it is told, so nothing needs to be forbidden. One of these is bubblewrap, the sandbox of Flatpak. It
works where the system lets users make namespaces, and where a distribution allows them to it alone.

`sandbox-exec` is the sandbox of macOS. In its profiles the last rule that fits decides, so what is hidden or kept comes
last. Everything is denied that is not named.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_CONFIGURATION: Final = (
    *("alternatives", "ca-certificates", "ca-certificates.conf", "fonts", "gai.conf", "group", "host.conf", "hostname"),
    *("hosts", "inputrc", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf"),
    *("localtime", "magic", "magic.mime", "mime.types", "nsswitch.conf", "os-release", "pango", "passwd", "perl"),
    *("pki/tls/certs", "pki/ca-trust", "protocols", "python3", "resolv.conf", "services", "ssl/certs"),
    *("ssl/openssl.cnf", "terminfo", "timezone", "vim"),
)
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

SEARCH_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
"""Folders in which programs are looked for by name, on Linux and macOS."""


@cache
def readable_places() -> tuple[Path, ...]:
    """Return the places of this system that every program may read. Links among them are links."""
    found = [Path(name) for name in _PROGRAMS]
    found += [Path("/etc", name) for name in _CONFIGURATION]
    return tuple(place for place in found if place.is_symlink() or place.exists())


@cache
def real_places() -> tuple[str, ...]:
    """Return the same with links resolved, as a kernel takes them, and `/proc`, where programs look themselves up."""
    real = dict.fromkeys(os.path.realpath(place) for place in readable_places())
    return (*real, "/proc") if sys.platform.startswith("linux") else tuple(real)


def devices() -> tuple[str, ...]:
    """Return the devices that every program may read and write."""
    return _DEVICES


def environment(*, home: Path, temporary: Path, path: str | None = None) -> dict[str, str]:
    """Return an environment that holds nothing of the user's.

    Args:
        home: What the program takes for the user's home.
        temporary: Where it may put what it needs for a while.
        path: Where programs are found; the system's own folders where it is not said.
    """
    made = {
        "PATH": path or os.pathsep.join(SEARCH_PATH),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    if sys.platform == "win32":
        kept = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "NUMBER_OF_PROCESSORS")
        made |= {name: os.environ[name] for name in kept if name in os.environ}
        system = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"))
        made |= {"TEMP": str(temporary), "TMP": str(temporary), "USERPROFILE": str(home)}
        made["PATH"] = path or f"{system / 'System32'}{os.pathsep}{system}"
    return made


MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLimits:
    """The limits of a program, with everything that it starts.

    Attributes:
        seconds: Time that it may run; None for as long as it is wanted.
        grace: Seconds that it is given to end by itself when it is told to.
        memory: Bytes of memory, of all its processes together.
        processes: Number of processes at once.
        file_size: Bytes of one file that it writes.
        disk: Bytes by which all that it may write can grow.
        output: Bytes that it may write to its output and its errors together; None for as many as are read.
    """

    seconds: float | None = None
    grace: float = 1.0
    memory: int = 2048 * MEGABYTE
    processes: int = 128
    file_size: int = 512 * MEGABYTE
    disk: int = 1024 * MEGABYTE
    output: int | None = 4 * MEGABYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The access rights of a program, besides reading the system's own programs, which all may.

    Attributes:
        read: Files and folders that it may read, with everything below.
        write: Folders that it may write too.
        kept: Places that it may only read, although they lie in `write`.
        hidden: Places that it may not reach, although they lie in one of those.
        shown_at: Other places for something of `read` or `write`, in sandboxes that can move it.
        network: Whether it may use the network.
        limits: The limits of its resources.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    shown_at: tuple[tuple[Path, Path], ...] = ()
    network: bool = False
    limits: ProgramLimits = field(default_factory=ProgramLimits)

    def guarded(self, hidden: Iterable[Path], scratch: Path | None = None) -> "Profile":
        """Return the same with more hidden places, and real paths throughout, so that no link leads around a rule.

        Args:
            hidden: What no program may reach.
            scratch: A folder in there of which programs may be given parts.

        Raises:
            ValueError: Something that it gives is hidden itself.
        """
        shut = _real(hidden)
        own = None if scratch is None else Path(os.path.realpath(scratch))
        read, write = _real(self.read), _real(self.write)
        for given in (*read, *write):
            is_own = own is not None and given != own and given.is_relative_to(own)
            if not is_own and any(given.is_relative_to(place) for place in shut):
                raise ValueError(f"{given.name} belongs to the bridge, and no program is given that")
        moved = tuple((Path(os.path.realpath(real)), shown) for real, shown in self.shown_at)
        hidden = (*_real(self.hidden), *shut)
        return replace(self, read=read, write=write, kept=_real(self.kept), hidden=hidden, shown_at=moved)

    def readable(self) -> tuple[Path, ...]:
        """Return what may be read: a folder with something hidden in it is replaced by the rest of its content."""
        return tuple(_parts(self._given, self.shut_within))

    def writable(self) -> tuple[Path, ...]:
        """Return what may be written, without anything hidden or kept, in the same way."""
        return tuple(_parts(self.write, (*self.kept, *self.shut_within)))

    @property
    def shut_within(self) -> tuple[Path, ...]:
        """Return what is hidden inside something that can be read."""
        return tuple(place for place in self.hidden if any(place.is_relative_to(outer) for outer in self._given))

    @property
    def _given(self) -> tuple[Path, ...]:
        """Return all that can be read: the system's places too."""
        return (*self.read, *self.write, *map(Path, real_places()))


def _real(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in paths))


def _parts(places: Iterable[Path], without: Sequence[Path]) -> Iterator[Path]:
    """Yield places; one with something to leave out is replaced by everything else that is in it now."""
    for place in places:
        if place in without:
            continue
        inner = [path for path in without if path.is_relative_to(place)]
        if not inner:
            yield place
        elif place.is_dir():
            children = (child for child in sorted(place.iterdir()) if not child.is_symlink())
            yield from _parts(children, inner)


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


class ViewLayer(NamedTuple):
    """One thing that a program sees.

    Attributes:
        kind: What it is.
        source: What lies there, or where a link leads; nothing for an empty folder.
        place: Where the program sees it.
    """

    kind: LayerKind
    source: str
    place: str


def layers(profile: Profile, shared: Path) -> list[ViewLayer]:
    """Return all that a program sees but devices and processes, outer folders before what lies in them.

    Args:
        profile: With real paths.
        shared: An empty folder, for what programs share by name.
    """
    found: list[tuple[int, int, ViewLayer]] = []

    def lay(order: int, kind: LayerKind, source: Path | str, path: Path) -> None:
        seen = shown(profile, path)
        found.append((len(seen.parts), order, ViewLayer(kind, str(source), str(seen))))

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
    return [*_system(), ViewLayer(LayerKind.WRITE, str(shared), str(SHARED)), *inner]


def shown(profile: Profile, path: Path) -> Path:
    """Return where a program sees a place that it is given."""
    for real, seen in profile.shown_at:
        if path.is_relative_to(real):
            return seen / path.relative_to(real)
    return path


def _system() -> Iterator[ViewLayer]:
    """Yield the system's programs and libraries, and what they look up."""
    for place in readable_places():
        if place.is_symlink() and place.is_dir():
            yield ViewLayer(LayerKind.LINK, str(place.readlink()), str(place))
        else:
            yield ViewLayer(LayerKind.READ, os.path.realpath(place), str(place))


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


def bubblewrap_command(begin: Sequence[str], layers: Sequence[ViewLayer], folder: Path, *, network: bool) -> list[str]:
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


def _option(layer: ViewLayer) -> Iterator[str]:
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
