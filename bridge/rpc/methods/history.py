"""history.*: what was changed, by whom, and taking it back, one change or several as a whole."""

import asyncio
import sys
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache

from bridge.audit.records import read_time
from bridge.audit.sentences import caller_words
from bridge.contract import tools as wire
from bridge.contract.identity import Capability
from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.identity.caller import HOST_ID
from bridge.identity.store import ClientStore
from bridge.index.knowledge import Knowledge, NoteResolver
from bridge.journal.reversal import Foreseen
from bridge.notes.names import Names
from bridge.notes.parts import parse_reference
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.outside_changes import entry_time, files_of, outside_diff, outside_entries, outside_shown
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.paths import fold
from bridge.vault.plan import HistoryEntry, LeftFile
from bridge.vault.text import NOTE_EXTENSION, counted
from bridge.versions.states import PREFIX

MOST = 1000
"""Changes that are undone at once."""

Denial = Callable[[str], object | None]
"""Returns the rule that closes a path to a client; None where it is open."""


async def undo_all(context: RequestContext, params: wire.UndoAllParams) -> wire.UndoneAll:
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
        foreseen = [(entry, found[entry.execution_id]) for entry in chosen]
        return await asyncio.to_thread(_answer, context, foreseen, preview=True)
    undone: set[str] = set()  # what was repeated together with another change is undone with it
    reasons = [
        None if entry.execution_id in undone else await _undo(context, entry.execution_id, undone) for entry in chosen
    ]
    left = {entry.execution_id: entry.left for entry in context.services.ledger.history(limit=sys.maxsize)}
    done = [Foreseen(why, left[entry.execution_id]) for entry, why in zip(chosen, reasons, strict=True)]
    return await asyncio.to_thread(_answer, context, list(zip(chosen, done, strict=True)), preview=False)


def _chosen(context: RequestContext, params: wire.UndoAllParams) -> Sequence[HistoryEntry]:
    """Return the changes that are meant, newest first: those that are named, or those that fit and are not undone."""
    wanted = HistoryFilter(params, context.services.clients)
    denial = _denial(context)
    entries = [entry for entry in context.services.ledger.history(limit=sys.maxsize) if visible([entry], denial)]
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


async def _undo(context: RequestContext, execution_id: str, undone: set[str]) -> str | None:
    """Undo one, and note what was undone; return why it could not be, or None."""
    # One answer of the person covers them all, so each must not wait for the limit of a minute.
    call = ToolCall(context.session.caller, "history_undo", {"executionId": execution_id}, counted=False)
    result = await context.services.pipeline.call(call)
    if not result.success:
        return result.error or result.text
    undone.update(result.data["undone"].split(", "))
    return None


def _answer(
    context: RequestContext, pairs: Sequence[tuple[HistoryEntry, Foreseen]], *, preview: bool
) -> wire.UndoneAll:
    if (denial := _denial(context)) is not None:
        pairs = [(_seen(entry, denial), _without_closed(entry, found, denial)) for entry, found in pairs]
    left = {one.path for _entry, found in pairs for one in found.left}
    files = {path for entry, found in pairs if found.why is None for path in entry.files} - left
    done = sum(found.why is None for _entry, found in pairs)
    skipped = len(pairs) - done
    verb = "Would undo" if preview else "Undid"
    text = f"{verb} {counted(done, 'change')} in {counted(len(files), 'file')}" if pairs else "There is nothing to undo"
    if skipped:
        text += f". {counted(skipped, 'change')} cannot be undone" if preview else f". {skipped:,} could not be undone"
    if left:
        text += ". 1 file stays as it is" if len(left) == 1 else f". {len(left):,} files stay as they are"
    changes = tuple(
        wire.UndoneChange.of(entry, undone=found.why is None, why=found.why, who=who(entry), left=found.left)
        for entry, found in pairs
    )
    return wire.UndoneAll(changes=changes, undone=done, skipped=skipped, files=len(files), text=text)


def _without_closed(entry: HistoryEntry, found: Foreseen, denial: Denial) -> Foreseen:
    """Return what becomes of a change without the names of files that are closed to the client."""
    closed = {path for path in entry.files if denial(path) is not None}

    @cache  # files that hang together have one reason
    def said(why: str) -> str:
        return "something was edited since" if any(path in why for path in closed) else why

    left = tuple(LeftFile(one.path, said(one.why)) for one in found.left if one.path not in closed)
    return Foreseen(None if found.why is None else said(found.why), left)


class HistoryFilter:
    """The filter for the changes that are meant.

    Args:
        wanted: What is asked for.
        clients: The clients that have a name of their own.

    Raises:
        InvalidParameters: `since` is no time.
    """

    def __init__(self, wanted: wire.HistoryListParams | wire.UndoAllParams, clients: ClientStore) -> None:
        self._wanted = wanted
        self._since = None if wanted.since is None else read_time(wanted.since, "since")
        known = None if wanted.client is None else clients.find(wanted.client)
        self._client_id = wanted.client if known is None else known.client_id

    @property
    def is_open(self) -> bool:
        """Return whether every change is meant."""
        wanted = self._wanted
        return all(value is None for value in (wanted.since, wanted.client, wanted.tool, wanted.grant))

    def fits(self, entry: HistoryEntry) -> bool:
        """Return whether a change is meant."""
        wanted = self._wanted
        return (
            (self._since is None or datetime.fromisoformat(entry.time) >= self._since)
            and wanted.tool in {None, entry.tool}
            and wanted.grant in {None, entry.grant}
            and (wanted.client is None or self._is_by(entry))
        )

    def _is_by(self, entry: HistoryEntry) -> bool:
        """Return whether it is the client's, also under a former name; the person's own programs name themselves."""
        return entry.credential == self._client_id or (
            entry.client == self._wanted.client and entry.credential != HOST_ID
        )


