"""Files that every program may read: the system's own programs and libraries, and what they need to start.

Nothing here is a user's. In `/etc` only what programs look up is named, since other files there hold secrets.
"""

import os
import sys
from functools import cache
from pathlib import Path
from typing import Final

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
