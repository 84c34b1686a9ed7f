"""Each program's own editor and shell, told to ask by `vault-bridge protect`."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from tests.patience import PATIENCE
from tests.people import Person, person_at, until_read
from tests.processes import descendants
from tests.programs import page
from tests.programs.codex_trust import trust_hooks
from tests.programs.conversation import Call, Step, Turn, own
from tests.programs.desk import Desk, Ended, Running
from tests.programs.editors import EDITORS, Editor, replaced
from tests.programs.programs import CODEX, OPENCODE, PATCHES, WRITES_PROGRAMS, Program, why_not

OLD, NEW, NEWER = "Old content here.", "New content here.", "Newer content here."
LONG = PATIENCE * 3
"""Seconds in which a program does a longer piece of work while others work too."""
REFUSED = {"feedback": "Bob is on holiday."}


@dataclass
class Desktop:
    """A protected program at a desk, and the bridge of the vault while it runs.

    Attributes:
        desk: The desk.
        program: The program.
        bridge: The bridge, and who sits at a screen of it; None while it does not run.
    """

    desk: Desk
    program: Program
    bridge: tuple[Bridge, Person] | None = None

    @property
    def editor(self) -> Editor:
        """The program's own tools."""
        return EDITORS[self.program.id]

    @property
    def person(self) -> Person:
        """Who sits at a screen."""
        assert self.bridge is not None
        return self.bridge[1]

    @property
    def ideas(self) -> Path:
        """A note."""
        return self.desk.vault / "Ideas.md"

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[Person]:
        """Serve the vault to a person who says yes."""
        async with Bridge(self.desk.vault) as bridge, person_at(self.desk.vault) as person:
            await until_read(person.host)
            person.answer = "allow_once"
            self.bridge = (bridge, person)
            yield person
        self.bridge = None

    async def protect(self, *options: str) -> None:
        """Give the command, and trust the hook where that is needed."""
        await self.desk.command("protect", self.program.id, "--vault", str(self.desk.vault), "--yes", *options)
        if self.program == CODEX:
            await trust_hooks(self.desk)

    async def start(self, *steps: Step, arguments: tuple[str, ...] = ()) -> Running:
        """Start the program, which looks at the note first if it has to; with arguments in the place of the usual."""
        look = self.editor.look
        looked = [] if look is None else [look(self.ideas)]
        given = arguments or self.editor.arguments(self.desk.home, self.desk.vault)
        return await self.desk.start(
            self.program, *looked, *steps, "Done.", arguments=(*self.program.arguments, *given)
        )

    def answer(self, ended: Ended, number: int) -> str:
        """Return what the model was shown as the answer to a step, the first being 1."""
        return ended.answers(number + (self.editor.look is not None))

    async def recorded(self) -> dict[str, str]:
        """Return what the history says of the files that were changed past the bridge, by their paths."""
        assert self.bridge is not None
        await asyncio.to_thread(self.bridge[0].index.refresh)
        entries = await self.person.host.request("history.list", outside=True)
        return {file: entry["summary"] for entry in entries for file in entry["files"]}


@pytest.fixture
async def desktop(desk: Desk, program: Program) -> Desktop:
    """Each program, told of its model."""
    return await at_desktop(desk, program)


async def at_desktop(desk: Desk, program: Program) -> Desktop:
    """Return a program at a desk, told of its model."""
    if why := why_not(program):
        pytest.skip(why)
    await desk.model_of(program)
    EDITORS[program.id].prepare(desk.home)
    return Desktop(desk, program)


