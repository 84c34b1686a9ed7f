"""The bridge as MCP needs it, however it is reached."""

from collections.abc import Callable
from typing import Any, Final, Protocol

Listener = Callable[[str, dict[str, Any]], None]
"""Called with the name and the parameters of an event."""
WHILE_CONNECTED: Final = "vault_bridge.while_connected"
"""In the scope of an HTTP request: returns a context that gives up what is in it when the connection ends."""


class BridgePort(Protocol):
    """The way to the bridge: the methods and events of `docs/protocol.md`, and nothing else."""

    @property
    def is_there(self) -> bool:
        """Return whether a request waits for no bridge to start."""

    async def request(self, method: str, /, **params: Any) -> Any:
        """Call a method, with its parameters spelled as on the wire.

        Raises:
            BridgeError: The bridge refused the request, or cannot be reached; the message is for people.
        """

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a function called with every event, on the event loop. Returns what ends that."""

    def introduce(self, name: str) -> None:
        """Say what the program at the other end calls itself."""
