"""`vault-bridge`: the commands, in the order in which they are listed.

Importing what the commands need takes many times longer than saying what they are. So a command's module is imported
when the command is given, and this module imports nothing but typer.
"""

import inspect
import os
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer
import typer.core
import typer.main

from bridge import __version__
from bridge.cli.options import AsJson, Vault
from bridge.leaving_out import without_collection

HELP: Final = """Tools over an Obsidian vault that an agent may use and you govern.

Every change is shown to you before it is made, unless you have allowed it in advance. While the log and backups are
on, it is logged and can be undone.

\b
Begin with:
  vault-bridge install-client --vault ~/Notes   connect Claude Code or another
  vault-bridge approve --vault ~/Notes          its questions, if not in Obsidian
  vault-bridge serve --vault ~/Notes            for programs of your own

--vault and --json may stand before the command or after it. Exit codes: 0 success, 1 failure, 2 bad usage.
"""

FULL_NAME: Final = "Vault Bridge for Obsidian"
"""Printed with the version: the plugin tells by it that a command of this name is this program and no other."""

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "serve": ("serve:serve", "Serve a vault to agents and to Obsidian."),
    "install": ("install_client:install_plugin", "Put the Obsidian plugin into a vault, and enable it."),
    "install-client": ("install_client:install_client", "Connect the program in which you use an agent."),
    "protect": ("protect:protect", "Have a program ask before its own editor changes notes."),
    "approve": ("consent_prompt:approve", "Answer the questions of agents, here."),
    "inbox": ("status:inbox", "Show what waits for you, oldest first."),
    "call": ("call:call", "Call a tool as an agent does."),
    "chat": ("chat:chat", "Talk with a model that works in the vault."),
    "mcp": ("mcp:mcp", "Speak the Model Context Protocol (MCP) on standard input and output."),
    "tools": ("call:tools", "List the tools that agents see."),
    "preview": ("call:preview", "Show what a call would do."),
    "drafts": ("drafts:app", "Look into the drafts of agents, and discard them."),
    "templates": ("templates:app", "Keep work that comes again under a name, and run it."),
    "history": ("history:history", "Show what was changed, newest first."),
    "undo": ("history:undo", "Undo a change, or several as a whole."),
    "redo": ("history:redo", "Make an undone change again."),
    "restore": ("restore:restore", "Bring back what a file was before another program changed it."),
    "mend": ("restore:mend", "Mend the links that another program broke by moving files."),
    "log": ("log:log", "Show what agents did and what was decided."),
    "stats": ("log:stats", "Show how much agents did, by day, client and tool."),
    "status": ("status:status", "Say whether the vault is served."),
    "rebuild": ("chat:rebuild", "Prepare the notes for search by meaning anew."),
    "doctor": ("doctor:doctor", "Look for faults, and say what to do about them."),
    "clients": ("clients:app", "Give programs a name and a token of their own, and take them back."),
    "policy": ("policy:app", "Say which rule decides a call, and list and revoke remembered answers."),
    "web": ("policy:web", "Say which clients have read from the web, and what is kept of it."),
    "servers": ("servers:app", "Let agents use the tools of other MCP servers."),
    "custom": ("custom:app", "Write tools of your own, which agents may call."),
    "keys": ("keys:app", "Keep API keys of services on the network, encrypted."),
    "settings": ("settings:app", "Show and change the settings of the vault."),
}
"""Of each command, where it is (`module:name`, a function or a group of commands) and its line in the list."""


class CommandTable(Mapping[str, Any]):
    """The commands by name, each made when it is looked up. A command's help is the docstring of its function."""

    def __getitem__(self, name: str) -> Any:
        module, _, attribute = COMMANDS[name][0].partition(":")
        with without_collection():
            found = getattr(import_module(f"bridge.cli.{module}"), attribute)
            if isinstance(found, typer.Typer):
                return typer.main.get_command(found)
            single = typer.Typer(add_completion=False, rich_markup_mode=None)
            single.command(name, help=keep_blocks(found.__doc__))(found)
            return typer.main.get_command(single)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(typer.core.TyperGroup):
    """The commands, loaded when they are needed and ended with a message and an exit code, never a traceback."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = CommandTable()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, without loading them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            import_module("bridge.cli.printer").end_with(error)
            raise


app = typer.Typer(
    name="vault-bridge",
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vault-bridge {__version__} ({FULL_NAME})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Options that stand before the command."""
    del version, vault, as_json  # the commands look them up


def keep_blocks(text: str | None) -> str:
    """Return a docstring as help: blocks whose first line ends in a colon keep their lines, the others are wrapped."""
    return re.sub(r"\n\n(?=[^\n]*:\n)", "\n\n\b\n", inspect.cleandoc(text or ""))


def prepare_streams() -> None:
    """Have both streams speak UTF-8 where the system would not, and never fail on a character."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if sys.platform == "win32" and not stream.isatty():
            reconfigure(encoding="utf-8")
        reconfigure(errors="backslashreplace")


def main() -> None:
    """Run the command that this process was started with."""
    prepare_streams()
    # There are none of ours, and looking for others' takes a hundredth of a second of each command.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    app(prog_name="vault-bridge")