def who(entry: HistoryEntry) -> str:
    """Return who asked for a change, as the log says it."""
    return caller_words(entry.client, entry.credential)


_NAMED = 10  # notes of one name that an error lists


async def list_changes(context: RequestContext, params: wire.HistoryListParams) -> list[wire.ChangeEntry]:
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


async def undo(context: RequestContext, params: wire.UndoParams) -> wire.ToolResult | wire.PendingCall:
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
        raise InvalidParameters("Single files can be undone only where another program changed them: leave out `paths`")
    return await _reverse(context, "history_undo", params)


async def redo(context: RequestContext, params: wire.ReverseParams) -> wire.ToolResult | wire.PendingCall:
    """Make an undone change again.

    Redoes an undone change: the one named, or the last undone, all of it or nothing (`edited_since`). In everything
    else it is like `history.undo`.
    """
    return await _reverse(context, "history_redo", params)


async def diff(context: RequestContext, params: wire.HistoryDiffParams) -> wire.ChangeDiff:
    """Return what a change did to each file.

    Returns `{files, lost}`: what a change did to each file, with the diff, also if it was undone or built upon since.
    `lost` names files of which the bytes from before or after were not kept, such as one that was edited by hand since.
    Files that are closed to the client are left out.

    Of another program's changes only the person's own programs are told, by the same method.
    """
    if context.session.caller.client.is_person and params.execution_id.startswith(PREFIX):
        return await asyncio.to_thread(outside_diff, context.services, params.execution_id)
    found, denial = await asyncio.to_thread(context.services.ledger.diff, params.execution_id), _denial(context)
    if denial is None:
        return found
    files = tuple(one for one in found.files if denial(one.path) is None and denial(one.new_path or one.path) is None)
    if found.files and not files:
        raise NotFound(f"There is no change {params.execution_id!r} in the history; history.list shows those there are")
    return wire.ChangeDiff(files=files, lost=tuple(path for path in found.lost if denial(path) is None))


def _denial(context: RequestContext) -> Denial | None:
    """Return what tells why a path is closed to the client; None where nothing is."""
    return None if context.session.caller.client.is_person else context.services.closed()


def visible(entries: Sequence[HistoryEntry], denial: Denial | None) -> Sequence[HistoryEntry]:
    """Return the changes without the files that the user has closed; those to such files alone are left out.

    Args:
        entries: Changes.
        denial: Returns the rule that closes a path; None when nothing is closed.
    """
    if denial is None:
        return entries
    return [seen for entry in entries if (seen := _seen(entry, denial)).files]


def _seen(entry: HistoryEntry, denial: Denial) -> HistoryEntry:
    closed = {path for path in entry.files if denial(path) is not None}
    files = tuple(path for path in entry.files if path not in closed)
    left = tuple(one for one in entry.left if denial(one.path) is None)
    names_closed = any(path in entry.summary for path in closed)
    summary = f"A change to {counted(len(files), 'file')}" if names_closed else entry.summary
    return entry._replace(files=files, left=left, summary=summary)


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


def _own_changes(context: RequestContext, params: wire.HistoryListParams) -> list[wire.ChangeEntry]:
    """Return those made through the bridge."""
    before = params.before
    if before is not None and before.startswith(PREFIX) and context.session.caller.client.is_person:
        before = entry_time(context.services, before)
    entries = _changes(context, params.model_copy(update={"before": before}))
    return [wire.ChangeEntry.of(entry, who=who(entry)) for entry in entries]


def _outside_changes(context: RequestContext, params: wire.HistoryListParams) -> list[wire.ChangeEntry]:
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
        places = meant(params.path, {place for one in entries for place in files_of(one)}, services.knowledge(person))
        entries = [one for one in entries if not places.isdisjoint(files_of(one))]
    return outside_shown(services, entries[: params.limit])


def _changes(context: RequestContext, params: wire.HistoryListParams) -> Sequence[HistoryEntry]:
    """Return the changes asked for; for a client its own alone, without files that are closed to it."""
    services, caller = context.services, context.session.caller
    person, credential = caller.client.is_person, caller.sees_changes_of
    denial = _denial(context)
    wanted = HistoryFilter(params, services.clients)
    if params.path is None and denial is None and wanted.is_open:
        return services.ledger.history(limit=params.limit, before=params.before, credential=credential)
    entries = visible(services.ledger.history(limit=sys.maxsize, before=params.before, credential=credential), denial)
    entries = [entry for entry in entries if wanted.fits(entry)]
    if params.path is not None:
        entries = touching(params.path, entries, services.knowledge(person))
    return entries[: params.limit]


async def _reverse(context: RequestContext, tool: str, params: wire.ReverseParams) -> wire.CallAnswer:
    arguments = params.model_dump(by_alias=True, exclude_none=True)
    return await context.services.calls.call(context.session.caller, tool, arguments)


METHODS = (
    Method("history.list", list_changes, list[wire.ChangeEntry]),
    Method("history.undo", undo, wire.ToolResult),
    Method("history.redo", redo, wire.ToolResult),
    Method("history.diff", diff, wire.ChangeDiff, Capability.ADMINISTER),
    Method("history.undoAll", undo_all, wire.UndoneAll, Capability.ADMINISTER),
)
