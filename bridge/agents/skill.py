"""The skill, `SKILL.md` beside this file: what an agent that works on the command line reads about a vault."""

import json
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Final

FILE: Final = "SKILL.md"


def skill_text(name: str, words: Sequence[str], vault: Path, client: str, *, windows: bool) -> bytes:
    """Return the skill of one vault and client.

    Args:
        name: The name of the skill.
        words: The command that starts `vault-bridge`.
        vault: The vault's folder.
        client: The client that the agent is in the bridge.
        windows: Whether commands are quoted as on Windows.
    """

    def line(command: str) -> str:
        whole = [*words, command, "--vault", str(vault), "--client", client]
        return subprocess.list2cmdline(whole) if windows else shlex.join(whole)

    shown = "".join(char for char in vault.name if char.isprintable() and char not in "`$<>[]*_#") or "the vault"
    about = (
        f"Find, read and change the user's Obsidian notes in {shown} by a command that asks the user. "
        "Use it for everything about these notes, and do not edit their files."
    )
    text = Template(Path(__file__).with_name(FILE).read_text(encoding="utf-8")).substitute(
        name=name,
        description=json.dumps(about, ensure_ascii=False),
        vault=shown,
        **{command: line(command) for command in ("call", "tools", "preview", "history")},
    )
    return text.encode()
