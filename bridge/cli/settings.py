"""`vault-bridge settings`: shows and changes the settings of a vault.

The completions of the shell are here too: settings, their values, sections and tools. They ask no bridge: they must be
quick.
"""

import difflib
import json
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments, coerce, json_types
from bridge.cli.family import CommandLine, Group
from bridge.cli.layout import fold
from bridge.cli.options import argument
from bridge.cli.printer import BAD_USAGE, fail
from bridge.cli.sanitize import sanitize, sanitize_json
from bridge.cli.serve import Preset
from bridge.client import Connection
from bridge.settings.model import SECTIONS, schema

BY_TOOL = ("consentMode", "rateLimits")
"""Settings that have a member for each tool."""


def complete_key(incomplete: str) -> list[str]:
    """Return names of settings, and those of their members once a dot is there."""
    whole, dot, _ = incomplete.partition(".")
    names = [f"{whole}.{tool}" for tool in _tools()] if dot and whole in BY_TOOL else list(_described())
    return _beginning(names, incomplete)


def complete_assignment(incomplete: str) -> list[str]:
    """Return a setting with the values it may have, where these can be listed."""
    key, equals, _ = incomplete.partition("=")
    if equals:
        return _beginning([f"{key}={value}" for value in _values(key)], incomplete)
    return [f"{name}{'.' if name in BY_TOOL else '='}" for name in complete_key(incomplete)]


def complete_section(incomplete: str) -> list[str]:
    """Return names of sections."""
    return _beginning(list(SECTIONS), incomplete)


def complete_tool(incomplete: str) -> list[str]:
    """Return names of tools."""
    return _beginning(["*", *_tools()], incomplete)


def _tools() -> list[str]:
    from bridge.tools import specs  # noqa: PLC0415 - only where a tool is to be completed

    return [spec.name for spec in specs() if spec.listed]


def _described() -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = schema(offered=True)["properties"]
    return {key: about for key, about in properties.items() if not about.get("readOnly")}


def _values(key: str) -> list[str]:
    """Return what a setting may be."""
    whole, dot, _ = key.partition(".")
    about = _described().get(whole, {})
    if dot:
        about = about.get("additionalProperties", {})
    usual = {"boolean": ["true", "false"], "null": ["null"]}
    kinds = [about, *about.get("anyOf", [])]
    return [str(value) for kind in kinds for value in (*kind.get("enum", []), *usual.get(kind.get("type", ""), []))]


def _beginning(names: list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


HELP = """Show and change the settings of the vault.

They take effect at once, also in a running bridge.

\b
Examples:
  vault-bridge settings get
  vault-bridge settings get consentMode
  vault-bridge settings set consentTimeout=600 developerMode=true
  vault-bridge settings set consentMode.apply_patch=never_allow
  vault-bridge settings preset vault           enable the tools for files and notes
  vault-bridge settings enable apply_patch     enable one more
  vault-bridge settings reset performance      one section back to its defaults
"""

ALL_TOOLS = "*"
"""In `enabledTools`: every tool there is."""

app = Group(HELP)

Key = Annotated[
    str | None,
    typer.Argument(
        metavar="[KEY]", show_default=False, help="One setting, such as consentMode.grep.", autocompletion=complete_key
    ),
]
Tools = Annotated[list[str], typer.Argument(metavar="TOOL", help="Names of tools.", autocompletion=complete_tool)]


@app.add("get")
def get(cli: CommandLine, key: Key = None) -> None:
    """Show all settings, or one of them."""

    async def ask(bridge: Connection) -> tuple[dict[str, Any], dict[str, Any]]:
        return await bridge.request("settings.get"), await bridge.request("settings.schema")

    values, schema = cli.ask_with(ask)
    described: dict[str, Any] = schema["properties"]
    if key is None:
        _show_all(values, described, cli)
        return
    value = _find(_in_force(values) if "." in key else values, key)
    if cli.as_json:
        cli.json(value)
        return
    cli.text(value if isinstance(value, str) else sanitize_json(value, indent=2))
    about = described.get(key.partition(".")[0], {})
    default = f" Default: {json.dumps(about['default'])}" if "default" in about else ""
    cli.say(f"{about.get('description', 'This setting has no effect in this version.')}{default}")


@app.add("set")
def set_(
    cli: CommandLine,
    words: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE", help="A dot reaches into an object.", autocompletion=complete_assignment),
    ],
) -> None:
    """Change settings.

    With KEY=VALUE..., or one KEY VALUE. Lists and objects are written as JSON.
    """
    if len(words) == 2 and "=" not in words[0]:  # noqa: PLR2004 - a key and its value
        words = ["=".join(words)]

    async def update(bridge: Connection) -> tuple[dict[str, Any], dict[str, Any]]:
        described = (await bridge.request("settings.schema"))["properties"]
        patch: dict[str, Any] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals or not key:
                raise BadArguments(f"{word!r} is not KEY=VALUE. `vault-bridge settings get` lists the keys.")
            inner = patch
            *path, last = key.split(".")
            for part in path:
                inner = inner.setdefault(part, {})
                if not isinstance(inner, dict):
                    raise BadArguments(f"{key!r} is a member of a setting that is set as a whole at the same time")
            inner[last] = _parse(key, value, _schema_of(key, described))
        return patch, await bridge.request("settings.update", patch=patch)

    patch, answer = cli.tell_with(update)
    _show_changed(cli, answer, patch)


