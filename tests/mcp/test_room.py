"""What the room of MCP is allowed: to be small, to know nothing of policy, and to be loaded when it is needed."""

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOM = Path(__file__).resolve().parents[2] / "bridge" / "mcp"
MOST_LINES = 500
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
BEHIND_THE_CALLS = ("consent", "policy", "journal", "audit", "index", "notes", "vault", "settings", "identity", "rpc")


def lines_of_code(file: Path) -> int:
    """Lines with something else on them than a comment or a docstring."""
    text = file.read_text(encoding="utf-8")
    said = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in LAYOUT]
    return len({line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - said)


def test_the_room_is_small() -> None:
    assert sum(map(lines_of_code, ROOM.glob("*.py"))) <= MOST_LINES


@pytest.mark.parametrize("file", sorted(ROOM.glob("*.py")), ids=lambda file: file.name)
def test_it_reaches_the_bridge_by_its_calls_alone(file: Path) -> None:
    named = [
        node.module
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
    ]
    assert not [name for name in named if name.split(".")[:1] == ["bridge"] and name.split(".")[1] in BEHIND_THE_CALLS]


@pytest.mark.slow
@pytest.mark.parametrize("module", ["bridge.app", "bridge.cli.serve", "bridge.cli.call", "bridge.cli.speaking"])
def test_nothing_loads_the_sdk_before_mcp_is_spoken(module: str) -> None:
    code = (
        f"import {module}, sys; print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)  # noqa: S603 - ours
    assert done.stdout.strip() == "[]"
