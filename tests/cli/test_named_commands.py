"""Every command that a sentence of the bridge names is one that the command line takes, with these options."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

import bridge
from bridge.cli.main import app

SOURCES = sorted(Path(bridge.__file__).parent.rglob("*.py"))
NAMED = re.compile(r"`(vault-bridge [^`\n]+)`")
VALUES = {"tool": "read", "key": "consentTimeout", "provider.value": "brave", "program.id": "claude-code"}
"""What stands for a part that is filled in; anything else is `x`."""
FAMILIES = ("custom", "drafts", "servers", "templates")
"""What `family.py` fills in where it names the command that lists the things of a family."""


def sentences(source: Path) -> Iterator[str]:
    """Every text of a module, its docstrings left out, with what is filled in replaced."""
    tree = ast.parse(source.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    docs = {id(one.value) for one in first if isinstance(one, ast.Expr)}
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(map(_part, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | inner:
            yield node.value


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return VALUES.get(ast.unparse(node.value), "x") if isinstance(node, ast.FormattedValue) else ""


COMMANDS = sorted(
    {
        (str(source.relative_to(SOURCES[0].parent)), command)
        for source in SOURCES
        for text in sentences(source)
        for named in NAMED.findall(text)
        for command in ([named.replace(" x ", f" {word} ") for word in FAMILIES] if " x list" in named else [named])
        if command != "vault-bridge x"  # any command: tests/tools/agent/test_presets.py runs these
    }
)


def test_sentences_name_commands() -> None:
    assert len(COMMANDS) > 50


@pytest.mark.parametrize(
    ("source", "command"), COMMANDS, ids=[f"{command} in {source}" for source, command in COMMANDS]
)
def test_a_command_that_is_named_is_taken(source: str, command: str) -> None:
    del source
    words = shlex.split(command.removesuffix("=...") + ("=1" if command.endswith("=...") else ""))[1:]
    taken: Any = typer.main.get_command(app)
    context = taken.make_context("vault-bridge", [], resilient_parsing=True)
    while isinstance(taken, TyperGroup) and words and not words[0].startswith("-"):
        found = taken.get_command(context, words[0])
        assert found is not None, f"there is no command {words[0]!r}"
        name, taken = words.pop(0), found
        context = taken.make_context(name, [], parent=context, resilient_parsing=True)
    if isinstance(taken, TyperGroup):
        return  # the family is named
    if all(word.startswith("-") for word in words):
        named = {option for each in taken.params for option in each.opts}
        assert set(words) <= named, f"there is no option {sorted(set(words) - named)}"
        return  # the command alone is named, or an option without its value
    if context.parent.info_name == "keys":
        words = ["brave" if word in {"x", "NAME"} else word for word in words]
    taken.make_context(context.info_name, words, parent=context.parent)
