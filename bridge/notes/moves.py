"""What moves in a vault, and which links must be written anew for it (rule 88)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bridge.notes.edits import Edit
from bridge.notes.linktext import LinkFormat
from bridge.notes.names import Names


@dataclass(frozen=True, slots=True)
class Moving:
    """Files that move, and what links are to follow.

    Attributes:
        before: The vault's files as they are.
        after: The vault's files as they will be.
        moves: Where each file that moves goes; None for one that goes away, whose links are left.
        form: How the user wants links to be written.
    """

    before: Names
    after: Names
    moves: Mapping[str, str | None]
    form: LinkFormat = "shortest"

    def place(self, path: str) -> str:
        """Where a file will be."""
        return self.moves.get(path) or path

    def wanted(self, linkpath: str, source: str) -> str | None:
        """The file that a link must be made to lead to; None when it needs no change."""
        now = self.before.resolve(linkpath, source) if linkpath else None
        target = self.moves.get(now, now) if now is not None else None
        if target is None or self.after.resolve(linkpath, self.place(source)) == target:
            return None
        return target


class Rewriting(NamedTuple):
    """What becomes of one text.

    Attributes:
        text: The text as it will be.
        edits: What is replaced in it, in order.
        links: How many links are written anew.
        left: Links that would have to be but cannot, as they are written.
    """

    text: str
    edits: tuple[Edit, ...]
    links: int
    left: tuple[str, ...]
