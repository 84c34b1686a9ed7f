"""history.*: the vault's changes, and taking them back. Undo and redo are tools: they ask and are logged like any."""

import asyncio
import sys
from collections.abc import Callable, Collection, Sequence

from bridge.contract.identity import Capability
from bridge.contract.tools import (
    ChangeDiff,
    ChangeEntry,
    HistoryDiffParams,
    HistoryListParams,
    PendingCall,
    ReverseParams,
    ToolResult,
    UndoAllParams,
    UndoneAll,
    UndoParams,
)
from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.index.knowledge import Knowledge, NoteResolver
from bridge.journal.journal import HistoryEntry
from bridge.notes.names import Names
from bridge.notes.parts import parse_reference
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.history_filter import HistoryFilter, who
from bridge.rpc.methods.outside_changes import entry_time, outside_diff, outside_entries, outside_shown
from bridge.rpc.methods.undo_all import undo_all
from bridge.vault.paths import fold
from bridge.vault.text import NOTE_EXTENSION
from bridge.versions.states import PREFIX

_NAMED = 10
"""Notes of one name that an error lists."""


async def list_changes(context: RequestContext, params: HistoryListParams) -> list[ChangeEntry]:
    """Return the vault's changes, newest first; for a client that does not administer, its own.

    Returns changes, newest first: to a client its own, to one that may `administer` everybody's (50, at most 1,000),
    each `{executionId, tool, client, clientId, who, time, state, summary, files, added, removed, canUndo, grant,
    outside, origin, brokenLinks, left}`. `before` is an execution id, `since` an ISO 8601 time, `client` a name or an
    id, `grant` the id of the remembered answer that allowed the change (null if none did); `path` is a path, a folder
    or a [note name](tools.md#note-names), for the changes to that alone, even if it is gone since. `state` is
    `applied`, `undone` or `conflicted` (a crash interrupted it, and a later edit kept it from being taken back whole).
    A change is listed once it has been made; while it is being made, some of its files have their new bytes already.
    `left` names the files that the undo of a change left as they were, each `{path, why}`. Files that are closed to the
    client are not named.

    The person's own programs are also told [what other programs changed](restore.md): entries with `outside`, with ids
    that begin with `outside-`, without a tool and a client, which no filter by client, tool or grant leaves in. Where a
    client's [own editor was allowed](protect.md) exactly what was then written, `who` and `client` are its name, and
    `summary` says so; it also says where something else was written. Their `files` have both places of a file that was
    moved, `brokenLinks` says how many links that move broke which are not mended, and lines are counted in up to 1,000
    of their files. `outside: true` lists nothing else, and `false` none of them. `origin` says who it was: `typed` (the
    person, in an editor of Obsidian), `obsidian` (Obsidian otherwise), or `program` (another program, as far as anybody
    can tell; null for a change of the bridge). As a parameter it lists only those. No other client hears of these,
    whatever it may do.
    """
    person = context.session.caller.client.is_person
    if not person or (params.outside is False and params.origin is None):
        return await asyncio.to_thread(_own_changes, context, params)
    outside = await asyncio.to_thread(_outside_changes, context, params)
    own = [] if params.outside or params.origin else await asyncio.to_thread(_own_changes, context, params)
    return sorted([*own, *outside], key=lambda entry: entry.time, reverse=True)[: params.limit]


async def undo(context: RequestContext, params: UndoParams) -> ToolResult | PendingCall:
    """Take a change back.

    Undoes a change: the one named, or the newest not yet undone, of those that `history.list` shows. What was written
    into a file elsewhere since stays. A file that was edited in the same place, or moved or deleted, or of which the
    bytes are no longer kept, stays as it is, with all that hangs together with it (a move and the links that follow
    it), and everything else is undone; the question, the answer (`left`) and the history name what stays and why. A
    later undo of the same change, by its id, is of what was left. Returns a ToolResult; `not_found` if there is no such
    change, `conflict` with `edited_since` if nothing of it can be undone. From an agent it asks for consent, with the
    diff, like any write.

    The person's own programs can name an entry of another program's changes, and with `paths` some of its files alone.
    Each file goes back to the bytes from before; one that anything has changed since, or of which the bytes were not
    kept, stays as it is and is named in `left`. That is a change of its own in the history: undoing that one brings the
    other program's change back. Without an id, a change made through the bridge is meant, never another program's.
    """
    if context.session.caller.client.is_person and (params.execution_id or "").startswith(PREFIX):
        return await _reverse(context, "history_undo_outside", params)
    if params.paths is not None:
        raise InvalidParameters("Only of what other programs changed can single files be undone: leave out `paths`")
    return await _reverse(context, "history_undo", params)


async def redo(context: RequestContext, params: ReverseParams) -> ToolResult | PendingCall:
    """Make an undone change again.

    Redoes an undone change: the one named, or the last undone, all of it or nothing (`edited_since`). In everything
    else it is like `history.undo`.
    """
    return await _reverse(context, "history_redo", params)


async def diff(context: RequestContext, params: HistoryDiffParams) -> ChangeDiff:
    """Return what a change did to each file.

    Returns `{files, lost}`: what a change did to each file, with the diff, also if it was undone or built upon since.
    `lost` names files of which the bytes from before or after were not kept, such as one that was edited by hand since.

    Of another program's changes only the person's own programs are told, by the same method.
    """
    if context.session.caller.client.is_person and params.execution_id.startswith(PREFIX):
        return await asyncio.to_thread(outside_diff, context.services, params.execution_id)
    return ChangeDiff.of(await asyncio.to_thread(context.services.ledger.diff, params.execution_id))


