"""The files that a name which nothing has was probably meant for."""

from collections.abc import Sequence

from bridge.index.knowledge import Knowledge
from bridge.index.search.listing import Listings
from bridge.vault.text import NOTE_EXTENSION

MOST = 3
_LONGEST = 200


class NearestNames:
    """A search for files by a name that is nearly theirs, for `find`.

    Args:
        knowledge: What is known of the files that may be named.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._listings = Listings()

    def __call__(self, wanted: str) -> Sequence[str]:
        """Return the paths of the nearest files, the likeliest first; none when nothing is like it.

        Args:
            wanted: A path, a note's name, or a wikilink.
        """
        text = wanted.strip().strip("![]/").removesuffix(NOTE_EXTENSION)[:_LONGEST]
        listing = self._listings.of(self._knowledge.files(), None)
        for query in dict.fromkeys([text.replace("/", " "), text.rpartition("/")[2]]):
            found = listing.ranked(query, lambda: None)[:MOST]
            if found:
                return [file.path for file in found]
        return []
