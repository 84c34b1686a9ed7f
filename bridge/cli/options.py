"""Options that every command has."""

from pathlib import Path
from typing import Annotated

import typer

Vault = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        metavar="DIR",
        show_default=False,
        help="The vault's folder. Without it: VAULT_BRIDGE_VAULT, else the vault you stand in.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output, and nothing else there.")]
