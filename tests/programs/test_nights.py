"""Each program does a night's work by the script of `docs/unattended.md`, with nobody there."""

import json
import os

from bridge.app import Bridge
from tests.docs.unattended_recipes import blocks, command, script
from tests.mcp.clients import node
from tests.people import person_at
from tests.programs.conversation import find, ours
from tests.programs.desk import Desk, Running
from tests.programs.editors import EDITORS
from tests.programs.entries import add_to_entry
from tests.programs.programs import Program, folder, search_path

TITLES = {"claude-code": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "OpenCode"}


def environment(desk: Desk, program: Program, url: str) -> dict[str, str]:
    path = os.pathsep.join([str(folder() / "node_modules" / ".bin"), search_path()])
    own_variables = {name: value for name, value in program.variables(url).items() if "TRUST" not in name}
    return desk.environment() | own_variables | {"PATH": path, "GEMINI_MODEL": "gemini-2.5-flash"}


def test_the_program_has_every_option_of_its_script(program: Program) -> None:
    words = command(TITLES[program.id]).split()
    helped = [word for word in words[1:2] if not word.startswith(("-", '"'))]
    text = node.run(str(program.path), *helped, "--help", PATH=search_path())
    for word in words[1:]:
        if word.startswith("-"):
            assert word in (text.stdout + text.stderr).replace(",", " ").split(), word


async def test_what_it_writes_by_its_script_is_handed_in_and_its_own_tools_write_nothing(
    desk: Desk, program: Program
) -> None:
    model = await desk.model_of(program)
    async with Bridge(desk.vault) as bridge, person_at(desk.vault) as person:
        bridge.settings.update({"enabledTools": ["*"]})
        await desk.command("install-client", program.id, "--drafts", "--yes", "--vault", str(desk.vault))
        (client,) = await person.host.request("clients.list")
        await person.host.request("consent.allowReading", client=client["name"], where=["/"])
    add_to_entry(program, **dict(program.trusts))
    before = {file: file.read_bytes() for file in desk.vault.rglob("*.md")}
    night = desk.home / "night"
    night.mkdir()
    (night / "prompt.md").write_text("Tidy my notes.\n", encoding="utf-8")
    (night / "run.sh").write_text(script(TITLES[program.id]), encoding="utf-8")
    for text in blocks(TITLES[program.id], "json"):
        (night / "opencode.json").write_text(text, encoding="utf-8")
    editor = EDITORS[program.id]
    tools = (find("create_note", "draft"),) if program.finds else ()
    model.play(
        *tools,
        ours("create_note", path="Night/One.md", content="one\n"),
        editor.run(f"echo shell > '{desk.vault}/Shell.md'"),
        ours("create_note", path="Night/Two.md", content="two\n"),
        ours("draft", action="submit"),
        "Done.",
    )
    process = await desk.start_piped(["sh", str(night / "run.sh")], environment(desk, program, model.url))
    ended = await Running(process, model).end()
    assert ended.code == 0, ended.err
    waiting = json.loads(await desk.command("inbox", "--json", "--vault", str(desk.vault)))
    assert [(line["kind"], line["files"], line["client"]) for line in waiting] == [("draft", 2, client["name"])], ended
    assert {file: file.read_bytes() for file in desk.vault.rglob("*.md")} == before
