"""One edit of many notes, in one plan. A note that cannot be edited is left as it is, and named."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters, PermissionDenied, ToolFailure
from bridge.toolkit.tool import Applied, CallContext, Output
from bridge.tools.formatting import counted, some
from bridge.tools.notes.writing import decoded, encoded
from bridge.tools.storage import PlanningStorage
from bridge.vault.file_types import is_text
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangeKind, PlanBuilder

MOST_NOTES: Final = 20_000
"""Notes that one call changes."""
MOST_BYTES: Final = 512 << 20
"""Bytes of them that one plan may hold: a plan is held in memory until it is answered."""

_LEFT: Final = "Left as it is: "
_BASE: Final = ".base"
_MOST_BASE: Final = 1 << 20
_PROGRESS_EVERY: Final = 50
_LISTED: Final = 1000


class ManyNotes:
    """Edits notes of one vault.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def edit(
        self, builder: PlanBuilder, paths: Sequence[str], change: Callable[[str], str], context: CallContext
    ) -> tuple[int, list[str]]:
        """Plan an edit of each note.

        Args:
            builder: The plan.
            paths: The notes.
            change: The edit of one text; it raises a failure where that note must be left as it is.
            context: The call.

        Returns:
            How many notes change, and a warning for each that is left.

        Raises:
            InvalidParameters: They are too many, or too much, for one change.
            DeadlineExceeded: It takes too long.
        """
        if len(paths) > MOST_NOTES:
            raise InvalidParameters(f"These are {len(paths):,} notes; one change takes {MOST_NOTES:,}")
        changed = held = 0
        left: list[str] = []
        for number, path in enumerate(paths):
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("Working out the change did not end in time; nothing was changed")
            if number % _PROGRESS_EVERY == 0 and len(paths) > _PROGRESS_EVERY:
                context.progress(number, len(paths), "Looking at the notes")
            try:
                data, _stat = self._storage.read(parse_path(path))
                if not is_text(data):
                    raise InvalidParameters("it is not text, although its name says so")
                new = encoded(change(decoded(data)))
            except PermissionDenied:
                raise
            except ToolFailure as failure:
                left.append(f"{_LEFT}{path}: {failure.message}")
                continue
            if new != data:
                builder.modify(parse_path(path), data, new)
                changed, held = changed + 1, held + len(new)
                if held > MOST_BYTES:
                    raise InvalidParameters(f"These notes are more than {MOST_BYTES >> 20} MB, too much for one change")
        return changed, left

    def bases_naming(self, word: str) -> Iterable[str]:
        """A warning for each base whose text names something that is renamed: bases are not changed."""
        for file in self._storage.knowledge.files():
            if not file.path.lower().endswith(_BASE):
                continue
            try:
                data, _stat = self._storage.read(parse_path(file.path), limit=_MOST_BASE)
            except ToolFailure:
                continue
            if word in decoded(data):
                yield f"{_LEFT}{file.path}: it may name {word!r}; bases are not changed"


def reported(applied: Applied, said: str, **facts: Any) -> Output:
    """The answer when many notes were changed.

    Args:
        applied: What the ledger did.
        said: One sentence.
        facts: Further data.
    """
    updated = [change.path for change in applied.plan.changes if change.kind is ChangeKind.MODIFY]
    left = [warning.removeprefix(_LEFT) for warning in applied.plan.warnings if warning.startswith(_LEFT)]
    lines = [f"{said} ({applied.execution_id})"]
    if left:
        lines.append(f"{counted(len(left), 'file')} left as it is:" if len(left) == 1 else f"{len(left)} files left:")
        lines.append(some([f"  {each}" for each in left], "\n"))
    data = facts | {"updated": updated[:_LISTED], "updatedCount": len(updated), "left": left[:_LISTED]}
    return Output(data, "\n".join(lines))