@app.add("reset")
def reset(
    cli: CommandLine,
    section: Annotated[
        str | None, typer.Argument(metavar="[SECTION]", show_default=False, autocompletion=complete_section)
    ] = None,
) -> None:
    """Go back to the defaults.

    All of them, or those of one section: tools, apis, network, performance, privacy, toolSpecific.
    """
    _show_changed(cli, cli.tell("settings.reset", section=section))


@app.add("preset")
def preset(cli: CommandLine, name: Annotated[Preset, argument("NAME")]) -> None:
    """Choose what agents see.

    minimal: find, grep, read. agent: few tools that do all. vault: the tools for files and notes. everything: all.
    """
    _choose_tools(cli, lambda _enabled, schema: schema["presets"][name])


@app.add("enable")
def enable(cli: CommandLine, tools: Tools) -> None:
    """Let agents see more tools."""

    def add(enabled: list[str], schema: dict[str, Any]) -> list[str]:
        _check_names(tools, schema, [])
        return enabled if ALL_TOOLS in enabled else list(dict.fromkeys([*enabled, *tools]))

    _choose_tools(cli, add)


@app.add("disable")
def disable(cli: CommandLine, tools: Tools) -> None:
    """Hide tools from agents."""

    def remove(enabled: list[str], schema: dict[str, Any]) -> list[str]:
        _check_names(tools, schema, enabled)
        if ALL_TOOLS in enabled and ALL_TOOLS not in tools:
            fail("Every tool is enabled by '*'. Choose a preset first: `vault-bridge settings preset vault`.")
        return [tool for tool in enabled if tool not in tools]

    _choose_tools(cli, remove)


def _check_names(tools: list[str], schema: dict[str, Any], others: list[str]) -> None:
    """End the command where there is no such tool, with the name that may be meant."""
    known = [*(tool["name"] for tool in schema["tools"]), *others]
    for tool in tools:
        if tool not in known and tool != ALL_TOOLS:
            near = difflib.get_close_matches(tool, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the tools are {', '.join(known)}."
            fail(f"There is no tool {tool!r}; {hint}")


def _choose_tools(cli: CommandLine, change: Callable[[list[str], dict[str, Any]], list[str]]) -> None:
    """Change the enabled tools: `change` gets the enabled ones and the schema of the settings."""

    async def update(bridge: Connection) -> Any:
        enabled = (await bridge.request("settings.get"))["enabledTools"]
        tools = change(enabled, await bridge.request("settings.schema"))
        return await bridge.request("settings.update", patch={"enabledTools": tools})

    _show_changed(cli, cli.tell_with(update))


def _show_changed(cli: CommandLine, answer: dict[str, Any], patch: dict[str, Any] | None = None) -> None:
    """Print the settings that were changed, and what the person should know about them."""
    if cli.as_json:
        cli.json(answer)
        return
    settings = answer["settings"]
    changed = [key for key in patch or ["enabledTools"] if key in settings]
    cli.lines(line for key in changed for line in _draw(key, settings[key], cli.readable))
    for warning in answer["warnings"]:
        cli.say(f"Warning: {warning}", style="bold")


def _show_all(values: dict[str, Any], described: dict[str, Any], cli: CommandLine) -> None:
    """Show every setting under its section; those that differ from their default stand out."""
    if cli.as_json:
        cli.json(values)
        return
    sections: dict[str, list[str]] = {}
    for key, about in described.items():
        sections.setdefault(about["section"], []).append(key)
    for section, keys in sections.items():
        cli.lines([Text(section, "bold")])
        cli.lines(line for key in keys for line in _draw(key, values[key], cli.readable, described[key]))


def _draw(key: str, value: Any, width: int, about: dict[str, Any] | None = None) -> Iterator[Text]:
    standard = about is None or about.get("default", value) == value
    shown = sanitize(sanitize_json(value), style="" if standard else "bold")
    return fold(Text.assemble(sanitize(key, style="cyan"), " = ", shown), width, first="  ", rest="    ", words=True)


def _in_force(values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with what holds for every tool, also where nothing is set for it."""
    return values | {key: everything | values[key] for key, everything in values["effective"].items()}


def _find(values: dict[str, Any], key: str) -> Any:
    found: Any = values
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            near = difflib.get_close_matches(key, values, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`vault-bridge settings get` lists them all"
            fail(f"There is no setting {key!r}; {hint}", BAD_USAGE)
        found = found[part]
    return found


def _schema_of(key: str, described: dict[str, Any]) -> dict[str, Any] | None:
    """Return what is known about a setting, or about a member of one that is an object."""
    whole, *members = key.split(".")
    about = described.get(whole)
    for _ in members:
        about = (about or {}).get("additionalProperties")
    return about if isinstance(about, dict) else None


def _parse(key: str, text: str, about: dict[str, Any] | None) -> Any:
    """Return a value as the setting takes it; what its schema does not know is read as JSON.

    Of an object's member, null says that it is to be left to its default.
    """
    if text == "null" and ("." in key or "null" in json_types(about)):
        return None
    if "array" in json_types(about) and not text.lstrip().startswith("["):
        example = json.dumps([text], ensure_ascii=False)
        raise BadArguments(f"{key!r} takes a list, written as JSON: {key}='{example}'")
    return coerce(key, text, about)
