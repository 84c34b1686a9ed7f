"""The history's tools: changes are listed, taken back byte for byte, and made again.

The person alone has those that take back what other programs did, and that mend the links which these broke.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from pydantic import Field

from bridge.audit.records import read_time
from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, FilePreview, Operation
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.index.losses import broken_links
from bridge.toolkit.permitted import Denials
from bridge.toolkit.registry import StaticProvider, ToolProvider
from bridge.toolkit.tool import AGENT, VAULT, CallContext, Output, P, Unchanged, WriteTool, in_vault
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper, broken_data, broken_sentence
from bridge.tools.formatting import NOTHING_THERE, first_of, some, within
from bridge.tools.kinds import UNLISTED, CountingCursor, SnakeCaseParams, write_spec
from bridge.tools.services import HistoryPort, ReversalPort
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import Applied, ChangePlan, HistoryEntry
from bridge.vault.text import counted
from bridge.versions.grouping import followed
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring


class ReversalParams(Params):
    """The change to reverse."""

    execution_id: str | None = Field(None, min_length=1, max_length=200, description="The change's id")


class ReversalTool(WriteTool[ReversalParams]):
    """A write whose plan the ledger makes. It is not listed: callers have `history.undo` and `history.redo`.

    Args:
        history: Where the plans come from.
    """

    def __init__(self, history: ReversalPort) -> None:
        self._history = history

    def report(self, _params: ReversalParams, applied: Applied) -> Output:
        """Report which change it was, and which files it touched."""
        key, done = ("redone", "Made again") if applied.plan.reversal == "redo" else ("undone", "Undone")
        plan = applied.plan
        change, named = (plan.reverses or "").replace(",", ", "), plan.named_files or plan.targets
        count = f"{plan.counted_files}: " if len(named) > 1 else ""
        data = {key: change, "files": list(plan.targets)}
        return with_left(Output(data, f"{done}: {change} ({count}{some(named)})"), plan)


class UndoTool(ReversalTool):
    """The tool to undo a change, by default the newest not yet undone. A client undoes only its own."""

    spec = write_spec(
        name="history_undo",
        title="Undo",
        action="take/took back a change[ to {files}]",
        description="Take back a change of this vault, restoring every byte.",
        icon="undo-2",
        parameters=ReversalParams,
        id_prefix="undo",
        **UNLISTED,
    )

    def prepare(self, params: ReversalParams, context: CallContext) -> ChangePlan:
        """Plan the inverse of the change, without files that were edited since; refused where nothing is left of it."""
        return self._history.undo_plan(params.execution_id, context.caller.sees_changes_of)[1]


class RedoTool(ReversalTool):
    """The tool that repeats an undone change; the one undone last when none is named."""

    spec = write_spec(
        name="history_redo",
        title="Redo",
        action="make/made a change[ to {files}] again",
        description="Make an undone change of this vault again.",
        icon="redo-2",
        parameters=ReversalParams,
        id_prefix="redo",
        **UNLISTED,
    )

    def prepare(self, params: ReversalParams, context: CallContext) -> ChangePlan:
        """Plan the change again, refused when one of its files was edited since."""
        return self._history.redo_plan(params.execution_id, context.caller.sees_changes_of)[1]


def with_left(output: Output, plan: ChangePlan, *, brief: bool = False) -> Output:
    """Return the answer to an undo, which names what stays as it is.

    Args:
        output: The answer.
        plan: The undo.
        brief: Whether the text names some of it; the data has all.
    """
    if not plan.left:
        return output
    left = list(map(str, plan.left))
    named = [some(left, "\n")] if brief else left
    return replace(output, data={**output.data, "left": left}, text="\n".join([*named, output.text]))


def refuse_others(context: CallContext) -> None:
    """Refuse all but the person: a second gate, after the one that gives these tools to the person alone.

    Raises:
        NotFound: Somebody else calls.
    """
    if not context.caller.client.is_person:
        raise NotFound("There is no such change")


def as_shown(plan: ChangePlan, digest: str) -> ChangePlan:
    """Return a plan, if it is still the one that the person has seen.

    Args:
        plan: The plan, made against the vault as it is.
        digest: Of the plan that was shown.

    Raises:
        Conflict: It is another one by now.
    """
    if plan.digest != digest:
        raise Conflict("The vault has changed since this was shown; look at it again", code="stale")
    return plan


class LinkMender:
    """The planner that mends the links that an entry broke.

    Args:
        storage: The vault.
        clock: The time.
        moves: The entries.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock, moves: Recorder) -> None:
        self._storage = storage
        self._keeper = LinkKeeper(storage, clock)
        self._moves = moves

    def plan(self, entry_id: str) -> ChangePlan:
        """Return the plan, made against the vault as it is.

        Args:
            entry_id: The entry.

        Raises:
            NotFound: There is no such entry, or it broke no link that is not mended.
            Conflict: None of them can be written.
        """
        self._moves.end_entry()
        entry = self._moves.entry(entry_id)
        if entry is None:
            raise NotFound(f"There is no change {entry_id!r} in the history; history.list shows those there are")
        everything, form = self._storage.everything, self._storage.app_settings.new_link_format
        everything.knowledge.refresh()
        found = broken_links(followed(entry, self._moves.entries()), everything.knowledge, form)
        builder, kept = self._storage.plan(), KeptLinks()
        for place, before in found.sources.items():
            try:
                data = everything.read(parse_path(place))[0]
            except ToolFailure:
                kept.warnings.append(f"{place!r} cannot be read, so its links stay as they are")
                continue
            new = self._keeper.rewrite(before, data, found.moving, kept)
            if new is not None:
                builder.modify(parse_path(place), data, new)
        if not kept.links and not kept.warnings:
            raise NotFound(f"No links that {entry_id} broke are left to mend")
        if not kept.links:
            raise Conflict("; ".join(kept.warnings), code="exists")
        what = f"Mend {counted(kept.links, 'link')} in {counted(kept.notes, 'note')} that {entry_id} broke"
        return replace(builder.build(Operation.UPDATE, what, kept.warnings, broken=kept.broken), restores=True)


