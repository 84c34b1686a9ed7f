"""consent.*, settings.* and audit.query: what only a host may do."""

import dataclasses
from typing import Any

import pytest

from bridge.contract.consent import ConsentClass
from bridge.identity.caller import SHARED, Caller
from bridge.rpc.methods import status
from bridge.sandbox.sandbox import NO_SANDBOX, SandboxKind
from bridge.toolkit.registry import StaticProvider
from tests.rpc.world import Look, World

WHOLE: dict[str, Any] = {
    "kind": "session",
    "client": None,
    "clientId": None,
    "sessionId": None,
    "tool": "read",
    "operation": None,
    "who": "client",
    "what": "tool",
    "where": [],
    "additions": [],
    "mostFiles": None,
    "usedFiles": None,
    "until": "stop",
    "sentence": "Ada may use Read without asking, until the bridge stops.",
    "decision": "allow_session",
    "feedback": None,
    "since": None,
    "expires": None,
}


async def test_open_questions_are_listed_and_answered_once(world: World) -> None:
    asking = await world.question("c-1")
    pending = (await world.ask("host", "consent.pending"))["result"]
    assert [question["requestId"] for question in pending] == ["c-1"]
    answer = {"requestId": "c-1", "decision": "allow_once", "planDigest": "sha256:1"}
    first = (await world.ask("host", "consent.respond", answer))["result"]
    assert (first["accepted"], first["outcome"], first["by"]) == (True, "allowed", "Obsidian or the terminal")
    assert (await asking).decision == "allow_once"
    again = (await world.ask("host", "consent.respond", answer))["result"]
    assert (again["accepted"], again["outcome"]) == (False, "allowed")


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"requestId": "c-1", "decision": "allow_always", "planDigest": "sha256:1"}, None),
        ({"requestId": "c-1", "decision": "allow_once", "planDigest": "sha256:2"}, None),
        ({"requestId": "c-2", "decision": "allow_once"}, None),
        ({"requestId": "c-1", "decision": "yes"}, -32602),
        ({"requestId": "c-1", "decision": True}, -32602),
        ({"requestId": "c-1"}, -32602),
        ({"decision": "allow_once"}, -32602),
        ({"requestId": "c-1", "decision": "allow_once", "hunks": [1]}, -32602),
    ],
)
async def test_an_answer_that_is_not_valid_changes_nothing(world: World, params: Any, code: int | None) -> None:
    asking = await world.question("c-1")
    answer = await world.ask("host", "consent.respond", params)
    if code is None:
        assert answer["result"]["accepted"] is False
    else:
        assert answer["error"]["code"] == code
    assert not asking.done()


async def test_grants_are_listed_and_revoked(world: World) -> None:
    assert (await world.ask("host", "consent.grants"))["result"] == [WHOLE | {"grantId": "g-1"}]
    assert (await world.ask("host", "consent.revoke", {"grantId": "g-1"}))["result"] == {"revoked": True}
    assert (await world.ask("host", "consent.revoke", {"grantId": "g-1"}))["result"] == {"revoked": False}


async def test_settings_are_changed_wholly_or_not_at_all(world: World) -> None:
    patch = {"developerMode": True, "globalRateLimit": 900}
    answer = (await world.ask("host", "settings.update", {"patch": patch}))["result"]
    assert answer["settings"]["developerMode"] is True
    assert [warning.split()[0] for warning in answer["warnings"]] == ["globalRateLimit:", "developerMode"]
    wrong = await world.ask("host", "settings.update", {"patch": {"developerMode": False, "globalRateLimit": 0}})
    assert wrong["error"]["code"] == -32602
    assert "globalRateLimit" in wrong["error"]["data"]["hint"]
    unknown = await world.ask("host", "settings.update", {"patch": {"develperMode": False}})
    assert "developerMode" in unknown["error"]["data"]["hint"]
    assert (await world.ask("host", "settings.get"))["result"]["developerMode"] is True


