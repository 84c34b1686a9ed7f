"""The real bridge's answers, recorded for the tests of the plugin: `python3 scripts/record-fixtures`.

A short story is played on a copy of the sample vault, over real sockets: two programs call tools, a person answers each
question in the way that the story says, and everything that a screen may ask for is written down.

The story has a clock of its own, and what is random (ids, chains, durations) becomes a number in the order of its first
appearance, so that a new recording differs from the last one only where the bridge does.
"""

import argparse
import asyncio
import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.app import Bridge
from bridge.client import Connection, connect, find_vault
from bridge.client.token_storage import save_to_file
from bridge.clock import SystemClock
from bridge.contract.consent import Decision
from bridge.identity.caller import PERSON
from scripts.lib.demo import SAMPLE, date_files
from scripts.lib.environment import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDED: Final = ROOT / "obsidian-plugin" / "tests" / "recorded"
NAMED: Final = "Claude Code"
"""A program that the person has added."""
UNNAMED: Final = "Kitchen robot"
"""One that only calls itself so."""


UNDONE: Final = ("apply_patch", "create_note")
"""The tools whose changes are to be undone together."""
STEADY: Final = {"duration": 5, "waited": 2, "durationMs": 5, "size": 10_000, "pid": 1000}
"""Members that differ from run to run, and what is written instead: milliseconds, bytes, and the process."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the story, and what the person says to its question.

    Attributes:
        tool: What is called.
        arguments: With which arguments.
        decision: The answer; None: the question waits in vain.
        where: For which place the answer holds; None: the first option of that decision.
        feedback: What the agent is told.
        named: Whether the program has a name of its own.
    """

    tool: str
    arguments: dict[str, Any]
    decision: Decision | None = Decision.ALLOW_ONCE
    where: str | None = None
    feedback: str | None = None
    named: bool = True


class StoryClock(SystemClock):
    """A wall clock that stands still during a step of the story, and is a minute later in the next one."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def now(self) -> datetime:
        """The story's time."""
        return self._now

    def pass_minute(self) -> None:
        """Go on to the next step."""
        self._now += timedelta(minutes=1)


def _edit(line: int, text: str) -> dict[str, Any]:
    """The arguments of a patch of one line of the note `Welcome`."""
    return {"path": "Welcome.md", "patches": [{"startLine": line, "endLine": line, "newContent": text}]}


STORY: Final = (
    Step("find", {"pattern": "garden"}, Decision.ALLOW_SESSION),
    Step("find", {"pattern": "garden"}, Decision.ALLOW_SESSION, named=False),
    Step("grep", {"pattern": "TODO"}, Decision.DENY_SESSION, named=False),
    Step("read", {"path": "Projects/Balcony garden.md"}, Decision.ALLOW_ALWAYS, "Projects/"),
    Step("read_note", {"name": "Watering"}, Decision.DENY_ALWAYS),
    Step("apply_patch", _edit(5, "# Welcome to the vault")),
    Step("apply_patch", _edit(13, "Done."), Decision.DENY_ONCE, feedback="Keep the last line as it is."),
    Step("write_file", {"path": "Inbox/Idea.md", "content": "An idea\n"}, None),
    Step("create_note", {"path": "Inbox/Idea.md", "content": "An idea\n"}, named=False),
    Step("create_folder", {"path": "Kitchen/Soups"}),
    Step("modify_note", {"path": "Daily/2025-03-15.md", "operation": "append", "content": "\nWatered the seeds.\n"}),
    Step("add_tag", {"name": "Plum jam", "tag": "preserves"}, Decision.ALLOW_SESSION, "Kitchen/Plum jam.md"),
    Step("move_file", {"source": "Garden/Seeds.md", "destination": "Garden/Sowing.md"}),
    Step("delete_note", {"name": "Old reading list"}),
    Step("read", {"path": "Nowhere.md"}),
)


