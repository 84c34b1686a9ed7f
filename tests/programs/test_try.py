import json
from pathlib import Path
from bridge.app import Bridge
from tests.people import person_at
from tests.programs.conversation import ours, own

async def test_try(desk, program):
    async with Bridge(desk.vault) as bridge, person_at(desk.vault) as person:
        person.answer="allow_once"
        print(await desk.connect(program))
        first = (own("ToolSearch", query="select:mcp__vault-bridge__search,mcp__vault-bridge__read,mcp__vault-bridge__edit,mcp__vault-bridge__draft,mcp__vault-bridge__create_note,mcp__vault-bridge__await_decision", max_results=10),) if program.finds else ()
        ended = await desk.run(program, *first, ours("search", query="TODO"), ours("read", path="Ideas.md", lineNumbers=True), "Done.")
        out = Path("/tmp/programs-try/out"); out.mkdir(exist_ok=True)
        (out / program.id).write_text(json.dumps([t.body for t in ended.turns], indent=1))
        print(ended.code, ended.out[-1500:], ended.err[-1500:])
        for t in ended.turns:
            print(t.number, len(json.dumps(t.body)), [(o.namespace, o.name) for o in t.offered])
            print("  ours", t.ours)
            for a in t.answers: print("  <=", str(a.raw)[:1500])
