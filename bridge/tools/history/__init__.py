"""The history's tools: undo and redo, as writes like any other."""

from bridge import __version__
from bridge.toolkit.registry import ToolProvider
from bridge.tools.history.redo import RedoTool
from bridge.tools.history.undo import UndoTool
from bridge.tools.services import HistoryPort


def history_provider(history: HistoryPort) -> ToolProvider:
    """Undo and redo.

    Args:
        history: Plans that take changes back and repeat them.
    """
    return ToolProvider(
        id="history",
        name="History",
        description="Take changes back, and repeat them.",
        version=__version__,
        tools=[UndoTool(history), RedoTool(history)],
    )
