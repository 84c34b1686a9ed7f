"""`vault-bridge tools`, `call` and `preview`: the tools that agents see, called as an agent does."""

import asyncio
import re
import uuid
from collections.abc import Coroutine, Iterator
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments, describe_parameters
from bridge.cli.connection import NAME, tool_arguments
from bridge.cli.diff import draw_changes
from bridge.cli.family import CommandLine, Table, command
from bridge.cli.layout import until_words, wrap
from bridge.cli.options import AsClient, argument, option
from bridge.cli.printer import FAILURE, READABLE, fail, quoted, typed_command
from bridge.cli.sanitize import sanitize, sanitize_lines
from bridge.client import Connection, Result, connect

NOTICE_SECONDS: Final = 0.7
"""After how long a call that a person has to decide on says so."""
WAIT_SECONDS: Final = 86_400.0
"""The longest wait for a decision: a person looks on, so the call takes no ticket."""
LOOK_SECONDS: Final = 60.0
"""The interval at which to look whether somebody can answer by now."""

Whole = Annotated[str | None, option("--arguments", "JSON", "All arguments as one JSON object, or @FILE, or -.")]


@command
def call(
    cli: CommandLine,
    tool: Annotated[str | None, argument("TOOL", "The tool's name.")] = None,
    words: Annotated[list[str] | None, argument("KEY=VALUE", "Its arguments.")] = None,
    *,
    arguments: Whole = None,
    reason: Annotated[str | None, option("TEXT", "Shown to the person who is asked.")] = None,
    call_id: Annotated[str | None, option("ID", "Names the call: a second call with this id is the same call.")] = None,
    wait: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Return a ticket if nobody has decided by then.")
    ] = None,
    client: AsClient = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="The name to show where --client is not given.")] = NAME,
) -> None:
    """Call a tool as an agent does.

    It waits for the answer. The call has to be approved like any agent's.

    Values are read by the type of their parameter: numbers, true and false, and JSON for lists and objects. KEY=@FILE
    takes the text of a file, KEY=- standard input, and KEY=@@text is a text that begins with @.

    Examples:
      vault-bridge call grep pattern=TODO contextLines=0
      vault-bridge call read path=Ideas.md startLine=1 endLine=5
      vault-bridge call apply_patch path=Ideas.md 'patches=[{"startLine":3,"endLine":3,"newContent":"## New"}]'
      vault-bridge call apply_patch patch=@change.diff --reason "fix the heading"
      vault-bridge call apply_patch patch=@change.diff --wait 5    prints a ticket
      vault-bridge call --call-id TICKET                           what became of that call
      vault-bridge call add_tag name=Ideas tag=later --client "Claude Code"
    """
    if tool is None and call_id is None:
        raise BadArguments("Name a tool; `vault-bridge tools` lists them. Or use --call-id to fetch an earlier call.")
    soon = wait is not None  # who takes a ticket need not wait for it where nobody is there

    async def make(bridge: Connection) -> Result:
        if tool is None:
            return await bridge.result(call_id or "", wait, ticket_if_alone=soon)
        parsed = await tool_arguments(bridge, tool, words, arguments)
        if soon or not cli.watched:
            return await bridge.call(tool, parsed, call_id=call_id, wait=wait, reason=reason, ticket_if_alone=soon)
        named = call_id or str(uuid.uuid4())
        making = bridge.call(tool, parsed, call_id=named, wait=WAIT_SECONDS, reason=reason)
        return await watch(bridge, making, cli, withdraw=named if call_id is None else None)

    async def run() -> tuple[Result, bool]:
        async with connect(cli.folder, name=name, role="agent", client=client, brief=True) as bridge:
            result = await make(bridge)
            return result, result.pending and not (await bridge.request("session.info"))["hostConnected"]

    result, alone = asyncio.run(run())
    if result.pending:
        _show_ticket(cli, result, client, alone=alone)
        raise typer.Exit(FAILURE)
    cli.result(result)


@command
def preview(
    cli: CommandLine,
    tool: Annotated[str, argument("TOOL", "The tool's name.")],
    words: Annotated[list[str] | None, argument("KEY=VALUE", "As for `call`.")] = None,
    *,
    arguments: Whole = None,
    client: AsClient = None,
) -> None:
    """Show what a call would do.

    It shows the diff of every file. Nothing is written. Nobody is asked, unless it is done as a client that may not
    read the note yet.

    Examples:
      vault-bridge preview apply_patch path=Ideas.md 'patches=[{"startLine":3,"endLine":3,"newContent":"## New"}]'
      vault-bridge preview apply_patch patch=@change.diff
    """

    async def ask(bridge: Connection) -> dict[str, Any]:
        return await bridge.preview(tool, await tool_arguments(bridge, tool, words, arguments))

    answer = cli.ask_with(ask, client=client)
    if cli.as_json:
        cli.json(answer)
    if "plan" not in answer:
        fail(str(answer.get("error") or "The call cannot be previewed"))
    if not cli.as_json:
        cli.lines(_draw_plan(answer["plan"], cli.readable))


