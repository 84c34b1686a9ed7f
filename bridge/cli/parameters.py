"""A call's parameters, drawn for the person who is asked: all of them, as a tree of names and values.

A text that the diff shows line by line is named and not repeated; a very long one is cut, and says so.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from bridge.cli.diff import Row
from bridge.cli.folding import fold, wrap
from bridge.cli.inert import inert, inert_lines

MOST_LINES = 12
"""Screen lines of one text that are shown before it is cut."""
WORTH_NAMING = 60
"""Characters from which a one-line text is worth not repeating."""


class ParameterTree:
    """Draws parameters.

    Args:
        diffs: The rows of every diff on the same screen.
        width: Cells a line may have.
        full: Cut nothing.
    """

    def __init__(self, diffs: Sequence[Sequence[Row]], *, width: int, full: bool) -> None:
        self._diffs = diffs
        self._width = width
        self._full = full
        self.cut = 0
        """Lines that were left out so far."""

    def draw(self, parameters: Mapping[str, Any], indent: int = 2) -> Iterator[Text]:
        """The lines of an object's members."""
        for name, value in parameters.items():
            yield from self._member(Text.assemble(inert(name, style="cyan"), (": ", "cyan")), value, indent)

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
                lines = len(_lines(value))
                said = f"{lines} lines, in the diff below" if lines > 1 else "in the diff below"
                yield from wrap(Text.assemble(label, (said, "italic")), self._width, first=margin, rest=margin + "  ")
            case str() if "\n" in value:
                yield from fold(label, self._width, first=margin, rest=margin)
                yield from self._block(inert_lines(value, tab="→   "), f"{margin}  │ ")
            case str():
                text = Text.assemble(label, '"', inert(value), '"')
                yield from self._limit(list(fold(text, self._width, first=margin, rest=margin + "  ")), margin)
            case _:
                literal = inert(json.dumps(value, ensure_ascii=False))
                yield from fold(label + literal, self._width, first=margin, rest=margin + "  ")

    def _block(self, lines: Sequence[Text], margin: str) -> Iterator[Text]:
        drawn = [piece for line in lines for piece in fold(line, self._width, first=margin, rest=margin)]
        yield from self._limit(drawn, margin)

    def _limit(self, drawn: list[Text], margin: str) -> Iterator[Text]:
        if self._full or len(drawn) <= MOST_LINES + 1:
            yield from drawn
            return
        hidden = len(drawn) - MOST_LINES
        self.cut += hidden
        yield from drawn[:MOST_LINES]
        yield from fold(Text(f"… {hidden} more lines: p shows all", "bold"), self._width, first=margin, rest=margin)

    def _is_in_diff(self, text: str) -> bool:
        if not _is_long(text):
            return False
        lines = _lines(text)
        return any(_is_shown(lines, rows) for rows in self._diffs) or self._is_patch(lines)

    def _is_patch(self, lines: Sequence[str]) -> bool:
        """Whether this is a unified diff with exactly the removed and added lines that are shown."""
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


def _is_shown(lines: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether the lines stand one below the other on the new side of a diff."""
    new_side = [row for row in rows if row.new is not None]
    for start in range(len(new_side) - len(lines) + 1):
        window = new_side[start : start + len(lines)]
        together = (window[-1].new or 0) - (window[0].new or 0) == len(lines) - 1
        if together and all(row.text.removesuffix("\r") == line for row, line in zip(window, lines, strict=True)):
            return True
    return False
