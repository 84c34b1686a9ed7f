"""`vault-bridge serve`: serves one vault until it is stopped, and shows what happens meanwhile."""

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer
from rich.text import Text

from bridge.cli.connection import embedded_bridge
from bridge.cli.family import CommandLine, command
from bridge.cli.layout import draw_facts
from bridge.cli.options import option
from bridge.cli.printer import Printer, typed_command
from bridge.cli.sanitize import sanitize
from bridge.cli.stopping import TERMINATION, on_signals, when_parent_ends
from bridge.memory import bound_heaps, give_memory_back

if TYPE_CHECKING:
    from bridge.app import Bridge

CALLS: Final = "bridge.calls"
"""The logger of calls in developer mode."""
PATIENCE = 0.5
"""Seconds in which a build of the index that ends sooner is not worth a word."""
EVERY = 0.1
"""Seconds between two looks at how far it is."""

TUNE_SECONDS: Final = 2.0
"""After how long the process is tuned for serving: it takes a twentieth of a second, and the first question is soon."""

Preset = Literal["minimal", "agent", "vault", "everything"]


@command
def serve(
    cli: CommandLine,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, metavar="N", help="The port to listen on; 0 takes a free one.")
    ] = 0,
    preset: Annotated[Preset | None, option("Which tools agents see; saved in the settings.")] = None,
    consent: Annotated[
        Literal["ask", "deny"],
        typer.Option(help="Whether you are asked, or all that reads, changes or leaves the vault is refused."),
    ] = "ask",
    *,
    until_idle: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="End when no program has been connected for so long.")
    ] = None,
) -> None:
    """Serve a vault to agents and to Obsidian.

    It runs until Ctrl-C, and listens on 127.0.0.1 only. What an agent wants to write is shown to you first, with its
    diff, in Obsidian or by `vault-bridge approve`, unless you have allowed it in advance. If the vault has no settings
    yet, you are asked whether to enable the tools for files and notes; without them, programs without a name of their
    own can only find, grep and read.

    Examples:
      vault-bridge serve --vault ~/Notes
      vault-bridge serve --preset vault            enable the tools for files and notes, without asking
      vault-bridge serve --consent deny            agents read and change nothing
      vault-bridge serve --json                    one line of JSON when it is ready, for programs
    """
    folder = cli.folder
    from bridge.server.door import raise_descriptor_limit  # noqa: PLC0415 - `serve --help` is fast without

    raise_descriptor_limit()
    bridge = embedded_bridge(folder, port=port, consent=consent)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError), showing_calls(cli):
        asyncio.run(_serve(bridge, preset, cli, until_idle))


async def _serve(bridge: "Bridge", preset: Preset | None, cli: CommandLine, until_idle: float | None) -> None:
    stopped = asyncio.Event()
    serving, task = False, asyncio.current_task()

    def stop() -> None:
        if serving:
            stopped.set()
        elif task is not None:
            task.cancel()

    bound_heaps()
    # From before the bridge says where it is: who finds it may end it at once, and nothing may be left behind.
    with on_signals(stop, *TERMINATION):
        async with bridge:
            is_new = bridge.settings.is_new
            await _choose_tools(bridge, preset, cli)
            serving = True
            with on_signals(stopped.set, "SIGINT"), when_parent_ends(stopped.set):
                _announce(bridge, cli)
                from bridge.agents.program import remember_program  # noqa: PLC0415 - the socket is open sooner without
                from bridge.app import tune_process  # noqa: PLC0415 - `serve --help` is fast without

                asyncio.get_running_loop().call_later(TUNE_SECONDS, tune_process)
                await asyncio.to_thread(remember_program)
                beside = [asyncio.create_task(show_build(bridge, cli)), asyncio.create_task(give_memory_back())]
                if is_new:
                    beside.append(asyncio.create_task(_look_for_sandbox(cli)))
                if until_idle is not None:
                    beside.append(asyncio.create_task(_end_when_idle(bridge, until_idle, stopped)))
                await stopped.wait()
                for task in beside:
                    task.cancel()
                await asyncio.wait(beside)
                cli.say("Stopping.")


async def _look_for_sandbox(cli: CommandLine) -> None:
    """Say what is missing where no sandbox works: without one, programs that agents start are refused."""
    from bridge.sandbox.sandbox import probe, remedy  # noqa: PLC0415 - `serve --help` is fast without

    if not (await asyncio.to_thread(probe)).confines and remedy():
        cli.say(f"No sandbox works here, so agents' commands, tools and servers are not started. {remedy()}.")


