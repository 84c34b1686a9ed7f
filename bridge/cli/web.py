"""`vault-bridge web`: who has read from the web, and what is kept of it."""

from typing import Annotated, Any, Final

import typer

from bridge.cli.connection import ask, run_once, tell
from bridge.cli.family import Table, Thing, when
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer, fail
from bridge.client import Connection

HELP = """Say which clients have read from the web, and what is kept of it.

After a client has read from the web, more of its calls need your approval until you clear it, because a page may
have told it what to do.

\b
Examples:
  vault-bridge web readers
  vault-bridge web clear "Claude Code"
  vault-bridge web cache --clear
"""

_SHOWN = 5
"""Sites of one client that are listed."""

app = typer.Typer(help=HELP, add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@app.command("readers")
def readers(vault: Vault = None, as_json: AsJson = False) -> None:
    """List the clients that have read from the web."""
    _READERS.print(Printer(as_json=as_json), ask(vault, "web.readers"))


@app.command("clear")
def clear(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The client's name or id.")],
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Trust a client again that has read from the web."""

    async def act(bridge: Connection) -> dict[str, Any]:
        found: list[dict[str, Any]] = await bridge.request("web.readers")
        wanted = (one["clientId"] for one in found if name.casefold() in {one["clientId"], one["client"].casefold()})
        client_id = next(wanted, None)
        if client_id is None:
            fail(f"{name!r} has not read from the web; `vault-bridge web readers` lists those that have.")
        cleared: dict[str, Any] = await bridge.request("web.clear", clientId=client_id)
        return cleared

    said = "Cleared. It is asked about as before it read from the web."
    Printer(as_json=as_json).answer(run_once(vault, act), said)


@app.command("cache")
def cache(
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Remove what is kept.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Say how much is kept of the web, or remove it."""
    found = tell(vault, "cache.clear") if clear else ask(vault, "cache.stats")
    what = f"{found['entries']} {'page' if found['entries'] == 1 else 'pages'}, {found['size']:,} bytes"
    said = f"Removed {what}." if clear else f"Kept of the web: {what}. Used {found['hits']} times so far."
    Printer(as_json=as_json).answer(found, said)


def _sites(reader: Thing) -> str:
    sites = [site.partition("://")[2].rstrip("/") for site in reversed(reader["sites"])]
    return ", ".join(sites[:_SHOWN]) + (f" and {len(sites) - _SHOWN} more" if sites[_SHOWN:] else "")


_READERS: Final = Table(
    (("Name", "client", "bold"), ("Since", when("since")), ("Sites", _sites)),
    "No client has read from the web, or you have cleared them all.",
)