async def test_the_mode_and_limit_of_each_tool_are_there_though_nothing_is_set(world: World) -> None:
    before = (await world.ask("host", "settings.get"))["result"]
    tools = {tool["name"]: tool for tool in (await world.ask("host", "settings.schema"))["result"]["tools"]}
    assert (before["consentMode"], before["rateLimits"]) == ({}, {})
    assert before["effective"]["consentMode"] == {name: tool["mode"] for name, tool in tools.items()}
    assert before["effective"]["rateLimits"] == {name: tool["defaultRate"] for name, tool in tools.items()}
    name = min(tools)
    patch = {"consentMode": {name: "never_allow"}, "rateLimits": {name: 7}}
    answer = await world.ask("host", "settings.update", {"patch": patch})
    after = (await world.ask("host", "settings.get"))["result"]
    assert answer["result"]["settings"] == after
    assert (after["consentMode"], after["rateLimits"]) == (patch["consentMode"], patch["rateLimits"])
    assert after["effective"]["consentMode"] == before["effective"]["consentMode"] | patch["consentMode"]
    assert after["effective"]["rateLimits"] == before["effective"]["rateLimits"] | patch["rateLimits"]


async def test_settings_go_back_to_their_defaults(world: World) -> None:
    await world.ask("host", "settings.update", {"patch": {"developerMode": True}})
    answer = await world.ask("host", "settings.reset")
    assert answer["result"]["settings"]["developerMode"] is False
    assert (await world.ask("host", "settings.reset", {"section": "kitchen"}))["error"]["code"] == -32602


async def test_the_settings_describe_themselves(world: World) -> None:
    assert "developerMode" in (await world.ask("host", "settings.schema"))["result"]["properties"]


async def test_the_settings_name_every_listed_tool_also_those_that_are_not_enabled(world: World) -> None:
    class Unlisted(Look):
        spec = dataclasses.replace(Look.spec, name="history_look", listed=False)

    await world.services.registry.add(StaticProvider(id="history", tools=[Unlisted()]))
    await world.ask("host", "settings.update", {"patch": {"enabledTools": ["ghost"]}})
    assert (await world.ask("host", "tools.list"))["result"] == []
    assert (await world.ask("host", "settings.schema"))["result"]["tools"] == [
        {
            "name": "grep",
            "title": "Grep",
            "description": "Look for text.",
            "risk": "low",
            "consentClass": "always",
            "group": "Search and read",
            "enabled": False,
            "mode": "session_allow",
            "modes": ["never_allow", "always_ask", "session_allow", "always_allow"],
            "rate": 100,
            "defaultRate": 100,
        }
    ]


@pytest.mark.parametrize(
    ("patch", "warnings"),
    [
        ({"enabledTools": ["grep", "*"]}, []),
        ({"enabledTools": ["grep", "grap"]}, ["enabledTools: there is no tool 'grap'; did you mean 'grep'?"]),
        ({"consentMode": {"nosuch": "always_ask"}}, ["consentMode: there is no tool 'nosuch'"]),
        ({"rateLimits": {"gerp": 7}}, ["rateLimits: there is no tool 'gerp'; did you mean 'grep'?"]),
        ({"consentMode": {"grep": "always_allow"}}, []),
        ({"consentMode": {"grep": "never_allow", "gone": None}}, []),
        ({"developerMode": False}, []),
        ({"developerMode": True}, ["developerMode is on: agents then read notes without asking you"]),
    ],
)
async def test_a_value_that_cannot_act_is_warned_of_when_it_is_set(
    world: World, patch: dict[str, Any], warnings: list[str]
) -> None:
    await world.ask("host", "settings.update", {"patch": {"consentMode": {"older_mistake": "never_allow"}}})
    answer = await world.ask("host", "settings.update", {"patch": patch})
    assert answer["result"]["warnings"] == warnings


@pytest.mark.parametrize(
    ("mode", "warnings"),
    [
        ("always_ask", []),
        ("never_allow", []),
        ("always_allow", ["consentMode: write asks all the same; 'always_allow' is for tools that only read"]),
        ("session_allow", ["consentMode: write asks as with 'always_ask'; your answer says for how long it holds"]),
    ],
)
async def test_a_mode_that_the_tools_class_does_not_give_it_is_warned_of(
    world: World, mode: str, warnings: list[str]
) -> None:
    class Write(Look):
        spec = dataclasses.replace(Look.spec, name="write", consent_class=ConsentClass.NEVER)

    await world.services.registry.add(StaticProvider(id="w", tools=[Write()]))
    answer = await world.ask("host", "settings.update", {"patch": {"consentMode": {"write": mode}}})
    assert answer["result"]["warnings"] == warnings


