"""Finding the vault, the bridge that serves it, and the vaults that Obsidian knows, whose list is only read."""

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import orjson

from bridge.client.errors import BridgeNotRunning, BridgeUnseen, VaultNotFound
from bridge.contract.discovery import AGENT_FILE, BRIDGE_FILE, HOST_FILE, STATE_FOLDER, Discovery, Endpoint

VAULT_VARIABLE: Final = "VAULT_BRIDGE_VAULT"
MARKS: Final = (".obsidian", STATE_FOLDER)
_HERE: Final = re.compile(r"ws://127\.0\.0\.1:[0-9]{1,5}/[a-z0-9/]*")
"""An address on this machine, written in the one way that everything that reads addresses understands alike."""


def find_vault(
    vault: str | Path | None = None, *, environ: Mapping[str, str] | None = None, start: Path | None = None
) -> Path:
    """Return the vault that is meant: the one named, else the environment's, else the one of the working directory.

    Args:
        vault: Its folder; `~` is the user's home.
        environ: By default the process's.
        start: The folder to look from; by default the working directory.

    Returns:
        The vault's real path.

    Raises:
        VaultNotFound: There is none.
    """
    named = vault or (os.environ if environ is None else environ).get(VAULT_VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if not _is_folder(folder):
            raise VaultNotFound(f"There is no folder {str(folder)!r}; name the vault's folder")
        return folder.resolve()
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if any((folder / mark).is_dir() for mark in MARKS):
            return folder
    raise VaultNotFound(
        f"No vault found here or above; name one with `--vault DIR` or {VAULT_VARIABLE}, or change into one"
    )


def find_endpoint(vault: Path, role: str = "agent") -> Endpoint:
    """Return where the bridge of a vault listens, with the token of a role.

    Args:
        vault: The vault's folder.
        role: `agent` or `host`.

    Returns:
        The WebSocket's and the HTTP address, the process, and the token.

    Raises:
        BridgeNotRunning: Nobody serves the vault.
        BridgeUnseen: Whether somebody does cannot be seen.
    """
    try:
        discovery = Discovery.model_validate_json((vault / STATE_FOLDER / BRIDGE_FILE).read_bytes())
        file = Path(discovery.run_dir) / (HOST_FILE if role == "host" else AGENT_FILE)
        endpoint = Endpoint.model_validate_json(file.read_bytes())
        mine = not hasattr(os, "geteuid") or file.stat().st_uid == os.geteuid()
        mine = mine and (not endpoint.vault or vault.samefile(endpoint.vault))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise not_running(vault) from None
    except OSError as error:
        raise unseen(error) from None
    # The vault may be synced or a copy, so its file is only a claim: we talk to this machine, and to what this user
    # started for this vault.
    if not mine or not _HERE.fullmatch(endpoint.url):
        raise not_running(vault)
    return endpoint


def not_running(vault: Path) -> BridgeNotRunning:
    """Return the error for a vault that nobody serves."""
    return BridgeNotRunning(f"No bridge serves this vault. Start one with `vault-bridge serve --vault {vault}`")


def unseen(error: OSError) -> BridgeUnseen:
    """Return the error where it cannot be seen whether somebody serves a vault.

    Args:
        error: The system's error.
    """
    return BridgeUnseen(f"Whether a bridge serves this vault cannot be seen: {error}")


LIST: Final = "obsidian.json"


def known_vaults(places: list[Path] | None = None) -> list[Path]:
    """Return the folders of Obsidian's vaults that are there, the one that was opened last first.

    Args:
        places: Where the list may be; by default where Obsidian keeps it on this system.
    """
    opened: dict[Path, float] = {}
    for place in places if places is not None else list(_places(sys.platform, Path.home(), dict(os.environ))):
        for folder, time in _read(place):
            opened[folder] = max(time, opened.get(folder, 0))
    return sorted(opened, key=lambda folder: (-opened[folder], str(folder)))


def _places(system: str, home: Path, environ: dict[str, str]) -> Iterator[Path]:
    """Yield the places where the list may be: of an ordinary installation, and of a Flatpak and a Snap."""
    if system == "win32":
        yield Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "obsidian" / LIST
        return
    if system == "darwin":
        yield home / "Library" / "Application Support" / "obsidian" / LIST
        return
    yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "obsidian" / LIST
    yield home / ".var" / "app" / "md.obsidian.Obsidian" / "config" / "obsidian" / LIST
    yield home / "snap" / "obsidian" / "current" / ".config" / "obsidian" / LIST


def _read(file: Path) -> Iterator[tuple[Path, float]]:
    """Yield the vaults of one list, with the time of their last opening; none when it is missing or damaged."""
    try:
        vaults = orjson.loads(file.read_bytes())["vaults"].values()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    for vault in vaults:
        path, time = (vault.get("path"), vault.get("ts")) if isinstance(vault, dict) else (None, None)
        if isinstance(path, str) and (folder := Path(path)).is_absolute() and _is_folder(folder):
            yield folder.resolve(), time if isinstance(time, int | float) else 0


def _is_folder(path: Path) -> bool:
    """Return whether a folder is there, which it is not under a name that none can have."""
    with contextlib.suppress(OSError):
        return path.is_dir()
    return False
