"""Redo: make an undone change again."""

from bridge.toolkit.tool import Applied, CallContext, Output
from bridge.tools.history.reversal import ReversalParams, ReversalTool
from bridge.vault.plan import ChangePlan


class RedoTool(ReversalTool):
    """Repeats an undone change; the one undone last when none is named."""

    name = "history_redo"
    title = "Redo"
    description = "Make an undone change of this vault again."
    icon = "redo-2"
    id_prefix = "redo"

    def prepare(self, params: ReversalParams, context: CallContext) -> ChangePlan:
        """The change again, refused when its files were edited since."""
        del context
        return self._history.redo_plan(params.execution_id)[1]

    def report(self, params: ReversalParams, applied: Applied) -> Output:
        """What was made again."""
        del params
        redone, files = applied.plan.reverses, list(applied.plan.targets)
        return Output({"redone": redone, "files": files}, f"Made again: {redone} ({', '.join(files)})")
