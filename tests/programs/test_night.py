"""A program works on 40 files while nobody is there, and a person takes, sends back and undoes it the next morning.

What is to be in the vault afterwards is worked out here line by line, from what each hand wrote, and not by a merge.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from bridge.app import Bridge
from tests.patience import PATIENCE
from tests.people import Person, person_at
from tests.programs.conversation import Call, Turn, ours
from tests.programs.desk import Desk
from tests.programs.programs import CODEX, GEMINI, OPENCODE, Program, why_not
from tests.setting_forward import Moment

LINES: Final = 12
OURS, THEIRS = "by the agent", "by another program"
EDITED: Final = [f"Night/{number:02}.md" for number in range(30)]
CREATED: Final = [f"Night/New {number}.md" for number in range(5)]
DELETED: Final = [f"Night/Old {number}.md" for number in range(5)]
LATER: Final = EDITED[20:28]
"""What the person does not take at first; of the first of them they want something else."""
WORDS: Final = "Say which one <b>*now*</b> \x1b[1m"
Files = dict[str, dict[int, str] | None]
"""What a hand has made of each file: other lines by their numbers; None: it is gone."""


def lines(changed: dict[int, str] | None = None) -> str:
    """A file, some lines of which are others."""
    return "".join(f"{(changed or {}).get(number, f'line {number}')}\n" for number in range(1, LINES + 1))


def on_disk(vault: Path) -> dict[str, bytes]:
    """Every file of the vault but the bridge's own."""
    files = (file for file in vault.rglob("*") if file.is_file() and ".vault-bridge" not in file.parts)
    return {file.relative_to(vault).as_posix(): file.read_bytes() for file in files}


def wanted(others: dict[str, bytes], files: Files) -> dict[str, bytes]:
    """The vault as it is to be: the files that nobody touched, and what became of the others."""
    return others | {path: lines(made).encode() for path, made in files.items() if made is not None}


