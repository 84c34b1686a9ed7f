"""A person edits what is to be written: what is asked then, what is written, and what the agent is told."""

import asyncio
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.vault.person_edits import HunkText
from tests.identities import PERSON, answer_to, caller

OLD = "".join(f"secret {number}\n" for number in range(1, 31))
NEW = OLD.replace("secret 2\n", "two\n").replace("secret 28\n", "twenty-eight\n")
FIRST_HUNK = "secret 1\nTWO\nsecret 3\nsecret 4\nsecret 5\n"
EDITED = NEW.replace("two\n", "TWO\n")


@pytest.fixture
def note(rig: Any) -> Any:
    path = rig.vault / "Long.md"
    path.write_text(OLD, encoding="utf-8")
    return path


async def ask(rig: Any, text: str = NEW) -> asyncio.Task[Any]:
    """A call that waits for its answer."""
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Long.md", text=text)))
    await rig.asked()
    return call


async def edit(rig: Any, text: str = FIRST_HUNK, hunk: int = 0, by: Any = PERSON) -> Any:
    question = rig.screen.asked[-1]
    return await rig.broker.revise(
        question["requestId"], HunkText("Long.md", hunk, text), plan_digest=question["planDigest"], by=by
    )


async def test_the_new_plan_is_shown_with_its_own_diff_and_exactly_it_is_written(rig: Any, note: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    assert (person.asked[0]["editable"], person.asked[0]["revised"]) == (True, False)
    revision = await edit(rig)
    assert revision.accepted
    old, new = person.asked
    assert (new["requestId"], new["expiresAt"]) == (old["requestId"], old["expiresAt"])
    assert (new["revised"], new["editable"], new["hunksSupported"]) == (True, True, True)
    assert new["planDigest"] not in {None, old["planDigest"]}
    assert "+TWO" in new["preview"]["files"][0]["diff"]
    assert "+two" not in new["preview"]["files"][0]["diff"]
    refused = await person.answer(Decision.ALLOW_ONCE, plan_digest=old["planDigest"])
    assert not refused.accepted
    assert (await person.answer(Decision.ALLOW_ONCE)).plan_digest == new["planDigest"]
    result = await call
    assert note.read_text(encoding="utf-8") == EDITED
    (done,) = rig.records("execution")
    assert done["planDigest"] == new["planDigest"]
    assert result.data["revised"] == [{"path": "Long.md", "diff": "-two\n+TWO\n", "otherLines": 0}]


async def test_only_this_once_can_be_allowed(rig: Any, note: Any) -> None:
    rig.settings.update({"consentMode": {"overwrite": "always_ask"}})
    person = rig.person()
    call = await ask(rig)
    await edit(rig)
    assert person.asked[-1]["choices"] == ["allow_once", "deny_once", "deny_session", "deny_always"]
    assert {option["decision"] for option in person.asked[-1]["options"]} == {*person.asked[-1]["choices"]}
    assert (await person.answer(Decision.DENY_ONCE)).accepted
    assert not (await call).success
    assert note.read_text(encoding="utf-8") == OLD


async def test_the_agent_is_told_of_its_own_lines_and_nothing_else_of_the_note(rig: Any, note: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    await edit(rig, FIRST_HUNK.replace("secret 4", "secret four"))
    await person.answer(Decision.ALLOW_ONCE)
    result = await call
    assert note.read_text(encoding="utf-8") == EDITED.replace("secret 4\n", "secret four\n")
    assert result.data["revised"] == [{"path": "Long.md", "diff": "-two\n+TWO\n", "otherLines": 1}]
    assert "-two\n+TWO\nThey changed 1 line that you did not propose." in result.text
    assert "secret" not in result.text + str(result.data)


async def test_hunks_can_be_left_out_of_what_was_edited(rig: Any, note: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    await edit(rig)
    question = person.asked[-1]
    reply = await rig.broker.respond(
        answer_to(question["requestId"], Decision.ALLOW_ONCE, question["planDigest"], hunks={"Long.md": [0]}), PERSON
    )
    assert reply.accepted
    result = await call
    assert note.read_text(encoding="utf-8") == OLD.replace("secret 2\n", "TWO\n")
    (left,) = result.data["leftOut"]
    assert (left["hunks"], left["of"], left["diff"]) == ([1], 2, ""), "the diff would show what is in the note"
    assert "secret" not in result.text + str(result.data)
    assert result.data["revised"][0]["diff"] == "-two\n+TWO\n-twenty-eight\n"


@pytest.mark.usefixtures("note")
async def test_the_warnings_are_those_of_the_edited_text(rig: Any) -> None:
    person = rig.person()
    call = await ask(rig, NEW.replace("two", "![x](https://evil.example/x.png)"))
    assert "evil.example" in person.asked[-1]["preview"]["warnings"][0]
    await edit(rig)
    assert person.asked[-1]["preview"]["warnings"] == []
    await edit(rig, FIRST_HUNK.replace("TWO", "<% TWO %>"))
    assert "runs as a program" in person.asked[-1]["preview"]["warnings"][0]
    await person.answer(Decision.DENY_ONCE)
    await call


@pytest.mark.usefixtures("note")
async def test_each_edit_is_in_the_log_with_who_made_it(rig: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    await edit(rig)
    digest = person.asked[-1]["planDigest"]
    await person.answer(Decision.ALLOW_ONCE)
    await call
    answer, revision = rig.records("decision")
    assert (revision["outcome"], revision["rule"], "decision" in revision) == ("ask", "revised", False)
    assert (revision["by"], revision["byId"], revision["planDigest"]) == ("Obsidian", "host", digest)
    assert (answer["outcome"], answer["decision"]) == ("allow", "allow_once")


async def test_a_file_that_changed_meanwhile_is_not_edited_over(rig: Any, note: Any) -> None:
    rig.person()
    call = await ask(rig)
    note.write_text("someone else\n", encoding="utf-8")
    assert "has changed since it was read" in (await edit(rig)).reason
    assert (await call).data["code"] == "stale"
    assert note.read_text(encoding="utf-8") == "someone else\n"


async def test_a_text_that_cannot_be_written_leaves_the_question_open(rig: Any, note: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    assert "NUL" in (await edit(rig, "\x00")).reason
    assert "no hunk 9" in (await edit(rig, "x\n", hunk=9)).reason
    assert len(person.asked) == 1
    await person.answer(Decision.ALLOW_ONCE)
    assert (await call).data["modified"]
    assert note.read_text(encoding="utf-8") == NEW


async def test_the_agent_itself_edits_nothing(rig: Any, note: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    assert not (await edit(rig, by=rig.caller)).accepted
    assert (await edit(rig, by=caller("another"))).accepted, "a client that may answer may edit, as the method demands"
    await person.answer(Decision.DENY_ONCE)
    await call
    assert note.read_text(encoding="utf-8") == OLD


@pytest.mark.usefixtures("note")
async def test_what_was_edited_is_undone_like_any_change(rig: Any) -> None:
    person = rig.person()
    call = await ask(rig)
    await edit(rig)
    await person.answer(Decision.ALLOW_ONCE)
    await call
    _change, plan = rig.ledger.undo_plan()
    assert plan.blobs == {plan.changes[0].after: OLD.encode()}
    assert rig.ledger.history()[0].files == ("Long.md",)
