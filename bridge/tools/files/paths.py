"""The `path` of a file tool: what it means, the text of the file there, and the sentences in which both fail.

Slashes at both ends are taken off, every dot-folder is shut, and a name that differs in case only is found.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.index.references import NoteResolver, is_link, whole_note
from bridge.tools.storage import Storage, exists
from bridge.vault.paths import VaultPath, parse_path, protected
from bridge.vault.text import check_utf8, describe_binary, is_text

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
        InvalidParameters: It is blank, or no path.
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
        InvalidParameters: It is no path.
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
        InvalidParameters: It is blank, or no path and no name, or names a part of a note.
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
        InvalidParameters: It is blank, or no path and no name.
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
