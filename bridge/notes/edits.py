"""Replacements in a text: where, and by what."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple


class Edit(NamedTuple):
    """One replacement: `text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with every replacement made, all of them counted in the text as it was.

    Args:
        text: The text.
        edits: The replacements, which must not overlap.
    """
    pieces, place = list[str](), 0
    for edit in sorted(edits):
        pieces += text[place : edit.start], edit.new
        place = edit.end
    return "".join([*pieces, text[place:]])


def overlap(edits: Sequence[Edit]) -> bool:
    """Whether two replacements touch the same characters."""
    ordered = sorted(edits)
    return any(first.end > second.start for first, second in pairwise(ordered))


def smallest(start: int, old: str, new: str) -> Edit:
    """The replacement of what differs between two texts: what they begin and end with stays.

    Args:
        start: Where the old text stands.
        old: The old text.
        new: The new text.
    """
    most = min(len(old), len(new))
    head = next((place for place in range(most) if old[place] != new[place]), most)
    tail = next((place for place in range(most - head) if old[-1 - place] != new[-1 - place]), most - head)
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])
