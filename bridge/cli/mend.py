"""`vault-bridge mend`: links that broke because another program moved files lead to them again."""

from typing import Annotated, Any

import typer

from bridge.cli.arguments import BadArguments
from bridge.cli.connection import run_idempotent, run_once
from bridge.cli.diff import draw_changes
from bridge.cli.exit_codes import FAILURE, show_result
from bridge.cli.history import OUTSIDE
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.client import Result


def mend(
    execution_id: Annotated[
        str, typer.Argument(metavar="ID", show_default=False, help="As `vault-bridge history` shows it.")
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
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
    found = run_idempotent(vault, lambda bridge: bridge.request("versions.broken", **params))
    if found["plan"] is None or not printer.as_json:
        _show(found, printer)
    if found["plan"] is None:
        raise typer.Exit(FAILURE)
    if not yes and not typer.confirm("Mend them?", err=True):
        printer.say("Nothing was written.")
        raise typer.Exit(FAILURE)
    params["plan"] = found["plan"]
    show_result(Result(run_once(vault, lambda bridge: bridge.request("versions.mend", **params))), printer)


def _show(found: dict[str, Any], printer: Printer) -> None:
    if printer.as_json:
        printer.json(found)
        return
    printer.lines(draw_changes(found["files"], printer.width))
    for warning in found["warnings"]:
        printer.text(str(warning))
    printer.text(f"{found['text']}.")
