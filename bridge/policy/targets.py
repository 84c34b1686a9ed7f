"""The targets of a call, as values with a kind, and how far an answer about each may reach.

Each kind has a ladder of widening, narrowest rung first:

    a file          this file, its folder, the vault
    a folder        this folder, the vault
    a URL           this page, this site
    a command       this very command, this executable
    a server's tool this tool, every tool of the server
    a custom tool   this tool

A rung has one spelling, its key, which is also how the permission file (`.vault-bridge/permissions.json`) writes it:

    Notes/Meeting.md         a file of the vault
    Notes/                   a folder of the vault and everything below; `/` is the whole vault
    https://example.org/a/   a page, without query; with a final slash everything below
    /usr/bin/ls              an executable, by its real path
    mcp://server/tool        a tool of another server; `mcp://server/` is every tool of it
    custom://name            a tool of the user's own

Whether a rung covers a target is decided by kind: a note that is called like a host is not that host.
"""

import ipaddress
import os
import re
import shlex
import socket
import string
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from bridge.contract.consent import Reach, TargetKind, TargetView
from bridge.vault.paths import fold, nfc

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\" if os.name == "nt" else r"[A-Za-z]:\\|\\\\")
"""The beginning of an absolute path of Windows. Elsewhere `A:/` is a folder of that name."""
_USER = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@")
"""A user's name before the host, which may be made to look like one; it is not shown."""
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_LONGEST_NAME: Final = 4096
"""Characters of a path or a page; a ladder grows with the square of them."""
_WEB_PORTS = frozenset({80, 443, None})
_SERVER: Final = "mcp://"
_CUSTOM: Final = "custom://"
_ANY_PLACE: Final = "<place in the vault>"
"""A placeholder for a place of the vault in a command that may name others."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a ladder: what an answer for longer holds for.

    Attributes:
        reach: How far it holds.
        key: What for, in the one spelling by which keys are compared.
    """

    reach: Reach
    key: str

    def covers(self, target: "Target") -> bool:
        """Return whether an allow for this rung covers a target: exactly what the key names, or what lies below it."""
        return self in target.rungs()

    def denies(self, target: "Target") -> bool:
        """Return whether a denial for this rung holds for a target.

        A denial reaches further than an allow: it holds below everything it names, and without regard to case.
        """
        folded = fold_key(self.key)
        return any(rung.kind is self.kind and fold_key(rung.key) == folded for rung in target.rungs())

    @property
    def kind(self) -> TargetKind:
        """Return the family of the rung's things; rungs of different families never cover each other's targets."""
        return _FAMILIES[self.reach]

    @property
    def label(self) -> str:
        """Return the rung for people, to be read in the middle of a sentence."""
        key, name = self.key, self.key.rpartition("://")[2].removesuffix("/")
        server, _, tool = name.partition("/")
        said = {"key": key, "name": name, "server": server, "tool": tool, "command": key.removeprefix("command:")}
        return _LABELS.get(self.reach, "{key}").format(**said)


_LABELS: Final = {
    Reach.FOLDER: "the folder {key}",
    Reach.VAULT: "the whole vault",
    Reach.SECTION: "pages below {key}",
    Reach.SITE: "the site {name}",
    Reach.COMMAND: "{command}",
    Reach.EXECUTABLE: "every use of {key}",
    Reach.SERVER: "every tool of the server {server}",
    Reach.TOOL: "the tool {tool} of the server {server}",
    Reach.CUSTOM_TOOL: "the custom tool {name}",
}
_FAMILIES: Final = {
    **dict.fromkeys((Reach.FILE, Reach.FOLDER, Reach.VAULT), TargetKind.FILE),
    **dict.fromkeys((Reach.PAGE, Reach.SECTION, Reach.SITE), TargetKind.URL),
    **dict.fromkeys((Reach.COMMAND, Reach.EXECUTABLE), TargetKind.COMMAND),
    **dict.fromkeys((Reach.TOOL, Reach.SERVER), TargetKind.SERVER_TOOL),
    Reach.CUSTOM_TOOL: TargetKind.CUSTOM_TOOL,
}


class Target(NamedTuple):
    """One thing that a call touches. Made by the functions below, which check what they are given.

    Attributes:
        kind: Its kind.
        label: Its name, as people know it and as older clients are sent it.
        place: Its narrowest rung.
        above: The wider rungs that cover it, nearest first.
    """

    kind: TargetKind
    label: str
    place: Rung
    above: tuple[Rung, ...] = ()

    def rungs(self) -> tuple[Rung, ...]:
        """Return every rung that covers the target, nearest first."""
        return (self.place, *self.above)

    def to_wire(self) -> TargetView:
        """Return the target as a question shows it."""
        return TargetView(kind=self.kind, label=self.label)


