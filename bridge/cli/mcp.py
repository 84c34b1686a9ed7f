"""`vault-bridge mcp`: the Model Context Protocol on standard input and output, for the agents people have."""

import sys
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from bridge.cli.options import Vault
from bridge.leaving_out import leave_out, without_collection

LEFT_OUT: Final = ("ssl", "_hashlib", "brotli", "brotlicffi", "backports.zstd", "python_multipart", "multipart")
"""What libraries do without where it is not installed: encryption, compression and forms take a seventh of the memory
of each such process, and none of it is used between a pipe and a socket of this computer."""


def mcp(
    client: Annotated[
        str, typer.Option(metavar="NAME", help="As this client (`vault-bridge clients add NAME --save`).")
    ],
    vault: Vault = None,
) -> None:
    """Speak the Model Context Protocol (MCP) on standard input and output.

    This is the command that an MCP client starts. It uses the bridge that serves the vault. If there is none, it starts
    one, which ends a few seconds after its last client. It ends itself when standard input closes.

    Examples:
      vault-bridge install-client claude-code           does all of it
      vault-bridge clients add "Claude Code" --save     or by hand: a token of its own, and then
      vault-bridge mcp --vault ~/Notes --client "Claude Code"     what the program starts
    """
    vaults, tokens, speaking = load("bridge.client", "bridge.client.token_storage", "bridge.cli.speaking")
    folder = vaults.find_vault(vault)
    tokens.find_token(folder, client)  # says at once what is missing
    if sys.stdin.isatty():
        typer.echo("An MCP client starts this command and speaks with it. End it with Ctrl-D.", err=True)
    speaking.speak(folder, client)


def load(*names: str) -> list[Any]:
    """Import modules as if those that are left out were not there. They take most of a second."""
    with without_collection(), leave_out(*LEFT_OUT):
        return [import_module(name) for name in names]
