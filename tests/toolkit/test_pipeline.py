"""Every call passes every step, and every exit leaves one record."""

import asyncio
import threading
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.errors import ExecutionFailed, PermissionDenied
from tests.patience import PATIENCE


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "says"),
    [
        ("raed", {}, ("invalid_parameters", None), "Did you mean 'read'?"),
        ("read", {}, ("invalid_parameters", None), "Missing parameter 'path'"),
        ("read", {"path": "x", "y": 1}, ("invalid_parameters", None), "Unknown parameter 'y'"),
        ("read", {"path": "Ideas.md"}, ("permission_denied", "no_ui"), "vault-bridge approve"),
        ("overwrite", {"path": "none.md", "text": ""}, ("permission_denied", "no_ui"), "vault-bridge approve"),
        ("overwrite", {"path": "../x", "text": ""}, ("permission_denied", "outside_vault"), "vault"),
    ],
)
async def test_a_refusal_says_what_to_do_and_is_logged_once(
    rig: Any, tool: str, arguments: Any, kind: tuple[str, str | None], says: str
) -> None:
    wire = (await rig.pipeline.call(rig.tool_call(tool, **arguments))).to_wire()
    assert (wire["success"], wire["errorType"], wire["data"].get("code")) == (False, *kind)
    assert says in wire["error"]
    assert wire["text"] == f"Error: {wire['error']}"
    (record,) = rig.records("execution")
    assert (record["tool"], record["success"], record["errorType"]) == (tool, False, kind[0])
    assert record["executionId"] == wire["executionId"]


async def test_a_disabled_tool_says_how_it_is_enabled(rig: Any) -> None:
    rig.settings.update({"enabledTools": ["find"]})
    result = await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))
    assert result.data["code"] == "tool_disabled"
    assert "vault-bridge settings" in result.error


async def test_a_read_asks_once_a_session_and_is_then_remembered(rig: Any) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
    await rig.asked()
    options = [option for option in person.asked[0]["options"] if option["decision"] == "allow_session"]
    assert [option["what"] for option in options][:1] == ["tool"]
    await person.answer(Decision.ALLOW_SESSION)
    assert (await call).data["content"].startswith("# Ideas")
    assert (await rig.pipeline.call(rig.tool_call("read", path="Notes/Meeting.md"))).success
    assert len(person.asked) == 1


async def test_allow_once_is_exactly_once(rig: Any) -> None:
    person = rig.person()
    for count in (1, 2):
        call = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
        await rig.asked()
        assert len(person.asked) == count
        await person.answer(Decision.ALLOW_ONCE)
        assert (await call).success


async def test_what_was_approved_is_what_is_written(rig: Any) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    question = person.asked[0]
    assert question["choices"] == ["allow_once", "deny_once", "deny_session", "deny_always"]
    assert "+new" in question["preview"]["files"][0]["diff"]
    assert (rig.vault / "Ideas.md").read_bytes() != b"new\n"
    assert (await person.answer(Decision.ALLOW_ONCE)).accepted
    result = await call
    assert (rig.vault / "Ideas.md").read_bytes() == b"new\n"
    assert question["preview"]["backup"] == result.data["backupPath"]
    assert result.execution_id.startswith("over-")
    (record,) = rig.records("execution")
    assert record["planDigest"] == question["planDigest"]
    assert {"path", "before", "after"} <= record["files"][0].keys()


async def test_an_answer_with_another_digest_changes_nothing(rig: Any) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    for digest in (None, "sha256:0000"):
        assert not (await person.answer(Decision.ALLOW_ONCE, plan_digest=digest)).accepted
    assert not (await person.answer(Decision.ALLOW_SESSION)).accepted, "a choice that was not offered"
    assert rig.broker.pending()
    await person.answer(Decision.DENY_ONCE, feedback="not this one")
    result = await call
    assert result.data["code"] == "denied_by_user"
    assert result.data["feedback"] == "not this one"
    assert "not this one" in result.error


async def test_what_the_person_says_with_a_yes_comes_before_the_answer_and_is_logged(rig: Any) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE, feedback="Good. Shorter\nnext time")
    result = await call
    assert result.text.startswith("The user allowed this and said: Good. Shorter\nnext time\n")
    assert result.metadata["feedback"] == "Good. Shorter\nnext time"
    (decision,) = rig.records("decision")
    assert decision["feedback"] == "Good. Shorter\nnext time"


