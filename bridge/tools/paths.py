"""The `path` of a file tool: what it means, the text of the file there, and the sentences in which both fail.

Slashes at both ends are taken off, every dot-folder is shut, and a name that differs in case only is found. A note that
was given no name is called after its heading or first line, by a name that every system and every link can have (rules
6 to 8 of docs/obsidian.md).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.index.knowledge import NoteResolver, is_link, whole_note
from bridge.tools.storage import Storage, exists
from bridge.vault.paths import VaultPath, nfc, parse_path, protected, unsafe_name
from bridge.vault.text import check_utf8, describe_binary, is_text, without_hidden_characters

NOTE = ".md"

_PROTECTED = {".obsidian", ".smarthole"}
"""Shut also where no such folder exists, so that nothing is made of these names."""


def vault_path(text: str, storage: Storage, name: str = "path") -> VaultPath:
    """Return the place that a parameter names, or the vault itself where it names the root.

    Args:
        text: The caller's text. A path that begins with the vault's own folder is taken too.
        storage: The vault.
        name: The parameter's name.

    Raises:
        InvalidParameters: It is blank, or not a path.
        PermissionDenied: It leads outside the vault or into a dot-folder.
    """
    if not text.strip():
        raise InvalidParameters(f"{name} is required and must be a non-empty string.")
    if not text.strip("/") or text.strip("/") == ".":
        return VaultPath.root()
    path = parse_path(text, vault=storage.top, strip_slashes=True)
    if path.name.startswith(".") and (text.endswith("/") or path.name.lower() in _PROTECTED):
        raise protected(path)
    return path


def folder_start(text: str | None, storage: Storage, *, real: bool = False) -> str:
    """Return how the paths in a folder begin: its own with a final slash; empty for the whole vault.

    Args:
        text: The parameter `folder`, as the caller wrote it.
        storage: The vault.
        real: Whether as the folder is spelled on disk; it has to be there.

    Raises:
        InvalidParameters: It is not a path.
        PermissionDenied: It leads outside the vault or into a dot-folder.
    """
    path = vault_path((text or "").strip() or "/", storage, "folder")
    if not path.parts:
        return ""
    return f"{storage.resolve(path) if real else path}/"


def note_path(text: str, storage: Storage, name: str = "path") -> VaultPath:
    """Return the same for a note, whose `.md` may be left out."""
    path = vault_path(text, storage, name)
    if not path.parts:
        raise InvalidParameters("The path names the vault itself; name a note in it, such as 'Notes/Ideas.md'")
    return path if path.name.lower().endswith(NOTE) else parse_path(str(path) + NOTE)


def existing_path(text: str, storage: Storage, name: str = "path", *, note: bool = False) -> VaultPath:
    """Return the place of something that is there: by its path, else by a note's name or wikilink.

    Args:
        text: The caller's text.
        storage: The vault.
        name: The parameter's name.
        note: Whether only notes are meant, whose `.md` may be left out.

    Returns:
        The path as the caller wrote it where something is there, or where nothing has that name either.

    Raises:
        InvalidParameters: It is blank, neither a path nor a name, or names a part of a note.
        Ambiguous: Several notes have that name.
        PermissionDenied: It leads outside the vault or into a dot-folder, or the user has closed it.
    """
    fault: InvalidParameters | None = None
    try:
        path = (note_path if note else vault_path)(text, storage, name)
        if not is_link(text) and (not path.parts or exists(storage, path)):
            return path
    except InvalidParameters as error:
        fault = error
    try:
        return whole_note(NoteResolver(storage.knowledge), text, certain=True)
    except (NotFound, InvalidParameters) as error:
        if fault is None and not error.data.get("part"):
            return path
        raise (fault or error) from None


def asked_path(text: str, storage: Storage) -> VaultPath:
    """Return the name of the file in a question about a read. Whether there is one is said only after consent.

    Args:
        text: The caller's text.
        storage: The vault.

    Raises:
        InvalidParameters: It is blank, or neither a path nor a name.
        PermissionDenied: It leads outside the vault or into a dot-folder.
    """
    try:
        return existing_path(text, storage)
    except ToolFailure:
        return vault_path(text, storage)


@contextmanager
def not_found_as(sentence: str) -> Iterator[None]:
    """Give NotFound this sentence.

    Args:
        sentence: Such as `Path not found: "nonexistent/file.md"`.
    """
    try:
        yield
    except NotFound as error:
        raise NotFound(sentence, data=error.data, wanted=error.wanted) from None


def read_text(storage: Storage, path: VaultPath) -> tuple[VaultPath, bytes]:
    """Return a text file that is to be edited.

    Returns:
        Where it really lies, and its bytes.

    Raises:
        NotFound: There is no such file.
        InvalidParameters: It is binary, or not UTF-8.
    """
    with not_found_as(f'File not found: "{path}"'):
        data, stat = storage.read(path)
    if not is_text(data):
        kind, mime = describe_binary(data, stat.path.name)
        raise InvalidParameters(f'"{stat.path}" is not text ({kind}, {mime}); only text can be edited')
    check_utf8(data, stat.path)
    return stat.path, data


@contextmanager
def failing_as(what: str) -> Iterator[None]:
    """Put some words before those of a failure; refusals keep theirs.

    Args:
        what: Such as `Failed to write file "invalid/path.md"`.
    """
    try:
        yield
    except PermissionDenied:
        raise
    except ToolFailure as failure:
        failure.message = f"{what}: {failure.message}"
        failure.args = (failure.message,)
        raise


UNTITLED = "Untitled"

_MOST_LOOKED_AT = 65_536
_MOST_CHARACTERS = 100
_MOST_BYTES = 200
_LONGEST_LINE = 1000
_HEADING = re.compile(r" {0,3}#([ \t].*)?")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKS = re.compile(r"\s*(?:(?:>|#+(?=\s)|[-*+](?=\s)|\d+[.)](?=\s)|\[.\](?=\s))\s*)*")
_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"\*\*|__|~~|==|`+")
_NOT_IN_NAMES = re.compile(
    r'[*"\\/<>:|?#^\[\]\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]|%%'
)


def title_of(content: str) -> str:
    """Return the first heading of the first level, else the first line that says something; without its marks.

    Args:
        content: A note's text. Its frontmatter and what is in code fences are passed over when looking for a heading.
    """
    lines = list(_body(content[:_MOST_LOOKED_AT]))
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.fullmatch(line):
            if text := _plain(_open_end(heading[1] or "")):
                return text
        elif line.strip() and number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1]):
            return _plain(line)
    return next((plain for line in lines if not _FENCE.match(line) and (plain := _plain(line))), "")


def name_after(title: str) -> str:
    """Return a title as a note's name, without `.md`: what files or links cannot have is left out (rules 6 to 8)."""
    name = _tidy(without_hidden_characters(_NOT_IN_NAMES.sub(" ", nfc(title))))
    if len(name) > _MOST_CHARACTERS or len(name.encode()) > _MOST_BYTES:
        cut = name[:_MOST_CHARACTERS].encode()[:_MOST_BYTES].decode(errors="ignore")
        whole, space, _rest = cut.rpartition(" ")
        name = _tidy(whole if space and len(whole) > len(cut) // 2 else cut)
    if not name:
        return UNTITLED
    return name if unsafe_name(f"{name}.md") is None else f"_{name}"


def _body(content: str) -> Iterator[str]:
    """Return the lines after the frontmatter."""
    lines = content.removeprefix("\ufeff").split("\n")
    first = 0
    if lines[0].rstrip() == "---":
        first = next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == "---"), 0)
    return (line[:_LONGEST_LINE].rstrip("\r") for line in lines[first:])


def _open_end(heading: str) -> str:
    """Return a heading's text without the number signs that may close it."""
    text = heading.strip()
    opened = text.rstrip("#")
    return opened if not opened or opened[-1] in " \t" else text


def _plain(line: str) -> str:
    """Return a line without the marks of Markdown."""
    text = line[found.end() :] if (found := _MARKS.match(line)) else line
    text = _LINK.sub(r"\1", _WIKILINK.sub(r"\1", text))
    return _tidy(_EMPHASIS.sub("", text)) if text.strip("-*_=~` \t") else ""


def _tidy(text: str) -> str:
    """Return a text with single spaces, and none at the ends, where no dot is either."""
    return " ".join(text.split()).strip(" .\u200d\u2024\ufe52\uff0e")
