"""`vault-bridge mend`: links that broke because another program moved files lead to them again."""

from typing import Annotated, Any

import typer

from bridge.cli.arguments import BadArguments
from bridge.cli.connection import ask, tell
from bridge.cli.diff import draw_changes
from bridge.cli.exit_codes import FAILURE, confirm_or_end, show_result
from bridge.cli.history import OUTSIDE
from bridge.cli.options import AsJson, Vault, Yes
from bridge.cli.printer import Printer
from bridge.client import Result


def mend(
    execution_id: Annotated[
        str, typer.Argument(metavar="ID", show_default=False, help="As `vault-bridge history` shows it.")
    ],
    *,
    yes: Yes = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Mend the links that another program broke by moving files.

    They are written anew so that they lead where they led, as when you move a file in Obsidian. You see each before,
    and it is one change, which you can undo.

    Examples:
      vault-bridge history --outside      says which changes broke links
      vault-bridge mend outside-12
    """
    printer = Printer(as_json=as_json)
    if not execution_id.startswith(OUTSIDE):
        raise BadArguments(f"Name a change by another program; their IDs begin with {OUTSIDE!r}")
    params = {"executionId": execution_id}
    found = ask(vault, "versions.broken", **params)
    if found["plan"] is None or not printer.as_json:
        _show(found, printer)
    if found["plan"] is None:
        raise typer.Exit(FAILURE)
    confirm_or_end(printer, "Mend them?", "Nothing was written.", sure=yes)
    show_result(Result(tell(vault, "versions.mend", **params, plan=found["plan"])), printer)


def _show(found: dict[str, Any], printer: Printer) -> None:
    if printer.as_json:
        printer.json(found)
        return
    printer.lines(draw_changes(found["files"], printer.width))
    for warning in found["warnings"]:
        printer.text(str(warning))
    printer.text(f"{found['text']}.")
