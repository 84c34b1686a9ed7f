"""What of an answer each program shows its model."""

import json
import sys
from pathlib import Path

from bridge.agents.json_entry import JsonEntries
from bridge.agents.machine import this_machine
from bridge.agents.table import BY_ID, ServerCommand
from bridge.agents.toml_entry import TomlEntries
from tests.programs.conversation import own, ours
from tests.programs.desk import Desk
from tests.programs.forms_server import ANSWERS
from tests.programs import forms_server
from tests.programs.programs import Program


async def test_try(desk: Desk, program: Program) -> None:
    await desk.model_of(program)
    agent = BY_ID[program.id]
    file = agent.file(this_machine())
    calls = desk.home / "calls.jsonl"
    entry = agent.entry(ServerCommand(sys.executable, (forms_server.__file__, str(calls))))
    text = file.read_text() if file.exists() else ""
    entries = TomlEntries(text, agent.key) if agent.form == "toml" else JsonEntries(text, agent.key, comments=True)
    file.write_text(entries.put("vault-bridge", entry))
    first = (own("ToolSearch", query="select:" + ",".join(f"mcp__vault-bridge__{t}" for t in ANSWERS), max_results=20),) if program.finds else ()
    steps = [ours(t, word="hello") for t in ANSWERS]
    ended = await desk.run(program, *first, *steps, "Done.")
    print(program.id, ended.code, ended.out[-500:], ended.err[-500:])
    off = len(first)
    print([d.definition for d in ended.turns[-1].offered if d.is_ours][:2])
    print([d.definition for d in ended.turns[-1].offered if d.name.endswith("_schema")][:2])
    print("   ", ended.turns[1].answers if off else "")
    for number, name in enumerate(ANSWERS):
        t = next(x for x in ended.turns if x.number == number + 1 + off)
        print("   ", name, [a.raw for a in t.answers])
    print(calls.read_text())
