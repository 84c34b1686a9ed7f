"""A call's parameters, drawn for the person who is asked: all of them, as a tree of names and values.

A text that the diff shows line by line is named and not repeated; a very long one is cut, and says so.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from bridge.cli.diff import DiffRow
from bridge.cli.layout import fold, wrap
from bridge.cli.sanitize import sanitize, sanitize_lines

MOST_LINES = 12
"""Screen lines of one text that are shown before it is cut."""
MOST_CHARACTERS = 4000
"""More than those lines can hold."""
WORTH_NAMING = 60
"""Characters from which a one-line text is worth not repeating."""


class ParameterTree:
    """The drawing of parameters.

    Args:
        diffs: The rows of every diff on the same screen.
        width: Cells a line may have.
        full: Cut nothing.
    """

    def __init__(self, diffs: Sequence[Sequence[DiffRow]], *, width: int, full: bool) -> None:
        self._diffs = diffs
        self._width = width
        self._full = full
        self.is_cut = False
        """Set once something has been left out."""

    def draw(self, parameters: Mapping[str, Any], indent: int = 2) -> Iterator[Text]:
        """Yield the lines of an object's members."""
        for name, value in parameters.items():
            yield from self._member(Text.assemble(sanitize(name, style="cyan"), (": ", "cyan")), value, indent)

    def _member(self, label: Text, value: Any, indent: int) -> Iterator[Text]:
        margin = " " * indent
        match value:
            case dict() if value:
                yield from fold(label, self._width, first=margin, rest=margin)
                yield from self.draw(value, indent + 2)
            case list() if any(isinstance(item, dict | list) or _is_long(item) for item in value):
                yield from fold(label, self._width, first=margin, rest=margin)
                for number, item in enumerate(value, 1):
                    yield from self._member(Text.assemble((f"{number}. ", "cyan")), item, indent + 2)
            case str() if self._is_in_diff(value):
                count = len(_lines(value))
                said = f"{count} lines, in the diff below" if count > 1 else "in the diff below"
                yield from wrap(Text.assemble(label, (said, "italic")), self._width, first=margin, rest=margin + "  ")
            case str() if "\n" in value:
                yield from fold(label, self._width, first=margin, rest=margin)
                lines = sanitize_lines(self._clip(value), tab="→   ")
                inner = f"{margin}  │ "
                drawn = [piece for line in lines for piece in fold(line, self._width, first=inner, rest=inner)]
                yield from self._limit(drawn, inner, len(value))
            case str():
                text = Text.assemble(label, '"', sanitize(self._clip(value)), '"')
                drawn = list(fold(text, self._width, first=margin, rest=margin + "  "))
                yield from self._limit(drawn, margin, len(value))
            case _:
                literal = sanitize(json.dumps(value, ensure_ascii=False))
                yield from fold(label + literal, self._width, first=margin, rest=margin + "  ")

    def _clip(self, text: str) -> str:
        """Return no more of a text than can be on the screen: the rest need not be drawn first."""
        return text if self._full else text[:MOST_CHARACTERS]

    def _limit(self, drawn: list[Text], margin: str, characters: int) -> Iterator[Text]:
        """Yield the lines of one text, or its first ones and how long it is."""
        clipped = characters > MOST_CHARACTERS
        if self._full or (len(drawn) <= MOST_LINES + 1 and not clipped):
            yield from drawn
            return
        self.is_cut = True
        yield from drawn[:MOST_LINES]
        rest = f"{characters} characters in all" if clipped else f"{len(drawn) - MOST_LINES} more lines"
        yield from wrap(Text(f"… {rest}: p shows all", "bold"), self._width, first=margin, rest=margin)

    def _is_in_diff(self, text: str) -> bool:
        if not _is_long(text):
            return False
        lines = _lines(text)
        return any(_is_shown(lines, rows) for rows in self._diffs) or self._is_patch(lines)

    def _is_patch(self, lines: Sequence[str]) -> bool:
        """Return whether this is a unified diff with exactly the removed and added lines that are shown."""
        signed = [line for line in lines if line[:1] in {"+", "-"} and line[:4] not in {"+++ ", "--- "}]
        sign = {"removed": "-", "added": "+"}
        shown = [
            sign[row.kind] + row.text.removesuffix("\r") for rows in self._diffs for row in rows if row.kind in sign
        ]
        return bool(shown) and signed == shown


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and ("\n" in value or len(value) >= WORTH_NAMING)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _is_shown(lines: Sequence[str], rows: Sequence[DiffRow]) -> bool:
    """Return whether the lines stand one below the other on the new side of a diff."""
    sought = "".join(f"\n{line}" for line in lines) + "\n"
    hunks: list[list[str]] = [[]]
    for row in rows:
        if row.kind == "hunk":
            hunks.append([])
        elif row.new is not None:
            hunks[-1].append("\n" + row.text.removesuffix("\r"))
    return any(sought in "".join(hunk) + "\n" for hunk in hunks)