async def test_what_the_person_says_is_never_cut_with_a_long_answer(rig: Any) -> None:
    rig.settings.update({"maxOutputBytes": 1024})
    (rig.vault / "Long.md").write_text("line\n" * 2000, encoding="utf-8")
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Long.md")))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE, feedback="w" * 5000)
    result = await call
    assert result.metadata["truncated"]
    assert result.text.startswith("The user allowed this and said: " + "w" * 2000 + "\n")


async def test_what_the_person_says_is_told_when_the_call_fails_afterwards(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_ledger: Any, _plan: Any, _cause: Any) -> Any:
        raise ExecutionFailed("The disk is full")

    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    monkeypatch.setattr(type(rig.ledger), "apply", fail)
    await person.answer(Decision.ALLOW_ONCE, feedback="go on")
    result = await call
    assert result.text == "Error: The disk is full\nThe user allowed this and said: go on"
    assert (result.error, result.metadata["feedback"]) == ("The disk is full", "go on")


async def test_a_file_changed_while_the_question_is_open_is_not_overwritten(rig: Any) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    (rig.vault / "Ideas.md").write_text("typed meanwhile", encoding="utf-8")
    reply = await person.answer(Decision.ALLOW_ONCE)
    assert (reply.accepted, reply.outcome) == (False, "stale")
    result = await call
    assert (result.error_type, result.data["code"]) == ("conflict", "stale")
    assert (rig.vault / "Ideas.md").read_text(encoding="utf-8") == "typed meanwhile"


async def test_a_file_changed_after_the_answer_is_not_overwritten_either(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = rig.person()
    apply = type(rig.ledger).apply

    def late_edit(ledger: Any, plan: Any, cause: Any) -> Any:
        (rig.vault / "Ideas.md").write_text("typed at the last moment", encoding="utf-8")
        return apply(ledger, plan, cause)

    monkeypatch.setattr(type(rig.ledger), "apply", late_edit)
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    assert (await person.answer(Decision.ALLOW_ONCE)).accepted
    assert (await call).data["code"] == "stale"
    assert (rig.vault / "Ideas.md").read_text(encoding="utf-8") == "typed at the last moment"


async def test_a_crash_is_reported_without_its_own_words(rig: Any, caplog: pytest.LogCaptureFixture) -> None:
    rig.settings.update({"consentMode": {"read": "always_allow"}})
    result = await rig.pipeline.call(rig.tool_call("read", path="crash"))
    assert result.error_type == "execution_failed"
    assert "hunter2" not in str(result.to_wire())
    assert "RuntimeError" in caplog.text
    assert len(rig.records("execution")) == 1


@pytest.mark.parametrize(("mode", "heard"), [("always_ask", []), ("always_allow", ["Looking at Ideas.md"])])
async def test_how_far_it_is_with_what_it_found_is_only_said_to_who_may_read(
    rig: Any, mode: str, heard: list[str]
) -> None:
    rig.settings.update({"consentMode": {"read": mode}})
    tool_call = rig.tool_call("overwrite", path="Ideas.md", text="new\n")
    mine: list[str] = []
    tool_call.notify = lambda event: mine.append(event.message)
    assert not (await rig.pipeline.call(tool_call)).success
    assert mine == heard
    assert "tool.progress" in [event for event, _ in rig.events], "hosts hear of it in any case"


async def test_hosts_hear_of_start_progress_and_end(rig: Any) -> None:
    rig.settings.update({"consentMode": {"read": "always_allow"}})
    tool_call = rig.tool_call("read", path="Ideas.md")
    mine: list[str] = []
    tool_call.notify = lambda event: mine.append(event.event_name)
    await rig.pipeline.call(tool_call)
    assert [event for event, _ in rig.events] == ["tool.started", "tool.progress", "tool.finished"]
    assert mine == ["tool.progress"]


async def test_a_cancelled_question_is_closed_and_logged(rig: Any) -> None:
    rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert rig.broker.pending() == []
    (record,) = rig.records("execution")
    assert record["code"] == "cancelled"


async def test_an_agents_preview_needs_the_consent_to_read(rig: Any) -> None:
    with pytest.raises(PermissionDenied) as caught:
        await rig.pipeline.preview(rig.tool_call("overwrite", path="Ideas.md", text="new\n"))
    assert caught.value.code == "no_ui"
    before = (rig.vault / "Ideas.md").read_bytes()
    told = (
        await rig.pipeline.preview(rig.tool_call("overwrite", role="host", path="Ideas.md", text="new\n"))
    ).to_wire()
    assert "+new" in told["plan"]["files"][0]["diff"]
    assert told["plan"]["digest"].startswith("sha256:")
    assert (rig.vault / "Ideas.md").read_bytes() == before


async def test_beyond_the_limit_a_call_is_queued_and_beyond_the_queue_refused(rig: Any) -> None:
    rig.settings.update({"consentMode": {"read": "always_allow"}, "rateLimits": {"read": 1}})
    assert (await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))).success
    queued = [asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))) for _ in range(10)]
    await rig.until(lambda: len([event for event, _ in rig.events if event == "limits.hit"]) == 10)
    refused = await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))
    assert refused.error_type == "rate_limited"
    assert refused.metadata["retryAfter"] > 0
    for task in queued:
        task.cancel()
    await asyncio.gather(*queued, return_exceptions=True)


