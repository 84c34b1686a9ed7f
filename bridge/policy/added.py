"""The lines that a change brings into a file, with their numbers in the file as it will be."""

from collections.abc import Iterator

from bridge.contract.consent import FilePreview
from bridge.vault.file_types import is_binary
from bridge.vault.hunks import parse_hunks
from bridge.vault.text import CHUNK

_OVERLAP = 1_000


def added_lines(preview: FilePreview, new: bytes) -> Iterator[tuple[int, str]]:
    """Every line that a change adds, without its ending, and its number.

    Where the diff was too long to be shown whole, every line of the new bytes counts: nothing hides behind length.

    Args:
        preview: The change as it is shown.
        new: The bytes the file will have.
    """
    if not is_binary(new):
        lines = (
            _whole(new) if preview.truncated else (line for hunk in parse_hunks(preview.diff) for line in hunk.added())
        )
        for number, line in lines:
            text = line.removesuffix("\n").removesuffix("\r")
            yield number, text.removeprefix("\ufeff") if number == 1 else text  # a byte order mark is no text


def _whole(data: bytes) -> Iterator[tuple[int, str]]:
    start, number = 0, 1
    while start < len(data):
        # A line that is longer than a chunk comes in several: decoding all of it would hold up other threads. They
        # overlap, so that nothing is missed because it lies on a cut.
        end = data.find(b"\n", start, start + CHUNK) + 1 or min(start + CHUNK, len(data))
        yield number, data[start:end].decode("utf-8", "backslashreplace")
        whole = data[end - 1] == ord("\n") or end == len(data)
        number, start = number + whole, end if whole else end - _OVERLAP
