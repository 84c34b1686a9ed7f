"""`vault-bridge custom`: tools of one's own, written, tried, switched on and off, and taken away."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments, parse_arguments
from bridge.cli.connection import run_idempotent, run_once
from bridge.cli.editor import NotEdited
from bridge.cli.editor import edit as open_editor
from bridge.cli.exit_codes import FAILURE, fail
from bridge.cli.layout import draw_table, wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.cli.text_files import parse_json, text_of
from bridge.client import Connection

HELP = """Write tools of your own, which agents may call.

A tool is a piece of JavaScript or Python. It runs in a sandbox without your files and the network, and reaches your
notes only through the bridge. You are asked every time before one runs. They are stored in tools.json in your
configuration folder, for all your vaults.

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

app = typer.Typer(help=HELP, add_completion=False, no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `vault-bridge custom list` shows it.")]
Environment = Annotated[
    str | None, typer.Option("--environment", metavar="NAME", help="node (the default), browser or python.")
]
Parameters = Annotated[
    str | None, typer.Option("--parameters", metavar="FILE", help="A JSON Schema of its parameters, or - to read one.")
]
Timeout = Annotated[int | None, typer.Option("--timeout", metavar="MS", help="Milliseconds that a run may take.")]
Returns = Annotated[str | None, typer.Option("--returns", metavar="TEXT", help="What it returns, in words.")]
Description = Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What it does; agents read it.")]
_OFF: Final = "Tools of your own are not allowed yet. `vault-bridge settings set allowCustomTools=true` allows them."
_NOTHING: Final = {"type": "object", "properties": {}}
_COLOURS: Final = {"browser": "blue", "node": "magenta", "python": "yellow"}
_FILES: Final = {"browser": "tool.js", "node": "tool.js", "python": "tool.py"}


@app.command("list")
def list_tools(vault: Vault = None, as_json: AsJson = False) -> None:
    """List your tools, and where tools can run."""
    printer = Printer(as_json=as_json)
    listed = run_idempotent(vault, lambda bridge: bridge.request("custom.list"))
    if as_json:
        printer.json(listed)
        return
    if listed["fault"] is not None:
        fail(f"{listed['fault']}. It is {listed['file']}")
    if listed["tools"]:
        headings = ("Name", "Environment", "", "Time-out", "Created", "For")
        printer.lines(draw_table(headings, [_row(tool) for tool in listed["tools"]], printer.width))
    else:
        printer.say("There is none. `vault-bridge custom add` stores one.")
    printer.lines(_environments(listed, printer.width))
    if not listed["allowed"]:
        printer.say(_OFF)


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What agents call it by.")],
    code: Annotated[str, typer.Argument(metavar="FILE", help="Its code; - reads it from standard input.")],
    *,
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it does; agents read it.")],
    parameters: Parameters = None,
    environment: Environment = None,
    timeout: Timeout = None,
    returns: Returns = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Store it switched off.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Store a tool. Its code is read and not run."""
    given = _given(code, parameters, environment=environment, timeout=timeout, returns=returns)
    given = {"parameters": _NOTHING, "description": description, "enabled": not disabled} | given
    saved = run_once(vault, lambda bridge: bridge.request("custom.add", name=name, **given))
    _say_saved(saved, f"{name} is stored. `vault-bridge custom test {name}` tries it.", Printer(as_json=as_json))


@app.command("update")
def update(
    name: Name,
    code: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="Its new code; - reads it from standard input.")
    ] = None,
    *,
    description: Description = None,
    parameters: Parameters = None,
    environment: Environment = None,
    timeout: Timeout = None,
    returns: Returns = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Change what is given of a tool, and nothing else. You are shown the difference before it runs again."""
    given = _given(code, parameters, environment=environment, timeout=timeout, returns=returns, description=description)
    saved = run_once(vault, lambda bridge: bridge.request("custom.update", name=name, **given))
    _say_saved(saved, f"{name} is changed.", Printer(as_json=as_json))


@app.command("edit")
def edit(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Change a tool's code in your editor.

    The variable `VISUAL` or `EDITOR` names it.
    """
    printer = Printer(as_json=as_json)
    tool = run_idempotent(vault, lambda bridge: _find(bridge, name))
    try:
        code = open_editor(tool["code"], _FILES.get(tool["environment"], "tool.txt"))
    except NotEdited as failure:
        fail(str(failure))
    if code == tool["code"]:
        printer.say("Nothing was changed.")
        return
    saved = run_once(vault, lambda bridge: bridge.request("custom.update", name=name, code=code))
    _say_saved(saved, f"{name} is changed.", printer)


@app.command("enable")
def enable(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Let agents call a tool. You are asked every time all the same."""
    saved = run_once(vault, lambda bridge: bridge.request("custom.update", name=name, enabled=True))
    _say_saved(saved, f"{name} is switched on.", Printer(as_json=as_json))


@app.command("disable")
def disable(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Keep agents from a tool. You can try it all the same."""
    saved = run_once(vault, lambda bridge: bridge.request("custom.update", name=name, enabled=False))
    _say_saved(saved, f"{name} is switched off.", Printer(as_json=as_json))


@app.command("remove")
def remove(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Take a tool away.

    What it keeps goes with it, and what you have allowed of it.
    """
    printer = Printer(as_json=as_json)
    left = run_once(vault, lambda bridge: bridge.request("custom.remove", name=name))
    if as_json:
        printer.json(left)
    else:
        printer.say(f"{name} is gone.")


@app.command("test")
def try_out(
    name: Name,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE...]", help="Its parameters, as for `vault-bridge call`.")
    ] = None,
    *,
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON", help="All of them as one object, or @FILE, or -.")
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Run a tool once.

    Switched off or not; you see what it returns, what it prints and how long it took.
    """
    printer = Printer(as_json=as_json)

    async def run(bridge: Connection) -> Any:
        tool = await _find(bridge, name)
        given = parse_arguments(words or [], tool["parameters"], arguments)
        return await bridge.request("custom.test", name=name, parameters=given)

    result = run_once(vault, run)
    if as_json:
        printer.json(result)
    else:
        printer.lines(_draw_result(result, printer.width))
    if not result["success"]:
        raise typer.Exit(FAILURE)


def _given(code: str | None, parameters: str | None, **members: Any) -> dict[str, Any]:
    """What was given of a tool, as the bridge takes it."""
    if code == parameters == "-":
        raise BadArguments("Standard input cannot be both, the code and the parameters")
    given = {key: value for key, value in members.items() if value is not None}
    if code is not None:
        given["code"] = text_of(code)
    if parameters is not None:
        given["parameters"] = parse_json(text_of(parameters))
    return given


def _say_saved(saved: dict[str, Any], sentence: str, printer: Printer) -> None:
    if printer.as_json:
        printer.json(saved)
        return
    printer.say(sentence)
    if saved["unchecked"] is not None:
        printer.say(saved["unchecked"])


async def _find(bridge: Connection, name: str) -> dict[str, Any]:
    listed: dict[str, Any] = await bridge.request("custom.list")
    if listed["fault"] is not None:
        fail(f"{listed['fault']}. It is {listed['file']}")
    found: dict[str, Any] | None = next((tool for tool in listed["tools"] if tool["name"] == name), None)
    return found or fail(f"There is no tool {name!r}; `vault-bridge custom list` lists those there are.")


def _row(tool: dict[str, Any]) -> list[Text]:
    return [
        sanitize(tool["name"], style="bold"),
        sanitize(tool["environment"], style=_COLOURS.get(tool["environment"], "")),
        Text("on", style="green") if tool["enabled"] else Text("off", style="bright_black"),
        Text(f"{tool['timeout']} ms"),
        sanitize(tool["createdAt"][:10]),
        sanitize(" ".join(tool["description"].split())),
    ]


def _environments(listed: dict[str, Any], width: int) -> Iterator[Text]:
    yield Text()
    for each in listed["environments"]:
        state = "" if each["available"] else "not here. "
        yield from wrap(sanitize(f"{each['environment']}: {state}{each['sentence']}"), width, first="", rest="  ")


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
