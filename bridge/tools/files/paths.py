"""What the `path` of a file tool means, the text of the file there, and the sentences in which both fail.

Slashes at both ends are taken off, every dot-folder is shut, and a name that differs in case only is found.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.tools.storage import Storage
from bridge.vault.file_types import describe_binary, is_binary
from bridge.vault.paths import VaultPath, parse_path, protected
from bridge.vault.text import check_utf8

NOTE = ".md"

_PROTECTED = {".obsidian", ".smarthole"}
"""Shut also where no such folder exists, so that nothing is made of these names."""


def vault_path(text: str, storage: Storage, name: str = "path") -> VaultPath:
    """The place that a parameter names, or the vault itself where it names the root.

    Args:
        text: What the caller wrote. A path that begins with the vault's own folder is taken too.
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


def note_path(text: str, storage: Storage, name: str = "path") -> VaultPath:
    """The same for a note, whose `.md` may be left out."""
    path = vault_path(text, storage, name)
    if not path.parts:
        raise InvalidParameters("The path names the vault itself; name a note in it, such as 'Notes/Ideas.md'")
    return path if path.name.lower().endswith(NOTE) else parse_path(str(path) + NOTE)


@contextmanager
def not_found_as(sentence: str) -> Iterator[None]:
    """Give NotFound this sentence.

    Args:
        sentence: Such as `Path not found: "nonexistent/file.md"`.
    """
    try:
        yield
    except NotFound as error:
        raise NotFound(sentence, data=error.data) from None


def read_text(storage: Storage, path: VaultPath) -> tuple[VaultPath, bytes]:
    """A text file that is to be edited.

    Returns:
        Where it really lies, and its bytes.

    Raises:
        NotFound: There is no such file.
        InvalidParameters: It is binary, or not UTF-8.
    """
    with not_found_as(f'File not found: "{path}"'):
        data, stat = storage.read(path)
    if is_binary(data):
        kind, mime = describe_binary(data, stat.path.name)
        raise InvalidParameters(f'"{stat.path}" is not text ({kind}, {mime}); only text can be edited')
    check_utf8(data, stat.path)
    return stat.path, data


def to_bytes(text: str) -> bytes:
    """The bytes of a text that a caller gave.

    Raises:
        InvalidParameters: It holds half of a surrogate pair, which no file can.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidParameters("The text is not valid Unicode; remove the lone surrogate") from None


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
