"""history.*, limits.status and vault.status."""

from typing import Any

import pytest

from bridge.contract.session import SemanticStatus
from tests.rpc.world import World


async def test_history_is_listed_newest_first_with_the_names_of_the_protocol(world: World) -> None:
    answer = await world.ask("agent", "history.list", {"limit": 5, "before": "patch-2"})
    assert answer["result"] == [
        {
            "executionId": "patch-1",
            "tool": "apply_patch",
            "client": "Ada",
            "time": "2025-01-01T00:00:00.000Z",
            "state": "applied",
            "files": ["a.md"],
            "added": 2,
            "removed": 1,
            "canUndo": True,
            "clientId": "shared",
            "who": "“Ada”",
            "summary": "",
            "grant": None,
            "outside": False,
            "origin": None,
            "brokenLinks": 0,
            "left": [],
        }
    ]
    assert world.asked == {"limit": 5, "before": "patch-2", "credential": "shared"}


@pytest.mark.parametrize("limit", [0, -1, 1001, "5", 1.5, True])
async def test_a_limit_is_a_number_of_entries(world: World, limit: Any) -> None:
    assert (await world.ask("agent", "history.list", {"limit": limit}))["error"]["code"] == -32602


@pytest.mark.parametrize(("method", "tool"), [("history.undo", "history_undo"), ("history.redo", "history_redo")])
@pytest.mark.parametrize("params", [{}, {"executionId": "patch-1"}])
async def test_undo_and_redo_go_the_way_of_every_tool(
    world: World, method: str, tool: str, params: dict[str, str]
) -> None:
    answer = await world.ask("host", method, params)
    assert answer["result"]["success"] is True
    asked = world.calls.asked[0]
    assert (asked["name"], asked["arguments"], asked["caller"].role) == (tool, params, "host")


async def test_limits_are_those_of_the_session_that_asks(world: World) -> None:
    session = world.open()
    answer = await world.ask("agent", "limits.status", session=session)
    assert answer["result"] == {"grep": {"limit": 100, "used": 1, "queued": 0}, "session": session.caller.subject}


async def test_the_vaults_status_is_passed_on(world: World) -> None:
    known = {
        "notes": 3,
        "files": 4,
        "indexed": 3,
        "indexing": False,
        "lastSweep": None,
        "byNameOnly": 1,
        "inPlace": True,
        "semantic": {
            "state": "ready",
            "reason": "",
            "model": "small",
            "done": 3,
            "total": 3,
            "passages": 9,
            "size": 4096,
            "endpoint": None,
            "sentence": None,
        },
    }
    answer = await world.ask("agent", "vault.status")
    assert answer["result"] == known | {"namedOnly": []}
    answer = await world.ask("host", "vault.status")
    assert answer["result"] == known | {"namedOnly": ["Deep.md"]}


async def test_only_the_person_hears_why_notes_are_not_prepared_and_where_they_would_go(world: World) -> None:
    world.settings.update({"chatEndpoint": "http://192.0.2.7:11434/", "semanticModel": "nomic-embed-text"})
    world.vectors.said = SemanticStatus(state="waiting")
    told = (await world.ask("host", "vault.status"))["result"]["semantic"]
    assert (told["state"], told["endpoint"]) == ("not_allowed", "http://192.0.2.7:11434")
    assert "texts of all notes" in told["sentence"]
    assert "192.0.2.7" not in str(await world.ask("agent", "vault.status"))
    world.settings.update({"semanticModel": ""})
    world.vectors.said = SemanticStatus(state="failed", reason="No Ollama server answers at http://192.0.2.7:11434")
    assert "192.0.2.7" not in str(await world.ask("agent", "vault.status"))
    assert (await world.ask("host", "vault.status"))["result"]["semantic"]["endpoint"] is None


async def test_the_person_agrees_to_the_server_that_is_set_and_to_no_other(world: World) -> None:
    world.settings.update({"chatEndpoint": "http://192.0.2.7:11434"})
    other = await world.ask("host", "semantic.allow", {"endpoint": "http://192.0.2.8:11434"})
    assert "look again" in str(other["error"])
    assert not world.services.parts.embedding_servers.get().allows(world.settings.current)
    agent = await world.ask("agent", "semantic.allow", {"endpoint": "http://192.0.2.7:11434"})
    assert agent["error"]["code"] == -32001
    await world.ask("host", "semantic.allow", {"endpoint": "http://192.0.2.7:11434"})
    assert world.services.parts.embedding_servers.get().allows(world.settings.current)
    assert world.asked["looked again"] is True
    facts = {"event": "embedding_allowed", "of": "http://192.0.2.7:11434"}
    assert world.noted[-1][0] == "chat"
    assert facts.items() <= world.noted[-1][1].items()


async def test_the_person_may_have_all_notes_prepared_anew_and_an_agent_may_not(world: World) -> None:
    assert (await world.ask("agent", "semantic.rebuild"))["error"]["code"] == -32001
    assert "rebuild" not in world.asked
    assert (await world.ask("host", "semantic.rebuild"))["result"]["state"] == "ready"
    assert world.asked["rebuild"] is True
