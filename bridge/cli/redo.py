"""`vault-bridge redo`: makes a change again that was undone."""

from typing import Annotated

import typer

from bridge.cli.options import AsJson, Vault
from bridge.cli.undo_redo import reverse

HELP = """Make an undone change again.

That is the one undone last, or the one named.

\b
Examples:
  vault-bridge redo
  vault-bridge redo patch-1f0c9a
"""


def command(
    execution_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", show_default=False, help="As `vault-bridge history` shows it.")
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Redo a change."""
    reverse("history.redo", execution_id, vault, as_json=as_json)