# -- one function for each kind ------------------------------------------------------------------------------------


def file_target(path: str) -> Target:
    """Return a file of the vault. A name that does not say whether it is a file or a folder counts as a file.

    Args:
        path: Vault-relative, with `/`.

    Raises:
        ValueError: The path names nothing in a vault.
    """
    place = _vault_path(path)
    if place == "/" or place.endswith("/"):
        return folder_target(place)
    own_folder = Rung(Reach.FOLDER, f"{place}/")
    return Target(TargetKind.FILE, path, Rung(Reach.FILE, place), (own_folder, *_folders_above(place)))


def folder_target(path: str) -> Target:
    """Return a folder of the vault; the empty path and `/` are the vault itself. Raises what `file_target` raises."""
    place = _vault_path(path or "/")
    if place == "/":
        return Target(TargetKind.FOLDER, path, Rung(Reach.VAULT, "/"))
    place = place if place.endswith("/") else f"{place}/"
    return Target(TargetKind.FOLDER, path, Rung(Reach.FOLDER, place), tuple(_folders_above(place)))


def named_target(name: str) -> Target:
    """Return the target that a name in the vault means: a file, with a final slash a folder, and the vault when empty.

    A name that leads nowhere is a target too, which nothing but an answer for itself or for the whole vault covers.
    """
    try:
        return folder_target(name) if name in {"", "/"} else file_target(name)
    except ValueError:
        return Target(TargetKind.FILE, name, Rung(Reach.FILE, name), (Rung(Reach.VAULT, "/"),))


def url_target(url: str) -> Target:
    """Return a page of the web, without its query; `http` and `https` are one.

    Raises:
        ValueError: The URL has no host, or cannot be read.
    """
    place = _url(url)
    floor = place.index("://") + len("://")
    site = Rung(Reach.SITE, place[: place.index("/", floor) + 1])
    ends = (index for index in range(len(place) - 2, len(site.key) - 1, -1) if place[index] == "/")
    sections = [Rung(Reach.SECTION, place[: end + 1]) for end in ends]
    label = _USER.sub(r"\1", url)
    if place == site.key:
        return Target(TargetKind.URL, label, site)
    own = Rung(Reach.SECTION if place.endswith("/") else Reach.PAGE, place)
    return Target(TargetKind.URL, label, own, (*sections, site))


def command_target(
    executable: str, arguments: Sequence[str] = (), *, vault_paths: Collection[int] = frozenset()
) -> Target:
    """Return a command. Two that differ only in which places of the vault they name are one.

    Args:
        executable: The program's real, absolute path.
        arguments: What it is given, without the program's own name.
        vault_paths: Which of the arguments, counted from 0, name a place in the vault and nothing else.

    Raises:
        ValueError: The path is not absolute, or a part holds control characters.
    """
    if not is_executable(executable) or executable.endswith(("/", "\\")) or _CONTROL.search(executable):
        raise ValueError("an executable is named by its absolute path")
    program = nfc(executable)
    said = shlex.join([executable, *arguments])
    # What is quoted cannot look like the words that stand for a place.
    words = [_ANY_PLACE if at in vault_paths else shlex.quote(word) for at, word in enumerate(arguments)]
    place = Rung(Reach.COMMAND, f"command:{' '.join([shlex.quote(program), *words])}")
    return Target(TargetKind.COMMAND, said, place, (Rung(Reach.EXECUTABLE, program),))


def server_tool_target(server: str, tool: str) -> Target:
    """Return a tool of another server.

    Raises:
        ValueError: A name is empty, or holds a slash or control characters.
    """
    for name in (server, tool):
        if not name or "/" in name or _CONTROL.search(name):
            raise ValueError("a server and its tool are named without slashes and control characters")
    place, above = Rung(Reach.TOOL, f"{_SERVER}{server}/{tool}"), (Rung(Reach.SERVER, f"{_SERVER}{server}/"),)
    return Target(TargetKind.SERVER_TOOL, f"{server}/{tool}", place, above)


def custom_tool_target(name: str) -> Target:
    """Return a tool of the user's own. Raises what `server_tool_target` raises."""
    if not name or "/" in name or _CONTROL.search(name):
        raise ValueError("a custom tool is named without slashes and control characters")
    return Target(TargetKind.CUSTOM_TOOL, name, Rung(Reach.CUSTOM_TOOL, f"{_CUSTOM}{name}"))


# -- ladders of questions ------------------------------------------------------------------------------------------


