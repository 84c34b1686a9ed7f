"""What undo and redo have in common."""

from pathlib import Path
from typing import Any

from rich.text import Text

from bridge.cli.changes import draw_counts
from bridge.cli.connection import act
from bridge.cli.line_wrapping import wrap
from bridge.cli.output import Output
from bridge.cli.results import show_result
from bridge.cli.sanitize import sanitize
from bridge.cli.times import local
from bridge.client import Bridge, Result

LOOK_BACK = 1000
"""Changes among which the one that was reversed is looked for, to say more about it."""


def reverse(method: str, execution_id: str | None, vault: Path | None, *, as_json: bool) -> None:
    """Take back or repeat a change, and tell which that was.

    Args:
        method: `history.undo` or `history.redo`.
        execution_id: The change; None leaves the choice to the bridge.
        vault: The vault's folder, where it was named.
        as_json: Print the whole answer.
    """
    output = Output(as_json=as_json)
    named = {} if execution_id is None else {"executionId": execution_id}

    async def work(bridge: Bridge) -> tuple[Result, list[dict[str, Any]]]:
        return Result(await bridge.request(method, **named)), await bridge.request("history.list", limit=LOOK_BACK)

    result, history = act(vault, work)
    show_result(result, output)
    if as_json or not isinstance(result.data, dict):
        return
    reversed_id = result.data.get("undone") or result.data.get("redone")
    for entry in history:
        if entry["executionId"] == reversed_id:
            said = _describe(entry, "taken back" if method == "history.undo" else "made again")
            output.lines(wrap(said, output.width, first="  ", rest="  "))


def _describe(entry: dict[str, Any], what: str) -> Text:
    counts = draw_counts(entry["added"], entry["removed"])
    who = Text.assemble(sanitize(entry["tool"]), " by ", sanitize(entry["client"]), f" of {local(entry['time'])}")
    return Text.assemble(who, ", ", counts, f", {what}")