async def test_its_editor_asks_and_its_shell_does_not(desktop: Desktop) -> None:
    desk, program, editor, ideas = desktop.desk, desktop.program, desktop.editor, desktop.ideas
    settings, outside = desk.home / editor.settings, desk.work / "outside.md"
    async with desktop.serve() as person:
        await desktop.protect()

        async def refuse(_turn: Turn) -> Call:
            person.answer, person.extent = "deny_once", REFUSED
            return editor.write(desk.vault / "Other.md", "Other\n")

        running = await desktop.start(
            editor.replace(ideas, OLD, NEW),
            refuse,
            editor.run(f"apply_patch <<'EOF'\n{replaced(ideas, NEW, NEWER)}EOF"),
            editor.write(settings, "{}\n"),
            editor.write(desk.vault / ".vault-bridge" / "settings.json", "{}\n"),
            editor.run(f"echo by-shell >> '{desk.vault}/Notes/Windows.md'"),
            editor.write(outside, "not of the vault\n"),
        )
        ended = await running.end(LONG)
        recorded = await desktop.recorded()
    answers = [desktop.answer(ended, number) for number in range(1, 8)]
    asked = [question["summary"] for question in person.asked]
    client = person.asked[0]["client"]
    assert ideas.read_text("utf-8").endswith(f"{NEW}\n"), answers
    assert f"as you allowed {client}" in recorded["Ideas.md"]
    page.note(program, "protect", "asked", "yes")
    assert "Bob is on holiday." in answers[1]
    assert not (desk.vault / "Other.md").exists()
    page.note(program, "protect", "denied", "yes")
    known = "command not found" not in answers[2]
    assert len(asked) == (3 if known else 2), asked
    assert ("Bob is on holiday." in answers[2]) is known
    page.note(program, "protect", "patch", "yes" if known else "its shell has no `apply_patch`")
    assert settings.read_text("utf-8") != "{}\n", answers[3]
    assert not (desk.vault / ".vault-bridge" / "settings.json").exists(), answers[4]
    page.note(program, "protect", "switches", "refused")
    assert (desk.vault / "Notes" / "Windows.md").read_text("utf-8").endswith("by-shell\n")
    assert "Notes/Windows.md" in recorded
    page.note(program, "protect", "shell", "not asked about; recorded")
    assert outside.read_text("utf-8") == "not of the vault\n", answers[6]
    page.note(program, "protect", "elsewhere", "not asked about")


async def test_without_an_answer_or_a_bridge(desktop: Desktop) -> None:
    """What becomes of a change while you say nothing, when the hook is killed, and while no bridge runs."""
    desk, program, editor, ideas = desktop.desk, desktop.program, desktop.editor, desktop.ideas
    vault = desk.vault
    killed: list[int] = []
    tasks: list[asyncio.Task[Any]] = []
    async with desktop.serve() as person:
        await desktop.protect()

        async def kill(_turn: Turn) -> Call:
            person.answer = None
            tasks.append(asyncio.create_task(kill_hook(person, running, killed)))
            return editor.write(vault / "Killed.md", "Killed\n")

        async def silent(_turn: Turn) -> Call:
            await tasks[0]
            await desk.command("protect", program.id, "--vault", str(vault), "--yes", "--timeout", "10")
            return editor.write(vault / "Late.md", "Late\n")

        async def alone(_turn: Turn) -> Call:
            gone.set()
            await stopped.wait()
            return editor.replace(ideas, OLD, NEW)

        async def strict(_turn: Turn) -> Call:
            options = ("--yes", "--without-bridge", "refuse")
            await desk.command("protect", program.id, "--vault", str(vault), *options)
            return editor.write(vault / "Strict.md", "Strict\n")

        gone, stopped = asyncio.Event(), asyncio.Event()
        running = await desktop.start(kill, silent, alone, strict)
        async with asyncio.timeout(LONG):
            await gone.wait()
    stopped.set()
    ended = await running.end(LONG)
    answers = [desktop.answer(ended, number) for number in range(1, 5)]
    assert len(killed) == 1
    page.note(program, "protect", "killed", "let through" if (vault / "Killed.md").exists() else "refused")
    assert "The user has not answered yet" in answers[1]
    assert not (vault / "Late.md").exists()
    page.note(program, "protect", "silent", "refused")
    assert ideas.read_text("utf-8").endswith(f"{NEW}\n"), answers[2]
    assert "without it this vault is not changed" in answers[3]
    assert not (vault / "Strict.md").exists()
    async with desktop.serve():
        recorded = await desktop.recorded()
    assert "Ideas.md" in recorded
    page.note(program, "protect", "alone", "let through and recorded; with `--without-bridge refuse`, refused")


