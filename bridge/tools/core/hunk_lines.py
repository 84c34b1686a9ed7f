r"""The end of a hunk's lines in a patch, and the kind of each line.

The counts in `@@ -5,3 +5,4 @@` are believed when the hunk ends just there. Otherwise the hunk goes on to the next
line that cannot belong to it: agents count badly, and the lines themselves must fit the file anyway.
"""

import re
from collections.abc import Iterator, Sequence

from bridge.tools.core.patch_parts import PatchHunk, PatchLine, malformed

END_OF_FILE = "*** End of File"

_COUNTS = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_MARKER = re.compile(r"\*\*\* (?:Begin Patch|End Patch|(?:Update|Add|Delete) File: |Move to: |End of File)")
_VERSION = re.compile(r"\d[\w.() -]*")
_SIGNS = ("+", "-", " ")


def read_hunk(lines: Sequence[str], start: int) -> tuple[PatchHunk, int]:
    """Return a hunk of a patch.

    Args:
        lines: The patch, without line endings.
        start: The index of its `@@` line, or of its first line where it has none.

    Returns:
        The hunk, and the index of the line after it.

    Raises:
        InvalidParameters: A line is none of a hunk, or the hunk has none.
    """
    headed = lines[start].startswith("@@")
    counts = _COUNTS.match(lines[start])
    first = start + headed
    end = None
    if counts:
        old, new = (1 if count is None else int(count) for count in counts.groups())
        end = _counted_end(lines, first, old, new)
    if end is None:
        end = _open_end(lines, first)
    at_end = end < len(lines) and lines[end] == END_OF_FILE
    heading = lines[start][2:].strip().removesuffix("@@").strip(" .") if headed and not counts else ""
    hunk = PatchHunk.checked(start + 1, tuple(_lines(lines, first, end)), heading, at_end=at_end)
    if not hunk.lines:
        raise malformed(start + 1, "the hunk has no lines")
    return hunk, end + at_end


def _begins_file(lines: Sequence[str], index: int) -> bool:
    """Return whether a `--- ` line and the two after it are the beginning of a file in a unified diff."""
    if not lines[index].startswith("--- ") or not "".join(lines[index + 1 : index + 2]).startswith("+++ "):
        return False
    return index + 2 >= len(lines) or lines[index + 2].startswith("@@")


def _ends(lines: Sequence[str], index: int) -> bool:
    """Return whether a hunk cannot go on with this line: another one or another file begins, or the patch is over."""
    if index >= len(lines):
        return True
    line = lines[index]
    if line.startswith(("@@", "diff --git ")) or _MARKER.match(line) or _begins_file(lines, index):
        return True
    rest = [other for other in lines[index + 1 :][:3] if other.strip()]  # `git format-patch` signs with its version
    return line == "-- " and index + 4 >= len(lines) and len(rest) == 1 and bool(_VERSION.fullmatch(rest[0]))


def _counted_end(lines: Sequence[str], first: int, old: int, new: int) -> int | None:
    """Return where a hunk ends by its counts; None when it does not end there."""
    index = first
    while (old > 0 or new > 0) and index < len(lines):
        sign = lines[index][:1] or " "
        if sign not in {*_SIGNS, "\\"}:
            return None
        old -= sign in {" ", "-"}
        new -= sign in {" ", "+"}
        index += 1
    while index < len(lines) and lines[index].startswith("\\"):
        index += 1
    after = index
    while after < len(lines) and not lines[after]:
        after += 1
    goes_on = not _ends(lines, after) and lines[after].startswith((*_SIGNS, "\\"))
    return None if old or new or goes_on else index


def _open_end(lines: Sequence[str], first: int) -> int:
    """Return where a hunk with wrong or missing counts ends. Empty lines at its end belong to what follows."""
    end = first
    while not _ends(lines, end):
        if lines[end] and not lines[end].startswith((*_SIGNS, "\\")):
            raise malformed(end + 1, "a line of a hunk begins with ' ', '-' or '+'")
        end += 1
    while end > first and not lines[end - 1]:
        end -= 1
    return end


def _lines(lines: Sequence[str], first: int, end: int) -> Iterator[PatchLine]:
    for index in range(first, end):
        line = lines[index]
        if not line.startswith("\\"):
            yield PatchLine(line[:1] or " ", line[1:], ended=not "".join(lines[index + 1 : end][:1]).startswith("\\"))
