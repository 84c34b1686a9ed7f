"""`vault-bridge servers`: other MCP servers whose tools agents may use, under the same questions as everything else."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.connection import run_idempotent, run_once
from bridge.cli.exit_codes import FAILURE, fail
from bridge.cli.layout import wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection

HELP = """Let agents use the tools of other MCP servers.

Servers are entered in mcp.json in your configuration folder, for all your vaults. None is started before an agent
loads them with the tool `mcp_loader`, about which you are asked; so you are about each call, unless you trust a server.
They never see the vault.

\b
Examples:
  vault-bridge servers add files npx -- -y some-server /home/ada/Papers
  vault-bridge servers add notes --url https://notes.example/mcp
  vault-bridge servers import                          those that other programs have
  vault-bridge servers list
  vault-bridge servers test files                      start it, and show its tools
  vault-bridge servers trust files                     its tools are not asked about any more
  vault-bridge servers remove files
"""

app = typer.Typer(help=HELP, add_completion=False, no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `vault-bridge servers list` shows it.")]
_OFF: Final = "Other servers are not allowed yet. `vault-bridge settings set allowMcpServers true` allows them."


@app.command("list")
def list_servers(vault: Vault = None, as_json: AsJson = False) -> None:
    """List the servers, and how each stands."""
    printer = Printer(as_json=as_json)
    listed = run_idempotent(vault, lambda bridge: bridge.request("servers.list"))
    if as_json:
        printer.json(listed)
        return
    if listed["fault"] is not None:
        fail(f"{listed['fault']}. It is {listed['file']}")
    none = "No server is entered. Add one with `vault-bridge servers add`, or `vault-bridge servers import`."
    headings = ("Name", "Starts or reaches", "State", "Trusted", "Tools", "For")
    printer.listed(listed["servers"], headings, _row, none)
    if not listed["allowed"]:
        printer.say(_OFF)


@app.command("show")
def show(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Show what is known of a server: how it is started, its tools, what has changed since you allowed it, its log."""
    printer = Printer(as_json=as_json)
    server = run_idempotent(vault, lambda bridge: _find(bridge, name))
    if as_json:
        printer.json(server)
    else:
        printer.lines(_draw(server, printer.width))


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you call it.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="PROGRAM [-- ARGUMENT...]", help="What is started.")
    ] = None,
    *,
    url: Annotated[str | None, typer.Option("--url", help="Its address, instead of a program.")] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", metavar="NAME", help="A variable that is asked for; may be repeated.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", metavar="NAME", help="A header that is asked for; may be repeated.")
    ] = None,
    folder: Annotated[
        list[Path] | None, typer.Option("--folder", help="A folder that it may read and write; may be repeated.")
    ] = None,
    no_network: Annotated[bool, typer.Option("--no-network", help="Keep the program from the network.")] = False,
    description: Annotated[str, typer.Option("--description", help="What it is for; agents read it.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="In place of the one of this name.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Enter a server. It is not started, and not trusted. Values of variables and headers are asked for, hidden."""
    printer = Printer(as_json=as_json)
    entry: dict[str, Any] = {"description": description} if description else {}
    if command:
        entry |= {"command": command[0], "args": command[1:]}
    if url is not None:
        entry["url"] = url
    if folder:
        entry["folders"] = [str(each.expanduser().absolute()) for each in folder]
    if no_network:
        entry["network"] = False
    for key, names in (("env", env), ("headers", header)):
        if names:
            entry[key] = {each: typer.prompt(each, hide_input=True, err=True) for each in names}
    given = {"name": name, "entry": entry, "replace": replace}
    server = run_once(vault, lambda bridge: bridge.request("servers.add", **given))
    if as_json:
        printer.json(server)
    else:
        printer.say(f"{name} is entered. `vault-bridge servers test {name}` starts it and shows its tools.")


@app.command("import")
def take_over(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Which; without any, they are listed.")
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Take over servers from the configurations of other programs, such as Claude Desktop. They stay there, too."""
    printer = Printer(as_json=as_json)
    found = run_idempotent(vault, lambda bridge: bridge.request("servers.found"))
    if not names:
        none = "No program on this computer has a server that can be taken over."
        printer.listed(found, ("Name", "In", "Starts or reaches", ""), _found_row, none)
        if found and not as_json:
            printer.say("`vault-bridge servers import NAME` takes one over.")
        return
    for name in names:
        one = next((server for server in found if server["name"] == name), None)
        if one is None:
            fail(f"No program has a server {name!r}; `vault-bridge servers import` lists those there are.")
        if one["fault"] is not None:
            fail(one["fault"])
        run_once(vault, partial(_import, agent=one["agent"], name=name))
        printer.say(f"{name} is entered, as {one['program']} has it. It is not trusted.")


@app.command("remove")
def remove(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Take a server out, and end it."""
    printer = Printer(as_json=as_json)
    left = run_once(vault, lambda bridge: bridge.request("servers.remove", name=name))
    if as_json:
        printer.json(left)
    else:
        printer.say(f"{name} is gone. Its tools are, too.")


@app.command("test")
def try_out(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Start a server anew, and show its tools, or why it cannot be used."""
    printer = Printer(as_json=as_json)
    server = run_once(vault, lambda bridge: bridge.request("servers.test", name=name))
    if as_json:
        printer.json(server)
    else:
        printer.lines(_draw(server, printer.width))
    if server["state"] != "ready":
        raise typer.Exit(FAILURE)


@app.command("trust")
def trust(
    name: Name,
    *,
    no_longer: Annotated[bool, typer.Option("--no-longer", help="Trust it no more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Let agents use a server's tools without a question, as they are now. What changes later is asked about."""
    printer = Printer(as_json=as_json)
    if no_longer:
        done = run_once(vault, lambda bridge: bridge.request("servers.trust", name=name, trusted=False))
        printer.json(done) if as_json else printer.say(f"{name} is not trusted any more: you are asked again.")
        return
    server = run_once(vault, lambda bridge: bridge.request("servers.test", name=name))
    if server["state"] != "ready":
        fail(server["reason"])
    if not as_json:
        printer.lines(_draw(server, printer.width))
    if not yes and not typer.confirm("Trust it with exactly this?", err=True):
        printer.say("It is not trusted.")
        raise typer.Exit(FAILURE)
    digest = server["digest"]
    done = run_once(vault, lambda bridge: bridge.request("servers.trust", name=name, digest=digest))
    if as_json:
        printer.json(done)
    else:
        printer.say(f"{name} is trusted. Tools that say of themselves that they destroy are asked about all the same.")


async def _import(bridge: Connection, *, agent: str, name: str) -> Any:
    return await bridge.request("servers.import", agent=agent, name=name)


async def _find(bridge: Connection, name: str) -> dict[str, Any]:
    listed: list[dict[str, Any]] = (await bridge.request("servers.list"))["servers"]
    found = next((server for server in listed if server["name"] == name), None)
    return found or fail(f"There is no server {name!r}; `vault-bridge servers list` lists those there are.")


def _row(server: dict[str, Any]) -> list[Text]:
    return [
        sanitize(server["name"], style="bold"),
        _reached(server),
        sanitize(server["state"] if server["enabled"] else "switched off"),
        Text("yes" if server["trusted"] else "no"),
        Text(str(len(server["tools"])) if server["tools"] else ""),
        sanitize(server["description"]),
    ]


def _found_row(server: dict[str, Any]) -> list[Text]:
    state = server["fault"] or ("entered already" if server["known"] else "")
    return [sanitize(server["name"], style="bold"), sanitize(server["program"]), _reached(server), sanitize(state)]


def _reached(server: dict[str, Any]) -> Text:
    """The program with its arguments, or the address, in one line."""
    words = [
        line.partition(": ")[2] or line.strip() for line in server["told"] if line.startswith(("pro", "add", "  "))
    ]
    return sanitize(" ".join(words))


def _draw(server: dict[str, Any], width: int) -> Iterator[Text]:
    yield Text.assemble(sanitize(server["name"], style="bold"), f"  {server['state']}")
    if server["reason"]:
        yield from wrap(sanitize(server["reason"]), width, first="  ", rest="  ")
    for line in server["told"]:
        yield from wrap(sanitize(line), width, first="  ", rest="    ")
    if server["change"]:
        yield from _lines("It was not allowed like this before:", server["change"])
    for tool in server["tools"]:
        marks = [word for word, holds in (("reads", tool["readOnly"]), ("destroys", tool["destructive"])) if holds]
        yield Text()
        says = f"  says that it {' and '.join(marks)}" if marks else ""
        yield Text.assemble(sanitize(tool["call"], style="bold"), says)
        yield from wrap(sanitize(" ".join(tool["description"].split())), width, first="  ", rest="  ")
        yield from _lines("It takes:", tool["takes"])
        if (tool["change"] or "").startswith("@@"):
            yield from _lines("It describes itself otherwise than when you allowed it:", tool["change"])
    for fault in server["faults"]:
        yield from wrap(sanitize(fault), width, first="  ", rest="  ")
    if server["log"] and server["state"] != "ready":
        yield Text()
        yield Text("The last lines that it wrote:")
        for line in server["log"][-20:]:
            yield Text.assemble("  ", sanitize(line))


def _lines(heading: str, text: str) -> Iterator[Text]:
    yield Text(f"  {heading}", style="bold")
    for line in text.removesuffix("\n").split("\n"):
        yield Text.assemble("    ", sanitize(line))
