"""What a key of the permission file names: a place in the vault, a URL, or an executable.

Notes/Meeting.md         a file of the vault
Notes/                   a folder of the vault and everything below; `/` is the whole vault
https://example.org/a/   a URL, without query; with a final slash everything below
/usr/bin/ls              an executable, by its real path
"""

import re
import string
import unicodedata
from collections.abc import Iterator
from urllib.parse import urlsplit

from bridge.vault import name_folding

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
_WEB_PORTS = frozenset({80, 443, None})


def canonical(name: str) -> str:
    """The one spelling of a key or a target, by which they are compared.

    A URL loses its query, fragment and user, `http` reads as `https`. Folders keep their final slash.

    Raises:
        ValueError: It names nothing; the text says why.
    """
    if not name or _CONTROL.search(name):
        raise ValueError("a key must not be empty or hold control characters")
    if _SCHEME.match(name):
        return _url(name)
    if is_executable(name):
        if name.endswith(("/", "\\")):
            raise ValueError(
                "an absolute path names one executable, not a folder; folders of the vault have no `/` before"
            )
        return name_folding.nfc(name)
    return _vault_path(name)


def is_executable(name: str) -> bool:
    """Whether this is an absolute path, of POSIX or of Windows. `/` alone is the vault."""
    return (name.startswith("/") and name != "/") or _DRIVE.match(name) is not None


def covering(target: str) -> list[str]:
    """The keys that hold for a target, nearest first: itself, and the folders it lies in, with their final slash.

    Nothing for what no key can name. The empty target is the whole vault.
    """
    place = _canonical_or_none(target)
    if place is None:
        return []
    if is_executable(place):
        return [place]
    floor = _floor(place)
    # A target that is itself a folder of the vault may come without its final slash.
    own = [place] if floor or place.endswith("/") else [place, f"{place}/"]
    above = [place[: index + 1] for index in range(len(place) - 2, floor, -1) if place[index] == "/"]
    return own + above + ([] if floor or place == "/" else ["/"])


def upwards(target: str) -> Iterator[str]:
    """A target and everything above it, nearest first, in the spelling of `fold`. Nothing for what no key can name."""
    place = _canonical_or_none(target)
    if place is None:
        return
    folded = fold(place)
    yield folded
    if is_executable(place):
        return
    floor = _floor(folded)
    while (cut := folded.rfind("/", floor)) > 0:
        folded = folded[:cut]
        yield folded
    if not floor and folded:
        yield fold("/")


def fold(place: str) -> str:
    """The spelling by which denials are compared: without case, which many disks ignore, and without a final slash."""
    return name_folding.fold(place).rstrip("/")


def _canonical_or_none(target: str) -> str | None:
    try:
        return canonical(target or "/")
    except ValueError:
        return None


def _floor(place: str) -> int:
    """Where the path begins in which folders are looked for: after a URL's scheme, else at the beginning."""
    return place.index("://") + len("://") if _SCHEME.match(place) else 0


def _vault_path(name: str) -> str:
    if name == "/":
        return name
    if "\\" in name:
        raise ValueError("a path in the vault is written with `/`")
    parts = name.removesuffix("/").split("/")
    if any(part in {"", ".", ".."} for part in parts):
        raise ValueError("a path in the vault has no empty, `.` or `..` parts")
    return name_folding.nfc(name)


def _url(name: str) -> str:
    parts = urlsplit(name)
    if not parts.hostname:
        raise ValueError("a URL needs a host")
    scheme = "https" if parts.scheme == "http" else parts.scheme
    host = unicodedata.normalize("NFKC", parts.hostname).lower().rstrip(".")
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in _WEB_PORTS else f":{parts.port}"
    return f"{scheme}://{host}{port}{_url_path(parts.path)}"


def _url_path(path: str) -> str:
    """The path without `.` and `..` (RFC 3986, 5.2.4), escapes that need not be escaped resolved (6.2.2)."""
    kept: list[str] = []
    parts = _ESCAPE.sub(_unescape, name_folding.nfc(path)).split("/")[1:]
    for part in parts:
        if part == "..":
            kept = kept[:-1]
        elif part != ".":
            kept.append(part)
    if parts and parts[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _unescape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()
