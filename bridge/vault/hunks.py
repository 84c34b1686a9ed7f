"""The hunks of one file's unified diff: where each is in the text, and which lines it is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


@dataclass(frozen=True, slots=True)
class Hunk:
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

    def added(self) -> Iterator[tuple[int, str]]:
        """The lines that come, each with its number in the new file and its line break."""
        number = self.new_line
        for line in split_lines(self.text[self.text.index("\n") + 1 :]):
            if line.startswith("+"):
                yield number, line[1:]
            number += line[0] in "+ "


def parse_hunks(diff: str) -> Iterator[Hunk]:
    """The hunks of a diff that `unified_diff` made, one cut short included.

    Only the counts in the heads say what a line is, so text that looks like a diff confuses nothing.
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
                yield _hunk(head, lines)
            head, lines = found, [line]
            old_left, new_left = int(found[2]), int(found[4])
        else:
            lines.append(line)  # the names, or a note that a line has no line break
    if head is not None:
        yield _hunk(head, lines)


def split_lines(text: str) -> Iterator[str]:
    r"""The lines of a text with their line breaks; only `\n` breaks a line."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _hunk(head: re.Match[str], lines: list[str]) -> Hunk:
    old_line, old_count, new_line, new_count = map(int, head.groups())
    # Where there are no lines, the number in the head is that of the line before.
    return Hunk(old_line + (not old_count), old_count, new_line + (not new_count), new_count, "".join(lines))
