"""`vault-bridge templates`: chains of calls that the person keeps under a name."""

import asyncio
import json
import sys
import uuid
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments, coerce, parse_arguments
from bridge.cli.call import WAIT_SECONDS, watch
from bridge.cli.connection import NAME
from bridge.cli.consent_prompt import asking_here, attended_keyboard
from bridge.cli.family import CommandLine, Family, Table, Thing
from bridge.cli.layout import wrap
from bridge.cli.options import argument, option
from bridge.cli.printer import fail
from bridge.cli.sanitize import sanitize, sanitize_plain
from bridge.cli.text_files import edit, parse_json, text_of
from bridge.client import ProtocolFailure, Result, connect

HELP = """Keep work that comes again under a name, and run it.

A template is a chain of calls with parameters. It runs as one change, which is shown before it is made.

\b
Examples:
  vault-bridge templates list
  vault-bridge templates run archive-project 'project=Balcony garden'
  vault-bridge templates show weekly-review --json > mine.json     and after changing it:
  vault-bridge templates add mine.json
"""

_SCHEMAS: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "date": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}},
}


TemplateName = Annotated[str, argument("NAME", "As `vault-bridge templates list` shows it.")]
app: Final = Family(
    "templates",
    HELP,
    name=TemplateName,
    thing="template",
    inside="template",
    table=Table(
        (
            ("Name", lambda info: info["template"]["name"], "bold"),
            ("Title", lambda info: info["template"]["title"]),
            ("", lambda info: "came along" if info["shipped"] else "yours"),
            ("Asks for", lambda info: ", ".join(one["name"] for one in info["template"]["parameters"])),
        )
    ),
)


def _draw(template: dict[str, Any], width: int) -> Iterator[Text]:
    """Yield what a template is for, what it asks for, and its calls in order."""
    head = Text.assemble(sanitize(template["name"], style="bold"), ": ", sanitize(template["title"]))
    yield from wrap(head, width)
    if template["description"]:
        yield from wrap(sanitize(template["description"]), width)
    for parameter in template["parameters"]:
        need = "optional" if parameter["optional"] or parameter["default"] is not None else "required"
        default = "" if parameter["default"] is None else f", default {json.dumps(parameter['default'])}"
        choices = f", one of {', '.join(parameter['choices'])}" if parameter["choices"] else ""
        said = parameter["description"] or parameter["title"]
        about = sanitize(f" ({parameter['type']}, {need}{default}{choices})" + (f"  {said}" if said else ""))
        line = Text.assemble(sanitize(parameter["name"], style="cyan"), about)
        yield from wrap(line, width, first="  ", rest="    ")
    yield Text()
    for number, call in enumerate(template["calls"], 1):
        each = f" for each of {json.dumps(call['each'], ensure_ascii=False)}" if call["each"] else ""
        yield from wrap(Text.assemble(f"{number}. ", sanitize(f"{call['name']}: {call['tool']}{each}")), width)
        arguments = json.dumps(call["arguments"], ensure_ascii=False)
        yield from wrap(sanitize(arguments), width, first="     ")


app.list_all("List the templates, yours and those that came along.")
app.show("Show what a template asks for, and which calls it makes.", _draw)


@app.add("run")
def run(
    cli: CommandLine,
    name: TemplateName,
    words: Annotated[list[str] | None, argument("KEY=VALUE", "What it asks for.")] = None,
) -> None:
    """Run a template as one change, which you are asked about before it is made: here, if this is a terminal."""

    async def work() -> Result:
        async with connect(cli.folder, name=NAME, role="host") as bridge:
            values = _values(app.find_in(await bridge.request("templates.list"), name), words or [], cli)
            call_id = str(uuid.uuid4())
            params = {"name": name, "values": values, "callId": call_id, "wait": WAIT_SECONDS}

            async def make() -> Result:
                return Result(await bridge.request("templates.run", **params))

            keyboard = attended_keyboard(cli)
            if keyboard is None:
                return await watch(bridge, make(), cli, withdraw=call_id) if cli.watched else await make()
            running = asyncio.ensure_future(make())
            async with asking_here(cli, keyboard, running.cancel):
                try:
                    return await running
                except asyncio.CancelledError:
                    await bridge.request("tools.cancel", callId=call_id)
                    raise

    try:
        result = asyncio.run(work())
    except asyncio.CancelledError:
        fail("You left the question, so nothing was changed.")
    cli.result(result)


@app.add("add")
def add(
    cli: CommandLine,
    file: Annotated[str, argument("FILE", "A JSON file, or - for standard input.")],
    replace: Annotated[bool, option("--replace", "Overwrite one of yours with the same name.")] = False,
) -> None:
    """Keep a template from a file."""
    _say_kept(cli.tell("templates.save", template=parse_json(text_of(file)), replace=replace), cli)


@app.add("edit")
def edit_template(cli: CommandLine, name: TemplateName) -> None:
    """Open a template in your editor. One that came along becomes one of yours."""
    before = json.dumps(app.find(cli, name), indent=2, ensure_ascii=False) + "\n"
    text = before
    while True:
        text = edit(text, f"{name}.json")
        if text == before:
            cli.say("Nothing was changed.")
            return
        try:
            template = parse_json(text)
            replace = isinstance(template, dict) and template.get("name") == name
            kept = cli.tell("templates.save", template=template, replace=replace)
        except (BadArguments, ProtocolFailure) as error:
            cli.say(sanitize_plain(getattr(error, "hint", None) or str(error)))
            if not typer.confirm("Edit it again?", default=True, err=True):
                fail("Nothing was changed.")
        else:
            _say_kept(kept, cli)
            return


app.change(
    "remove",
    "Remove one of yours.",
    "templates.remove",
    lambda removed: (
        f"{removed['name']} is removed." + (" The one that came along is there again." if removed["restored"] else "")
    ),
    question="Remove the template {name}?",
)


def _values(template: dict[str, Any], words: Sequence[str], cli: CommandLine) -> dict[str, Any]:
    """Return the values of a template's parameters; what is missing is asked for, where somebody sits there."""
    parameters = template["parameters"]
    properties = {
        one["name"]: _SCHEMAS[one["type"]] | {"description": one["description"] or one["title"]} for one in parameters
    }
    values = parse_arguments(words, {"properties": properties, "additionalProperties": False})
    needed = [one for one in parameters if one["default"] is None and not one["optional"]]
    missing = [one for one in needed if one["name"] not in values]
    if missing and not (cli.watched and sys.stdin.isatty()):
        raise BadArguments(
            f"Missing: {', '.join(parameter['name'] for parameter in missing)}. "
            f"`vault-bridge templates show {template['name']}` says what it asks for."
        )
    for parameter in missing:
        name = parameter["name"]
        said = typer.prompt(sanitize_plain(parameter["title"] or name), err=True)
        values[name] = coerce(name, said, properties[name])
    return values


def _say_kept(kept: Thing, cli: CommandLine) -> None:
    name = kept["template"]["name"]
    cli.answer(kept, f"{name} is kept. Run it with: vault-bridge templates run {name}")
