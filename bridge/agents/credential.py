"""The credential of a program: a client of the bridge, whose token is in the user's own folder and nowhere else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from bridge.agents.machine import ConfigurationRefused
from bridge.client import token_storage
from bridge.client.errors import TokenNotFound

PRESET: Final = "agent"
"""The set of tools that a new client gets, where the bridge gives each client its own."""


class Clients(Protocol):
    """The clients of the bridge, as connecting needs them."""

    async def names(self) -> Sequence[str]:
        """Return the names of the clients."""

    async def add(self, name: str, preset: str) -> str:
        """Add a client, and return its token."""

    async def revoke(self, name: str) -> None:
        """End a client's credential."""


async def ensure_client(vault: Path, name: str, clients: Clients, preset: str = PRESET) -> bool:
    """Have a client whose token is on this machine.

    Args:
        vault: The vault's real path.
        name: The name of the client.
        clients: The bridge's.
        preset: The set of tools that a new one gets.

    Returns:
        Whether it was added for that.

    Raises:
        ConfigurationRefused: There is a client of this name whose token is elsewhere, or the token cannot be kept.
        BridgeError: The bridge does not add the client.
    """
    if not await _is_known(name, clients):
        token = await clients.add(name, preset)
        try:
            token_storage.save_to_file(vault, name, token)
        except OSError as error:
            await clients.revoke(name)
            raise ConfigurationRefused(f"The client's token cannot be kept: {error.strerror}") from None
        return True
    try:
        token_storage.find_token(vault, name)
    except TokenNotFound:
        raise ConfigurationRefused(
            f"The bridge has a client called {name!r} already, whose token is not kept on this machine. "
            "Choose another name with --client, or revoke that one"
        ) from None
    return False


async def end_client(vault: Path, name: str, clients: Clients) -> bool:
    """Revoke a client and remove its token.

    Args:
        vault: The vault's real path.
        name: The name of the client.
        clients: The bridge's.

    Returns:
        Whether there was such a client.
    """
    if known := await _is_known(name, clients):
        await clients.revoke(name)
    token_storage.remove(vault, name)
    return known


async def _is_known(name: str, clients: Clients) -> bool:
    return any(name.casefold() == other.casefold() for other in await clients.names())
