"""Which bases a change touches. Apart from what says what they come to, so that a start need not import that."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from bridge.clock import Clock
from bridge.index.knowledge import Knowledge
from bridge.notes.markdown import base_blocks
from bridge.vault.diff import parse_hunks
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.text import is_note

if TYPE_CHECKING:
    from bridge.index.base_warnings import BaseWarnings

EXTENSION: Final = ".base"
_LOOKED_AT: Final = 3
"""Bases of a note that a question says something about: each takes up to some seconds."""


class ChangedBases:
    """Says what changes of bases come to.

    Args:
        knowledge: What is known of the vault, as far as agents may see it.
        clock: The time.
    """

    def __init__(self, knowledge: Knowledge, clock: Clock) -> None:
        self._knowledge = knowledge
        self._clock = clock
        self._made: BaseWarnings | None = None

    def of(self, plan: ChangePlan) -> Iterator[str]:
        """Return a sentence for each mistake, and for each view how many rows it would have, if no other file changes.

        Args:
            plan: The change.
        """
        follows = plan.follows
        places = {change.path for change in plan.changes if change.kind not in {ChangeKind.MKDIR, ChangeKind.RMDIR}}
        others = {path for path in places if not path.lower().endswith(EXTENSION)}
        for change in plan.changes:
            if change.kind not in {ChangeKind.CREATE, ChangeKind.MODIFY} or change.path in follows:
                continue
            of_base = change.path.lower().endswith(EXTENSION)
            if not of_base and not is_note(change.path):
                continue
            text = plan.blobs[change.after or ""].decode("utf-8", "surrogateescape")
            bases = [text] if of_base else _changed_blocks(plan, change.path, text)
            for base in bases[:_LOOKED_AT]:
                # What is in the rows is known as it is, and not as the same change would make it.
                yield from self._warnings().of(change.path, base, rows=others <= {change.path})
            if (more := len(bases) - _LOOKED_AT) > 0:
                yield f"{more} more bases in {change.path!r} change; what they would show was not looked at"

    def _warnings(self) -> "BaseWarnings":
        from bridge.index.base_warnings import BaseWarnings  # noqa: PLC0415 - a start is faster without

        if self._made is None:
            self._made = BaseWarnings(self._knowledge, self._clock)
        return self._made


def _changed_blocks(plan: ChangePlan, path: str, text: str) -> Sequence[str]:
    """The bases of a note in which the change adds or changes a line."""
    shown = plan.shown.get(path, ())
    cut = any(each.truncated for each in shown)
    found: list[str] = []
    added: set[int] | None = None
    for block in base_blocks(text):
        if added is None:
            added = {line for each in shown for hunk in parse_hunks(each.diff) for line, _text in hunk.added()}
        first = text.count("\n", 0, block.start) + 1
        last = text.count("\n", 0, block.end) + 1
        if cut or any(first <= line <= last for line in added):
            found.append(block.text)
    return found
