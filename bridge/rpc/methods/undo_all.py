"""history.undoAll: several changes taken back as a whole, each through the same ledger and the same checks."""

import asyncio
import sys
from collections.abc import Sequence

from bridge.contract.tools import LeftFile, UndoAllParams, UndoneAll, UndoneChange
from bridge.errors import InvalidParameters, NotFound
from bridge.journal.journal import HistoryEntry
from bridge.journal.reversal import Foreseen
from bridge.rpc.dispatch import RequestContext
from bridge.rpc.methods.history_filter import HistoryFilter, who
from bridge.toolkit.tool_call import ToolCall

MOST = 1000
"""Changes that are undone at once."""


async def undo_all(context: RequestContext, params: UndoAllParams) -> UndoneAll:
    """Undo changes, newest first. What cannot be undone is left as it is and named, and the rest is undone.

    Undoes several changes, newest first, each like `history.undo`: those that are named, or all that fit and are not
    undone yet (at most 1,000; `since`, `client`, `tool` and `grant` are as in `history.list`, and at least one
    parameter is needed). What cannot be undone, such as a file that was edited since, is left as it is, and the rest is
    undone. With `preview`, nothing is written. Returns `{changes, undone, skipped, files, text}`: `changes` in the
    order in which they are undone, each as in `history.list` with `undone` and `why` it is not, and in `left` the files
    of one that is undone which stay as they are; how many are undone and how many not; how many files are as they were;
    and the same in a sentence.
    """
    chosen = await asyncio.to_thread(_chosen, context, params)
    if params.preview:
        found = await asyncio.to_thread(context.services.ledger.foresee_undo, {entry.execution_id for entry in chosen})
        return _answer([(entry, found[entry.execution_id]) for entry in chosen], preview=True)
    reasons = [await _undo(context, entry.execution_id) for entry in chosen]
    left = {entry.execution_id: entry.left for entry in context.services.ledger.history(limit=sys.maxsize)}
    done = [Foreseen(why, left[entry.execution_id]) for entry, why in zip(chosen, reasons, strict=True)]
    return _answer(list(zip(chosen, done, strict=True)), preview=False)


def _chosen(context: RequestContext, params: UndoAllParams) -> Sequence[HistoryEntry]:
    """Return the changes that are meant, newest first: those that are named, or those that fit and are not undone."""
    wanted = HistoryFilter(params, context.services.clients)
    entries = context.services.ledger.history(limit=sys.maxsize)
    if params.execution_ids is not None:
        named = set(params.execution_ids)
        if missing := named - {entry.execution_id for entry in entries}:
            raise NotFound(f"There is no change {min(missing)!r} in the history")
        entries = [entry for entry in entries if entry.execution_id in named]
    elif wanted.is_open:
        raise InvalidParameters("Say which changes: `executionIds`, `since`, `client`, `tool` or `grant`")
    chosen = [entry for entry in entries if wanted.fits(entry) and (params.execution_ids or entry.state == "applied")]
    if len(chosen) > MOST:
        raise InvalidParameters(f"Those are {len(chosen):,} changes, and at most {MOST:,} are undone at once")
    return chosen


async def _undo(context: RequestContext, execution_id: str) -> str | None:
    """Undo one; why it could not be, or None."""
    # One answer of the person covers them all, so each must not wait for the limit of a minute.
    call = ToolCall(context.session.caller, "history_undo", {"executionId": execution_id}, counted=False)
    result = await context.services.pipeline.call(call)
    return None if result.success else result.error or result.text


def _answer(pairs: Sequence[tuple[HistoryEntry, Foreseen]], *, preview: bool) -> UndoneAll:
    left = {one.path for _entry, found in pairs for one in found.left}
    files = {path for entry, found in pairs if found.why is None for path in entry.files} - left
    done = sum(found.why is None for _entry, found in pairs)
    skipped = len(pairs) - done
    verb = "Would undo" if preview else "Undid"
    text = f"{verb} {_counted(done, 'change')} in {_counted(len(files), 'file')}"
    if not pairs:
        text = "There is nothing to undo"
    elif skipped:
        text += f". {_counted(skipped, 'change')} cannot be undone" if preview else f". {skipped:,} could not be undone"
    if left:
        text += ". 1 file stays as it is" if len(left) == 1 else f". {len(left):,} files stay as they are"
    return UndoneAll(
        changes=tuple(
            UndoneChange.of(entry).model_copy(
                update={
                    "undone": found.why is None,
                    "why": found.why,
                    "who": who(entry),
                    "left": tuple(map(LeftFile.of, found.left)),
                }
            )
            for entry, found in pairs
        ),
        undone=done,
        skipped=skipped,
        files=len(files),
        text=text,
    )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