class MendParams(Params):
    """The change that broke the links, and what was shown of it."""

    execution_id: str = Field(min_length=1, max_length=200, description="The change's id")
    plan: str = Field(min_length=1, max_length=200, description="The digest of what was shown")


class MendTool(WriteTool[MendParams]):
    """The tool that rewrites the links that another program broke by moving files.

    Args:
        mender: Makes the plan.
    """

    spec = write_spec(
        name="mend_links",
        action="mend/mended links that another program broke[ in {files}]",
        description="Mend the links that another program broke by moving files.",
        icon="link",
        parameters=MendParams,
        id_prefix="mend",
        **UNLISTED,
    )

    def __init__(self, mender: LinkMender) -> None:
        self._mender = mender

    def prepare(self, params: MendParams, context: CallContext) -> ChangePlan:
        """Plan it against the vault as it is, if the plan is the one that was shown."""
        refuse_others(context)
        return as_shown(self._mender.plan(params.execution_id), params.plan)

    def report(self, params: MendParams, applied: Applied) -> Output:
        """Report which files were changed, and which links could not be mended."""
        plan = applied.plan
        files = [change.path for change in plan.changes]
        text = f"Mended: links in {counted(len(files), 'file')} that {params.execution_id} broke."
        return Output({"files": files, **broken_data(plan)}, text + broken_sentence(plan))


class UndoOutsideParams(Params):
    """The change to undo, and which of its files."""

    execution_id: str = Field(min_length=1, max_length=200, description="The change's id")
    paths: list[str] | None = Field(None, description="Only these files; default: all")