async def test_the_log_is_searched_with_all_that_was_asked(world: World) -> None:
    wanted = {"tool": "grep", "client": "Ada", "kind": "execution", "text": "x", "limit": 7, "before": "10"}
    answer = await world.ask("host", "audit.query", {**wanted, "actions": True, "code": "timed_out"})
    assert answer["result"] == [{"kind": "execution", "tool": "grep", "sentence": "Grep"}]
    assert world.asked == {**wanted, "code": "timed_out", "since": None, "until": None, "by_action": True}


@pytest.mark.parametrize(("before", "asked"), [(7, "7"), ("7", "7"), (True, None), (1.5, None), ([], None)])
async def test_a_page_of_the_log_begins_before_a_records_number(world: World, before: Any, asked: str | None) -> None:
    answer = await world.ask("host", "audit.query", {"before": before})
    if asked is None:
        assert answer["error"]["code"] == -32602
    else:
        assert world.asked["before"] == asked


@pytest.mark.parametrize("client", [None, "Claude Code"])
async def test_an_operation_is_approved_for_one_client_or_for_all(world: World, client: str | None) -> None:
    known = world.clients.add("Claude Code")[0].client_id
    params = {"operation": "create", "enabled": True} | ({"client": client} if client else {})
    assert (await world.ask("host", "consent.autoApprove", params))["result"]["grant"] == WHOLE | {"grantId": "s-1"}
    assert world.asked == {"operation": "create", "client": known if client else None, "enabled": True}


async def test_nothing_is_approved_for_a_client_that_there_is_not(world: World) -> None:
    params = {"operation": "create", "enabled": True, "client": "Nobody"}
    assert (await world.ask("host", "consent.autoApprove", params))["error"]["code"] == -32602
    assert world.asked == {}


@pytest.mark.parametrize("operation", ["delete", "read", "execute", 1])
async def test_no_other_operation_can_be_approved(world: World, operation: Any) -> None:
    answer = await world.ask("host", "consent.autoApprove", {"operation": operation, "enabled": True})
    assert answer["error"]["code"] == -32602
    refused = await world.ask("agent", "consent.autoApprove", {"operation": "create", "enabled": True})
    assert refused["error"]["code"] == -32001


@pytest.mark.parametrize(("client", "told"), [(None, Caller(SHARED, "").name), ("Ada", "Ada")])
async def test_a_call_is_explained_as_an_agents(world: World, client: str | None, told: str) -> None:
    world.clients.add("Ada")
    params = {"name": "grep"} | ({"client": client} if client else {})
    answer = (await world.ask("host", "policy.explain", params))["result"]
    assert answer == {"outcome": "ask", "tool": "grep", "caller": told, "role": "agent"}
    assert (await world.ask("agent", "policy.explain", params))["error"]["code"] == -32001


async def test_only_a_host_may_ask_what_is_wrong(world: World) -> None:
    assert (await world.ask("host", "bridge.faults"))["result"] == {
        "faults": ["the settings are broken"],
        "unprotected": ["Claude Code may edit this vault without asking"],
    }
    assert (await world.ask("agent", "bridge.faults"))["error"]["code"] == -32001


@pytest.mark.parametrize("kind", list(SandboxKind))
async def test_a_host_is_told_what_confines_programs_here_and_what_that_lacks(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: SandboxKind
) -> None:
    found = NO_SANDBOX._replace(kind=kind)
    monkeypatch.setattr(status, "probe", lambda: found)
    assert (await world.ask("host", "sandbox.status"))["result"] == {
        "confines": kind not in {SandboxKind.LANDLOCK, SandboxKind.NONE},
        "sentence": found.sentence,
        "lacks": list(NO_SANDBOX.lacks),
    }
    assert (await world.ask("agent", "sandbox.status"))["error"]["code"] == -32001
