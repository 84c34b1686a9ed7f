"""`vault-bridge keys`: the API keys of services on the network. A key is typed or piped in, never an argument."""

import getpass
import sys
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.family import CommandLine, Group, Table, Thing
from bridge.cli.options import argument
from bridge.cli.printer import BAD_USAGE, FAILURE, fail

HELP = """Keep API keys of services on the network, encrypted.

No command shows a key, and none takes one as an argument, where other programs could read it.

\b
Examples:
  vault-bridge keys set ollama                 asks for the key, and does not show it
  pass show brave | vault-bridge keys set brave
  vault-bridge keys status
  vault-bridge keys test brave                 does it answer?
  vault-bridge keys rotate                     a new master key
  vault-bridge keys clear ollama
"""

_MOST: Final = 64 * 1024
"""Bytes that are read from standard input at most."""

app = Group(HELP)

Service = Annotated[Literal["ollama", "brave", "google"], argument("SERVICE", "Whose key.")]


@app.add("set")
def set_(
    cli: CommandLine, service: Service, rest: Annotated[list[str] | None, typer.Argument(hidden=True)] = None
) -> None:
    """Keep a key, in place of the present one. It is asked for, or read from standard input."""
    if rest:
        fail(
            "A key is not given as an argument: it would be in the list of processes and in the shell's history. If "
            "that was one, replace it at the service that issued it. Then run "
            f"`vault-bridge keys set {service}` alone.",
            BAD_USAGE,
        )
    key = _read(service)
    kept = cli.tell("keys.set", provider=service, key=key)
    cli.answer(kept, f"The key for {kept['title']} is kept, encrypted. {_place(kept)}")


@app.add("clear")
def clear(cli: CommandLine, service: Service) -> None:
    """Forget a key."""
    cleared = cli.tell("keys.clear", provider=service)
    cli.answer(cleared, f"There is no key for {cleared['title']} any more.")


@app.add("test")
def ask_service(
    cli: CommandLine,
    service: Annotated[
        Literal["ollama", "searxng", "brave", "duckduckgo", "google"], argument("SERVICE", "Which service.")
    ],
) -> None:
    """Ask a service for one result, with the present settings, and say whether that works."""
    with cli.waiting(f"Asking {service}"):
        tested = cli.ask("keys.test", provider=service)
    cli.answer(tested, f"{tested['outcome'].capitalize()}. {tested['message']}")
    if tested["outcome"] != "connected":
        raise typer.Exit(FAILURE)


@app.add("status")
def status(cli: CommandLine) -> None:
    """Say which keys are set, and whether they can be used here."""
    keys = cli.ask("keys.status", open=True)
    _KEYS.print(cli, keys)
    for key in keys:
        if key["fault"] and not cli.as_json:
            cli.say(f"{key['title']}: {key['fault']}")


@app.add("rotate")
def rotate(cli: CommandLine) -> None:
    """Encrypt all keys with a new master key, and remove the old one."""
    keys = cli.tell("keys.rotate")
    kept = [key for key in keys if key["isSet"]]
    said = f"Encrypted again: {', '.join(key['title'] for key in kept)}. {_place(kept[0])}"
    cli.answer(keys, said)


def _read(service: str) -> str:
    """Return the key, typed without being shown, or the first line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass(f"API key for {service}: ")
    try:
        return sys.stdin.buffer.readline(_MOST).decode("utf-8").strip()
    except UnicodeDecodeError:
        fail("Standard input is not UTF-8.", BAD_USAGE)


def _place(key: dict[str, Any]) -> str:
    where = {"keyring": "in the system's keyring", "file": "in a file that only you can read, outside the vault"}
    return f"The master key is {where.get(key['keptIn'], 'outside the vault')}."


def _state(key: Thing) -> Text:
    if not key["isSet"]:
        return Text("none")
    return Text("cannot be used", "red") if key["fault"] else Text("set", "green")


_KEYS: Final = Table((("Service", "title", "bold"), ("Key", _state), ("Sent to", "server")))
