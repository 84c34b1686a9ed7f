"""The unified diff of one file: exactly what will be written, for a person to read and for programs to apply.

`parse_hunks` reads such a diff back: where each hunk is in the text, and which lines it is about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bridge.vault.compare import ChangedBlock, Region, changed_blocks
from bridge.vault.file_types import describe_binary, is_text

CONTEXT = 3
"""Unchanged lines shown around a change."""
NO_BREAK = "\\ No newline at end of file\n"

Line = tuple[str, bytes, int, int]
"""A line of a hunk: its sign, and where its bytes are."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff.

    Attributes:
        text: The diff; empty when nothing differs.
        added: Lines added, in the whole diff.
        removed: Lines removed, in the whole diff.
        truncated: Whether the text was cut.
    """

    text: str
    added: int
    removed: int
    truncated: bool


def unified_diff(
    old: bytes,
    new: bytes,
    *,
    old_path: str | None,
    new_path: str | None,
    regions: Sequence[Region] | None = None,
    limit: int = 1_000_000,
) -> Diff:
    r"""The unified diff of two versions of a file: the plain paths, three lines of context.

    A line is what ends with `\n`; a `\r` before it is part of the line, so a changed line ending shows as a change.
    Of a file that is not text a line says what it is; where there is text on the other side, that is shown as added or
    removed. Bytes that are not UTF-8 are shown as `\xNN`.

    Args:
        old: The bytes before.
        new: The bytes after.
        old_path: Its path before; None when it is new (`/dev/null`).
        new_path: Its path after; None when it is deleted.
        regions: Where they differ, when that is known: nothing else is compared then.
        limit: The most characters of text; it is cut at a line end.
    """
    names = old_path or "/dev/null", new_path or "/dev/null"
    before = ""
    if not is_text(old) or not is_text(new):
        before = binary_line(*(_kind(data, name) for data, name in zip((old, new), names, strict=True)))
        names = names[0] if is_text(old) else "/dev/null", names[1] if is_text(new) else "/dev/null"
        old, new, regions = old if is_text(old) else b"", new if is_text(new) else b"", None
    blocks = list(changed_blocks(old, new, regions))
    if not blocks and (before or old_path == new_path):
        return Diff(before, 0, 0, truncated=False)
    pieces, truncated = [before, f"--- {names[0]}\n", f"+++ {names[1]}\n"], False
    room = limit - sum(map(len, pieces))
    for sign, data, start, end in chain.from_iterable(_hunk(old, new, hunk) for hunk in _hunks(blocks)):
        # A line that cannot fit is not even copied: it may be the whole of a large file.
        text = "" if end - start > 4 * room else _diff_line(sign, data[start:end])
        room -= len(text)
        if not text or room < 0:
            truncated = True
            break
        pieces.append(text)
    added, removed = sum(block.added for block in blocks), sum(block.removed for block in blocks)
    return Diff("".join(pieces), added, removed, truncated)


def binary_line(old: str, new: str) -> str:
    """What a diff says of files that are not text.

    Args:
        old: The one, with what it is and its size; or `/dev/null`.
        new: The other.
    """
    return f"Binary files {old} and {new} differ\n"


def _kind(data: bytes, name: str) -> str:
    """How a diff names a side that it does not show."""
    if name == "/dev/null":
        return name
    what = describe_binary(data, name)[0] if not is_text(data) else "text"
    return f"{name} ({what}, {len(data)} bytes)"


def _diff_line(sign: str, line: bytes) -> str:
    """A line of the diff; one without a line break says so."""
    text = sign + line.decode("utf-8", "backslashreplace")
    return text if line.endswith(b"\n") else f"{text}\n{NO_BREAK}"


def _hunks(blocks: Sequence[ChangedBlock]) -> Iterator[list[ChangedBlock]]:
    """Blocks whose contexts would touch, together."""
    hunk: list[ChangedBlock] = []
    for block in blocks:
        if hunk and block.old_line - (hunk[-1].old_line + hunk[-1].removed) > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _hunk(old: bytes, new: bytes, blocks: Sequence[ChangedBlock]) -> Iterator[Line]:
    """One hunk, line by line, its head first."""
    first, last = blocks[0], blocks[-1]
    start, before = _context_before(old, first.old_start)
    end, after = _context_after(old, last.old_end)
    old_count = before + last.old_line + last.removed - first.old_line + after
    new_count = before + last.new_line + last.added - first.new_line + after
    head = _head(first.old_line - before, old_count, first.new_line - before, new_count)
    yield "", head, 0, len(head)
    for block in blocks:
        yield from _signed_lines(" ", old, start, block.old_start)
        yield from _signed_lines("-", old, block.old_start, block.old_end)
        yield from _signed_lines("+", new, block.new_start, block.new_end)
        start = block.old_end
    yield from _signed_lines(" ", old, start, end)


def _head(old_line: int, old_count: int, new_line: int, new_count: int) -> bytes:
    """`@@ -5,3 +5,3 @@`. Where there are no lines, the number is that of the line before."""
    old_line, new_line = old_line - (not old_count), new_line - (not new_count)
    return f"@@ -{old_line},{old_count} +{new_line},{new_count} @@\n".encode()


def _signed_lines(sign: str, data: bytes, start: int, end: int) -> Iterator[Line]:
    while start < end:
        cut = data.find(b"\n", start, end) + 1 or end
        yield sign, data, start, cut
        start = cut


def _context_before(data: bytes, offset: int) -> tuple[int, int]:
    """Up to three lines before an offset: where they begin and how many they are."""
    count = 0
    while offset and count < CONTEXT:
        offset = data.rfind(b"\n", 0, offset - 1) + 1
        count += 1
    return offset, count


def _context_after(data: bytes, offset: int) -> tuple[int, int]:
    """Up to three lines from an offset on: where they end and how many they are."""
    count = 0
    while offset < len(data) and count < CONTEXT:
        offset = data.find(b"\n", offset) + 1 or len(data)
        count += 1
    return offset, count


_HEAD = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """One hunk. Where it has no lines on a side, `old_line` or `new_line` is the line it comes before.

    Attributes:
        old_line: The first line it takes from the old file, from 1.
        old_count: How many lines.
        new_line: The first line in the new file, from 1.
        new_count: How many lines.
        text: The hunk as the diff has it, its head included.
    """

    old_line: int
    old_count: int
    new_line: int
    new_count: int
    text: str

    def lines(self) -> Iterator[tuple[str, str]]:
        """Every line with its sign, and with its line break where it has one."""
        sign, held = "", ""
        for line in split_lines(self.text[self.text.index("\n") + 1 :]):
            if line.startswith("\\"):
                held = held.removesuffix("\n")
                continue
            if sign:
                yield sign, held
            sign, held = line[0], line[1:]
        if sign:
            yield sign, held

    def added(self) -> Iterator[tuple[int, str]]:
        """The added lines, each with its number in the new file and its line break."""
        number = self.new_line
        for line in split_lines(self.text[self.text.index("\n") + 1 :]):
            if line.startswith("+"):
                yield number, line[1:]
            number += line[0] in "+ "


def parse_hunks(diff: str) -> Iterator[DiffHunk]:
    """The hunks of a diff that `unified_diff` made, one cut short included.

    Only the counts in the heads say what a line is, so text that looks like a diff confuses nothing.

    Args:
        diff: The diff of one file.
    """
    head: re.Match[str] | None = None
    lines: list[str] = []
    old_left = new_left = 0
    for line in split_lines(diff):
        if old_left or new_left:
            old_left -= line[0] in "- "
            new_left -= line[0] in "+ "
            lines.append(line)
        elif found := _HEAD.match(line):
            if head is not None:
                yield _hunk_of(head, lines)
            head, lines = found, [line]
            old_left, new_left = int(found[2]), int(found[4])
        else:
            lines.append(line)  # the names, or a note that a line has no line break
    if head is not None:
        yield _hunk_of(head, lines)


def split_lines(text: str) -> Iterator[str]:
    r"""The lines of a text with their line breaks; only `\n` breaks a line."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _hunk_of(head: re.Match[str], lines: list[str]) -> DiffHunk:
    old_line, old_count, new_line, new_count = map(int, head.groups())
    # Where there are no lines, the number in the head is that of the line before.
    return DiffHunk(old_line + (not old_count), old_count, new_line + (not new_count), new_count, "".join(lines))
