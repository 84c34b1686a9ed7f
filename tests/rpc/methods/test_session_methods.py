"""ping, session.* and events.subscribe."""

from typing import Any

import pytest

from tests.rpc.world import FakeTransport, World

UNNAMED = "a program without a name of its own"


def shown(calls_itself: str) -> str:
    """How a program without a name of its own is shown."""
    return f"{UNNAMED}, calls itself {calls_itself!r}"


async def test_info_says_who_is_asking_and_where(world: World) -> None:
    session = world.open()
    answer = await world.ask("agent", "session.info", session=session)
    assert answer["result"] == {
        "role": "agent",
        "client": UNNAMED,
        "clientId": "shared",
        "capabilities": ["call"],
        "sessionId": session.session_id,
        "vault": "Notes",
        "version": "1.2.3",
        "protocol": 5,
        "tools": ["grep"],
        "hostConnected": False,
        "waitSeconds": 40,
        "maxOutputBytes": 65_536,
        "structuredResults": False,
        "sentBack": 0,
        "sent": False,
    }
    world.open("host", FakeTransport())
    assert (await world.ask("agent", "session.info"))["result"]["hostConnected"] is True
    assert (await world.ask("host", "session.info"))["result"]["client"] == "Obsidian or the terminal"


async def test_info_names_enabled_tools_only(world: World) -> None:
    world.settings.update({"enabledTools": ["find"]})
    assert (await world.ask("agent", "session.info"))["result"]["tools"] == []


async def test_a_client_names_itself(world: World) -> None:
    session = world.open()
    answer = await world.ask("agent", "session.name", {"client": "Claude Code"}, session=session)
    assert answer["result"] == {"client": shown("Claude Code"), "sessionId": session.session_id, "can": []}
    assert session.caller.calls_itself == "Claude Code"


@pytest.mark.parametrize("client", ["A", "x" * 80, "Клод", "日本語", "it's me: v1.2 (beta)"])
async def test_a_name_is_up_to_80_printable_characters(world: World, client: str) -> None:
    assert (await world.ask("agent", "session.name", {"client": client}))["result"]["client"] == shown(client)
    assert (await world.ask("host", "session.name", {"client": client}))["result"]["client"] == client


@pytest.mark.parametrize(
    "client",
    [
        "",
        " ",
        " A",
        "A ",
        "x" * 81,
        "two\nlines",
        "bell\x07",
        "escape\x1b[31m",
        "over\u202eride",
        "is\u2066olate",
        "zero\u200bwidth",
        "nbsp\u00a0x",
        "line\u2028x",
        "bom\ufeffx",
        "c1\u0085x",
        5,
        None,
    ],
)
async def test_a_name_that_could_draw_in_a_question_is_refused(world: World, client: Any) -> None:
    session = world.open()
    answer = await world.ask("agent", "session.name", {"client": client}, session=session)
    assert answer["error"]["code"] == -32602
    assert "'client'" in answer["error"]["data"]["hint"]
    assert session.name == UNNAMED


async def test_an_agent_cannot_say_that_it_can_consent(world: World) -> None:
    session = world.open("agent", FakeTransport())
    answer = await world.ask("agent", "session.name", {"client": "Eve", "can": ["consent"]}, session=session)
    assert answer["error"]["code"] == -32001
    assert not world.broker.connected
    harmless = await world.ask("agent", "session.name", {"client": "Ada", "can": []}, session=session)
    assert harmless["result"]["can"] == []


async def test_a_host_says_what_it_can_do(world: World) -> None:
    session = world.open("host", FakeTransport())
    params = {"client": "Obsidian", "can": ["write", "consent", "dirty"]}
    answer = await world.ask("host", "session.name", params, session=session)
    assert answer["result"]["can"] == ["consent", "dirty", "write"]
    unknown = await world.ask("host", "session.name", {"client": "Obsidian", "can": ["fly"]}, session=session)
    assert unknown["error"]["code"] == -32602


async def test_an_attached_file_is_noted_for_the_session(world: World) -> None:
    session = world.open("host", FakeTransport())
    for path in ("Notes/a.md", "./Notes//a.md", "b.md"):
        answer = await world.ask("host", "session.attach", {"path": path}, session=session)
    assert answer["result"] == {"attached": ["Notes/a.md", "b.md"]}
    assert world.services.attached == {session.session_id: ["Notes/a.md", "b.md"]}


@pytest.mark.parametrize("path", ["", "../x", "/etc/passwd", ".obsidian/app.json", "a\0b", 5])
async def test_what_is_no_place_in_the_vault_cannot_be_attached(world: World, path: Any) -> None:
    answer = await world.ask("host", "session.attach", {"path": path})
    assert answer["error"]["code"] == -32602
    assert world.services.attached == {}


async def test_a_subscription_replaces_the_one_before(world: World) -> None:
    session = world.open("agent", FakeTransport())
    subscribed = await world.ask("agent", "events.subscribe", {"kinds": ["vault.changed"]}, session=session)
    assert subscribed["result"] == {"kinds": ["vault.changed"]}
    await world.ask("agent", "events.subscribe", {"kinds": []}, session=session)
    assert session.kinds == frozenset()
    unknown = await world.ask("agent", "events.subscribe", {"kinds": ["audit.appended"]}, session=session)
    assert unknown["error"]["code"] == -32602
