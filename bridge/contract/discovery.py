"""The discovery of a running bridge: a file in the vault says where it is, files outside it hold the tokens."""

from typing import Final

from bridge.contract.base import Wire

STATE_FOLDER: Final = ".vault-bridge"
"""The bridge's own folder in a vault."""
BRIDGE_FILE: Final = "bridge.json"
"""In that folder, while the bridge runs."""
AGENT_FILE: Final = "agent.json"
"""In the run folder, readable by its user only."""
HOST_FILE: Final = "host.json"
"""The same, for the plugin and the terminal approver."""
SUBPROTOCOL: Final = "vault-bridge.v1"
"""The subprotocol that the server selects when a browser offers it beside `bearer.TOKEN`."""


class Discovery(Wire):
    """The content of `bridge.json`: where the bridge is, and where its tokens are. No secret: vaults are synced."""

    url: str
    http: str
    pid: int
    version: str
    run_dir: str


class Endpoint(Wire):
    """The content of `agent.json` and `host.json`. Tokens are new at every start.

    Attributes:
        url: The URL of the WebSocket.
        http: The URL of everything else.
        token: The token that lets a client in.
        pid: The bridge's process.
        version: The bridge's version.
        vault: The folder that it serves, as a real path: `bridge.json` may have been copied from elsewhere.
    """

    url: str
    http: str
    token: str
    pid: int
    version: str
    vault: str = ""
