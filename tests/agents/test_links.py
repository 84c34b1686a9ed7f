"""The links hold exactly what the program would have in its configuration."""

import base64
import json
from urllib.parse import parse_qs, unquote, urlsplit

from bridge.agents.table import AGENTS, LINKED, ServerCommand, install_link

SERVER = ServerCommand("/opt/vault bridge", ("mcp", "--vault", "/n?&ü+/", "--client", "C"))
CONFIG = {"command": SERVER.command, "args": list(SERVER.args)}


def test_the_link_of_cursor_holds_the_server_in_base64() -> None:
    link = urlsplit(install_link("cursor", "vault-bridge", SERVER) or "")
    assert (link.scheme, link.netloc, link.path) == ("cursor", "anysphere.cursor-deeplink", "/mcp/install")
    query = parse_qs(link.query, strict_parsing=True)
    assert query["name"] == ["vault-bridge"]
    assert json.loads(base64.b64decode(query["config"][0])) == CONFIG


def test_the_link_of_vs_code_holds_the_server_as_json() -> None:
    scheme, _, query = (install_link("vscode", "vault-bridge", SERVER) or "").partition("?")
    assert scheme == "vscode:mcp/install"
    assert json.loads(unquote(query)) == {"name": "vault-bridge", **CONFIG}


def test_no_other_program_has_a_link() -> None:
    assert tuple(agent.id for agent in AGENTS if install_link(agent.id, "x", SERVER)) == LINKED
