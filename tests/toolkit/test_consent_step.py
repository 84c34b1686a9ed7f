"""A person leaves parts of a write out: what is done, what is told, what is logged."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Decision, Operation
from bridge.contract.tools import NotePart
from bridge.toolkit.effects.approval import Approval
from bridge.toolkit.effects.writing import Writing
from bridge.toolkit.tool import Output
from bridge.vault.person_edits import OmittedPart
from bridge.vault.plan import ChangePlan
from tests.identities import PERSON, answer_to

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 2\n", "two\n").replace("line 28\n", "twenty-eight\n")
FIRST = OLD.replace("line 2\n", "two\n")


class Note:
    """The file that is asked about."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def text(self) -> str:
        return self._path.read_text(encoding="utf-8")

    def write(self, text: str) -> None:
        self._path.write_text(text, encoding="utf-8")


@pytest.fixture
def note(rig: Any) -> Note:
    found = Note(rig.vault / "Long.md")
    found.write(OLD)
    return found


async def ask(rig: Any) -> asyncio.Task[Any]:
    """A call that waits for its answer."""
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Long.md", text=NEW)))
    await rig.asked()
    return call


async def respond(rig: Any, hunks: Any, decision: Decision = Decision.ALLOW_ONCE, digest: str | None = None) -> Any:
    question = rig.screen.asked[-1]
    digest = digest or question["planDigest"]
    return await rig.broker.respond(answer_to(question["requestId"], decision, digest, hunks=hunks), PERSON)


async def test_only_what_is_kept_is_written_and_the_agent_hears_what_was_left_out(rig: Any, note: Note) -> None:
    person = rig.person()
    call = await ask(rig)
    assert person.asked[0]["hunksSupported"] is True
    reply = await respond(rig, {"Long.md": [0]})
    result = await call
    assert note.text == FIRST
    assert reply.accepted
    assert reply.plan_digest not in {None, person.asked[0]["planDigest"]}
    (left,) = result.data["leftOut"]
    assert (left["path"], left["change"], left["hunks"], left["of"]) == ("Long.md", "modify", [1], 2)
    assert "+twenty-eight" in left["diff"]
    assert "1 of 2 hunks" in result.text
    assert "+twenty-eight" in result.text
    (done,) = rig.records("execution")
    assert done["planDigest"] == reply.plan_digest
    assert rig.records("decision")[0]["planDigest"] == reply.plan_digest


def test_what_was_left_out_takes_nothing_away_from_the_answer(rig: Any) -> None:
    plan = ChangePlan(Operation.UPDATE, "Overwrite", (), {})
    approval = Approval(Writing(plan), rig.pipeline)
    approval.left_out = (OmittedPart("a.md", "modify", (1,), 2, "+x\n"),)
    link = NotePart(path="a.md", title="A")
    shown = approval.in_answer(Output({"modified": True}, "done", {"k": 1}, (link,)))
    assert (shown.parts, shown.metadata) == ((link,), {"k": 1})


async def test_a_part_is_undone_like_any_change(rig: Any, note: Note) -> None:
    rig.person()
    call = await ask(rig)
    await respond(rig, {"Long.md": [1]})
    assert (await call).success
    _change, plan = rig.ledger.undo_plan()
    assert plan.blobs == {plan.changes[0].after: OLD.encode()}
    assert note.text == OLD.replace("line 28\n", "twenty-eight\n")


async def test_keeping_every_hunk_is_a_plain_yes(rig: Any, note: Note) -> None:
    person = rig.person()
    call = await ask(rig)
    reply = await respond(rig, {"Long.md": [1, 0]})
    assert reply.plan_digest == person.asked[0]["planDigest"]
    assert "leftOut" not in (await call).data
    assert note.text == NEW


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (({"Long.md": []},), "deny it instead"),
        (({"Long.md": [7]},), "no hunk 7"),
        (({"Other.md": [0]},), "no file of this change"),
        (({"Long.md": [0]}, Decision.DENY_ONCE), "'allow_once' only"),
        (({"Long.md": [0]}, Decision.ALLOW_ONCE, "sha256:other"), "digest"),
    ],
)
async def test_an_answer_that_makes_no_sense_leaves_the_question_open(
    rig: Any, note: Note, answer: tuple[Any, ...], says: str
) -> None:
    rig.person()
    call = await ask(rig)
    reply = await respond(rig, *answer)
    assert (reply.accepted, reply.outcome) == (False, None)
    assert says in reply.reason
    assert len(rig.broker.pending()) == 1
    assert (await rig.screen.answer(Decision.ALLOW_ONCE)).accepted
    assert (await call).success
    assert note.text == NEW


async def test_a_file_that_changed_meanwhile_is_not_written_in_part_either(rig: Any, note: Note) -> None:
    rig.person()
    call = await ask(rig)
    note.write("someone else\n")
    reply = await respond(rig, {"Long.md": [0]})
    assert (reply.accepted, reply.outcome) == (False, "stale")
    assert (await call).data["code"] == "stale"
    assert note.text == "someone else\n"


async def test_a_change_of_one_hunk_and_a_read_are_answered_as_a_whole(rig: Any) -> None:
    person = rig.person()
    for tool_call in (
        rig.tool_call("overwrite", path="Ideas.md", text="new\n"),
        rig.tool_call("read", path="Ideas.md"),
    ):
        call = asyncio.create_task(rig.pipeline.call(tool_call))
        await rig.asked()
        assert person.asked[-1]["hunksSupported"] is False
        reply = await respond(rig, {"Ideas.md": [0]})
        assert "as a whole" in reply.reason
        await person.answer(Decision.DENY_ONCE)
        await call


