"""The program that Claude Desktop starts from the bundle: the MCP server of the vault that the person chose.

The first start makes the program a client of its own; its token stays in the user's folder.
"""

import asyncio
import sys
from pathlib import Path

from bridge.agents.credential import ensure_client
from bridge.cli.connection import run_with
from bridge.cli.install_client import BridgeClients
from bridge.cli.main import main
from bridge.client import TokenNotFound, find_vault, token_storage
from bridge.errors import BridgeError

CLIENT = "Claude Desktop"


def prepare(vault: Path) -> None:
    """Give this program its credential, if it has none yet."""
    try:
        token_storage.find_token(vault, CLIENT)
    except TokenNotFound:
        asyncio.run(run_with(vault, lambda bridge: ensure_client(vault, CLIENT, BridgeClients(bridge))))


if __name__ == "__main__":
    try:
        folder = find_vault(sys.argv[1])
        prepare(folder)
    except BridgeError as error:
        sys.exit(str(error))
    sys.argv = ["vault-bridge", "mcp", "--vault", str(folder), "--client", CLIENT]
    main()
