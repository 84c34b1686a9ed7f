"""`vault-bridge tools`: what agents can do in the vault."""

import re
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from bridge.cli.arguments import describe_parameters
from bridge.cli.connection import run_idempotent
from bridge.cli.exit_codes import fail
from bridge.cli.family import Column, Table
from bridge.cli.layout import wrap
from bridge.cli.options import AsClient, AsJson, Vault
from bridge.cli.printer import READABLE, Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection

_RISK_STYLE = {"safe": "green", "low": "blue", "medium": "yellow", "high": "red"}
ToolFormat = Literal["bridge", "ollama", "openai", "mcp", "text"]


def tools(
    name: Annotated[str | None, typer.Argument(metavar="[TOOL]", show_default=False, help="One tool.")] = None,
    form: Annotated[
        ToolFormat, typer.Option("--format", help="Print the descriptions in the format of that kind of caller.")
    ] = "bridge",
    client: AsClient = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """List the tools that agents see.

    With a name, show that tool and its parameters.

    Examples:
      vault-bridge tools
      vault-bridge tools grep
      vault-bridge tools --format openai > functions.json
      vault-bridge settings preset vault      enable all tools for files and notes
    """
    printer = Printer(as_json=as_json)

    async def ask(bridge: Connection) -> tuple[list[dict[str, Any]], Any]:
        ours = await bridge.request("tools.list")
        return ours, ours if form == "bridge" else await bridge.request("tools.list", format=form)

    ours, listed = run_idempotent(vault, ask, client=client)
    if name is not None:
        names = [tool["name"] for tool in ours]
        if name not in names:
            fail(
                f"No tool {name!r} is enabled here: `vault-bridge tools` lists those that are, "
                "`vault-bridge settings enable NAME` adds one."
            )
        described = _one_by_one(listed, names)[names.index(name)]
        listed = described if form in {"bridge", "text"} else [described]
    if form == "text" and not as_json:
        printer.text(listed)
    elif form != "bridge" or as_json:
        printer.json(listed)
    elif name is None:
        _list(listed, printer)
    else:
        _describe(listed, printer)


def _one_by_one(listed: list[Any] | str, names: list[str]) -> list[Any]:
    """Return the description of each tool, in the order of their names."""
    if not isinstance(listed, str):
        return listed
    return re.split(rf"\n\n(?=(?:{'|'.join(map(re.escape, names))}): )", listed)


def _asks(tool: dict[str, Any]) -> str:
    """Return how often a person is asked about a tool at least, whoever calls it."""
    mode = tool["consentMode"]
    if mode == "never_allow":
        return "refused"
    if tool["consentClass"] == "always":
        return "never" if mode == "always_allow" else "once"
    return "once a session" if tool["consentClass"] == "session" else "every time"


def _list(listed: list[dict[str, Any]], printer: Printer) -> None:
    columns: tuple[Column, ...] = (
        ("Tool", "name", "bold"),
        ("Risk", lambda tool: sanitize(tool["risk"], style=_RISK_STYLE.get(tool["risk"], ""))),
        ("Asks", _asks),
        ("What it does", lambda tool: tool["description"].partition(". ")[0].rstrip(".")),
    )
    Table(columns, widest=READABLE).print(printer, listed)


def _describe(tool: dict[str, Any], printer: Printer) -> None:
    width = min(printer.width, READABLE)
    head = Text.assemble(sanitize(tool["title"], style="bold"), " (", sanitize(tool["risk"]), " risk)")
    lines = [
        head,
        *wrap(sanitize(tool["description"]), width, first="  ", rest="  "),
        Text(f"Asks: {_asks(tool)}"),
        Text("Parameters:"),
    ]
    lines += [
        line
        for text in describe_parameters(tool["parameters"])
        for line in wrap(Text(text), width, first="  ", rest="      ")
    ]
    printer.lines(lines)
