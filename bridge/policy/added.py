"""The lines that a change brings into a file, with their numbers in the file as it will be."""

import re
from collections.abc import Iterator

from bridge.contract.consent import FilePreview
from bridge.vault.kinds import is_binary
from bridge.vault.text import CHUNK

_OVERLAP = 1_000
_HEAD = re.compile(r"@@ -\d+,(\d+) \+(\d+),(\d+) @@")


def added_lines(preview: FilePreview, new: bytes) -> Iterator[tuple[int, str]]:
    """Every line that a change adds, without its ending, and its number.

    Where the diff was too long to be shown whole, every line of the new bytes counts: nothing hides behind length.

    Args:
        preview: The change as it is shown.
        new: The bytes the file will have.
    """
    if not is_binary(new):
        lines = _whole(new) if preview.truncated else _marked(preview.diff)
        for number, line in lines:
            text = line.removesuffix("\n").removesuffix("\r")
            yield number, text.removeprefix("\ufeff") if number == 1 else text  # a byte order mark is no text


def _marked(diff: str) -> Iterator[tuple[int, str]]:
    """The lines that a diff marks as added. Only the counts in the heads say what a line is."""
    old_left = new_left = number = 0
    for line in _split(diff):
        if not old_left and not new_left:
            if head := _HEAD.match(line):
                old_left, number, new_left = int(head[1]), int(head[2]), int(head[3])
            continue
        sign = line[:1]
        if sign == "+":
            yield number, line[1:]
        if sign in "+ ":
            number, new_left = number + 1, new_left - 1
        if sign in "- ":
            old_left -= 1


def _split(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _whole(data: bytes) -> Iterator[tuple[int, str]]:
    start, number = 0, 1
    while start < len(data):
        # A line that is longer than a chunk comes in several: decoding all of it would hold up other threads. They
        # overlap, so that nothing is missed because it lies on a cut.
        end = data.find(b"\n", start, start + CHUNK) + 1 or min(start + CHUNK, len(data))
        yield number, data[start:end].decode("utf-8", "backslashreplace")
        whole = data[end - 1] == ord("\n") or end == len(data)
        number, start = number + whole, end if whole else end - _OVERLAP
