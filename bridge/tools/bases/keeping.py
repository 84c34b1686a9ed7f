"""Keeps the bases of a file in step with what is renamed or moves."""

from itertools import islice

from bridge.bases.following import Followed, Follower, follow
from bridge.notes.markdown import MOST_BASES, base_blocks
from bridge.tools.bases.holding import EXTENSION


def follow_in(path: str, text: str, follower: Follower) -> Followed:
    """Return a file in whose bases the exact places have followed; nothing else of it changes.

    Args:
        path: The file: a base, or a note.
        text: Its text.
        follower: What the change means.
    """
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