async def test_the_time_a_person_takes_is_not_taken_from_the_tool(rig: Any) -> None:
    person = rig.person()
    deadlines: list[float] = []
    run = rig.look.run

    def watched(params: Any, context: Any) -> Any:
        deadlines.append(context.deadline)
        return run(params, context)

    rig.look.run = watched
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
    await rig.asked()
    answered = rig.pipeline.clock.monotonic()
    await person.answer(Decision.ALLOW_ONCE)
    await call
    assert deadlines[0] >= answered + rig.look.spec.timeout


async def test_a_crash_after_the_write_does_not_deny_it(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    person = rig.person()
    tool = rig.pipeline.registry.get("overwrite", rig.caller)

    def broken(_params: Any, _applied: Any) -> Any:
        raise KeyError("missing")

    monkeypatch.setattr(tool, "report", broken)
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    result = await call
    assert (rig.vault / "Ideas.md").read_bytes() == b"new\n"
    assert (result.success, result.error_type) == (False, "execution_failed")
    assert f"the change was made all the same, as {result.execution_id}" in result.error
    (record,) = rig.records("execution")
    assert record["files"][0]["path"] == "Ideas.md"
    assert rig.ledger.history()[0].execution_id == result.execution_id


async def test_a_write_once_begun_is_reported_however_often_it_is_cancelled(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = rig.person()
    apply, begun, go_on = type(rig.ledger).apply, threading.Event(), threading.Event()

    def held(ledger: Any, plan: Any, cause: Any) -> Any:
        begun.set()
        go_on.wait(PATIENCE)
        return apply(ledger, plan, cause)

    monkeypatch.setattr(type(rig.ledger), "apply", held)
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="new\n")))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    await rig.until(begun.is_set)
    for _ in range(3):
        call.cancel()
        await asyncio.sleep(0)
    go_on.set()
    result = await call
    assert result.success
    assert (rig.vault / "Ideas.md").read_bytes() == b"new\n"
    assert [record["success"] for record in rig.records("execution")] == [True]


async def test_a_write_that_has_nothing_to_do_needs_a_yes_and_changes_nothing(rig: Any) -> None:
    person = rig.person()
    text = (rig.vault / "Ideas.md").read_text(encoding="utf-8")
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text=text)))
    await rig.asked()
    (asked,) = person.asked
    assert (asked["tool"]["name"], asked["summary"], asked["planDigest"]) == (
        "overwrite",
        "See what Ideas.md says",
        None,
    )
    assert (asked["operation"], asked["riskLevel"], asked["editable"]) == ("read", "low", False)
    await person.answer(Decision.ALLOW_ONCE)
    assert (await call).text == "Ideas.md says so already"
    assert rig.ledger.history() == []


async def test_who_may_not_read_does_not_learn_that_there_is_nothing_to_do(rig: Any) -> None:
    person = rig.person()
    text = (rig.vault / "Ideas.md").read_text(encoding="utf-8")
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text=text)))
    await rig.asked()
    await person.answer(Decision.DENY_ONCE)
    result = await call
    assert (result.success, result.data["code"]) == (False, "denied_by_user")
    assert "already" not in result.error


async def test_a_preview_of_a_write_that_has_nothing_to_do_shows_no_change(rig: Any) -> None:
    text = (rig.vault / "Ideas.md").read_text(encoding="utf-8")
    preview = (
        await rig.pipeline.preview(rig.tool_call("overwrite", role="host", path="Ideas.md", text=text))
    ).to_wire()
    assert preview["plan"]["targets"] == ["Ideas.md"]
    assert "files" not in preview["plan"]


async def test_a_host_sees_at_once_what_a_file_holds(rig: Any) -> None:
    result = await rig.pipeline.call(rig.tool_call("overwrite", role="host", path="Ideas.md", text="guess"))
    assert "holds 8 words" in result.error
