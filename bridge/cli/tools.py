"""`vault-bridge tools`: what agents can do in the vault."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.arguments import describe_parameters
from bridge.cli.connection import look
from bridge.cli.exit_codes import fail
from bridge.cli.line_wrapping import wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import READABLE, Output
from bridge.cli.sanitize import sanitize
from bridge.cli.tables import draw_table

HELP = """List the tools that agents see.

With a name, show that tool and its parameters.

\b
Examples:
  vault-bridge tools
  vault-bridge tools grep
  vault-bridge tools --format openai > functions.json
  vault-bridge settings preset vault      enable all tools for files and notes
"""

_RISK_STYLE = {"safe": "green", "low": "blue", "medium": "yellow", "high": "red"}
_ASKS = {
    "always_ask": "every time",
    "session_allow": "once a session",
    "always_allow": "never",
    "never_allow": "refused",
}


class Format(StrEnum):
    """For whom the tools are described."""

    BRIDGE = "bridge"
    OLLAMA = "ollama"
    OPENAI = "openai"
    MCP = "mcp"
    TEXT = "text"


def command(
    name: Annotated[str | None, typer.Argument(metavar="[TOOL]", show_default=False, help="One tool.")] = None,
    form: Annotated[
        Format, typer.Option("--format", help="Print the descriptions as that kind of caller takes them.")
    ] = Format.BRIDGE,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """List or describe the tools."""
    output = Output(as_json=as_json)
    listed = look(vault, lambda bridge: bridge.request("tools.list", format=form.value))
    if form is Format.TEXT and not as_json:
        output.text(listed)
    elif form is not Format.BRIDGE:
        output.json(listed)
    elif name is None:
        _list(listed, output)
    else:
        _describe(name, listed, output)


def _list(listed: list[dict[str, Any]], output: Output) -> None:
    if output.as_json:
        output.json(listed)
        return
    rows = [
        [
            sanitize(tool["name"], style="bold"),
            sanitize(tool["risk"], style=_RISK_STYLE.get(tool["risk"], "")),
            Text(_ASKS.get(tool["consentMode"], tool["consentMode"])),
            sanitize(tool["description"].partition(". ")[0].rstrip(".")),
        ]
        for tool in listed
    ]
    output.lines(draw_table(("Tool", "Risk", "Asks", "What it does"), rows, min(output.width, READABLE)))


def _describe(name: str, listed: list[dict[str, Any]], output: Output) -> None:
    tool = next((tool for tool in listed if tool["name"] == name), None)
    if tool is None:
        fail(
            f"No tool {name!r} is enabled here: `vault-bridge tools` lists those that are, "
            "`vault-bridge settings enable NAME` adds one."
        )
    if output.as_json:
        output.json(tool)
        return
    width = min(output.width, READABLE)
    head = Text.assemble(sanitize(tool["title"], style="bold"), " (", sanitize(tool["risk"]), " risk)")
    asks = f"Asks: {_ASKS.get(tool['consentMode'], tool['consentMode'])}"
    lines = [head, *wrap(sanitize(tool["description"]), width, first="  ", rest="  "), Text(asks), Text("Parameters:")]
    lines += [
        line
        for text in describe_parameters(tool["parameters"])
        for line in wrap(Text(text), width, first="  ", rest="      ")
    ]
    output.lines(lines)
