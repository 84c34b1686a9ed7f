"""Counting tags (rule 63)."""

from collections.abc import Iterable

from bridge.index.knowledge import Permitted, TagCount
from bridge.index.store import TagUse


def count_tags(uses: Iterable[TagUse], permitted: Permitted = lambda _path: True) -> list[TagCount]:
    """Every tag, the most used first, then by name.

    Args:
        uses: The tags of the notes, by path: a tag is spelled as in the first note that has it.
        permitted: Whether a note counts.
    """
    spelled: dict[str, str] = {}
    counts: dict[str, list[int]] = {}
    for use in uses:
        if permitted(use.path):
            spelled.setdefault(use.folded, use.tag)
            count = counts.setdefault(use.folded, [0, 0])
            count[0] += use.uses
            count[1] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))
    return [TagCount(spelled[folded], uses, notes) for folded, (uses, notes) in ordered]