class RestoreParams(Params):
    """The file, and the version of it to restore."""

    path: str = Field(min_length=1, max_length=4096, description="The file")
    digest: str = Field(min_length=64, max_length=64, description="SHA-256 of its bytes")
    to: str | None = Field(None, min_length=1, max_length=4096, description="A new file; default: in its place")


class RestoreAllParams(Params):
    """The time to go back to, which files, and the plan that was shown."""

    at: str = Field(min_length=1, max_length=200, description="The time, ISO 8601")
    path: str | None = Field(None, max_length=4096, description="Only this folder or file; default: all")
    without: list[str] | None = Field(None, description="Not these folders and files")
    typed: bool = Field(default=False, description="Also what was typed in Obsidian")
    plan: str = Field(min_length=1, max_length=200, description="The digest of what was shown")


class _RestoringTool(WriteTool[P]):
    """A tool that brings something back.

    Args:
        restoring: Makes the plan.
    """

    def __init__(self, restoring: Restoring) -> None:
        self._restoring = restoring


class UndoOutsideTool(_RestoringTool[UndoOutsideParams]):
    """The tool to take back another program's change; files that something has changed since stay as they are."""

    spec = write_spec(
        name="history_undo_outside",
        title="Undo a change by another program",
        action="take/took back what another program changed[ in {files}]",
        description="Take back what another program changed, restoring every byte.",
        icon="undo-2",
        parameters=UndoOutsideParams,
        id_prefix="restore",
        **UNLISTED,
    )

    def prepare(self, params: UndoOutsideParams, context: CallContext) -> ChangePlan:
        """Plan it against the vault as it is."""
        refuse_others(context)
        return self._restoring.undo_plan(params.execution_id, params.paths)

    def report(self, params: UndoOutsideParams, applied: Applied) -> Output:
        """Report which change it was, and what could not be taken back."""
        return _told(applied, {"undone": params.execution_id}, lambda files: f"Undone: {params.execution_id} ({files})")


class RestoreTool(_RestoringTool[RestoreParams]):
    """The tool that brings an earlier version of a file back."""

    spec = write_spec(
        name="restore",
        action="bring/brought back an earlier version[ of {files}]",
        description="Bring back an earlier version of a file, byte for byte.",
        icon="archive-restore",
        parameters=RestoreParams,
        id_prefix="restore",
        **UNLISTED,
    )

    def prepare(self, params: RestoreParams, context: CallContext) -> ChangePlan:
        """Plan it against the vault as it is."""
        refuse_others(context)
        return self._restoring.version_plan(params.path, params.digest, params.to)

    def report(self, params: RestoreParams, _applied: Applied) -> Output:
        """Report which file was restored."""
        place = params.to or params.path
        return Output({"restored": place}, f"Restored: {place}")


class RestoreAllTool(_RestoringTool[RestoreAllParams]):
    """The tool that makes the vault what it was at a time, as far as other programs changed it since."""

    spec = write_spec(
        name="restore_all",
        action="make/made the vault what it was[, with {files}]",
        description="Take back all that other programs changed since a time, byte for byte.",
        icon="archive-restore",
        parameters=RestoreAllParams,
        id_prefix="restore",
        **UNLISTED,
    )

    def prepare(self, params: RestoreAllParams, context: CallContext) -> ChangePlan:
        """Plan it against the vault as it is, if the plan is the one that was shown."""
        refuse_others(context)
        moment = read_time(params.at, "at").timestamp()
        found = self._restoring.earlier_plan(moment, params.path, params.without or (), typed=params.typed)
        return as_shown(found.build(params.at), params.plan)

    def report(self, params: RestoreAllParams, applied: Applied) -> Output:
        """Report how many files were restored, and what could not be brought back."""
        return _told(applied, {"at": params.at}, lambda files: f"Restored: {files} as of {params.at}")


