"""`vault-bridge settings`: shows and changes the settings of a vault."""

import difflib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.completion import complete_assignment, complete_key, complete_section, complete_tool
from bridge.cli.connection import act, look
from bridge.cli.exit_codes import BAD_USAGE, Commands, fail
from bridge.cli.line_wrapping import fold
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import READABLE, Output
from bridge.cli.sanitize import sanitize, sanitize_json
from bridge.cli.serve import Preset
from bridge.client import Bridge
from bridge.settings.model import PRESETS

HELP = """Show and change the settings of the vault. They take effect at once, also in a bridge that runs.

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

EVERY = "*"
"""Stands for every tool there is."""

app = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode=None)

Key = Annotated[
    str | None,
    typer.Argument(
        metavar="[KEY]",
        show_default=False,
        help="One setting, such as consentMode.grep.",
        autocompletion=complete_key,
    ),
]
Tools = Annotated[list[str], typer.Argument(metavar="TOOL", help="Names of tools.", autocompletion=complete_tool)]


@app.command("get", help="Show all settings, or one of them.")
def get(key: Key = None, vault: Vault = None, as_json: AsJson = False) -> None:
    """Show settings."""
    output = Output(as_json=as_json)

    async def ask(bridge: Bridge) -> tuple[dict[str, Any], dict[str, Any]]:
        return await bridge.request("settings.get"), await bridge.request("settings.schema")

    values, schema = look(vault, ask)
    described: dict[str, Any] = schema["properties"]
    if key is None:
        _show_all(values, described, output)
        return
    value = _find(values, key)
    if as_json:
        output.json(value)
        return
    output.text(value if isinstance(value, str) else sanitize_json(value, indent=2))
    about = described.get(key.partition(".")[0], {})
    default = f" Default: {json.dumps(about['default'])}" if "default" in about else ""
    output.say(f"{about.get('description', 'This setting has no effect in this version.')}{default}")


@app.command(
    "set", help="Change settings.\n\nWith KEY=VALUE..., or one KEY VALUE. Values are JSON; bare words are texts."
)
def set_(
    words: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE", help="A dot reaches into an object.", autocompletion=complete_assignment),
    ],
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Change settings."""
    if len(words) == 2 and "=" not in words[0]:  # noqa: PLR2004 - a key and its value
        words = ["=".join(words)]
    patch: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise BadArguments(f"{word!r} is not KEY=VALUE. `vault-bridge settings get` lists the keys.")
        inner = patch
        *path, last = key.split(".")
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = _value(value)
    _update(patch, vault, as_json=as_json)


@app.command(
    "reset",
    help="Go back to the defaults.\n\nAll, or one section: tools, apis, network, performance, privacy, toolSpecific.",
)
def reset(
    section: Annotated[
        str | None, typer.Argument(metavar="[SECTION]", show_default=False, autocompletion=complete_section)
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Forget what was set."""
    named = {} if section is None else {"section": section}
    answer = act(vault, lambda bridge: bridge.request("settings.reset", **named))
    _tell(answer, Output(as_json=as_json))


@app.command(
    "preset",
    help="Choose what agents see.\n\nminimal: find, grep, read. vault: also files and notes. everything: all tools.",
)
def preset(
    name: Annotated[Preset, typer.Argument(metavar="NAME")], vault: Vault = None, as_json: AsJson = False
) -> None:
    """Enable a named set of tools."""
    _update({"enabledTools": list(PRESETS[name.value])}, vault, as_json=as_json)


@app.command("enable", help="Let agents see more tools.")
def enable(tools: Tools, vault: Vault = None, as_json: AsJson = False) -> None:
    """Add to the enabled tools."""
    _choose(vault, lambda enabled: [*enabled, *(tool for tool in tools if tool not in enabled)], as_json=as_json)


@app.command("disable", help="Hide tools from agents.")
def disable(tools: Tools, vault: Vault = None, as_json: AsJson = False) -> None:
    """Remove from the enabled tools."""

    def without(enabled: list[str]) -> list[str]:
        if EVERY in enabled and EVERY not in tools:
            fail("Every tool is enabled by '*'. Choose a preset first: `vault-bridge settings preset vault`.")
        return [tool for tool in enabled if tool not in tools]

    _choose(vault, without, as_json=as_json)


def _choose(vault: Path | None, change: Callable[[list[str]], list[str]], *, as_json: bool) -> None:
    async def update(bridge: Bridge) -> Any:
        enabled = (await bridge.request("settings.get"))["enabledTools"]
        return await bridge.request("settings.update", patch={"enabledTools": change(enabled)})

    _tell(act(vault, update), Output(as_json=as_json))


def _update(patch: dict[str, Any], vault: Path | None, *, as_json: bool) -> None:
    answer = act(vault, lambda bridge: bridge.request("settings.update", patch=patch))
    _tell(answer, Output(as_json=as_json), patch)


def _tell(answer: dict[str, Any], output: Output, patch: dict[str, Any] | None = None) -> None:
    """Print the settings that were changed, and what the person should know about them."""
    if output.as_json:
        output.json(answer)
        return
    settings = answer["settings"]
    shown = list(patch) if patch else ["enabledTools"]
    width = min(output.width, READABLE)
    output.lines(line for key in shown if key in settings for line in _draw(key, settings[key], width))
    for warning in answer["warnings"]:
        output.say(f"Warning: {warning}", style="bold")


def _show_all(values: dict[str, Any], described: dict[str, Any], output: Output) -> None:
    """Every setting under its section; those that differ from their default stand out."""
    if output.as_json:
        output.json(values)
        return
    sections: dict[str, list[str]] = {}
    for key, about in described.items():
        sections.setdefault(about["section"], []).append(key)
    width = min(output.width, READABLE)
    for section, keys in sections.items():
        output.lines([Text(section, "bold")])
        output.lines(line for key in keys for line in _draw(key, values[key], width, described[key]))


def _draw(key: str, value: Any, width: int, about: dict[str, Any] | None = None) -> Iterator[Text]:
    standard = about is None or about.get("default", value) == value
    line = Text.assemble(
        sanitize(key, style="cyan"), " = ", sanitize(sanitize_json(value), style="" if standard else "bold")
    )
    yield from fold(line, width, first="  ", rest="    ", words=True)


def _find(values: dict[str, Any], key: str) -> Any:
    found: Any = values
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            near = difflib.get_close_matches(key, values, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`vault-bridge settings get` lists all."
            fail(f"There is no setting {key!r}; {hint}", BAD_USAGE)
        found = found[part]
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
