"""The entry of a server in a program's configuration, as a user edits it by hand."""

from typing import Any

from bridge.agents.connection import NAME
from bridge.agents.documents import JsonEntries, TomlEntries
from bridge.agents.machine import this_machine
from bridge.agents.table import BY_ID
from tests.programs.programs import Program


def add_to_entry(program: Program, **fields: Any) -> None:
    """Write fields into our entry, or a whole entry where there is none."""
    agent = BY_ID[program.id]
    file = agent.file(this_machine())
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    entries = TomlEntries(text, agent.key) if agent.form == "toml" else JsonEntries(text, agent.key)
    file.write_text(entries.put(NAME, entries.read().get(NAME, {}) | fields), encoding="utf-8")
