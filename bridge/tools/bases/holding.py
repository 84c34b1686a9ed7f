"""The bases in files: which files hold some, and how they follow a renaming or a move.

A start imports this, and so it imports nothing that evaluates a base.
"""

from itertools import islice
from typing import TYPE_CHECKING, Final

from bridge.index.knowledge import Knowledge
from bridge.notes.markdown import MOST_BASES, base_blocks

if TYPE_CHECKING:
    from bridge.bases.following import Followed, Follower

EXTENSION: Final = ".base"


def holding_bases(knowledge: Knowledge) -> list[str]:
    """Return the files that are bases, or notes with one, by path."""
    bases = (file.path for file in knowledge.files() if file.path.lower().endswith(EXTENSION))
    return sorted([*bases, *(facts.path for facts in knowledge.notes() if facts.has_base)])


def follow_in(path: str, text: str, follower: "Follower") -> "Followed":
    """Return a file in whose bases the exact places have followed; nothing else of it changes.

    Args:
        path: The file: a base, or a note.
        text: Its text.
        follower: What the change means.
    """
    from bridge.bases.following import Followed, follow  # noqa: PLC0415 - a start is faster without

    if path.lower().endswith(EXTENSION):
        return follow(text, follower)
    done = Followed(text)
    blocks = list(islice(base_blocks(text), MOST_BASES + 1))
    if len(blocks) > MOST_BASES:
        done.left.append(f"only the first {MOST_BASES} bases of the note are followed")
    for block in reversed(blocks[:MOST_BASES]):
        followed = follow(block.text, follower)
        done.text = block.written(done.text, followed.text)
        done.edits += followed.edits
        done.left += followed.left
    return done
