"""Keeps the bases of a file in step with what is renamed or moves."""

from bridge.bases.following import Followed, Follower, follow
from bridge.notes.base_blocks import base_blocks
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
    for block in reversed(list(base_blocks(text))):
        followed = follow(block.text, follower)
        done.text = block.written(done.text, followed.text)
        done.edits += followed.edits
        done.left += followed.left
    return done