async def kill_hook(person: Person, running: Running, killed: list[int]) -> None:
    """Kill the hook that asks."""
    await person.until_asked()
    for process in descendants(running.process.pid):
        command = command_of(process)
        if any(word.endswith(b"hook.py") for word in command) and b"python" in command[0]:
            os.kill(process, signal.SIGKILL)
            killed.append(process)


def command_of(process: int) -> list[bytes]:
    """Return the words of a process's command."""
    return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")


async def test_a_hook_that_cannot_start(desktop: Desktop) -> None:
    """As where the environment in which Vault Bridge was installed is gone."""
    program, editor = desktop.program, desktop.editor
    async with desktop.serve() as person:
        await desktop.protect()
        changed = await asyncio.to_thread(lose_python, desktop.desk.home)
        if program == CODEX:
            await trust_hooks(desktop.desk)
        running = await desktop.start(editor.replace(desktop.ideas, OLD, NEW))
        ended = await running.end(LONG)
    assert changed
    assert person.asked == []
    changes = NEW in desktop.ideas.read_text("utf-8")
    said = desktop.answer(ended, 1)
    page.note(program, "protect", "broken", "let through" if changes else "refused")
    assert changes or "hook" in said.lower() or "/gone/python" in said, said


def lose_python(home: Path) -> int:
    """Have the hooks that are entered name a Python that is not there. Returns how many files have changed."""
    changed = 0
    for file in (home / path for path in (".claude", ".codex", ".gemini", ".config/opencode/plugins")):
        for settings in file.glob("*.js*") if file.is_dir() else ():
            text = settings.read_text("utf-8")
            lost = text.replace("/bin/python", "/gone/python")
            settings.write_text(lost, encoding="utf-8")
            changed += lost != text
    return changed


async def test_codex_asks_only_when_its_hook_is_trusted(desk: Desk) -> None:
    desktop = await at_desktop(desk, CODEX)
    async with desktop.serve() as person:
        await desk.command("protect", CODEX.id, "--vault", str(desk.vault), "--yes")
        check = ("protect", CODEX.id, "--vault", str(desk.vault), "--check", "--json")
        process = await desk.start_command(*check)
        assert process.stdout is not None
        (said,) = json.loads(await process.stdout.read())
        assert await process.wait() == 1
        assert "trust this one" in said["faults"][0]
        await (await desktop.start(desktop.editor.replace(desktop.ideas, OLD, NEW))).end(LONG)
        assert person.asked == []
        assert await trust_hooks(desk) == ["untrusted"]
        assert json.loads(await desk.command(*check))[0]["faults"] == []
        await (await desktop.start(desktop.editor.replace(desktop.ideas, NEW, NEWER))).end(LONG)
        assert len(person.asked) == 1
    assert NEWER in desktop.ideas.read_text("utf-8")


async def test_a_model_of_codex_that_writes_programs_is_asked_about_too(desk: Desk) -> None:
    desktop = await at_desktop(desk, CODEX)
    desktop_patch = json.dumps(replaced(desktop.ideas, OLD, NEW))
    shell = json.dumps({"cmd": f"apply_patch <<'EOF'\n{replaced(desktop.ideas, OLD, NEWER)}EOF"})
    async with desktop.serve() as person:
        await desktop.protect()
        person.answer = "deny_once"
        running = await desktop.start(
            own("exec", f"text(await tools.apply_patch({desktop_patch}))"),
            own("exec", f"text(await tools.exec_command({shell}))"),
            arguments=("--model", WRITES_PROGRAMS),
        )
        ended = await running.end(LONG)
    assert len(person.asked) == 2, [ended.answers(1), ended.answers(2)]
    assert OLD in desktop.ideas.read_text("utf-8")


async def test_a_model_of_opencode_that_edits_by_patches_is_asked_about_too(desk: Desk) -> None:
    desktop = await at_desktop(desk, OPENCODE)
    async with desktop.serve() as person:
        await desktop.protect()
        person.answer, person.extent = "deny_once", REFUSED
        running = await desktop.start(
            own("apply_patch", patchText=replaced(desktop.ideas, OLD, NEW)),
            arguments=("--model", f"local/{PATCHES}"),
        )
        ended = await running.end(LONG)
    assert len(person.asked) == 1, ended.answers(2)
    assert "Bob is on holiday." in ended.answers(2)
