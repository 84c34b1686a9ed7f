"""The tools that take changes back or make them again, also other programs' changes, and mend links they broke."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from bridge import __version__
from bridge.audit.records import read_time
from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import Operation
from bridge.errors import Conflict, NotFound, ToolFailure
from bridge.identity.caller import Caller
from bridge.index.losses import broken_links
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Applied, CallContext, Output, P, Tool, WriteTool
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper, broken_data, broken_sentence
from bridge.tools.formatting import counted, some
from bridge.tools.kinds import UNLISTED, write_spec
from bridge.tools.services import ReversalPort
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan
from bridge.versions.grouping import followed
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring


class ReversalParams(Params):
    """The change to reverse."""

    execution_id: str | None = Field(default=None, min_length=1, max_length=200, description="The change's id")


class ReversalTool(WriteTool[ReversalParams]):
    """A write whose plan the ledger makes. It is not listed: callers have `history.undo` and `history.redo`.

    Args:
        history: Where the plans come from.
    """

    def __init__(self, history: ReversalPort) -> None:
        self._history = history

    def report(self, params: ReversalParams, applied: Applied) -> Output:
        """Report which change it was, and which files it touched."""
        del params
        key, done = ("redone", "Made again") if applied.plan.reversal == "redo" else ("undone", "Undone")
        plan = applied.plan
        change, files = (plan.reverses or "").replace(",", ", "), list(plan.targets)
        count = f"{plan.counted_files}: " if len(files) > 1 else ""
        return with_left(Output({key: change, "files": files}, f"{done}: {change} ({count}{some(files)})"), plan)


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
    """Refuse all but the person: a gate behind the one that gives these tools to the person alone.

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
            rewritten = self._keeper.rewrite(before, data, found.moving, kept)
            if rewritten is not None:
                builder.modify(parse_path(place), data, rewritten.new)
        if not kept.links and not kept.warnings:
            raise NotFound(f"No links are broken by {entry_id}, or not any more")
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
    paths: list[str] | None = Field(default=None, description="Only these files; default: all")


class RestoreParams(Params):
    """The file, and the version of it to restore."""

    path: str = Field(min_length=1, max_length=4096, description="The file")
    digest: str = Field(min_length=64, max_length=64, description="SHA-256 of its bytes")
    to: str | None = Field(default=None, min_length=1, max_length=4096, description="A new file; default: in its place")


class RestoreAllParams(Params):
    """The time to go back to, which files, and the plan that was shown."""

    at: str = Field(min_length=1, max_length=200, description="The time, ISO 8601")
    path: str | None = Field(default=None, max_length=4096, description="Only this folder or file; default: all")
    without: list[str] | None = Field(default=None, description="Not these folders and files")
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

    def report(self, params: RestoreParams, applied: Applied) -> Output:
        """Report which file was restored."""
        del applied
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


class RestoreProvider(ToolProvider):
    """The provider of these tools to the person's own programs, and to nobody else.

    Args:
        restoring: Makes the plans.
        mender: Makes those that mend links.
    """

    id, name, description, version = "restore", "Restore", "What other programs changed, taken back.", __version__

    def __init__(self, restoring: Restoring, mender: LinkMender) -> None:
        self._tools: tuple[Tool[Any], ...] = (
            UndoOutsideTool(restoring),
            RestoreTool(restoring),
            RestoreAllTool(restoring),
            MendTool(mender),
        )

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return all of them for the person, else none."""
        return self._tools if caller.client.is_person else ()


def _told(applied: Applied, of: dict[str, str], sentence: Callable[[str], str]) -> Output:
    """Report which files were brought back, and what could not be.

    Args:
        applied: The change that was made.
        of: What it was asked for.
        sentence: Says so, given how many files there are.
    """
    files = [change.new_path or change.path for change in applied.plan.changes if not change.of_folder]
    left = list(applied.plan.warnings)
    text = sentence(counted(len(files), "file"))
    return Output({**of, "files": files, "left": left}, "\n".join([text, *left]))
