"""Bases that are written into notes as code blocks of the language `base`, also in lists, quotes and callouts."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bridge.notes.markdown import parse_note
from bridge.notes.work import TooMuchWork, Work

MOST_BASES: Final = 100
"""Bases of one note that are looked at; a person could not use more, and each takes a millisecond to read."""

_OPENING: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*base[ \t]*\Z", re.IGNORECASE)
_MENTION: Final = re.compile(
    # What may stand before a block: marks of quotes and lists, the box of a task, the name of a footnote.
    r"^(?>[ \t>*+-]|[0-9]++[.)]|\[[^\]\n]++\]:?)*+(?:```|~~~)[`~]*[ \t]*base[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)


class Block(NamedTuple):
    """One base in a note.

    Attributes:
        start: Where the code block begins.
        end: Where it ends.
        lines: Where each line of its YAML begins and ends, without what a list or quote puts before it.
        text: The YAML.
    """

    start: int
    end: int
    lines: tuple[tuple[int, int], ...]
    text: str

    def written(self, note: str, text: str) -> str:
        """Return the note with other YAML in the block; nothing else changes.

        Args:
            note: The note that it is in; what follows the block may have changed.
            text: The YAML, with as many lines.
        """
        pieces: list[str] = []
        at = 0
        for (start, end), line in zip(self.lines, text.split("\n")[:-1], strict=True):
            pieces += note[at:start], line
            at = end
        return "".join([*pieces, note[at:]])


def mentions_base(note: str) -> bool:
    """Return whether a note may hold a base: a line opens a code block of that language."""
    return "base" in note and _MENTION.search(note) is not None


def base_blocks(note: str) -> Iterator[Block]:
    """Find the bases of a note, in order; none in a note that is too much to be understood.

    Args:
        note: The note's text.
    """
    if not mentions_base(note):
        return
    try:
        blocks = parse_note(note, work=Work.of_one_note()).code
    except TooMuchWork:
        return
    for (start, end), *lines in blocks:
        opening = _OPENING.match(note[start:end])
        if opening is None:
            continue
        last = lines[-1][1] if lines else end
        if lines and note[slice(*lines[-1])].strip().startswith(opening[1]):
            lines.pop()
        yield Block(start, last, tuple(lines), "".join(f"{note[slice(*line)]}\n" for line in lines))
