"""What undo and redo have in common."""

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import WriteTool
from bridge.tools.services import HistoryPort


class ReversalParams(Params):
    """Which change."""

    execution_id: str | None = Field(default=None, min_length=1, max_length=200, description="The change's id")


class ReversalTool(WriteTool[ReversalParams]):
    """A write whose plan the ledger makes. It is not listed: callers have `history.undo` and `history.redo`.

    Args:
        history: Where the plans come from.
    """

    parameters = ReversalParams
    operation = Operation.UPDATE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.NEVER
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    listed = False

    def __init__(self, history: HistoryPort) -> None:
        self._history = history
