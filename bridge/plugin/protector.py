"""The protection of one vault from unasked edits, put together for the commands, the checks and the bridge."""

from pathlib import Path

from bridge.agents.machine import Machine
from bridge.agents.protection import Protector
from bridge.client.token_storage import config_folder
from bridge.contract.discovery import AGENT_FILE
from bridge.plugin.command_line import command_line
from bridge.records.folder import RecordFolder, RunFolder, place, state_folder


def vault_protector(vault: Path, machine: Machine, folder: RecordFolder | None = None) -> Protector:
    """Return the protector of a vault.

    Args:
        vault: The vault's real path.
        machine: The machine.
        folder: Where it is written down what was done; None: where it always is.
    """
    return Protector(
        machine,
        vault,
        folder or RunFolder(vault, kind="clients", durable=True),
        endpoint=place(vault) / AGENT_FILE,
        guarded=(config_folder(), state_folder().absolute()),
        stays=command_line,
    )
