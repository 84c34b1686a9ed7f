"""`vault-bridge servers`: other MCP servers whose tools agents may use, under the same questions as everything else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.family import CommandLine, Family, Table, Thing
from bridge.cli.layout import wrap
from bridge.cli.options import Yes, argument, option
from bridge.cli.printer import FAILURE, fail
from bridge.cli.sanitize import sanitize
from bridge.client.connection import given_of

HELP = """Let agents use the tools of other MCP servers.

Servers are entered in mcp.json in your configuration folder, for all your vaults. None is started before an agent
loads them with the tool `mcp_loader`, about which you are asked. You are asked about each call too, unless you trust
the server. They are not given the vault; where no sandbox works, nothing else keeps them from it.

\b
Examples:
  vault-bridge servers add files npx -- -y some-server /home/ada/Papers
  vault-bridge servers add notes --url https://notes.example/mcp
  vault-bridge servers import                          those that other programs have
  vault-bridge servers list
  vault-bridge servers test files                      start it, and show its tools
  vault-bridge servers trust files                     its tools are asked about less
  vault-bridge servers remove files
"""

_OFF: Final = "Other servers are not allowed yet. `vault-bridge settings set allowMcpServers=true` allows them."


def _reached(server: Thing) -> str:
    """Return the program with its arguments, or the address, in one line."""
    told = (line for line in server["told"] if line.startswith(("pro", "add", "  ")))
    return " ".join(line.partition(": ")[2] or line.strip() for line in told)


Name = Annotated[str, argument("NAME", "As `vault-bridge servers list` shows it.")]
app: Final = Family(
    "servers",
    HELP,
    name=Name,
    thing="server",
    member="servers",
    table=Table(
        (
            ("Name", "name", "bold"),
            ("Starts or reaches", _reached),
            ("State", lambda server: server["state"] if server["enabled"] else "switched off"),
            ("Trusted", lambda server: "yes" if server["trusted"] else "no"),
            ("Tools", lambda server: len(server["tools"])),
            ("For", "description"),
        ),
        "No server is entered. Add one with `vault-bridge servers add`, or `vault-bridge servers import`.",
    ),
)
_FOUND: Final = Table(
    (
        ("Name", "name", "bold"),
        ("In", "program"),
        ("Starts or reaches", _reached),
        ("", lambda server: server["fault"] or ("entered already" if server["known"] else "")),
    ),
    "No program on this computer has a server that can be taken over.",
)


def _draw(server: Thing, width: int) -> Iterator[Text]:
    yield Text.assemble(sanitize(server["name"], style="bold"), f"  {server['state']}")
    if server["reason"]:
        yield from wrap(sanitize(server["reason"]), width, first="  ")
    for line in server["told"]:
        yield from wrap(sanitize(line), width, first="  ", rest="    ")
    if server["change"]:
        yield from _lines("It was not allowed like this before:", server["change"])
    for tool in server["tools"]:
        marks = [word for word, holds in (("reads", tool["readOnly"]), ("destroys", tool["destructive"])) if holds]
        yield Text()
        says = f"  says that it {' and '.join(marks)}" if marks else ""
        yield Text.assemble(sanitize(tool["call"], style="bold"), says)
        yield from wrap(sanitize(" ".join(tool["description"].split())), width, first="  ")
        yield from _lines("It takes:", tool["takes"])
        if (tool["change"] or "").startswith("@@"):
            yield from _lines("It describes itself otherwise than when you allowed it:", tool["change"])
    for fault in server["faults"]:
        yield from wrap(sanitize(fault), width, first="  ")
    if server["log"] and server["state"] != "ready":
        yield Text()
        yield Text("The last lines that it wrote:")
        for line in server["log"][-20:]:
            yield Text.assemble("  ", sanitize(line))


def _lines(heading: str, text: str) -> Iterator[Text]:
    yield Text(f"  {heading}", style="bold")
    for line in text.removesuffix("\n").split("\n"):
        yield Text.assemble("    ", sanitize(line))


app.list_all(
    "List the servers, and how each stands.", after=lambda cli, listed: None if listed["allowed"] else cli.say(_OFF)
)
app.show(
    "Show what is known of a server: how it is started, its tools, what has changed since you allowed it, its log.",
    _draw,
)


@app.add("add")
def add(
    cli: CommandLine,
    name: Annotated[str, argument("NAME", "What you call it.")],
    command: Annotated[list[str] | None, argument("PROGRAM [-- ARGUMENT...]", "What is started.")] = None,
    *,
    url: Annotated[str | None, option("--url", "Its address, instead of a program.")] = None,
    env: Annotated[list[str] | None, option("--env", "NAME", "A variable that is asked for; may be repeated.")] = None,
    header: Annotated[
        list[str] | None, option("--header", "NAME", "A header that is asked for; may be repeated.")
    ] = None,
    folder: Annotated[
        list[Path] | None, option("--folder", "A folder that it may read and write; may be repeated.")
    ] = None,
    no_network: Annotated[bool, option("--no-network", "Keep the program from the network.")] = False,
    description: Annotated[str, typer.Option("--description", help="What it is for; agents read it.")] = "",
    replace: Annotated[bool, option("--replace", "Replace the server of this name.")] = False,
) -> None:
    """Enter a server. It is not started, and not trusted. Values of variables and headers are asked for, hidden."""
    entry: dict[str, Any] = {"description": description} if description else {}
    if command:
        entry |= {"command": command[0], "args": command[1:]}
    folders = [str(each.expanduser().absolute()) for each in folder or ()]
    entry |= given_of(url=url, folders=folders or None, network=False if no_network else None)
    for key, names in (("env", env), ("headers", header)):
        if names:
            entry[key] = {each: typer.prompt(each, hide_input=True, err=True) for each in names}
    server = cli.tell("servers.add", name=name, entry=entry, replace=replace)
    cli.answer(server, f"{name} is entered. `vault-bridge servers test {name}` starts it and shows its tools.")


@app.add("import")
def take_over(
    cli: CommandLine,
    names: Annotated[list[str] | None, argument("[NAME...]", "Which; without any, they are listed.")] = None,
) -> None:
    """Take over servers from the configurations of other programs, such as Claude Desktop. They stay there, too."""
    found = cli.ask("servers.found")
    if not names:
        _FOUND.print(cli, found)
        if found and not cli.as_json:
            cli.say("`vault-bridge servers import NAME` takes one over.")
        return
    for name in names:
        one = next((server for server in found if server["name"] == name), None)
        if one is None:
            fail(f"No program has a server {name!r}; `vault-bridge servers import` lists those that exist.")
        if one["fault"] is not None:
            fail(one["fault"])
        cli.tell("servers.import", agent=one["agent"], name=name)
        cli.say(f"{name} is entered, as {one['program']} has it. It is not trusted.")


app.change("remove", "Remove a server, and stop it.", "servers.remove", "{name} is gone. Its tools are, too.")


@app.add("test")
def try_out(cli: CommandLine, name: Name) -> None:
    """Restart a server, and show its tools, or why it cannot be used."""
    server = cli.tell("servers.test", name=name)
    cli.answer(server, _draw(server, cli.width))
    if server["state"] != "ready":
        raise typer.Exit(FAILURE)


@app.add("trust")
def trust(
    cli: CommandLine,
    name: Name,
    *,
    no_longer: Annotated[bool, option("--no-longer", "Stop trusting it.")] = False,
    yes: Yes = False,
) -> None:
    """Ask less about a server's tools, as they are now: not about those that send nothing and destroy nothing."""
    if no_longer:
        done = cli.tell("servers.trust", name=name, trusted=False)
        cli.answer(done, f"{name} is not trusted any more: you are asked again.")
        return
    server = cli.tell("servers.test", name=name)
    if server["state"] != "ready":
        fail(server["reason"])
    if not cli.as_json:
        cli.lines(_draw(server, cli.width))
    cli.confirm_or_end("Trust it with exactly this?", "It is not trusted.", sure=yes)
    done = cli.tell("servers.trust", name=name, digest=server["digest"])
    said = f"{name} is trusted. Tools that say of themselves that they destroy are asked about all the same."
    cli.answer(done, said)
