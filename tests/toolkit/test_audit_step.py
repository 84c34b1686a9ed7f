"""Calls that are refused in floods: a few records and a count, and what was decided stays in sight."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.audit.records import WHOLE
from bridge.audit.service import AuditService
from bridge.clock import SystemClock
from bridge.contract.consent import Decision
from bridge.contract.tools import ToolResult
from bridge.vault.root import VaultRoot
from tests.identities import caller
from tests.toolkit.conftest import rigged


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [("read", {"no": "such argument"}, "read"), ("nosuch", {}, None)],
)
async def test_refused_calls_are_folded_into_one_counting_record(
    rig: Any, tool: str, arguments: dict[str, Any], named: str | None
) -> None:
    for number in range(50):
        await rig.pipeline.call(rig.tool_call(tool if named else f"{tool}-{number}", **arguments))
    assert len(rig.records("execution")) == WHOLE
    assert rig.records("count") == []
    rig.auditing.close()
    (count,) = rig.records("count")
    assert (count["of"], count["tool"], count["count"]) == ("execution", named, 50 - WHOLE)
    assert "parameters" not in count


async def test_calls_of_a_disabled_tool_are_folded_too(rig: Any) -> None:
    rig.settings.update({"enabledTools": ["find"]})
    for _ in range(WHOLE + 2):
        await rig.pipeline.call(rig.tool_call("read", path="a.md"))
    rig.auditing.close()
    (count,) = rig.records("count")
    assert (count["code"], count["count"]) == ("tool_disabled", 2)


async def test_what_a_person_decided_and_what_was_done_is_never_folded(rig: Any) -> None:
    rig.settings.update({"consentMode": {"read": "always_allow"}})
    for _ in range(WHOLE + 3):
        await rig.pipeline.call(rig.tool_call("read", path="nosuch.md"))
    rig.auditing.close()
    assert rig.records("count") == []
    assert len(rig.records("execution")) == len(rig.records("decision")) == WHOLE + 3


class StoppedClock(SystemClock):
    """Seconds pass when the test says so."""

    seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


async def test_a_record_says_for_how_long_a_question_was_open_and_one_without_a_question_does_not(vault: Path) -> None:
    clock = StoppedClock()
    with rigged(vault, clock=clock) as rig:
        rig.settings.update({"consentMode": {"read": "always_ask"}})
        person = rig.person()
        call = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
        await rig.asked()
        clock.seconds += 7
        await person.answer(Decision.ALLOW_ONCE)
        await call
        rig.settings.update({"consentMode": {"read": "always_allow"}})
        await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))
        rig.auditing.close()
        for kind in ("decision", "execution"):
            assert [record.get("waited") for record in rig.records(kind)] == [None, 7_000.0]


@pytest.mark.parametrize("cached", [True, False])
async def test_a_call_to_the_web_says_whether_it_was_answered_from_what_was_kept(rig: Any, cached: bool) -> None:
    tool_call = rig.tool_call("read", path="Ideas.md")
    tool_call.admitted = True
    result = ToolResult(success=True, data={}, text="", metadata={"cached": cached})
    await rig.auditing.finished(tool_call, result, 0.1)
    (record,) = rig.records("execution")
    assert record["cached"] is cached


FLOOD = 20_000
MINUTE = 500
"""Refused calls in what is taken for a minute."""
ROTATED = 200_000
"""Bytes after which the log is rotated, so that the flood would wash out the oldest many times over."""
JUNK = {f"unknown-{number}": "x" * 100 for number in range(280)}


async def flood(rig: Any, count: int) -> None:
    """Calls that are refused in every way there is, by clients of many names."""
    for number in range(count):
        rig.caller = caller(f"agent-{number % 40}", f"Robot {number % 300}")
        match number % 3:
            case 0:
                refused = rig.tool_call("read", **JUNK)
            case 1:
                refused = rig.tool_call(f"nosuch-{number}", **JUNK)
            case _:
                refused = rig.tool_call("overwrite", path="Ideas.md")
        assert not (await rig.pipeline.call(refused)).success
        if number % MINUTE == 0:
            rig.auditing._write_counts()
            rig.audit.seal()
            rig.audit.tidy()


async def decide(rig: Any, text: str, decision: Decision) -> None:
    """A write that a person decides about."""
    rig.caller = caller(f"writer of {text}", "Writer")
    made = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text=text)))
    await rig.asked()
    await rig.screen.answer(decision)
    assert (await made).success == decision.allows


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_every_decision_and_write_is_found_after_twenty_thousand_refused_calls(rig: Any) -> None:
    rig.audit._files._max_size = ROTATED
    rig.person()
    for number in range(4):
        await decide(rig, f"text {number}", Decision.ALLOW_ONCE)
        await decide(rig, f"other {number}", Decision.DENY_ONCE)
        if number < 3:
            await flood(rig, FLOOD // 3 + 1)
    rig.auditing.close()
    rig.audit.seal()
    rig.audit.tidy()
    calls = rig.audit.query(tool="overwrite", client="Writer", kind="execution", limit=1000)
    written = [record for record in calls if record["success"]]
    assert [record["parameters"]["text"] for record in written] == [f"text {number}" for number in (3, 2, 1, 0)]
    assert all(record["planDigest"] and record["files"] for record in written)
    decided = rig.audit.query(kind="decision", limit=1000)
    assert [record["decision"] for record in decided] == ["deny_once", "allow_once"] * 4
    assert [record["parameters"]["text"] for record in decided[1::2]] == [f"text {number}" for number in (3, 2, 1, 0)]
    with VaultRoot(rig.vault) as root, root.state() as state:
        found = AuditService(rig.audit, state).verify()
    assert (found["whole"], found["faultCount"]) == (True, 0)
    logs = rig.vault / ".vault-bridge" / "logs"
    assert sum(file.stat().st_size for file in logs.iterdir()) < 10 * ROTATED
    assert (logs / "tools.log.kept.gz").exists()
