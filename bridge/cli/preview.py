"""`vault-bridge preview`: what a call would do, without doing it."""

from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.arguments import parse_arguments
from bridge.cli.changes import draw_changes
from bridge.cli.connection import look
from bridge.cli.exit_codes import fail
from bridge.cli.line_wrapping import wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import READABLE, Output
from bridge.cli.sanitize import sanitize, sanitize_lines
from bridge.cli.schemas import schema_of
from bridge.client import Bridge

HELP = """Show what a call would do.

With the diff of every file. Nothing is written, and nobody is asked.

\b
Examples:
  vault-bridge preview apply_patch path=Ideas.md 'patches=[{"startLine":3,"endLine":3,"newContent":"## New"}]'
  vault-bridge preview apply_patch patch=@change.diff
"""


def command(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", show_default=False, help="As for `call`.")
    ] = None,
    arguments: Annotated[
        str | None, typer.Option(metavar="JSON", help="All arguments as one JSON object, or @FILE, or -.")
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Preview a call."""
    output = Output(as_json=as_json)

    async def ask(bridge: Bridge) -> dict[str, Any]:
        parsed = parse_arguments(words or [], await schema_of(bridge, tool), arguments)
        return await bridge.preview(tool, parsed)

    answer = look(vault, ask)
    if as_json:
        output.json(answer)
    if "plan" not in answer:
        fail(str(answer.get("error") or "The call cannot be previewed"))
    if not as_json:
        output.lines(_draw(answer["plan"], min(output.width, READABLE)))


def _draw(plan: dict[str, Any], width: int) -> list[Text]:
    lines = list(wrap(sanitize(plan["summary"], style="bold"), width))
    for warning in plan.get("warnings", ()):
        lines += wrap(Text.assemble(("Warning ", "bold"), sanitize(warning)), width, rest="  ")
    if plan.get("request") is not None:
        lines += sanitize_lines(plan["request"])
    lines += draw_changes(plan.get("files", ()), width)
    return lines
