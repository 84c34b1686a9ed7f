"""`docs/cli.md` has every command with every option and argument, and no other."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from bridge.cli.main import app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMON = {"--vault", "--json", "--help"}


def commands() -> dict[str, Any]:
    """Every command by the words one types, as typer made it."""
    group: Any = typer.main.get_command(app)
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {word}": sub for word, sub in inner.items()} if inner else {name: command}
    return found


COMMANDS = commands()


def section(name: str) -> str:
    found = re.search(rf"^### `vault-bridge {name}`$(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def test_every_command_has_its_section_and_every_section_its_command() -> None:
    assert sorted(re.findall(r"^### `vault-bridge ([\w -]+)`$", PAGE, re.MULTILINE)) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_names_every_option_and_no_other(name: str) -> None:
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts if option.startswith("--")}
    named = set(re.findall(r"(?<=`)--[a-z-]+", section(name)))
    assert named - COMMON == options - COMMON


def test_what_all_commands_have_in_common_is_described() -> None:
    assert all(f"`{option}" in PAGE for option in COMMON)
    assert "VAULT_BRIDGE_VAULT" in PAGE
