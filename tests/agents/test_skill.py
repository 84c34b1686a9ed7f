"""The skill: short, and harmless whatever the vault is called."""

import re
from pathlib import Path

import pytest

from bridge.agents.connection import skill_text

WORDS = ("/home/ada/.local/bin/vault-bridge",)


def made(vault: str = "/home/ada/Notes", *, windows: bool = False) -> str:
    return skill_text("vault-bridge", WORDS, Path(vault), "Claude Code", windows=windows).decode()


def test_it_costs_less_than_five_hundred_tokens() -> None:
    pieces = re.findall(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^\sA-Za-z0-9]", made())
    assert len(pieces) < 500


def test_it_names_the_commands_with_the_vault_and_the_client() -> None:
    text = made("/home/ada/My notes")
    for command in ("call", "tools", "preview", "history"):
        assert f"{WORDS[0]} {command} --vault '/home/ada/My notes' --client 'Claude Code'" in text
    assert '--vault "/home/ada/My notes" --client "Claude Code"' in made("/home/ada/My notes", windows=True)


@pytest.mark.parametrize("name", ['a": b # x', "`rm`", "<b>$name", "--- [x](y)"])
def test_a_hostile_name_of_a_vault_stays_a_name(name: str) -> None:
    text = made(f"/v/{name}")
    head = text.split("---\n")[1]
    assert re.fullmatch(r'name: vault-bridge\ndescription: "(?:[^"\\\n]|\\.)*"\n', head)
    title = next(line for line in text.splitlines() if line.startswith("# "))
    assert not set(title[2:]) & set("`$<>[]")
    assert text.count("\n# ") == 1
