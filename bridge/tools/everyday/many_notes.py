"""One edit of many notes, in one plan. A note that cannot be edited is left as it is, and named."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters, PermissionDenied, ToolFailure
from bridge.toolkit.tool import Applied, CallContext, Output, P, WriteTool
from bridge.tools.bases.holding import holding_bases
from bridge.tools.formatting import counted, some
from bridge.tools.notes.lookup import decoded, encoded
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangeKind, PlanBuilder
from bridge.vault.text import is_note, is_text

if TYPE_CHECKING:
    from bridge.bases.following import Follower

MOST_NOTES: Final = 20_000
"""Notes that one call changes."""
_NAMED: Final = 20
MOST_BYTES: Final = 512 << 20
"""Bytes of them that one plan may hold: a plan is held in memory until it is answered."""

_LEFT: Final = "Left as it is: "
_PROGRESS_EVERY: Final = 50
_LISTED: Final = 1000


class ManyNotes:
    """The editor of many notes of one vault at once.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def edit(
        self,
        builder: PlanBuilder,
        paths: Sequence[str],
        change: Callable[[str], str],
        context: CallContext,
        follower: "Follower",
    ) -> tuple[str, list[str]]:
        """Plan an edit of each note, and of the bases that follow it.

        Args:
            builder: The plan.
            paths: The notes.
            change: The edit of one text; it raises a failure where that note must be left as it is.
            context: The call.
            follower: What the change means for bases.

        Returns:
            How many change, in words (empty where none does), and a warning for each that is left.

        Raises:
            InvalidParameters: They are too many, or too much, for one change.
            DeadlineExceeded: It takes too long.
        """
        from bridge.tools.bases.keeping import follow_in  # noqa: PLC0415 - a start is faster without

        if len(paths) > MOST_NOTES:
            raise InvalidParameters(f"These are {len(paths):,} notes; one change takes {MOST_NOTES:,}")
        changed = held = 0
        thing = "note"
        left: list[str] = []
        named = frozenset(paths)
        every = [*paths, *(path for path in holding_bases(self._storage.knowledge) if path not in named)]
        for number, path in enumerate(every):
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("Working out the change did not end in time; nothing was changed")
            if number % _PROGRESS_EVERY == 0 and len(every) > _PROGRESS_EVERY:
                context.progress(number, len(every), "Looking at the notes")
            try:
                data, _stat = self._storage.read(parse_path(path))
                if not is_text(data):
                    raise InvalidParameters("it is not text, although its name says so")
                text = decoded(data)
                followed = follow_in(path, change(text) if path in named else text, follower)
                left += (f"{_LEFT}{path}: {each}" for each in followed.left[:_NAMED])
                new = encoded(followed.text)
            except PermissionDenied:
                raise
            except ToolFailure as failure:
                left.append(f"{_LEFT}{path}: {failure.message}")
                continue
            if new != data:
                builder.modify(parse_path(path), data, new)
                changed, held = changed + 1, held + len(new)
                thing = thing if is_note(path) else "file"
                if held > MOST_BYTES:
                    raise InvalidParameters(f"These notes are more than {MOST_BYTES >> 20} MB, too much for one change")
        return counted(changed, thing) if changed else "", left


class EverywhereTool(WriteTool[P]):
    """A tool that gives something another name in all notes.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._notes = ManyNotes(storage, clock)

    def report(self, params: P, applied: Applied) -> Output:
        """Say which notes changed."""
        del params
        return _reported(applied, applied.plan.summary.replace("Rename", "Renamed", 1))


def _reported(applied: Applied, said: str, **facts: Any) -> Output:
    """Return the answer when many notes were changed.

    Args:
        applied: The ledger's result.
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
