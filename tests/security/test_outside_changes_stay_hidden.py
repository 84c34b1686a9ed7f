"""Only you can see what other programs changed: clients cannot, whatever they may do."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.app import Bridge
from bridge.client import Connection, ProtocolFailure, connect
from tests.people import Person, add_client, named, until_read
from tests.rpc.test_contract import CALLS

SECRET = "zebrafish"
METHODS = {"clients.revoke", "session.name", "audit.clear", "tools.cancel"}
"""Not called: they would end what is looked at here."""


@pytest.fixture
async def entry(bridge: Bridge, person: Person, vault: Path) -> str:
    """Another program has made a note, changed it, and deleted it, each an entry of its own."""
    await until_read(person.host)
    place = vault / f"{SECRET}.md"
    place.write_text(f"{SECRET} was here\n")
    bridge.index.refresh()
    bridge.services.recorder.end_entry()
    place.unlink()
    bridge.index.refresh()
    found = await person.host.request("history.list", outside=True)
    assert [one["files"] for one in found] == [[f"{SECRET}.md"], [f"{SECRET}.md"]]
    return str(found[0]["executionId"])


async def asked(connection: Connection, method: str, params: dict[str, Any]) -> Any:
    try:
        return await connection.request(method, **params)
    except ProtocolFailure as error:
        return {"error": str(error), "data": getattr(error, "data", None)}


@pytest.mark.parametrize("who", ["a program without a name", "a client", "a client that may administer"])
async def test_no_client_learns_of_it(person: Person, vault: Path, entry: str, who: str) -> None:
    person.answer = "allow_once"
    if who == "a program without a name":
        connection = connect(vault, name="Ada")
    else:
        added = await add_client(person, vault, "Ada")
        if "administer" in who:
            for capability in ("answer", "administer"):
                await person.host.request("clients.allow", clientId=added["client"]["clientId"], capability=capability)
        connection = named(vault, "Ada")
    told: list[Any] = []
    async with connection as agent:
        for event in ("vault.changed", "consent.requested", "tool.finished"):
            agent.on(event, told.append)
        questions: list[tuple[str, dict[str, Any]]] = [
            *((method, params) for method, params in CALLS if method not in METHODS),
            ("history.list", {"outside": True}),
            ("history.list", {"outside": True, "limit": 1000, "path": f"{SECRET}.md"}),
            ("history.list", {"before": entry}),
            ("history.diff", {"executionId": entry}),
            ("history.undo", {"executionId": entry}),
            ("history.undo", {"executionId": entry, "paths": [f"{SECRET}.md"]}),
            ("history.redo", {"executionId": entry}),
            ("history.undoAll", {"executionIds": [entry]}),
            ("tools.call", {"name": "history_undo_outside", "arguments": {"executionId": entry}}),
            ("tools.preview", {"name": "history_undo_outside", "arguments": {"executionId": entry}}),
            ("tools.call", {"name": "restore", "arguments": {"path": f"{SECRET}.md", "digest": "0" * 64}}),
            ("tools.call", {"name": "history_undo", "arguments": {"executionId": entry}}),
            ("tools.call", {"name": "history", "arguments": {"action": "diff", "execution_id": entry}}),
            ("tools.call", {"name": "history", "arguments": {"action": "undo", "execution_id": entry}}),
            ("tools.call", {"name": "history", "arguments": {}}),
        ]
        for method, params in questions:
            answer = await asked(agent, method, params)
            said = orjson.dumps(answer).decode()
            asks = orjson.dumps(params).decode()
            assert "Another program" not in said, (method, params, said)
            assert f"{SECRET} was here" not in said, (method, params, said)
            if SECRET not in asks and not method.startswith("audit."):
                assert SECRET not in said, (method, params, said)
            if method.startswith("versions."):
                assert "error" in answer, (method, answer)
    assert not (vault / f"{SECRET}.md").exists()


@pytest.mark.parametrize("method", [name for name, _ in CALLS if name.startswith("versions.")])
async def test_what_is_not_there_and_what_may_not_be_asked_sound_alike(vault: Path, entry: str, method: str) -> None:
    del entry
    async with connect(vault, name="Ada") as agent:
        answers = [
            await asked(agent, method, {"path": path, "at": "2020-01-01"}) for path in (f"{SECRET}.md", "nothing.md")
        ]
    assert answers[0] == answers[1]


async def test_an_agents_undo_without_an_id_is_of_its_own_change(person: Person, vault: Path, entry: str) -> None:
    del entry
    person.answer = "allow_once"
    async with connect(vault, name="Ada") as agent:
        nothing = await agent.request("history.undo")
        assert (nothing["success"], nothing["errorType"]) == (False, "not_found")
        done = await agent.call("create_note", path="Mine.md", content="mine\n")
        assert done.ok
        undone = await agent.request("history.undo")
        assert undone["data"]["files"] == ["Mine.md"]


async def test_the_log_says_what_was_taken_back_and_no_bytes(person: Person, vault: Path, entry: str) -> None:
    assert (await person.host.request("history.undo", executionId=entry))["success"]
    assert (vault / f"{SECRET}.md").read_text() == f"{SECRET} was here\n"
    log = orjson.dumps(await person.host.request("audit.query", limit=50)).decode()
    assert "history_undo_outside" in log
    assert f"{SECRET} was here" not in log
