"""What the permission file says, ready to be asked. Pure.

A key names a place in the vault, a URL, or an executable:

Notes/Meeting.md         a file of the vault
Notes/                   a folder of the vault and everything below; `/` is the whole vault
https://example.org/a/   a URL, without query; with a final slash everything below
/usr/bin/ls              an executable, by its real path
"""

import re
import string
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Self
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

    Args:
        name: As written.

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


def covering_keys(target: str) -> list[str]:
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


def ancestors(target: str) -> Iterator[str]:
    """A target and everything above it, nearest first, spelled as by `denial_key`. Nothing for what no key can name."""
    place = _canonical_or_none(target)
    if place is None:
        return
    folded = denial_key(place)
    yield folded
    if is_executable(place):
        return
    floor = _floor(folded)
    while (cut := folded.rfind("/", floor)) > 0:
        folded = folded[:cut]
        yield folded
    if not floor and folded:
        yield denial_key("/")


def denial_key(place: str) -> str:
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


Letter = Literal["r", "w", "x"]
LETTERS: tuple[Letter, ...] = ("r", "w", "x")
"""Read, write, execute: what each of the three characters is about."""
DENIED = "-"
NOT_ASKED = "?"


@dataclass(frozen=True, slots=True)
class PermissionEntry:
    """One line of the file: the key as it is written there, and its three characters."""

    key: str
    code: str


class PermissionTable:
    """An immutable set of entries.

    A `-` holds for what the key names and everything below it, whatever else is said below, and does not care about
    case. A letter holds for exactly what the key names, or everything below a key with a final slash; of several, the
    nearest counts. `?` says nothing.

    Args:
        codes: Three characters by key. Keys that name the same thing count together.

    Raises:
        ValueError: A key names nothing.
    """

    def __init__(self, codes: Mapping[str, str]) -> None:
        self.codes = dict(codes)
        self._keys: defaultdict[str, list[str]] = defaultdict(list)
        self._allowed: dict[tuple[str, Letter], PermissionEntry] = {}
        self._denied: dict[tuple[str, Letter], PermissionEntry] = {}
        for key, code in codes.items():
            place = canonical(key)
            self._keys[place].append(key)
            for letter, character in zip(LETTERS, code, strict=True):
                if character == DENIED:
                    self._deny(place, letter, PermissionEntry(key, code))
                elif character == letter:
                    self._allowed[place, letter] = PermissionEntry(key, code)

    @property
    def denies(self) -> bool:
        """Whether anything is denied at all."""
        return bool(self._denied)

    def denials(self) -> Self:
        """The same without anything that allows."""
        codes = {}
        for key, code in self.codes.items():
            codes[key] = "".join(DENIED if character == DENIED else NOT_ASKED for character in code)
        return type(self)(codes)

    def denial(self, targets: Iterable[str], letters: Iterable[Letter]) -> PermissionEntry | None:
        """The entry that denies one of the targets one of the letters.

        Args:
            targets: Vault paths, URLs or executables.
            letters: What would be done with them.
        """
        if not self._denied:
            return None
        wanted = tuple(letters)
        seen: set[str] = set()
        for target in targets:
            for place in ancestors(target):
                if place in seen:
                    break  # And so is all above it.
                seen.add(place)
                for letter in wanted:
                    if entry := self._denied.get((place, letter)):
                        return entry
        return None

    def grant(self, targets: Iterable[str], letters: Iterable[Letter]) -> PermissionEntry | None:
        """An entry that allows, when every target is allowed every letter. No targets means nothing is allowed.

        Args:
            targets: Vault paths, URLs or executables.
            letters: What would be done with them.
        """
        grants = self.grants(targets, letters)
        return grants[-1][0] if grants else None

    def grants(self, targets: Iterable[str], letters: Iterable[Letter]) -> list[tuple[PermissionEntry, Letter]]:
        """All entries that together allow every letter to every target.

        Args:
            targets: Vault paths, URLs or executables.
            letters: What would be done with them.

        Returns:
            The entries with the letter each allows; none when one letter is not allowed to one target.
        """
        found: list[tuple[PermissionEntry, Letter]] = []
        wanted = tuple(letters)
        for target in targets:
            places = covering_keys(target)
            for letter in wanted:
                entry = next((entry for place in places if (entry := self._allowed.get((place, letter)))), None)
                if entry is None:
                    return []
                found.append((entry, letter))
        return found

    def keys_for(self, target: str) -> list[str]:
        """The keys, as written, that name exactly this target; a new one where there is none.

        Raises:
            ValueError: No key can name it.
        """
        place = canonical(target or "/")
        return self._keys.get(place) or [place]

    def _deny(self, place: str, letter: Letter, entry: PermissionEntry) -> None:
        self._denied[denial_key(place), letter] = entry
        if place.startswith("/") and is_executable(place):
            # Someone who writes `/Diary.md` may mean the vault's: too much is denied rather than too little.
            self._denied[denial_key(place[1:]), letter] = entry