async def watch(
    bridge: Connection, call: Coroutine[Any, Any, Result], cli: CommandLine, *, withdraw: str | None = None
) -> Result:
    """Make a call, and show the person who is looking what it waits for, which may be a consent screen yet to come.

    Args:
        bridge: Where it is made.
        call: The call.
        cli: Where it is said.
        withdraw: The call's id, where nobody else knows it: it is withdrawn when the person leaves.
    """
    calling = asyncio.create_task(call)
    try:
        await asyncio.wait([calling], timeout=NOTICE_SECONDS)
        while not calling.done():
            info = await bridge.request("session.info")
            with cli.waiting(_who_decides(connected=info["hostConnected"])):
                await asyncio.wait([calling], timeout=LOOK_SECONDS)
        return await calling
    except asyncio.CancelledError:
        calling.cancel()
        if withdraw is not None:
            await bridge.request("tools.cancel", callId=withdraw)
        raise


def _who_decides(*, connected: bool) -> str:
    if connected:
        return "Waiting for consent: answer in Obsidian or in `vault-bridge approve`"
    return "Waiting for consent, but nobody can be asked yet: open Obsidian, or run `vault-bridge approve` elsewhere"


def _show_ticket(cli: CommandLine, result: Result, client: str | None, *, alone: bool) -> None:
    if cli.as_json:
        cli.json(result.raw)
        return
    until = result.raw.get("expiresAt")
    stays = "stays open" if until is None else f"stays open until {until_words(until)}"
    if alone:
        cli.say("Nobody is there to be asked: neither Obsidian with the plugin nor `vault-bridge approve` is open.")
    cli.say(f"Nobody has decided yet; the question {stays}, and the call goes on.")
    caller = f" --client {quoted(client)}" if client else ""
    cli.say(f"Fetch the result with: {typed_command(f'call --call-id {result.call_id}{caller}', cli.folder)}")


def _draw_plan(plan: dict[str, Any], width: int) -> Iterator[Text]:
    yield from wrap(sanitize(plan["summary"], style="bold"), width)
    for warning in plan.get("warnings", ()):
        yield from wrap(Text.assemble(("Warning ", "bold"), sanitize(warning)), width, rest="  ")
    if plan.get("request") is not None:
        yield from sanitize_lines(plan["request"])
    yield from draw_changes(plan.get("files", ()), width)


_RISK_STYLE = {"safe": "green", "low": "blue", "medium": "yellow", "high": "red"}
ToolFormat = Literal["bridge", "ollama", "openai", "mcp", "text"]


@command
def tools(
    cli: CommandLine,
    name: Annotated[str | None, argument("[TOOL]", "One tool.")] = None,
    form: Annotated[
        ToolFormat, typer.Option("--format", help="Print the descriptions in the format of that kind of caller.")
    ] = "bridge",
    client: AsClient = None,
) -> None:
    """List the tools that agents see.

    With a name, show that tool and its parameters.

    Examples:
      vault-bridge tools
      vault-bridge tools grep
      vault-bridge tools --format openai > functions.json
      vault-bridge settings preset vault      enable all tools for files and notes
    """

    async def ask(bridge: Connection) -> tuple[list[dict[str, Any]], Any]:
        ours = await bridge.request("tools.list")
        return ours, ours if form == "bridge" else await bridge.request("tools.list", format=form)

    ours, listed = cli.ask_with(ask, client=client)
    if name is not None:
        names = [tool["name"] for tool in ours]
        if name not in names:
            how = "`vault-bridge tools` lists those that are, `vault-bridge settings enable NAME` adds one."
            fail(f"No tool {name!r} is enabled here: {how}")
        described = _one_by_one(listed, names)[names.index(name)]
        listed = described if form in {"bridge", "text"} else [described]
    if form == "text" and not cli.as_json:
        cli.text(listed)
    elif form != "bridge" or cli.as_json:
        cli.json(listed)
    elif name is None:
        _TOOLS.print(cli, listed)
    else:
        cli.lines(_describe(listed, cli.readable))


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


_TOOLS: Final = Table(
    (
        ("Tool", "name", "bold"),
        ("Risk", lambda tool: sanitize(tool["risk"], style=_RISK_STYLE.get(tool["risk"], ""))),
        ("Asks", _asks),
        ("What it does", lambda tool: tool["description"].partition(". ")[0].rstrip(".")),
    ),
    widest=READABLE,
)


def _describe(tool: dict[str, Any], width: int) -> Iterator[Text]:
    yield Text.assemble(sanitize(tool["title"], style="bold"), " (", sanitize(tool["risk"]), " risk)")
    yield from wrap(sanitize(tool["description"]), width, first="  ")
    yield Text(f"Asks: {_asks(tool)}")
    yield Text("Parameters:")
    for text in describe_parameters(tool["parameters"]):
        yield from wrap(Text(text), width, first="  ", rest="      ")
