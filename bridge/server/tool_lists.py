"""The tools of each client with a name as MCP lists them, kept in the user's own folder.

So `vault-bridge mcp` has a list before there is a bridge, which takes seconds to start. It is what the bridge would
have said when it was last asked to keep it; the program asks the bridge itself as soon as one is there.
"""

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from bridge.records.folder import RunFolder, place

if TYPE_CHECKING:  # each program that an MCP client starts reads a kept list, and has no need of these
    from bridge.identity.store import ClientStore
    from bridge.settings.store import SettingsStore
    from bridge.toolkit.registry import ToolRegistry

logger = logging.getLogger(__name__)

KIND: Final = "tool-lists"


def kept_list(vault: Path, client_id: str) -> list[dict[str, Any]] | None:
    """Return the tools of a client as they were kept last; None where they never were, or cannot be read.

    Args:
        vault: The vault's real path.
        client_id: The client.
    """
    try:
        kept = orjson.loads((place(vault, kind=KIND) / _file(client_id)).read_bytes())
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, list) else None


class ToolLists:
    """The lists of tools of one vault's clients. May be used from several threads.

    Args:
        vault: The vault's real path.
        clients: Whose lists.
        registry: The tools.
        settings: Which of them are enabled.
    """

    def __init__(
        self, vault: Path, clients: "ClientStore", registry: "ToolRegistry", settings: "SettingsStore"
    ) -> None:
        self._folder = RunFolder(vault, kind=KIND)
        self._clients = clients
        self._registry = registry
        self._settings = settings
        self._lock = threading.Lock()

    def keep(self) -> None:
        """Write down what has changed; a client that is gone takes its list with it."""
        try:
            with self._lock:
                self._keep()
        except OSError as error:
            logger.warning("The lists of tools cannot be kept: %s", error.strerror)

    def _keep(self) -> None:
        lists = {_file(info.client_id): self._list(info.client_id) for info in self._clients.list()}
        self._folder.remove(*(name for name in self._folder.names() if name not in lists))
        for name, data in lists.items():
            if self._folder.read(name) != data:
                self._folder.write(name, data)

    def _list(self, client_id: str) -> bytes:
        from bridge.identity.caller import Caller  # noqa: PLC0415 - an MCP process reads a list without
        from bridge.toolkit.schema import describe  # noqa: PLC0415 - an MCP process reads a list without

        client = self._clients.by_id(client_id)
        if client is None:
            return b"[]"
        tools = describe(self._registry, Caller(client, client_id), self._settings.current, "mcp")
        return orjson.dumps([tool if isinstance(tool, str) else tool.to_wire() for tool in tools], default=str)


def _file(client_id: str) -> str:
    return f"{client_id}.json"
