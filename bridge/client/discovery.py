"""Finding the vault, and the bridge that serves it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import orjson
from pydantic import ValidationError

from bridge.client.failures import BridgeNotRunning, VaultNotFound
from bridge.contract.discovery import AGENT_FILE, BRIDGE_FILE, HOST_FILE, STATE_FOLDER, Beacon, Endpoint

VAULT_VARIABLE: Final = "VAULT_BRIDGE_VAULT"
MARKS: Final = (".obsidian", STATE_FOLDER)


def find_vault(
    vault: str | Path | None = None, *, environ: Mapping[str, str] | None = None, start: Path | None = None
) -> Path:
    """The vault that is meant: the one named, else the environment's, else the one we stand in.

    Args:
        vault: Its folder; `~` is the user's home.
        environ: By default the process's.
        start: Where we stand; by default the working directory.

    Raises:
        VaultNotFound: There is none.
    """
    named = vault or (os.environ if environ is None else environ).get(VAULT_VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise VaultNotFound(f"There is no folder {str(folder)!r}; name the vault's folder")
        return folder.resolve()
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if any((folder / mark).is_dir() for mark in MARKS):
            return folder
    raise VaultNotFound(
        f"No vault found here or above; name one with `--vault DIR` or {VAULT_VARIABLE}, or go into one"
    )


def find_endpoint(vault: Path, role: str = "agent") -> Endpoint:
    """Where the bridge of a vault listens, with the token of a role.

    Args:
        vault: The vault's folder.
        role: `agent` or `host`.

    Raises:
        BridgeNotRunning: Nobody serves the vault.
    """
    try:
        beacon = Beacon.model_validate(_load(vault / STATE_FOLDER / BRIDGE_FILE))
        file = HOST_FILE if role == "host" else AGENT_FILE
        return Endpoint.model_validate(_load(Path(beacon.run_dir) / file))
    except (OSError, orjson.JSONDecodeError, ValidationError):
        raise not_running(vault) from None


def not_running(vault: Path) -> BridgeNotRunning:
    """What to tell somebody whose vault is not served."""
    return BridgeNotRunning(f"No bridge serves this vault. Start one with `vault-bridge serve --vault {vault}`")


def _load(file: Path) -> object:
    return orjson.loads(file.read_bytes())
