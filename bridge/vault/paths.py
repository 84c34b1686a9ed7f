"""The only place that turns a string into a place in the vault, and the forms in which names are compared.

This gate is lexical: it touches no disk. What it lets through has no absolute part, no `..`, nothing that some
system reads as a device, a stream or another name, and no folder that starts with a dot. Where a path really leads
is decided by `root.py`, with descriptors.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bridge.errors import InvalidParameters, PermissionDenied
from bridge.vault.text import hidden_characters

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4096

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_NOT_IN_NEW_NAMES = re.compile('[*"<>|?]')
_OUTER_SPACE = re.compile(r"\A\s|\s(?:\.[^.\s]{1,16})?\Z")
_LIKE_DOTS = "\u2024\ufe52\uff0e"
# Devices on Windows, with any extension, also with the superscript digits that Windows takes for digits.
_RESERVED = re.compile(r"(?i:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\..*)?")
# One match shows that nearly every name is fine, because walks ask this of every file.
_PLAIN = re.compile(
    r"(?!(?i:con|prn|aux|nul|com|lpt))[^\x00-\x1f\x7f-\x9f\\:/\ud800-\udfff]{0,62}[^\x00-\x20\x7f-\x9f\\:/.\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True, order=True)
class VaultPath:
    """A place in the vault: vault-relative, `/` between the names. `str(path)` is how it is shown and stored.

    Attributes:
        parts: The names on the way, outermost first; empty for the vault itself.
    """

    parts: tuple[str, ...]

    @classmethod
    def root(cls) -> "VaultPath":
        """Return the vault itself, whose string is empty."""
        return cls(())

    @property
    def name(self) -> str:
        """Return the last name; empty for the vault itself."""
        return self.parts[-1] if self.parts else ""

    @property
    def parent(self) -> "VaultPath":
        """Return the folder it lies in; the vault itself is its own parent."""
        return VaultPath(self.parts[:-1])

    @property
    def suffix(self) -> str:
        """Return the extension with its dot, as spelled (`.md`); empty when there is none."""
        stem, dot, extension = self.name.rpartition(".")
        return dot + extension if stem else ""

    @property
    def parents(self) -> tuple["VaultPath", ...]:
        """Return the folders it lies in, outermost first, without the vault itself."""
        return tuple(VaultPath(self.parts[:count]) for count in range(1, len(self.parts)))

    def child(self, name: str) -> "VaultPath":
        """Return the place with this name inside this one. The name must have come from a listing or from this gate."""
        return VaultPath((*self.parts, name))

    def __str__(self) -> str:
        return "/".join(self.parts)


def known_path(text: str) -> VaultPath:
    """Return the place that `str` was made of, for our own paths only. Empty for the vault itself."""
    return VaultPath(tuple(text.split("/")) if text else ())


def parse_path(text: str, *, vault: Path | None = None, strip_slashes: bool = False) -> VaultPath:
    """Return the place a caller means.

    Args:
        text: What the caller wrote. `./a` and `a//b` are taken as `a` and `a/b`; percent signs are only characters.
        vault: When given, an absolute path that lies in this folder is taken too.
        strip_slashes: Whether slashes at both ends are ignored.

    Raises:
        InvalidParameters: It is empty, too long, or holds what no system would read as a plain name.
        PermissionDenied: It leads outside the vault (`outside_vault`) or into a dot-folder (`protected`).
    """
    if vault is not None:
        text = _inside(text, vault)
    if strip_slashes:
        text = text.strip("/")
    _check_whole(text)
    parts = tuple(part for part in text.split("/") if part not in {"", "."})
    if not parts:
        raise InvalidParameters("The path is empty; name a file or folder of the vault, such as 'Notes/Ideas.md'")
    if ".." in parts:
        raise outside()
    for part in parts:
        reason = unsafe_name(part)
        if reason:
            raise InvalidParameters(f"The path {text!r} cannot be used: {reason}; choose another name")
    path = VaultPath(parts)
    for folder in parts[:-1]:
        if folder.startswith("."):
            raise protected(path)
    return path


def without_middle(text: str, most: int) -> str:
    """Return a path, or a text with one, with its middle left out where it is longer.

    Args:
        text: The path.
        most: Its bytes, at most.
    """
    data = text.encode(errors="surrogatepass")
    if len(data) <= most:
        return text
    half = (most - 3) // 2
    return f"{data[:half].decode(errors='ignore')}...{data[-half:].decode(errors='ignore')}"


def unsafe_name(name: str) -> str | None:
    """Return why no file with this name is ever touched. Walks skip such files, so all listed files can be opened.

    Args:
        name: One path component.

    Returns:
        The reason, for people; None when the name is fine.
    """
    return None if _PLAIN.fullmatch(name) else next(_faults(name), None)


def _faults(name: str) -> Iterator[str]:
    if not name:
        yield "a name is empty"
    if _CONTROL.search(name):
        yield "it holds a control character"
    if "\\" in name or ":" in name or "/" in name:
        yield "a name cannot hold '\\', ':' or '/'"
    if name.endswith((".", " ")):
        yield f"the name {name!r} ends with a dot or a space, which Windows drops"
    if _RESERVED.fullmatch(name):
        yield f"{name!r} is the name of a device on Windows"
    if any("\ud800" <= character <= "\udfff" for character in name):
        yield "it is not valid Unicode"
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        yield f"a name has more than {MAX_NAME_BYTES} bytes"


def check_new_name(name: str, *, portable: bool = True) -> None:
    """Refuse a name that a file may have but that is not given to a new one.

    Obsidian on Windows refuses `* " < > | ?`, and vaults are synced between systems; hidden files are not created, nor
    names with characters that nobody sees: they could lie on the consent screen. Obsidian drops spaces at the ends of a
    new name, without its extension, and of every link (rules 8 and 15 of docs/obsidian.md).

    Args:
        name: One path component.
        portable: Whether only what Windows can have too is taken (setting `portableNames`).

    Raises:
        InvalidParameters: With what is wrong with it.
    """
    bad = _NOT_IN_NEW_NAMES.search(name) if portable else None
    if bad:
        raise InvalidParameters(
            f'The name {name!r} holds {bad[0]!r}; leave out * " < > | ? so that it syncs to Windows '
            "(the user's setting 'portableNames')"
        )
    if _OUTER_SPACE.search(name):
        raise InvalidParameters(
            f"The name {name!r} begins or ends with a space, so that no link could lead there; leave it out"
        )
    if hidden := next(hidden_characters(name), None):
        raise InvalidParameters(f"The name {name!r} holds an invisible character, {hidden[1]}; leave it out")
    if name.startswith(tuple(_LIKE_DOTS)):
        raise InvalidParameters(f"The name {name!r} starts with a character that looks like a dot; leave it out")
    if name.startswith("."):
        raise InvalidParameters(f"The name {name!r} starts with a dot; Obsidian hides such files, choose another name")


def protected(path: VaultPath) -> PermissionDenied:
    """Return the refusal for everything in a folder whose name starts with a dot.

    Args:
        path: The path that was asked for.
    """
    folder = next((part for part in path.parts if part.startswith(".")), None)
    if folder is None:
        return PermissionDenied(
            f"Access denied: {str(path)!r} leads by a link into a folder whose name starts with a dot "
            "(protected system folder)",
            code="protected",
        )
    return PermissionDenied(
        f"Access denied: Cannot access files in '{folder}/' directory (protected system folder)", code="protected"
    )


def outside() -> PermissionDenied:
    """Return the refusal for paths outside the vault. It repeats no path: nothing is said about what lies there."""
    return PermissionDenied(
        "The path leads outside the vault; write it from the vault's top, without '/' or a drive before it and "
        "without '..' in it",
        code="outside_vault",
    )


def _check_whole(text: str) -> None:
    """Refuse what makes the text as a whole no vault path. Its length comes first: the rest reads all of it."""
    if len(text) > MAX_PATH_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        raise InvalidParameters(f"The path has more than {MAX_PATH_BYTES} bytes; shorten it")
    if "\x00" in text or _CONTROL.search(text):
        raise InvalidParameters(f"The path {text!r} holds a control character; remove it")
    if text.startswith(("/", "\\\\")) or _DRIVE.match(text):
        raise outside()
    if "\\" in text:
        if ".." in text.replace("\\", "/").split("/") or text.startswith("\\"):
            raise outside()
        raise InvalidParameters(f"The path {text!r} holds a backslash; write '/' between folders")


def _inside(text: str, vault: Path) -> str:
    """Return an absolute path inside the vault as a relative one; anything else as it was."""
    absolute, root = text, str(vault)
    if vault.drive:
        absolute, root = text.replace("\\", "/"), root.replace("\\", "/")
        same = absolute.lower().startswith(root.lower().rstrip("/") + "/")
    else:
        same = absolute.startswith(root.rstrip("/") + "/")
    return absolute[len(root.rstrip("/")) + 1 :] if same else text


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders that a path lies in, innermost first."""
    while path := path.rpartition("/")[0]:
        yield path


def with_tail(stem: str, tail: str) -> str:
    """Return a name with something at its end; the name is cut if there is no room for both."""
    return stem.encode()[: MAX_NAME_BYTES - len(tail.encode())].decode(errors="ignore") + tail


def nfc(name: str) -> str:
    """Return the name in composed form, which lookups compare in (rule 10 of docs/obsidian.md).

    Args:
        name: A name or a path.
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def fold(name: str) -> str:
    """Return the form that two names share when they differ only in case or Unicode form.

    Lower case and not full case folding: `Straße` and `Strasse` are two notes. The two small sigmas are one letter
    (rule 33).

    Args:
        name: A name or a path.
    """
    return name.lower() if name.isascii() else nfc(nfc(name).lower().replace("ς", "σ"))  # noqa: RUF001 (Greek is meant)
