"""`docs/agents.md` has every program with its own key, and its links hold what it says."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from bridge.agents.table import AGENTS
from bridge.cli.main import COMMANDS, FULL_NAME

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
LINKS = dict(re.findall(r"\[Add to ([\w ]+)\]\((\S+?)\)", PAGE))


def test_every_program_is_in_the_table_with_its_key_and_no_other() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| .* \| `\[?(\w+)\]?` \|$", PAGE, re.MULTILINE)
    assert rows == [(agent.id, agent.key) for agent in AGENTS]


def test_the_link_of_vs_code_asks_for_the_vault() -> None:
    inner = parse_qs(urlsplit(LINKS["VS Code"]).query)["url"][0]
    held = json.loads(unquote(inner.removeprefix("vscode:mcp/install?")))
    assert held["inputs"][0]["id"] == "vault"
    assert (held["command"], held["args"]) == (
        "vault-bridge",
        ["mcp", "--vault", "${input:vault}", "--client", "VS Code"],
    )


def test_the_link_of_cursor_takes_the_open_folder() -> None:
    query = parse_qs(urlsplit(LINKS["Cursor"]).query, strict_parsing=True)
    held = json.loads(base64.b64decode(query["config"][0]))
    assert held == {"command": "vault-bridge", "args": ["mcp", "--vault", "${workspaceFolder}", "--client", "Cursor"]}


def test_the_prompt_has_commands_that_are_there_and_never_installs_by_name_from_an_index() -> None:
    prompt = PAGE.split("```text\n", 1)[1].split("```", 1)[0]
    used = set(re.findall(r"`vault-bridge ([a-z][a-z-]*)", prompt))
    assert used <= set(COMMANDS)
    assert FULL_NAME in prompt
    assert not re.search(r"(pip|pipx|uv tool|uv pip) install \"?(obsidian-)?vault", PAGE)
