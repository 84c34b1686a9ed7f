"""What undo and redo have in common."""

from pathlib import Path
from typing import Any

from bridge.cli.changes import draw_changes
from bridge.cli.output import READABLE, Output
from bridge.cli.reach import act
from bridge.cli.results import show_result
from bridge.client import Result


def reverse(method: str, execution_id: str | None, vault: Path | None, *, as_json: bool) -> None:
    """Take back or repeat a change, and show what that did.

    Args:
        method: `history.undo` or `history.redo`.
        execution_id: The change; None leaves the choice to the bridge.
        vault: The vault's folder, where it was named.
        as_json: Print the whole answer.
    """
    output = Output(as_json=as_json)
    named = {} if execution_id is None else {"executionId": execution_id}
    result = Result(act(vault, lambda bridge: bridge.request(method, **named)))
    show_result(result, output)
    data: Any = result.data
    if not as_json and isinstance(data, dict) and isinstance(data.get("files"), list):
        output.lines(
            draw_changes([file for file in data["files"] if isinstance(file, dict)], min(output.width, READABLE))
        )