class Morning:
    """The person, and what they are shown."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.shown: dict[str, Any] = {}
        self.count = 0
        self.news = asyncio.Event()
        for event in ("consent.requested", "consent.revised"):
            person.host.on(event, self.show)

    async def show(self, question: dict[str, Any]) -> None:
        self.shown = question
        self.count += 1
        self.news.set()

    async def until_shown(self, after: int) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while self.count <= after:
                self.news.clear()
                await self.news.wait()
        return self.shown

    async def until_states(self, *states: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while tuple(one["state"] for one in await self.person.host.request("drafts.list")) != states:
                pass


def chosen_program() -> Program:
    """The first of the real programs that can be run here, of those that need not search for our tools."""
    for program in (CODEX, OPENCODE, GEMINI):
        if not why_not(program):
            return program
    pytest.skip(why_not(CODEX))


async def test_a_night_of_work_is_taken_sent_back_mended_and_undone_to_the_byte(  # noqa: PLR0915 (one night)
    desk: Desk,
) -> None:
    program, vault, clock = chosen_program(), desk.vault, Moment()
    for path in (*EDITED, *DELETED):
        (vault / path).parent.mkdir(exist_ok=True)
        (vault / path).write_bytes(lines().encode())
    others = {path: data for path, data in on_disk(vault).items() if not path.startswith("Night/")}
    files: Files = {path: {} for path in (*EDITED, *DELETED)}

    async with Bridge(vault, clock=clock) as bridge:
        reading = dict.fromkeys(("search", "read"), "always_allow")
        often = {"rateLimits": dict.fromkeys(("write_file", "delete_file"), 1_000), "globalRateLimit": 1_000}
        bridge.settings.update({"consentMode": reading, "enabledTools": ["*"]} | often, confirms=True)
        await desk.connect(program)
        async with person_at(vault) as person:
            (client,) = await person.host.request("clients.list")
            await person.host.request("clients.update", clientId=client["clientId"], preset="everything", drafts=True)
        calls = [ours("write_file", path=path, content=lines({3: OURS})) for path in (*EDITED, *CREATED)]
        calls += [ours("delete_file", path=path) for path in DELETED]
        work = [tuple(calls[start : start + 8]) for start in range(0, len(calls), 8)]
        ended = await desk.run(program, *work, ours("draft", action="submit"), "Done.")
        assert "is handed in" in ended.answers(len(work) + 1), ended.answers(len(work))
        assert on_disk(vault) == wanted(others, files)

        clock.ahead += timedelta(hours=9)
        for path, made in (
            (EDITED[0], {10: THEIRS}),
            (EDITED[1], {3: THEIRS}),
            (EDITED[2], {3: THEIRS}),
            (EDITED[3], {3: THEIRS}),
            (EDITED[4], None),
            (DELETED[0], {10: THEIRS}),
        ):
            files[path] = made
            (vault / path).unlink() if made is None else (vault / path).write_bytes(lines(made).encode())
        untouched = dict(files)

        async with person_at(vault) as person:
            person.answer = None
            morning = Morning(person)
            question = await morning.until_shown(0)
            assert len(question["preview"]["files"]) == 40 + 1 - 1
            takes = {
                EDITED[1]: "vault",
                EDITED[2]: "draft",
                EDITED[3]: "both",
                EDITED[4]: "draft",
                DELETED[0]: "vault",
            }
            places = question["preview"]["conflicts"]
            assert {place["path"] for place in places} == set(takes)
            choices = [{"placeId": place["placeId"], "take": takes[place["path"]]} for place in places]
            shown = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
            answer = await person.host.request("consent.resolve", **shown, choices=choices)
            assert answer["accepted"], answer
            comment = {"path": LATER[0], "line": 3, "text": WORDS}
            back = {"hunks": {path: [] for path in LATER}, "comments": [comment], "sendBack": True}
            reply = await person.respond(answer["question"], "allow_once", **back)
            assert reply["accepted"], reply
            await morning.until_states("sent_back")
            count = morning.count
            for path in set(EDITED) - set(LATER) - set(takes):
                files[path] = {**(files[path] or {}), 3: OURS}
            files |= {path: {3: OURS} for path in CREATED} | dict.fromkeys(DELETED[1:])
            files[EDITED[2]], files[EDITED[4]] = {3: OURS}, {3: OURS}
            files[EDITED[3]] = {3: f"{THEIRS}\n{OURS}"}
            assert on_disk(vault) == wanted(others, files)

            async def mend(turn: Turn) -> Call:
                said = turn.answers[-1].text
                assert "took a part of it" in said
                assert f"{LATER[0]}, line 3 ({OURS}): Say which one" in said
                return ours("write_file", path=LATER[0], content=lines({3: "mended"}))

            mended = (ours("draft", action="status"), mend, ours("draft", action="submit"), "Done.")
            ended = await desk.run(program, *mended)
            assert "is handed in" in ended.answers(3), ended.answers(2)
            assert on_disk(vault) == wanted(others, files)
            question = await morning.until_shown(count)
            since = {file["path"]: file["since"] for file in question["preview"]["files"]}
            assert since == dict.fromkeys(LATER, "same") | {LATER[0]: "changed"}
            assert (await person.respond(question, "allow_once"))["accepted"]
            await morning.until_states()
            files |= {path: {3: OURS} for path in LATER[1:]} | {LATER[0]: {3: "mended"}}
            assert on_disk(vault) == wanted(others, files)

            for path in (EDITED[7], LATER[0]):
                files[path] = {**(files[path] or {}), 10: "by hand"}
                untouched[path] = {10: "by hand"}
                (vault / path).write_bytes(lines(files[path]).encode())
            undone = await person.host.request("history.undoAll", client=client["name"])
            assert (undone["undone"], undone["skipped"]) == (2, 0), undone
            assert on_disk(vault) == wanted(others, untouched)