async def record() -> dict[str, Any]:
    """Play the story. Returns what each file holds, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "Notes"
        shutil.copytree(SAMPLE, vault)
        (vault / ".obsidian" / "app.json").write_text('{"trashOption": "local"}', encoding="utf-8")
        clock = StoryClock()
        date_files(vault, clock.now())
        async with Bridge(vault, clock=clock) as bridge:
            tools = bridge.services.registry.presets(PERSON)["vault"]
            await asyncio.to_thread(bridge.settings.update, {"enabledTools": list(tools)})
            async with connect(vault, name="Obsidian", role="host", can=["consent"]) as host:
                stable: dict[str, Any] = Stabilizer(vault).stable(await _play(vault, host, clock))
                return stable


async def _play(vault: Path, host: Connection, clock: StoryClock) -> dict[str, Any]:
    questions: dict[str, Any] = {}
    added = await host.request("clients.add", name=NAMED)
    save_to_file(find_vault(vault), NAMED, added["token"])
    asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    host.on("consent.requested", asked.put)
    async with connect(vault, name="claude-code 2.1", client=NAMED) as named, connect(vault, name=UNNAMED) as unnamed:
        for step in STORY:
            clock.pass_minute()
            await host.request("settings.update", patch={"consentTimeout": 300 if step.decision else 1})
            caller = named if step.named else unnamed
            call = asyncio.create_task(caller.call(step.tool, step.arguments, reason="It keeps the plan up to date."))
            question = asyncio.create_task(asked.get())
            await asyncio.wait({call, question}, return_when=asyncio.FIRST_COMPLETED)
            if question.done():
                questions.setdefault(f"{step.tool}{'' if step.named else ' (unnamed)'}", question.result())
                if step.decision is not None:
                    await host.request("consent.respond", **_answer(step.decision, step, question.result()))
                else:
                    clock.pass_minute()  # in which nobody answers
            question.cancel()
            await call
        last = (await host.request("history.list"))[0]["executionId"]
        await host.request("history.undo", executionId=last)
        (vault / "Inbox" / "Idea.md").write_text("My idea\n", encoding="utf-8")  # so that not all can be undone
        history = await host.request("history.list")
        patch, note = (next(one["executionId"] for one in history if one["tool"] == name) for name in UNDONE)
        return {
            "questions": questions,
            "audit": await host.request("audit.query", actions=True),
            "audit-stats": await host.request("audit.stats"),
            "audit-verify": await host.request("audit.verify"),
            "clients": await host.request("clients.list"),
            "grants": await host.request("consent.grants"),
            "history": await host.request("history.list"),
            "history-diff": await host.request("history.diff", executionId=patch),
            "history-undo-all": await host.request("history.undoAll", executionIds=[note, patch], preview=True),
            "preview-undo": await host.preview("history_undo", executionId=patch),
            "keys-status": await host.request("keys.status"),
            "search-services": await host.request("search.services"),
            "settings": await host.request("settings.get"),
            "settings-schema": await host.request("settings.schema"),
            "tools": await host.request("tools.list"),
        }


def _answer(decision: Decision, step: Step, question: dict[str, Any]) -> dict[str, Any]:
    """Return the story's answer to a question."""
    answer = {"requestId": question["requestId"], "decision": decision.value}
    if question["planDigest"]:
        answer["planDigest"] = question["planDigest"]
    if step.feedback is not None:
        answer["feedback"] = step.feedback
    if step.where is not None:
        fitting = (one for one in question["options"] if one["decision"] == decision.value)
        answer["option"] = next(one["optionId"] for one in fitting if step.where in one["where"])
    return answer


class Stabilizer:
    """Gives what is random a stable form.

    Args:
        vault: The vault of the recording, whose place differs from run to run.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = str(vault)
        self._seen: dict[str, dict[str, str]] = {}
        self._rules: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
            (re.compile(r"\b([a-z_]+)-[0-9a-f]{8,16}\b"), self._identifier),
            (re.compile(r"\b[0-9a-f]{32}\b"), lambda found: self._numbered("chain", found[0], "{:032x}")),
            (re.compile(r"\b[0-9a-f]{12}\b"), lambda found: self._numbered("client", found[0], "{:012x}")),
        )

    def stable(self, value: Any) -> Any:
        """The same without what is random: strings by the rules, durations and sizes as round numbers."""
        if isinstance(value, dict):
            return {self._text(key): self._member(key, member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.stable(member) for member in value]
        return self._text(value) if isinstance(value, str) else value

    def _member(self, key: str, value: Any) -> Any:
        if key in STEADY and isinstance(value, int | float):
            return STEADY[key]
        return self.stable(value)

    def _text(self, text: str) -> str:
        text = text.replace(self._vault, "/home/ada/Notes")
        for pattern, instead in self._rules:
            text = pattern.sub(instead, text)
        return text

    def _identifier(self, found: re.Match[str]) -> str:
        return f"{found[1]}-{self._numbered(found[1], found[0], '{:08x}')}"

    def _numbered(self, kind: str, value: str, form: str) -> str:
        seen = self._seen.setdefault(kind, {})
        return seen.setdefault(value, form.format(len(seen) + 1))


def files_of(recorded: dict[str, Any]) -> dict[str, str]:
    """The text of each file, by its name."""
    return {
        f"{name}.json": json.dumps(answer, indent=1, ensure_ascii=False) + "\n" for name, answer in recorded.items()
    }


def write(files: dict[str, str], folder: Path = RECORDED) -> None:
    """Write them, and remove files that nothing is recorded for any more."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    for file in folder.glob("*.json"):
        if file.name not in files:
            file.unlink()


def outdated(files: dict[str, str], folder: Path = RECORDED) -> list[str]:
    """The names of the files that a new recording would change, add or remove."""
    there = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.json")}
    return sorted(name for name in files.keys() | there.keys() if files.get(name) != there.get(name))


def main() -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(prog="scripts/record-fixtures", description="Record what the real bridge says.")
    parser.add_argument("--check", action="store_true", help="write nothing; say whether the recording is up to date")
    check = parser.parse_args().check
    files = files_of(asyncio.run(record()))
    if check:
        changed = outdated(files)
        print(f"To be recorded again: {', '.join(changed)}" if changed else "The recording is up to date.")
        return 1 if changed else 0
    write(files)
    print(f"{len(files)} answers of the bridge are in {RECORDED.relative_to(ROOT).as_posix()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