def restore_provider(restoring: Restoring, mender: LinkMender) -> ToolProvider:
    """Return the provider of these tools to the person's own programs, and to nobody else.

    Args:
        restoring: Makes the plans.
        mender: Makes those that mend links.
    """
    undo, restore, restore_all = UndoOutsideTool(restoring), RestoreTool(restoring), RestoreAllTool(restoring)
    tools = (undo, restore, restore_all, MendTool(mender))
    return StaticProvider("restore", tools, has=lambda caller: caller.client.is_person)


def _told(applied: Applied, of: dict[str, str], sentence: Callable[[str], str]) -> Output:
    """Report which files were brought back, and what could not be.

    Args:
        applied: The change that was made.
        of: What it was asked for.
        sentence: Says so, given how many files there are.
    """
    files = [change.new_path or change.path for change in applied.plan.changes if not change.of_folder]
    left = list(applied.plan.warnings)
    return Output({**of, "files": files, "left": left}, "\n".join([sentence(counted(len(files), "file")), *left]))


MOST = 200
"""Changes that are listed, or taken back at once."""

_NAMED = 3
_ROOM = 1000
"""Bytes of a diff's text that are kept for the change's summary, and for how to go on."""


class HistoryParams(SnakeCaseParams):
    """The action, and the changes that it is for."""

    action: Literal["list", "diff", "undo"] = "list"
    execution_id: str | None = Field(
        None, min_length=1, max_length=200, description="Default: the newest. For list: only older"
    )
    count: int = Field(1, ge=1, le=MOST, description="For undo: how many, as one question")
    limit: int = Field(20, ge=1, le=MOST, description="For list: how many")
    cursor: CountingCursor | None = None


class _Entry(NamedTuple):
    """A change, and the files of it that the caller may see."""

    change: HistoryEntry
    files: tuple[str, ...]
    left: tuple[str, ...]


class HistoryTool(WriteTool[HistoryParams]):
    """The tool that lists and takes back changes. A caller has only its own, without files that the user has closed.

    Args:
        history: The changes.
        closed: The rules that close files.
    """

    spec = write_spec(
        name="history",
        action="look/looked at the history or took back changes[: {files}]",
        description="Your own changes: list them, show the diff of one, undo the newest.",
        icon="history",
        parameters=HistoryParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="undo",
        presets=frozenset({AGENT, VAULT}),
        stages=False,
    )

    def __init__(self, history: HistoryPort, closed: Denials) -> None:
        self._history = history
        self._closed = closed

    def prepare(self, params: HistoryParams, context: CallContext) -> ChangePlan | Unchanged:
        """Return the changes that there are, or the plan that takes them back."""
        credential = context.caller.sees_changes_of
        entries = self._entries(context)
        if params.action == "list":
            if params.execution_id is not None:
                entries = entries[entries.index(_one(entries, params.execution_id)) + 1 :]
            return _listed(entries, params.limit)
        if params.action == "diff":
            return self._diff(_one(entries, params.execution_id), int(params.cursor or 0), context)
        if params.execution_id is not None:
            if params.count > 1:
                raise InvalidParameters("Give either execution_id or count, and not both")
            return self._history.undo_plan(_one(entries, params.execution_id).change.execution_id, credential)[1]
        applied = [entry for entry in entries if entry.change.state == "applied"]
        if len(applied) < params.count:
            raise NotFound(f"You have made {counted(len(applied), 'change')} that can be undone, and no more")
        chosen = [entry.change.execution_id for entry in applied[: params.count]]
        return self._history.undo_several_plan(chosen, credential)

    def report(self, _params: HistoryParams, applied: Applied) -> Output:
        """Report which changes were taken back."""
        changes = (applied.plan.reverses or "").split(",")
        files = list(applied.plan.targets)
        named = first_of(files, _NAMED) if len(files) <= _NAMED else f"{applied.plan.counted_files}, such as {files[0]}"
        undone = Output({"undone": changes, "files": files}, f"Undone: {some(changes)} ({named})")
        return with_left(undone, applied.plan, brief=True)

    def _entries(self, context: CallContext) -> list[_Entry]:
        """Return the caller's changes, the newest first; those to closed files alone are left out."""
        is_open, entries = self._opens(context), list[_Entry]()
        for change in self._history.history(limit=sys.maxsize, credential=context.caller.sees_changes_of):
            if files := tuple(filter(is_open, change.files)):
                entries.append(_Entry(change, files, tuple(str(one) for one in change.left if is_open(one.path))))
        return entries

    def _opens(self, context: CallContext) -> Callable[[str], bool]:
        """Return a function that tells whether the caller may see a file."""
        denial = None if context.caller.client.is_person else self._closed()
        return lambda path: denial is None or denial(path) is None

    def _diff(self, entry: _Entry, first: int, context: CallContext) -> Unchanged:
        """Return what a change did to each file, as far as there is room, without the first so many files."""
        found, is_open = self._history.diff(entry.change.execution_id), self._opens(context)
        files = [file for file in found.files if all(map(is_open, _places(file)))]
        lost = list(filter(is_open, found.lost))
        data = {
            "execution_id": entry.change.execution_id,
            "files": [
                {"path": file.path, "change": file.change, "new_path": file.new_path, "diff": file.diff}
                for file in files
            ],
            "lost": lost,
        }
        if first and first >= len(files):
            raise InvalidParameters(NOTHING_THERE)
        diffs = [file.diff or f"{file.change} {' to '.join(_places(file))}" for file in files[first:]]
        shown = within(diffs, context.settings.max_output_bytes - _ROOM) or diffs[:1]
        metadata: dict[str, Any] = {"truncated": any(file.truncated for file in files)}
        end = first + len(shown)
        if end < len(files):
            metadata |= {"truncated": True, "cursor": str(end)}
            shown.append(f"[Files {first + 1}-{end} of {len(files)}; next: cursor={end}]")
        text = "\n".join([f"{entry.change.execution_id}: {entry.change.summary}", *shown])
        what = f"Show what the change {entry.change.execution_id} did"
        return Unchanged(in_vault(*entry.files), what, Output(data, text, metadata))


