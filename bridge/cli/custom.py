"""`vault-bridge custom`: tools of one's own, written, tried, switched on and off, and taken away."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments, parse_arguments
from bridge.cli.family import CommandLine, Family, Table
from bridge.cli.layout import wrap
from bridge.cli.options import argument, option
from bridge.cli.printer import FAILURE
from bridge.cli.sanitize import sanitize
from bridge.cli.text_files import edit as open_editor
from bridge.cli.text_files import parse_json, text_of
from bridge.client import Connection
from bridge.client.connection import given_of

HELP = """Write tools of your own, which agents may call.

A tool is a piece of JavaScript or Python. Where a sandbox works, it runs in it, without your files and the network,
and reaches your notes only through the bridge. You are asked every time before one runs for an agent. They are stored
in tools.json in your configuration folder, for all your vaults.

\b
Examples:
  vault-bridge settings set allowCustomTools=true
  vault-bridge custom add words words.py --description "Count words" --parameters words.json --environment python
  vault-bridge custom test words path=Ideas.md
  vault-bridge custom edit words                       its code, in your editor
  vault-bridge custom update words --timeout 5000
  vault-bridge custom disable words
  vault-bridge custom remove words
"""

Environment = Annotated[str | None, option("--environment", "NAME", "node (the default), browser or python.")]
Parameters = Annotated[str | None, option("--parameters", "FILE", "A JSON Schema of its parameters, or - to read one.")]
Timeout = Annotated[int | None, option("--timeout", "MS", "Milliseconds that a run may take.")]
Returns = Annotated[str | None, option("--returns", "TEXT", "What it returns, in words.")]
Description = Annotated[str | None, option("--description", "TEXT", "What it does; agents read it.")]
_OFF: Final = "Tools of your own are not allowed yet. `vault-bridge settings set allowCustomTools=true` allows them."
_NOTHING: Final = {"type": "object", "properties": {}}
_COLOURS: Final = {"browser": "blue", "node": "magenta", "python": "yellow"}
_FILES: Final = {"browser": "tool.js", "node": "tool.js", "python": "tool.py"}

Name = Annotated[str, argument("NAME", "As `vault-bridge custom list` shows it.")]
app: Final = Family(
    "custom",
    HELP,
    name=Name,
    thing="tool",
    member="tools",
    table=Table(
        (
            ("Name", "name", "bold"),
            ("Environment", lambda tool: sanitize(tool["environment"], style=_COLOURS.get(tool["environment"], ""))),
            ("", lambda tool: Text("on", "green") if tool["enabled"] else Text("off", "bright_black")),
            ("Time-out", lambda tool: f"{tool['timeout']} ms"),
            ("Created", lambda tool: tool["createdAt"][:10]),
            ("For", lambda tool: " ".join(tool["description"].split())),
        ),
        "There is none. `vault-bridge custom add` stores one.",
    ),
)


def _environments(cli: CommandLine, listed: dict[str, Any]) -> None:
    """Say where tools can run, and whether they may."""
    lines = [Text()]
    for each in listed["environments"]:
        state = "" if each["available"] else "not here. "
        lines += wrap(sanitize(f"{each['environment']}: {state}{each['sentence']}"), cli.width, rest="  ")
    cli.lines(lines)
    if not listed["allowed"]:
        cli.say(_OFF)


app.list_all("List your tools, and where tools can run.", after=_environments)


@app.add("add")
def add(
    cli: CommandLine,
    name: Annotated[str, argument("NAME", "What agents call it by.")],
    code: Annotated[str, argument("FILE", "Its code; - reads it from standard input.")],
    *,
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it does; agents read it.")],
    parameters: Parameters = None,
    environment: Environment = None,
    timeout: Timeout = None,
    returns: Returns = None,
    disabled: Annotated[bool, option("--disabled", "Store it switched off.")] = False,
) -> None:
    """Store a tool. Its code is read and not run."""
    given = _given(code, parameters, environment=environment, timeout=timeout, returns=returns)
    given = {"parameters": _NOTHING, "description": description, "enabled": not disabled} | given
    saved = cli.tell("custom.add", name=name, **given)
    cli.answer(saved, _saved(saved, f"{name} is stored. `vault-bridge custom test {name}` tries it."))


@app.add("update")
def update(
    cli: CommandLine,
    name: Name,
    code: Annotated[str | None, argument("[FILE]", "Its new code; - reads it from standard input.")] = None,
    *,
    description: Description = None,
    parameters: Parameters = None,
    environment: Environment = None,
    timeout: Timeout = None,
    returns: Returns = None,
) -> None:
    """Change what is given of a tool, and nothing else. You are shown the difference before it runs again."""
    given = _given(code, parameters, environment=environment, timeout=timeout, returns=returns, description=description)
    saved = cli.tell("custom.update", name=name, **given)
    cli.answer(saved, _saved(saved, f"{name} is changed."))


@app.add("edit")
def edit(cli: CommandLine, name: Name) -> None:
    """Change a tool's code in your editor.

    The variable `VISUAL` or `EDITOR` names it.
    """
    tool = app.find(cli, name)
    code = open_editor(tool["code"], _FILES.get(tool["environment"], "tool.txt"))
    if code == tool["code"]:
        cli.say("Nothing was changed.")
    else:
        saved = cli.tell("custom.update", name=name, code=code)
        cli.answer(saved, _saved(saved, f"{name} is changed."))


def _switched(saved: dict[str, Any]) -> str:
    tool = saved["tool"]
    return _saved(saved, f"{tool['name']} is switched {'on' if tool['enabled'] else 'off'}.")


_ENABLE: Final = "Let agents call a tool. You are asked every time all the same."
app.change("enable", _ENABLE, "custom.update", _switched, members={"enabled": True})
_DISABLE: Final = "Keep agents from a tool. You can try it all the same."
app.change("disable", _DISABLE, "custom.update", _switched, members={"enabled": False})
_REMOVE: Final = "Take a tool away.\n\nWhat it keeps goes with it, and what you have allowed of it."
app.change("remove", _REMOVE, "custom.remove", "{name} is gone.")


@app.add("test")
def try_out(
    cli: CommandLine,
    name: Name,
    words: Annotated[
        list[str] | None, argument("[KEY=VALUE...]", "Its parameters, as for `vault-bridge call`.")
    ] = None,
    *,
    arguments: Annotated[
        str | None, option("--arguments", "JSON", "All of them as one object, or @FILE, or -.")
    ] = None,
) -> None:
    """Run a tool once.

    Switched off or not; you see what it returns, what it prints and how long it took.
    """

    async def run(bridge: Connection) -> Any:
        tool = app.find_in(await bridge.request("custom.list"), name)
        given = parse_arguments(words or [], tool["parameters"], arguments)
        return await bridge.request("custom.test", name=name, parameters=given)

    result = cli.tell_with(run)
    cli.answer(result, _draw_result(result, cli.width))
    if not result["success"]:
        raise typer.Exit(FAILURE)


def _given(code: str | None, parameters: str | None, **members: Any) -> dict[str, Any]:
    """Return what was given of a tool, as the bridge takes it."""
    if code == parameters == "-":
        raise BadArguments("Standard input cannot be both, the code and the parameters")
    text = None if code is None else text_of(code)
    schema = None if parameters is None else parse_json(text_of(parameters))
    return given_of(**members, code=text, parameters=schema)


def _saved(saved: dict[str, Any], sentence: str) -> str:
    """Return a sentence, and what could not be checked of the tool."""
    return sentence if saved["unchecked"] is None else f"{sentence}\n{saved['unchecked']}"


def _draw_result(result: dict[str, Any], width: int) -> Iterator[Text]:
    if result["success"]:
        said = json.dumps(result["result"], ensure_ascii=False, indent=2)
        yield from (sanitize(line) for line in said.splitlines())
    else:
        yield from wrap(sanitize(result["error"] or "It failed"), width, first="", rest="  ")
    if result["output"]:
        yield Text("It printed:", style="bold")
        yield from (Text.assemble("  ", sanitize(line)) for line in result["output"].splitlines())
    yield Text(f"Execution time: {result['executionTime']:.0f} ms", style="bright_black")