def visible(entries: Sequence[HistoryEntry], denial: Callable[[str], object | None] | None) -> Sequence[HistoryEntry]:
    """Return the changes without the files that the user has closed; those to such files alone are left out.

    Args:
        entries: Changes.
        denial: Returns the rule that closes a path; None when nothing is closed.
    """
    if denial is None:
        return entries
    seen = [
        entry._replace(
            files=tuple(path for path in entry.files if denial(path) is None),
            left=tuple(one for one in entry.left if denial(one.path) is None),
        )
        for entry in entries
    ]
    return [entry for entry in seen if entry.files]


def touching(text: str, entries: Sequence[HistoryEntry], knowledge: Knowledge) -> Sequence[HistoryEntry]:
    """Return the changes to a file, a note or what lies in a folder; also to one that is not there any more.

    Args:
        text: A path, or a note's name or wikilink. What there is comes before what there was.
        entries: The changes that the caller may see.
        knowledge: The files that the caller may see.

    Raises:
        NotFound: Nothing is or was called so.
        Ambiguous: Several notes are, or were.
        InvalidParameters: It is no reference, or names a part of a note.
    """
    wanted = meant(text, {path for entry in entries for path in entry.files}, knowledge)
    return [entry for entry in entries if not wanted.isdisjoint(entry.files)]


def meant(text: str, past: Collection[str], knowledge: Knowledge) -> set[str]:
    """Return the paths that are meant."""
    literal = "/".join(part for part in text.strip().split("/") if part not in {"", "."})
    if knowledge.file(literal) is not None:
        return {literal}
    try:
        note = NoteResolver(knowledge).resolve(text)
    except NotFound as error:
        missing = error
    else:
        if note.reference.part:
            raise InvalidParameters(f"{text!r} names a part of {note.path!r}; the history is of whole notes")
        return {note.path}
    there = [
        path for path in knowledge.names.candidates(literal) if knowledge.file(path) and fold(path) == fold(literal)
    ]
    if there:
        return set(there)
    keys = {fold(literal), fold(literal + NOTE_EXTENSION)}
    exact = {path for path in past if fold(path) in keys}
    within = {path for path in past if fold(path).startswith(fold(literal) + "/")}
    if exact or within:
        return exact or within
    named = Names(past).candidates(parse_reference(text).path)
    if len(named) > 1:
        raise Ambiguous(
            f"Ambiguous note reference '{text}': {len(named)} matches in the history. Use one of the paths: "
            f"{', '.join(map(repr, named[:_NAMED]))}{', ...' if named[_NAMED:] else ''}",
            candidates=named,
        )
    if not named and not any(fold(folder) == fold(literal) for folder in knowledge.folders()):
        raise missing
    return set(named)


def _own_changes(context: RequestContext, params: HistoryListParams) -> list[ChangeEntry]:
    """Return those made through the bridge."""
    before = params.before
    if before is not None and before.startswith(PREFIX) and context.session.caller.client.is_person:
        before = entry_time(context.services, before)
    entries = _changes(context, params.model_copy(update={"before": before}))
    return [ChangeEntry.of(entry).model_copy(update={"who": who(entry)}) for entry in entries]


def _outside_changes(context: RequestContext, params: HistoryListParams) -> list[ChangeEntry]:
    """Return those that other programs made; filters by who made a change leave none of them."""
    if any(value is not None for value in (params.client, params.tool, params.grant)):
        return []
    services, before = context.services, params.before
    person = context.session.caller.client.is_person
    if before is not None and not before.startswith(PREFIX):
        found = next((one for one in services.ledger.history(limit=sys.maxsize) if one.execution_id == before), None)
        before = before if found is None else found.time
    entries = outside_entries(services, before=before, since=params.since, origin=params.origin)
    if params.path is not None:
        places = meant(params.path, {place for one in entries for place in one.files}, services.knowledge(person))
        entries = [one for one in entries if not places.isdisjoint(one.files)]
    return outside_shown(services, entries[: params.limit])


def _changes(context: RequestContext, params: HistoryListParams) -> Sequence[HistoryEntry]:
    """Return the changes asked for; for a client its own alone, without files that are closed to it."""
    services, caller = context.services, context.session.caller
    person, credential = caller.client.is_person, caller.sees_changes_of
    denial = None if person else services.closed()
    wanted = HistoryFilter(params, services.clients)
    if params.path is None and denial is None and wanted.is_open:
        return services.ledger.history(limit=params.limit, before=params.before, credential=credential)
    entries = visible(services.ledger.history(limit=sys.maxsize, before=params.before, credential=credential), denial)
    entries = [entry for entry in entries if wanted.fits(entry)]
    if params.path is not None:
        entries = touching(params.path, entries, services.knowledge(person))
    return entries[: params.limit]


async def _reverse(context: RequestContext, tool: str, params: ReverseParams) -> ToolResult | PendingCall:
    arguments = params.model_dump(by_alias=True, exclude_none=True)
    return await context.services.calls.call(context.session.caller, tool, arguments)


METHODS = (
    Method("history.list", list_changes, list[ChangeEntry], HistoryListParams),
    Method("history.undo", undo, ToolResult, UndoParams),
    Method("history.redo", redo, ToolResult, ReverseParams),
    Method("history.diff", diff, ChangeDiff, HistoryDiffParams, Capability.ADMINISTER),
    Method("history.undoAll", undo_all, UndoneAll, UndoAllParams, Capability.ADMINISTER),
)
