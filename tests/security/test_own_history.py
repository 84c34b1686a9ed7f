"""A client finds, undoes and redoes only its own changes; you everybody's."""

from pathlib import Path
from typing import Any

from bridge.app import Bridge
from bridge.client import Connection, connect
from tests.people import Person, add_client, named


async def changed_by(connection: Connection, path: str) -> str:
    """The id of a change that this program makes."""
    done = await connection.call("create_note", path=path, content="text\n")
    assert done.ok, done.error
    return str(done.raw["executionId"])


async def listed(connection: Connection) -> list[Any]:
    return [entry["executionId"] for entry in await connection.request("history.list")]


async def test_each_client_has_a_history_of_its_own(bridge: Bridge, person: Person, vault: Path) -> None:
    bridge.settings.update({"enabledTools": ["*"]})
    person.answer = "allow_once"
    for name in ("Ada", "Bob"):
        await add_client(person, vault, name)
    async with named(vault, "Ada") as ada, named(vault, "Bob") as bob, connect(vault, name="Ada") as unnamed:
        first, second = await changed_by(ada, "Ada.md"), await changed_by(bob, "Bob.md")
        assert (await listed(ada), await listed(bob), await listed(unnamed)) == ([first], [second], [])
        for other in (ada, unnamed):
            refused = await other.request("history.undo", executionId=second)
            assert refused["errorType"] == "not_found", refused
    async with named(vault, "Ada") as again:
        assert await listed(again) == [first]
        assert (await again.request("history.undo"))["data"]["undone"] == first
    assert (vault / "Bob.md").exists()
    assert not (vault / "Ada.md").exists()