async def test_a_question_warns_of_what_its_diff_does_not_show_and_so_does_a_preview(rig: Any) -> None:
    person = rig.person()
    tool_call = rig.tool_call("overwrite", path="Ideas.md", text="![x](https://evil.example/x.png)\n")
    call = asyncio.create_task(rig.pipeline.call(tool_call))
    await rig.asked()
    (warning,) = person.asked[0]["preview"]["warnings"]
    assert "https://evil.example/x.png" in warning
    await person.answer(Decision.DENY_ONCE)
    await call
    plan = (
        await rig.pipeline.preview(rig.tool_call("overwrite", role="host", path="Ideas.md", text="<% x %>\n"))
    ).to_wire()["plan"]
    assert "runs as a program" in plan["warnings"][0]


async def open_questions(rig: Any, *calls: Any) -> list[asyncio.Task[Any]]:
    """Calls that all wait for an answer."""
    tasks = [asyncio.create_task(rig.pipeline.call(call)) for call in calls]
    await rig.until(lambda: len(rig.broker.pending()) == len(calls))
    return tasks


async def answer_first(rig: Any, decision: Decision, option: str) -> Any:
    """An answer for longer to the first open question, of one place, that offers it."""
    first = next(
        question
        for question in rig.broker.pending()
        if option in {offered.option_id for offered in question.options} and question.targets == ("Ideas.md",)
    )
    return await rig.broker.respond(
        answer_to(first.request_id, decision, first.plan_digest, feedback="no more", option=option), PERSON
    )


async def test_reading_that_is_allowed_for_longer_ends_the_other_questions_that_only_read(rig: Any) -> None:
    person = rig.person()
    calls = await open_questions(
        rig,
        rig.tool_call("read", path="Ideas.md"),
        rig.tool_call("read", path="Notes/Meeting.md"),
        rig.tool_call("overwrite", path="Ideas.md", text="guess"),
        rig.tool_call("overwrite", path="Ideas.md", text="other\n"),
    )
    reply = await answer_first(rig, Decision.ALLOW_SESSION, "allow_session.reading.everywhere.client")
    assert [(await call).success for call in calls[:2]] == [True, True]
    assert "holds 8 words" in (await calls[2]).error, "who may read is told why it fails"
    ended = [(end["outcome"], end["decision"], end["by"]) for end in person.resolved]
    assert ended == [("allowed", "allow_session", "Obsidian")] * 3
    (left,) = rig.broker.pending()
    assert left.plan_digest is not None, "a change has a diff of its own, which nobody has said yes to"
    await person.answer(Decision.DENY_ONCE)
    assert not (await calls[3]).success
    assert [record["decision"] for record in rig.records("decision")] == ["deny_once", *["allow_session"] * 3]
    assert reply.grant is not None


async def test_a_denial_for_longer_ends_every_question_that_it_denies_and_no_other(rig: Any) -> None:
    person = rig.person()
    calls = await open_questions(
        rig,
        rig.tool_call("overwrite", path="Ideas.md", text="one\n"),
        rig.tool_call("overwrite", path="Ideas.md", text="two\n"),
        rig.tool_call("overwrite", path="Notes/Meeting.md", text="three\n"),
        rig.tool_call("read", path="Ideas.md"),
    )
    await answer_first(rig, Decision.DENY_SESSION, "deny_session.changing.file.client")
    results = [await call for call in calls[:2]]
    assert [result.data["code"] for result in results] == ["denied_by_user", "denied_by_user"]
    assert [result.data["feedback"] for result in results] == ["no more", "no more"]
    assert len(rig.broker.pending()) == 2
    rig.broker.cancel(rig.broker.pending()[0].request_id)
    rig.broker.cancel(rig.broker.pending()[0].request_id)
    assert [end["outcome"] for end in person.resolved] == ["denied", "denied", "cancelled", "cancelled"]
    await asyncio.gather(*calls)


async def test_the_same_call_made_twice_is_denied_with_one_answer(rig: Any) -> None:
    person = rig.person()
    twice = [rig.tool_call("overwrite", path="Ideas.md", text="one\n") for _ in range(2)]
    calls = await open_questions(rig, *twice)
    await answer_first(rig, Decision.DENY_ONCE, "deny_once")
    assert [(await call).data["code"] for call in calls] == ["denied_by_user", "denied_by_user"]
    assert len(person.resolved) == 2


async def test_one_answer_is_one_row_however_many_questions_it_ends(rig: Any) -> None:
    rig.person()
    calls = await open_questions(rig, *[rig.tool_call("read", path=path) for path in ("Ideas.md", "Notes/Meeting.md")])
    reply = await answer_first(rig, Decision.ALLOW_SESSION, "allow_session.reading.everywhere.client")
    await asyncio.gather(*calls)
    held = rig.pipeline.consent.grants.list()
    assert [grant.grant_id for grant in held] == [reply.grant.grant_id]


async def test_an_answer_that_allows_a_call_is_the_one_that_it_counts_against(rig: Any) -> None:
    rig.person()
    first, second = rig.tool_call("read", path="Ideas.md"), rig.tool_call("read", path="Ideas.md")
    (call,) = await open_questions(rig, first)
    reply = await answer_first(rig, Decision.ALLOW_SESSION, "allow_session.reading.everywhere.client")
    await call
    await rig.pipeline.call(second)
    assert first.grant == second.grant == reply.grant.grant_id
