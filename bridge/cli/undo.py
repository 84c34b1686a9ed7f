"""`vault-bridge undo`: takes a change back."""

from typing import Annotated

import typer

from bridge.cli.options import AsJson, Vault
from bridge.cli.undo_redo import reverse

HELP = """Take a change back.

That is the newest one that is not undone yet, or the one named. It refuses when one of its files was edited
since. You are the user, so you are not asked again.

\b
Examples:
  vault-bridge undo
  vault-bridge undo patch-1f0c9a
  vault-bridge redo                   make it again
"""


def command(
    execution_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", show_default=False, help="As `vault-bridge history` shows it.")
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Undo a change."""
    reverse("history.undo", execution_id, vault, as_json=as_json)
