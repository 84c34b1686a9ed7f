"""The tools `history_undo` and `history_redo`: a change taken back byte for byte, or made again.

And what the tools have in common that take back what other programs did.
"""

from dataclasses import replace

from pydantic import Field

from bridge.contract.base import Params
from bridge.errors import Conflict, NotFound
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.formatting import some
from bridge.tools.kinds import UNLISTED, write_spec
from bridge.tools.services import ReversalPort
from bridge.vault.plan import ChangePlan


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
        change, files = (applied.plan.reverses or "").replace(",", ", "), list(applied.plan.targets)
        count = f"{applied.plan.counted_files}: " if len(files) > 1 else ""
        return with_left(
            Output({key: change, "files": files}, f"{done}: {change} ({count}{some(files)})"), applied.plan
        )


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
