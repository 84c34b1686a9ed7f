"""A note that is open in Obsidian, over a real socket: the plugin's part is played by a few lines that really write."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.client.discovery import find_endpoint
from bridge.rpc import hosts
from tests.journal.open_editors import OpenEditors
from tests.patience import PATIENCE

NOTE = "Notes/Meeting.md"


class Plugin:
    """A host over a WebSocket that answers questions with yes and does its duties."""

    def __init__(self, vault: Path) -> None:
        self.editors = OpenEditors(vault, {NOTE})
        self.questions: list[dict[str, Any]] = []
        self.answer: dict[str, Any] = {}
        self.ready = asyncio.Event()

    async def run(self, url: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with aiohttp.ClientSession() as session, session.ws_connect(url, headers=headers) as socket:
            params = {"client": "Obsidian", "can": ["consent", "dirty", "write"]}
            await self._send(socket, {"id": 1, "method": "session.name", "params": params})
            async for message in socket:
                await self._take(socket, orjson.loads(message.data))

    async def _take(self, socket: Any, message: dict[str, Any]) -> None:
        match message.get("method"):
            case "consent.requested":
                question = message["params"]
                self.questions.append(question)
                params = {"requestId": question["requestId"], "decision": "allow_once"}
                params |= {"planDigest": question["planDigest"], **self.answer}
                await self._send(socket, {"id": 2, "method": "consent.respond", "params": params})
            case "host.dirty":
                found = self.editors.look(message["params"]["paths"])
                answer = {"open": sorted(found.open), "unsaved": sorted(found.unsaved)}
                await self._send(socket, {"id": message["id"], "result": answer})
            case "host.write":
                results = [
                    {
                        "path": change["path"],
                        "outcome": self.editors.write(change["path"], change["expected"], change["content"]),
                    }
                    for change in message["params"]["changes"]
                ]
                await self._send(socket, {"id": message["id"], "result": {"results": results}})
            case None if message.get("id") == 1:
                self.ready.set()
            case _:
                pass

    @staticmethod
    async def _send(socket: Any, message: dict[str, Any]) -> None:
        await socket.send_str(orjson.dumps({"jsonrpc": "2.0", **message}).decode())


@pytest.fixture
async def plugin(vault: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Plugin]:
    """A bridge, and Obsidian with a note open, for whose answers it waits however busy the machine is."""
    for name in ("LOOK_SECONDS", "WRITE_SECONDS"):
        monkeypatch.setattr(hosts, name, PATIENCE)
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        endpoint = find_endpoint(vault, "host")
        found = Plugin(vault)
        running = asyncio.create_task(found.run(endpoint.url, endpoint.token))
        async with asyncio.timeout(PATIENCE):
            await found.ready.wait()
        yield found
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionResetError):
            await running


async def patch(vault: Path, line: int, text: str) -> Any:
    """An agent changes one line of the note."""
    async with connect(vault, name="Robot") as agent:
        edit = {"startLine": line, "endLine": line, "newContent": text}
        return await agent.call("apply_patch", path=NOTE, patches=[edit])


def text_of(vault: Path) -> str:
    return (vault / NOTE).read_text(encoding="utf-8")


async def test_an_open_note_is_written_by_obsidian_and_undone_by_it(vault: Path, plugin: Plugin) -> None:
    before = text_of(vault)
    done = await patch(vault, 3, "- DONE: call Ada")
    assert done.ok, done.error
    assert "DONE: call Ada" in text_of(vault)
    assert plugin.editors.written == [NOTE]
    async with connect(vault, name="Desk", role="host") as host:
        await host.request("history.undo")
    assert text_of(vault) == before
    assert plugin.editors.written == [NOTE, NOTE]


async def test_unsaved_text_is_warned_of_and_never_lost(vault: Path, plugin: Plugin) -> None:
    before = text_of(vault)
    plugin.editors.type(NOTE, before + "- typed by the user\n")
    refused = await patch(vault, 3, "- DONE: call Ada")
    assert refused.data["code"] == "stale"
    assert "not saved yet" in refused.error
    assert "not saved yet" in plugin.questions[0]["preview"]["warnings"][0]
    assert text_of(vault) == before
    plugin.editors.save()
    again = await patch(vault, 3, "- DONE: call Ada")
    assert again.ok, again.error
    assert "DONE: call Ada" in text_of(vault)
    assert "- typed by the user" in text_of(vault)


async def test_part_of_a_change_is_approved_over_the_wire(vault: Path, plugin: Plugin) -> None:
    long = vault / "Long.md"
    long.write_text("".join(f"line {number}\n" for number in range(1, 31)), encoding="utf-8")
    plugin.answer = {"hunks": {"Long.md": [0]}}
    edits = [{"startLine": line, "endLine": line, "newContent": "changed"} for line in (2, 28)]
    async with connect(vault, name="Robot") as agent:
        done = await agent.call("apply_patch", path="Long.md", patches=edits)
    assert plugin.questions[0]["hunksSupported"] is True
    assert done.data["leftOut"][0]["hunks"] == [1]
    lines = long.read_text(encoding="utf-8").splitlines()
    assert (lines[1], lines[27]) == ("changed", "line 28")


async def test_a_host_that_hangs_up_in_the_middle_costs_no_text_and_no_change(vault: Path, plugin: Plugin) -> None:
    def hang_up(_path: str) -> None:
        raise ConnectionResetError

    plugin.editors.before_write = hang_up
    done = await patch(vault, 3, "- DONE: call Ada")
    assert done.ok, done.error
    assert "DONE: call Ada" in text_of(vault)
    assert plugin.editors.written == []
