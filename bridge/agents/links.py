"""Links that put a server into a program by one click, for the two programs that have such links."""

import base64
import json
from typing import Final
from urllib.parse import quote

from bridge.agents.table import ServerCommand

LINKED: Final = ("cursor", "vscode")


def install_link(agent: str, name: str, server: ServerCommand) -> str | None:
    """Return the link, which the program opens and asks about; None for a program that has none.

    Args:
        agent: The program's id.
        name: The name of the server.
        server: What the program starts.
    """
    config = {"command": server.command, "args": list(server.args)}
    if agent == "cursor":
        packed = base64.b64encode(_compact(config).encode()).decode()
        return f"cursor://anysphere.cursor-deeplink/mcp/install?name={quote(name)}&config={quote(packed, safe='')}"
    if agent == "vscode":
        return f"vscode:mcp/install?{quote(_compact({'name': name, **config}), safe='')}"
    return None


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