def common_ladder(targets: Sequence[Target]) -> list[tuple[Reach, tuple[Rung, ...]]]:
    """Return the rungs on which one answer can hold for all targets of a question, narrowest first.

    Args:
        targets: What a call touches; all of one family, else there is no rung but each target's own.

    Returns:
        The first entry holds each target's own place. Wider ones hold the fewest rungs that cover every target: one
        folder that holds all of them, the vault, one site.
    """
    if not targets:
        return []
    steps = [(targets[0].place.reach, tuple(dict.fromkeys(target.place for target in targets)))]
    shared = set(targets[0].above)
    for target in targets[1:]:
        shared.intersection_update(target.rungs())
    wider = [rung for rung in targets[0].above if rung in shared]
    own = {target.place.key for target in targets}
    for rung in wider:
        is_twin = rung.reach is Reach.FOLDER and rung.key.removesuffix("/") in own
        taken = any(rung.reach is reach for reach, held in steps if len(held) == 1)
        if rung.reach is not Reach.SECTION and not is_twin and not taken and (rung,) != steps[0][1]:
            steps.append((rung.reach, (rung,)))
    return steps


# -- keys ----------------------------------------------------------------------------------------------------------


def parse_key(key: str) -> Rung:
    """Return the rung that a key of the permission file names.

    Raises:
        ValueError: It names nothing; the text says why.
    """
    if not key or _CONTROL.search(key):
        raise ValueError("a key must not be empty or hold control characters")
    if key.startswith(_CUSTOM):
        return custom_tool_target(key.removeprefix(_CUSTOM)).place
    if key.startswith(_SERVER):
        server, slash, tool = key.removeprefix(_SERVER).partition("/")
        target = server_tool_target(server, tool or "any")
        return target.place if tool or not slash else target.above[0]
    if _SCHEME.match(key):
        return url_target(key).place
    if is_executable(key):
        if key.endswith(("/", "\\")):
            raise ValueError(
                "an absolute path names one executable, not a folder; folders of the vault have no `/` before"
            )
        return Rung(Reach.EXECUTABLE, nfc(key))
    return file_target(key).place


def is_executable(name: str) -> bool:
    """Return whether this is an absolute path, of POSIX or of Windows. `/` alone is the vault."""
    return (name.startswith("/") and name != "/") or _DRIVE.match(name) is not None


def fold_key(key: str) -> str:
    """Return the spelling by which denials are compared: without case, as on many disks, or a final slash."""
    return fold(key).rstrip("/")


def _folders_above(place: str) -> Iterator[Rung]:
    """Yield the folders that hold a place of the vault, nearest first, and the vault."""
    for index in range(len(place) - 2, 0, -1):
        if place[index] == "/":
            yield Rung(Reach.FOLDER, place[: index + 1])
    yield Rung(Reach.VAULT, "/")


def _vault_path(name: str) -> str:
    if name == "/":
        return name
    if not name or _CONTROL.search(name):
        raise ValueError("a path in the vault is not empty and holds no control characters")
    if "\\" in name:
        raise ValueError("a path in the vault is written with `/`")
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"a path in the vault has at most {_LONGEST_NAME} characters")
    parts = name.removesuffix("/").split("/")
    if any(part in {"", ".", ".."} for part in parts):
        raise ValueError("a path in the vault has no empty, `.` or `..` parts")
    return nfc(name)


def _url(name: str) -> str:
    if _CONTROL.search(name) or "\\" in name:
        raise ValueError("a URL holds no control characters and no backslashes")
    parts = urlsplit(name)
    if not parts.hostname:
        raise ValueError("a URL needs a host")
    if len(parts.path) > _LONGEST_NAME:
        raise ValueError(f"the path of a URL has at most {_LONGEST_NAME} characters")
    scheme = "https" if parts.scheme == "http" else parts.scheme
    host = _host(parts.hostname)
    port = "" if parts.port in _WEB_PORTS else f":{parts.port}"
    return f"{scheme}://{host}{port}{normal_path(parts.path)}"


def _host(name: str) -> str:
    """Return a host in its one spelling. Addresses can be written in many ways, and letters of scripts look alike."""
    host = unicodedata.normalize("NFKC", name).lower().rstrip(".")
    if ":" in host:
        six = ipaddress.IPv6Address(host)
        if six.scope_id is not None:
            raise ValueError("an address in a URL names no zone")
        return str(six.ipv4_mapped) if six.ipv4_mapped else f"[{six.compressed}]"
    if not _HOST.fullmatch(host):
        raise ValueError("a host is written in letters, digits, hyphens and dots; others in their ASCII form (`xn--`)")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            return str(ipaddress.IPv4Address(socket.inet_aton(host)))
        except OSError:
            raise ValueError("a host that ends with a number is an address, and this is none") from None
    return host


def normal_path(path: str) -> str:
    """Return the path without `.` and `..` (RFC 3986, 5.2.4), escapes that need not be escaped resolved (6.2.2)."""
    kept: list[str] = []
    parts = _ESCAPE.sub(_unescape, nfc(path)).split("/")[1:]
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
