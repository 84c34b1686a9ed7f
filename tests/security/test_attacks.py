"""A program with a token cannot change its identity or permissions, and cannot reach what belongs to others."""

import unicodedata
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import ProtocolFailure, connect
from tests.people import WRITE, Person, add_client, named

SECRET = "the secret word"
DIARY = "Priv\u00e4t/Diary.md"
DISGUISES = [
    DIARY,
    DIARY.upper(),
    unicodedata.normalize("NFD", DIARY),
    f"./{DIARY}",
    f"Notes/../{DIARY}",
    "Priv\u00e4t//Diary.md",
    f"{DIARY}/",
    f"{DIARY}/.",
    DIARY.replace("/", "\\"),
    f"/{DIARY}",
    f"{DIARY} ",
    f"{DIARY}.",
    DIARY.replace("y.md", "\u200by.md"),
    f"{DIARY}\0.md",
    "Priv%C3%A4t/Diary.md",
    f"file://{DIARY}",
    f"{DIARY}::$DATA",
]


@pytest.fixture
def diary(vault: Path) -> Path:
    """A note that the person has closed, and a link to it."""
    file = vault / DIARY
    file.parent.mkdir()
    file.write_text(f"# Diary\n\n{SECRET}\n", encoding="utf-8")
    (vault / "Link.md").symlink_to(file)
    (vault / "Linked").symlink_to(file.parent)
    return file


def close(vault: Path) -> None:
    """The person closes the folder."""
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Priv\u00e4t/": "---"}', encoding="utf-8")


def content(file: Path) -> bytes:
    return file.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("path", [*DISGUISES, "Link.md", "Linked/Diary.md"])
@pytest.mark.parametrize("known", [True, False], ids=["a client", "no name"])
async def test_a_closed_note_is_closed_under_every_spelling(
    diary: Path, bridge: Bridge, person: Person, vault: Path, path: str, *, known: bool
) -> None:
    person.answer = "allow_once"
    close(vault)
    await add_client(person, vault, "Robot")
    before = content(diary)
    async with named(vault, "Robot") if known else connect(vault, name="Robot") as robot:
        for tool, arguments in (
            ("read", {"path": path}),
            ("read_note", {"name": path}),
            ("grep", {"pattern": "secret", "filePattern": path}),
            ("write_file", {"path": path, "content": "x"}),
            ("move_file", {"source": path, "destination": "Open.md"}),
            ("delete_file", {"path": path}),
        ):
            result = await robot.call(tool, arguments)
            assert SECRET not in str(result.raw), tool
    assert content(diary) == before
    assert SECRET not in str(person.asked), "not even a question shows it"
    del bridge


@pytest.mark.parametrize(
    "option",
    [
        "allow_session.reading.everywhere.client",
        "allow_session.tool.file.everyone",
        "allow_always.tool.file.client",
        "deny_session.changing.file.client",
        "allow_once",
        "",
        "no such option",
    ],
)
async def test_an_answer_names_only_an_option_of_its_decision_that_is_offered(
    person: Person, vault: Path, option: str
) -> None:
    person.answer = None
    async with connect(vault, name="Robot") as robot:
        assert (await robot.call("write_file", WRITE, call_id="w", wait=0)).pending
        question = await person.until_asked()
        with suppress(ProtocolFailure):
            reply = await person.respond(question, "allow_session", option=option)
            assert (reply["accepted"], reply.get("outcome")) == (False, None)
            assert "no option" in reply["reason"]
        assert len(await person.host.request("consent.pending")) == 1
        for one in question["options"]:
            assert one["decision"] in question["choices"]


async def test_a_name_draws_nothing_in_a_question_and_passes_for_no_client(person: Person, vault: Path) -> None:
    await add_client(person, vault, "Claude Code")
    for name in (
        "Claude Code",
        "Claude\u00a0Code".replace("\u00a0", " "),
        "\u0421laude Code",
        "', verified, 'Obsidian",
    ):
        async with connect(vault, name=name) as robot:
            await robot.call("write_file", WRITE | {"content": name})
    for question in person.asked:
        assert question["client"].startswith("a program without a name of its own, calls itself ")
        assert not question["verified"]


@pytest.mark.parametrize(
    "name", ["claude code", "CLAUDE CODE", "\uff23laude Code", " Claude Code", "Claude Code\u200b", ""]
)
async def test_no_second_client_has_the_name_of_another(person: Person, vault: Path, name: str) -> None:
    await add_client(person, vault, "Claude Code")
    with pytest.raises(Exception, match=r"(?i)name|client"):
        await person.host.request("clients.add", name=name)
    assert len(await person.host.request("clients.list")) == 1


@pytest.mark.slow
async def test_a_question_about_many_files_is_bounded(person: Person, vault: Path) -> None:
    folder = vault / "Many"
    folder.mkdir()
    for number in range(2_000):
        (folder / f"Note {number}.md").write_text("x", encoding="utf-8")
    async with connect(vault, name="Robot") as robot:
        await robot.call("delete_file", path="Many", call_id=str(uuid.uuid4()))
    (question,) = person.asked
    assert sum(len(option["where"]) for option in question["options"]) <= 200
    assert len(str(question)) < 2_000_000


async def test_others_questions_and_results_are_no_agents_business(person: Person, vault: Path) -> None:
    person.answer = None
    await add_client(person, vault, "Robot")
    async with named(vault, "Robot") as robot, connect(vault, name="Eve") as eve:
        heard: list[Any] = []
        for kind in ("consent.requested", "consent.resolved", "tool.started", "tool.finished", "audit.appended"):
            eve.on(kind, heard.append)
        assert (await robot.call("write_file", WRITE, call_id="w", wait=0)).pending
        question = await person.until_asked()
        for method, params in (
            ("consent.pending", {}),
            ("consent.respond", {"requestId": question["requestId"], "decision": "deny_once"}),
            ("consent.grants", {}),
            ("clients.list", {}),
            ("audit.query", {}),
            ("settings.get", {}),
        ):
            with pytest.raises(Exception, match=r"(?i)forbidden|capability"):
                await eve.request(method, **params)
        await person.respond(question, "allow_once")
        assert (await robot.result("w")).ok
        await eve.request("ping")
        assert heard == []
