"""What would become of a call is told without doing, asking, logging or counting anything."""

import asyncio
from typing import Any

import pytest

from bridge.contract.consent import Decision


@pytest.mark.parametrize(
    ("tool", "arguments", "settings", "verdict"),
    [
        ("read", {"path": "Ideas.md"}, {}, ("ask", "default")),
        ("read", {"path": "Ideas.md"}, {"developerMode": True}, ("allow", "developer_mode")),
        ("read", {"path": "Ideas.md"}, {"consentMode": {"read": "always_allow"}}, ("allow", "mode:always_allow")),
        ("read", {"path": "Ideas.md"}, {"consentMode": {"read": "never_allow"}}, ("deny", "mode:never_allow")),
        ("read", {"path": "Ideas.md"}, {"enabledTools": []}, ("deny", "tool_disabled")),
        ("overwrite", {"path": "Ideas.md", "text": "x"}, {}, ("ask", "class:never")),
        ("overwrite", {"path": "none.md", "text": "x"}, {}, ("fail", "not_found")),
        ("overwrite", {"path": "../x", "text": "x"}, {}, ("deny", "outside_vault")),
        ("read", {}, {}, ("fail", "invalid_parameters")),
        ("raed", {}, {}, ("fail", "invalid_parameters")),
    ],
)
async def test_an_explanation_has_the_outcome_and_the_rule(
    rig: Any, tool: str, arguments: Any, settings: Any, verdict: tuple[str, str]
) -> None:
    rig.settings.update(settings)
    before = (rig.vault / "Ideas.md").read_bytes()
    told = (await rig.pipeline.explain(rig.tool_call(tool, **arguments))).to_wire()
    assert (told["outcome"], told["rule"]) == verdict
    assert told["why"]
    assert (rig.vault / "Ideas.md").read_bytes() == before
    assert (rig.records("execution"), rig.records("decision"), rig.broker.pending(), rig.events) == ([], [], [], [])


async def test_an_explanation_lists_what_the_person_could_answer(rig: Any) -> None:
    told = (await rig.pipeline.explain(rig.tool_call("overwrite", path="Ideas.md", text="x"))).to_wire()
    assert told["choices"] == ["allow_once", "deny_once", "deny_session", "deny_always"]
    assert (told["targets"], told["operation"], told["class"], told["mode"]) == (
        ["Ideas.md"],
        "update",
        "never",
        "session_allow",
    )


async def test_the_same_call_denied_once_is_refused_without_a_question(rig: Any) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="x")))
    await rig.asked()
    scope = person.asked[0]["scope"]
    assert (scope["kind"], scope["target"], scope["sizeBytes"]) == ("write_update", "Ideas.md", 1)
    assert person.asked[0]["brief"] is False
    await person.answer(Decision.DENY_ONCE, feedback="use the inbox")
    assert (await call).data["code"] == "denied_by_user"
    again = await rig.pipeline.call(rig.tool_call("overwrite", text="x", path="Ideas.md"))
    assert (again.data["code"], again.data["rule"]) == ("denied_by_rule", "session:same_call")
    assert "use the inbox" in again.error
    assert len(person.asked) == 1
    other = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="y")))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    assert (await other).success
