"""Options that several commands have. The vault and `--json` may stand before the command's name or after it."""

from pathlib import Path
from typing import Annotated, Any

import typer


def option(*words: str) -> Any:
    """Return an option that is left out by default.

    Args:
        words: Its names, which begin with a dash; what the help calls its value; and, at last, what it says about it.
    """
    *said, about = words
    names = [word for word in said if word.startswith("-")]
    return typer.Option(*names, metavar="".join(said[len(names) :]) or None, show_default=False, help=about)


def argument(metavar: str, about: str | None = None) -> Any:
    """Return an argument, with what the help calls it and says about it."""
    return typer.Argument(metavar=metavar, show_default=False, help=about)


def _or_before_the_command(ctx: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
    return value or ctx.find_root().params.get(parameter.name or "")


Vault = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        metavar="DIR",
        show_default=False,
        callback=_or_before_the_command,
        help="The vault's folder. Default: VAULT_BRIDGE_VAULT, or the vault you are in.",
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", callback=_or_before_the_command, help="Print JSON on standard output, nothing else.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
_AS_CLIENT = "As this client, whose token is kept on this machine (`vault-bridge clients add NAME --save`)."
AsClient = Annotated[str | None, option("--client", "NAME", _AS_CLIENT)]
