"""The file that a tool of seed S is about, and the words in which it fails."""

from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.tools.files.paths import missing_is_told
from bridge.vault.file_types import describe_binary, is_binary
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath
from bridge.vault.text import check_utf8


def read_text(files: VaultFiles, path: VaultPath) -> tuple[VaultPath, bytes]:
    """A text file that is to be edited.

    Returns:
        Where it really lies, and its bytes.

    Raises:
        NotFound: There is no such file.
        InvalidParameters: It is binary, or not UTF-8.
    """
    with missing_is_told(f'File not found: "{path}"'):
        data, stat = files.read(path)
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
    """Failures get the words of the seed before their own; refusals keep theirs.

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
