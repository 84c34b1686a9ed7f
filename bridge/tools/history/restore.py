"""The tools that take back what other programs changed. Only the person has them."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from bridge import __version__
from bridge.audit.records import read_time
from bridge.contract.base import Params
from bridge.identity.caller import Caller
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Applied, CallContext, Output, P, Tool, WriteTool
from bridge.tools.formatting import counted
from bridge.tools.history.mending import LinkMender, MendTool
from bridge.tools.history.reversals import as_shown, refuse_others
from bridge.tools.kinds import UNLISTED, write_spec
from bridge.vault.plan import ChangePlan
from bridge.versions.restoring import Restoring


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
        title="Restore",
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
        title="Restore all",
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
