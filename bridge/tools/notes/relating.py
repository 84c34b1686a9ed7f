"""How near other notes are to one: by links in both directions, and by tags, rare ones more than common ones.

Each relation has a weight between 0 and 1, and together they count as independent evidence does: 1 - (1-a)(1-b)...
So a score is below 1, and one more relation never lowers it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log
from typing import Any

from bridge.tools.notes.storage import NoteStorage, StoredNote
from bridge.vault.file_types import is_note

BACKLINK = 0.6
FORWARD_LINK = 0.5
SHARED_TAG = 0.45
"""The weight of a tag that only these two notes have; one that every note has weighs nothing."""

MOST_VISITS = 100_000
"""Notes looked at for their tags, the rarest tags first; what common tags add is little."""


@dataclass(slots=True)
class Related:
    """A related note.

    Attributes:
        location: Which.
        relations: The kinds of relation with their weights, the strongest first.
    """

    location: str
    relations: list[dict[str, Any]] = field(default_factory=list)

    @property
    def score(self) -> float:
        """How near it is, from 0 to 1."""
        left = 1.0
        for relation in self.relations:
            left *= 1 - relation["weight"]
        return round(1 - left, 4)


def related_notes(storage: NoteStorage, note: StoredNote) -> list[Related]:
    """Every note that is related to one, the nearest first; equally near ones by their locations.

    Args:
        storage: The notes.
        note: The one.
    """
    found: dict[str, Related] = {}

    def relate(locations: Iterable[str], relation: dict[str, Any]) -> None:
        for location in locations:
            if location != note.location and is_note(location):
                found.setdefault(location, Related(location)).relations.append(relation)

    relate(storage.backlinks(note), {"relationship": "backlink_from", "weight": BACKLINK})
    relate(storage.links(note).found, {"relationship": "forwardlink_to", "weight": FORWARD_LINK})
    tagged = {tag.lower(): (tag, storage.tagged(tag)) for tag in storage.facts(note).tags}
    everything = max(storage.count(), 2)
    visits = 0
    for tag, locations in sorted(tagged.values(), key=lambda each: (len(each[1]), each[0])):
        visits += len(locations)
        weight = round(SHARED_TAG * log(everything / max(len(locations), 1)) / log(everything), 4)
        if visits > MOST_VISITS or weight <= 0:
            break
        relate(locations, {"relationship": "shared_tag", "tag": tag, "weight": weight})
    for each in found.values():
        each.relations.sort(key=lambda relation: -relation["weight"])
    return sorted(found.values(), key=lambda each: (-each.score, each.location))