def _listed(entries: Sequence[_Entry], limit: int) -> Unchanged:
    shown = entries[:limit]
    data: list[dict[str, Any]] = [
        {
            "execution_id": entry.change.execution_id,
            "time": entry.change.time,
            "tool": entry.change.tool,
            "state": entry.change.state,
            "files": list(entry.files),
            "added": entry.change.added,
            "removed": entry.change.removed,
            "can_undo": entry.change.can_undo and entry.change.state == "applied",
            **({"left": list(entry.left)} if entry.left else {}),
        }
        for entry in shown
    ]
    lines = [_line(entry) for entry in shown]
    if not entries:
        lines.append("You have changed nothing in this vault.")
    elif len(entries) > limit:
        last = shown[-1].change.execution_id
        lines.append(f"[{limit} of {len(entries)} changes shown. For older ones, set execution_id to {last!r}.]")
    files = dict.fromkeys(path for entry in shown for path in entry.files)
    metadata = {"total": len(entries), "truncated": len(entries) > limit}
    return Unchanged(in_vault(*files), "List the changes that it has made", Output(data, "\n".join(lines), metadata))


def _one(entries: Sequence[_Entry], execution_id: str | None) -> _Entry:
    """Return the change that is meant; the newest without an id."""
    for entry in entries:
        if execution_id in {None, entry.change.execution_id}:
            return entry
    if execution_id is None:
        raise NotFound("You have changed nothing in this vault")
    raise NotFound(f"You have made no change {execution_id!r}; the action 'list' shows those there are")


def _line(entry: _Entry) -> str:
    change = entry.change
    what = f"{change.tool} {first_of(entry.files, _NAMED)} (+{change.added} -{change.removed})"
    return "; ".join([f"{change.execution_id} {change.time[:16]} {change.state}: {what}", *entry.left])


def _places(file: FilePreview) -> Sequence[str]:
    return [path for path in (file.path, file.new_path) if path]