async def _end_when_idle(bridge: "Bridge", seconds: float, stopped: asyncio.Event) -> None:
    """End the bridge when nobody has been connected for a while, and what sessions have left is handed in."""
    seen = time.monotonic()
    while time.monotonic() - seen <= seconds:
        await asyncio.sleep(EVERY)
        if bridge.services.hub.peers or bridge.handing_in.awaits_sessions:
            seen = time.monotonic()
    stopped.set()


async def _choose_tools(bridge: "Bridge", preset: Preset | None, cli: CommandLine) -> None:
    """Enable what was asked for; with a new vault, offer it."""
    if preset is None and bridge.settings.is_new:
        if cli.as_json or not (sys.stdin.isatty() and cli.interactive):
            cli.say(
                "Programs without a name can find, grep and read here. To let them propose changes, each shown to you "
                f"first: {typed_command('settings preset vault', cli.folder)}"
            )
            return
        preset = await _offer(cli)
    if preset is not None:
        from bridge.identity.caller import PERSON  # noqa: PLC0415 - `serve --help` is fast without

        patch = {"enabledTools": list(bridge.services.registry.presets(PERSON)[preset])}
        await asyncio.to_thread(bridge.settings.update, patch)


async def _offer(cli: CommandLine) -> Preset:
    """Ask once whether agents may propose changes; the answer is kept, so it is not asked again."""
    from bridge.cli.keyboard import PersonLeft, open_keyboard  # noqa: PLC0415 - slow to load, and needed once a vault

    keyboard = open_keyboard()
    keyboard.discard()
    cli.say("This vault is new here: agents can find, grep and read in it, and nothing more.")
    cli.say("They can have the tools for files and notes too. Every change is then shown to you first.")
    while True:
        try:
            word = (await keyboard.line(lambda: "Enable those tools? [Y/n] ")).strip().lower()
        except PersonLeft:
            raise asyncio.CancelledError from None
        if word in {"", "y", "yes"}:
            return "vault"
        if word in {"n", "no"}:
            return "minimal"


def _announce(bridge: "Bridge", cli: CommandLine) -> None:
    from bridge.identity.caller import PERSON  # noqa: PLC0415 - `serve --help` is fast without
    from bridge.toolkit.registry import enabled_tools  # noqa: PLC0415 - the same

    services, recovery = bridge.services, bridge.core.history.recovery
    enabled = enabled_tools(services.registry, PERSON, services.settings.current)
    tools = [tool.name for tool in services.registry.tools(PERSON) if enabled.shows(tool.spec)]
    for ids, what in ((recovery.rolled_back, "undone completely"), (recovery.completed, "completed")):
        if ids:
            cli.say(f"The last run was interrupted during a change. It was {what}: {', '.join(ids)}")
    if cli.as_json:
        cli.json(bridge.discovery.to_wire() | {"vault": services.vault, "tools": tools}, compact=True)
        return
    facts = {
        "Serving": sanitize(services.vault, style="bold"),
        "At": Text(bridge.discovery.url),
        "Tools": Text(f"{len(tools)}: {', '.join(tools)}"),
        "Approve": Text("in Obsidian, or in another terminal:"),
        "Stop": Text("Ctrl-C"),
    }
    *lines, stop = draw_facts(facts, cli.width)
    command = sanitize(
        f"  {typed_command('approve', cli.folder)}"
    )  # on a line of its own, so that it can be copied whole
    cli.lines([*lines, command, stop])


async def show_build(bridge: "Bridge", printer: Printer) -> None:
    """Show how far the index is; returns when it knows every note."""
    began = time.monotonic()
    await asyncio.sleep(PATIENCE)
    if not bridge.index.status().indexing:
        return
    with printer.progress("Reading the vault") as show:
        while (status := bridge.index.status()).indexing:
            progress = bridge.index.progress
            show(progress.done, progress.total)
            await asyncio.sleep(EVERY)
    took = time.monotonic() - began
    printer.say(f"The vault has been read: {status.notes:,} notes, in {took:.1f} seconds.")


class _CallHandler(logging.Handler):
    """The handler that prints a record, sanitized: it holds names that callers gave themselves."""

    def __init__(self, printer: Printer) -> None:
        super().__init__()
        self._printer = printer

    def emit(self, record: logging.LogRecord) -> None:
        """Print it."""
        self._printer.say(record.getMessage())


@contextlib.contextmanager
def showing_calls(printer: Printer) -> Iterator[None]:
    """Show the calls that are logged in developer mode, as long as this lasts."""
    logger, handler = logging.getLogger(CALLS), _CallHandler(printer)
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before
