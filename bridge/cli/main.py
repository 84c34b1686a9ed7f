"""`vault-bridge`: the commands, in the order in which they are listed."""

from types import ModuleType
from typing import Annotated, Final

import typer

from bridge import __version__
from bridge.cli import (
    approve,
    call,
    doctor,
    history,
    install,
    log,
    policy,
    preview,
    redo,
    serve,
    settings,
    status,
    tools,
    undo,
)
from bridge.cli.exit_codes import Commands
from bridge.cli.output import prepare_streams

HELP: Final = """Tools over an Obsidian vault that an agent may use and you govern.

Every change is shown to you before it is made, logged, and can be taken back.

\b
Begin with:
  vault-bridge serve --vault ~/Notes      in one terminal
  vault-bridge approve --vault ~/Notes    in another, or open Obsidian
  vault-bridge call grep pattern=TODO     what an agent does

Every command takes --vault DIR, or VAULT_BRIDGE_VAULT, or works on the vault you stand in. Exit codes: 0 success,
1 failure, 2 bad usage.
"""

COMMANDS: Final[dict[str, ModuleType]] = {
    "serve": serve,
    "install": install,
    "approve": approve,
    "call": call,
    "tools": tools,
    "preview": preview,
    "history": history,
    "undo": undo,
    "redo": redo,
    "log": log,
    "status": status,
    "doctor": doctor,
}
"""Each has a `command`, which typer reads the options from, and its `HELP`."""

app = typer.Typer(
    name="vault-bridge",
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, module in COMMANDS.items():
    app.command(name, help=module.HELP)(module.command)
app.add_typer(policy.app, name="policy", help=policy.HELP)
app.add_typer(settings.app, name="settings", help=settings.HELP)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vault-bridge {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Options that stand before the command."""
    del version  # its callback has done what there is to do


def main() -> None:
    """Run the command that this process was started with."""
    prepare_streams()
    app(prog_name="vault-bridge")
