"""`vault-bridge serve`: serves one vault until it is stopped."""

import asyncio
import contextlib
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from bridge.cli.call_trace import showing_calls
from bridge.cli.embedded import embedded_bridge, embedded_process
from bridge.cli.index_progress import show_build
from bridge.cli.keyboard import Leaving, open_keyboard
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import Output, quoted
from bridge.cli.parent import when_parent_ends
from bridge.cli.sanitize import sanitize
from bridge.cli.signals import TERMINATION, cancel_on_signals, on_signals
from bridge.cli.tables import draw_facts
from bridge.client import find_vault
from bridge.settings.model import PRESETS

if TYPE_CHECKING:
    from bridge.app import Bridge

HELP = """Serve a vault to agents and to Obsidian.

It runs until Ctrl-C, and listens on 127.0.0.1 only. Whatever an agent wants to write is shown to you first,
with its diff, in Obsidian or by `vault-bridge approve`. With a vault that has no settings yet, this offers to
enable the tools for files and notes; without, agents can only find, grep and read.

\b
Examples:
  vault-bridge serve --vault ~/Notes
  vault-bridge serve --preset vault            enable the tools for files and notes, without asking
  vault-bridge serve --consent deny            refuse whatever would have to be asked
  vault-bridge serve --json                    one line of JSON when it is ready, for programs
"""


class Preset(StrEnum):
    """Named sets of tools."""

    MINIMAL = "minimal"
    VAULT = "vault"
    EVERYTHING = "everything"


class Consent(StrEnum):
    """What becomes of questions."""

    ASK = "ask"
    DENY = "deny"


def command(
    port: Annotated[
        int, typer.Option(min=0, max=65_535, metavar="N", help="Where to listen; 0 takes a free port.")
    ] = 0,
    preset: Annotated[
        Preset | None, typer.Option(show_default=False, help="Which tools agents see; kept in the settings.")
    ] = None,
    consent: Annotated[Consent, typer.Option(help="Whether questions are asked, or all refused.")] = Consent.ASK,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Start, say where, and wait to be stopped."""
    output = Output(as_json=as_json)
    folder = find_vault(vault)
    bridge = embedded_bridge(folder, port=port, consent=consent.value)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError, Leaving), showing_calls(output):
        asyncio.run(_serve(bridge, folder, preset, output))


async def _serve(bridge: "Bridge", folder: Path, preset: Preset | None, output: Output) -> None:
    stopped = asyncio.Event()
    async with bridge:
        with cancel_on_signals():
            await _choose_tools(bridge, folder, preset, output)
        with on_signals(stopped.set, "SIGINT", *TERMINATION), when_parent_ends(stopped.set):
            embedded_process()
            _announce(bridge, folder, output)
            building = asyncio.create_task(show_build(bridge, output))
            await stopped.wait()
            building.cancel()
            await asyncio.wait([building])
            output.say("Stopping.")


async def _choose_tools(bridge: "Bridge", folder: Path, preset: Preset | None, output: Output) -> None:
    """Enable what was asked for; with a new vault, offer it."""
    if preset is None and bridge.settings.is_new:
        if output.as_json or not (sys.stdin.isatty() and output.interactive):
            output.say(
                "Agents can find, grep and read here. To let them also propose changes, each of which is shown to you "
                f"first: vault-bridge settings preset vault --vault {quoted(folder)}"
            )
            return
        preset = await _offer(output)
    if preset is not None:
        patch = {"enabledTools": list(PRESETS[preset.value])}
        await asyncio.to_thread(bridge.settings.update, patch)


async def _offer(output: Output) -> Preset:
    """Ask once whether agents may propose changes; the answer is kept, so it is not asked again."""
    keyboard = open_keyboard()
    keyboard.discard()
    output.say("This vault is new here: agents can find, grep and read in it, and nothing more.")
    output.say("They can have the tools for files and notes too. Every change is then shown to you first.")
    while True:
        word = (await keyboard.line(lambda: "Enable those tools? [Y/n] ")).strip().lower()
        if word in {"", "y", "yes"}:
            return Preset.VAULT
        if word in {"n", "no"}:
            return Preset.MINIMAL


def _announce(bridge: "Bridge", folder: Path, output: Output) -> None:
    services, recovery = bridge.services, bridge.recovery
    tools = [
        tool.name for tool in services.registry.tools() if tool.listed and services.settings.current.enables(tool.name)
    ]
    for ids, what in ((recovery.rolled_back, "taken back whole"), (recovery.completed, "completed")):
        if ids:
            output.say(f"The last run was interrupted in a change. It was {what}: {', '.join(ids)}")
    if output.as_json:
        output.json(bridge.discovery.to_wire() | {"vault": services.vault, "tools": tools}, compact=True)
        return
    facts = {
        "Serving": sanitize(services.vault, style="bold"),
        "At": Text(bridge.discovery.url),
        "Tools": Text(f"{len(tools)}: {', '.join(tools)}"),
        "Approve": Text("in Obsidian, or with: vault-bridge approve --vault ").append_text(sanitize(quoted(folder))),
        "Stop": Text("Ctrl-C"),
    }
    output.lines(draw_facts(facts, output.width))
