"""Undo: take a change back, byte for byte."""

from bridge.toolkit.tool import Applied, CallContext, Output
from bridge.tools.history.reversal import ReversalParams, ReversalTool
from bridge.vault.plan import ChangePlan


class UndoTool(ReversalTool):
    """Takes back a change; the newest one that is not undone when none is named."""

    name = "history_undo"
    title = "Undo"
    description = "Take back a change of this vault, restoring every byte."
    icon = "undo-2"
    id_prefix = "undo"

    def prepare(self, params: ReversalParams, context: CallContext) -> ChangePlan:
        """The inverse of the change, refused when its files were edited since."""
        del context
        return self._history.undo_plan(params.execution_id)[1]

    def report(self, params: ReversalParams, applied: Applied) -> Output:
        """What was undone."""
        del params
        undone, files = applied.plan.reverses, list(applied.plan.targets)
        return Output({"undone": undone, "files": files}, f"Undone: {undone} ({', '.join(files)})")
