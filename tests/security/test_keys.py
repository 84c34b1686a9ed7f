"""An API key is in no file unencrypted, and in no log, error, backup, crash or list of processes."""

import asyncio
import base64
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.app import Bridge
from bridge.client import ProtocolFailure
from bridge.contract.keys import Provider
from bridge.keys import store
from tests.people import Person, add_client, named
from tests.web_servers import LocalWeb
from tests.web_servers import answer as web_answer

KEY = "Zq7+mine/of-no-known_form.0123"
FORMS = (
    KEY.encode(),
    base64.b64encode(KEY.encode()).rstrip(b"="),
    b"Zq7%2Bmine%2Fof-no-known_form.0123",
    KEY.encode("utf-16-le"),
    KEY.encode().hex().encode(),
)


def files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


def assert_nowhere(vault: Path) -> None:
    for place in (vault, *(Path(os.environ[f"VAULT_BRIDGE_{name}"]) for name in ("STATE", "CONFIG"))):
        for path, data in files(place):
            for form in FORMS:
                assert form not in data, path


async def test_a_key_is_nowhere_in_the_clear_whatever_is_done_with_it(
    bridge: Bridge, person: Person, vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bridge.settings.update({"developerMode": True, "logParameterValues": True})
    await add_client(person, vault, "Robot")
    answers: list[Any] = [await person.host.request("keys.set", provider="ollama", key=KEY)]
    answers += [await person.host.request(method) for method in ("keys.status", "keys.rotate", "settings.get")]
    answers.append(await person.host.request("settings.update", patch={"findMaxResults": 7}))
    for tried in ({"provider": KEY, "key": KEY}, {"provider": "ollama", "key": f"{KEY}\n{KEY}"}, {"key": KEY}):
        with pytest.raises(ProtocolFailure) as refused:
            await person.host.request("keys.set", **tried)
        answers.append(str(refused.value))
    person.answer = "allow_once"
    async with named(vault, "Robot") as robot:
        await robot.call("read", {"path": f"{KEY}.md"}, reason=f"with {KEY}")
        await robot.call("grep", pattern=KEY)
        await robot.call(KEY)
        written = await robot.call("write_file", {"path": "Ideas.md", "content": "x"}, reason=f"with {KEY}")
    answers.append(await person.host.request("history.undo", executionId=written.raw["executionId"]))
    assert answers[-1]["success"]
    logging.getLogger("bridge").warning("a library says %s", KEY)
    everything = await person.host.request("audit.query", limit=1000)
    assert {record["event"] for record in everything if record["kind"] == "key"} == {"set", "rotated"}
    for said in (orjson.dumps(everything), orjson.dumps(answers)):
        for form in FORMS:
            assert form not in said
    assert_nowhere(vault)


async def test_a_crash_with_the_key_in_hand_does_not_show_it(
    person: Person, vault: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(key: str, *_others: Any) -> str:
        raise ZeroDivisionError(f"while sealing {key}")

    monkeypatch.setattr(store, "seal", crash)
    with pytest.raises(ProtocolFailure) as failed:
        await person.host.request("keys.set", provider="ollama", key=KEY)
    assert KEY not in str(failed.value)
    assert "ZeroDivisionError" in caplog.text
    assert KEY not in caplog.text
    assert_nowhere(vault)


async def test_a_key_that_is_used_after_a_restart_is_hidden_too(vault: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with Bridge(vault) as first:
        await asyncio.to_thread(first.services.keys.set, Provider.BRAVE, KEY)
    async with Bridge(vault) as second:
        held = await asyncio.to_thread(second.services.keys.get, Provider.BRAVE, "https://api.search.brave.com")
        assert held == KEY
        logging.getLogger("bridge").warning("a library says %s", held)
        second.services.note("network", {"event": "asked", "url": f"https://x.example/?q={held}", "by": held})
    assert KEY not in caplog.text
    assert_nowhere(vault)


async def test_an_agent_gets_the_usual_refusal(person: Person, vault: Path) -> None:
    await add_client(person, vault, "Robot")
    await person.host.request("keys.set", provider="ollama", key=KEY)
    async with named(vault, "Robot") as robot:
        for method, params in (
            ("keys.status", {}),
            ("keys.rotate", {}),
            ("keys.clear", {"provider": "ollama"}),
            ("keys.set", {"provider": "ollama", "key": "another-key-of-mine"}),
        ):
            with pytest.raises(ProtocolFailure) as refused:
                await robot.request(method, **params)
            assert refused.value.code == -32001
    (status, *_others) = await person.host.request("keys.status", open=True)
    assert status["isSet"]
    assert status["fault"] is None


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks into /proc")
async def test_a_command_shows_no_key_in_the_list_of_processes_or_on_the_console(
    bridge: Bridge, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = bridge.services.keys
    arrived, released, kept = asyncio.Event(), threading.Event(), keys.set
    loop = asyncio.get_running_loop()

    def held(*arguments: Any) -> Any:
        loop.call_soon_threadsafe(arrived.set)
        released.wait()
        return kept(*arguments)

    monkeypatch.setattr(keys, "set", held)
    command = [sys.executable, "-m", "bridge", "keys", "set", "ollama", "--vault", str(vault)]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdin is not None
    process.stdin.write(f"{KEY}\n".encode())
    try:
        async with asyncio.timeout(60):
            await arrived.wait()
        for name in ("cmdline", "environ"):
            shown = await asyncio.to_thread(Path(f"/proc/{process.pid}/{name}").read_bytes)
            assert KEY.encode() not in shown
    finally:
        released.set()
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    assert b"encrypted" in output
    assert KEY.encode() not in output
    assert keys.has(Provider.OLLAMA)


async def test_a_service_that_sends_the_key_back_shows_it_to_nobody(
    bridge: Bridge, person: Person, vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answers: list[Any] = []
    async with LocalWeb().serve() as web:
        bridge.settings.update(
            {
                "ollamaWebSearchEndpoint": f"http://127.0.0.1:{web.plain_port}",
                "webSearchProviders": ["ollama"],
            }
        )
        await add_client(person, vault, "Robot")
        await person.host.request("keys.set", provider="ollama", key=KEY)
        person.answer = "allow_once"
        hit = {"title": f"You sent {KEY}", "url": f"https://x.example/?k={KEY}", "content": f"Bearer {KEY}"}
        async with named(vault, "Robot") as robot:
            for query, body, status in (
                ("tea", {"results": [hit]}, "200 OK"),
                ("milk", {"error": f"bad key {KEY}"}, "200 OK"),
                ("sugar", {"error": f"bad key {KEY}"}, "401 Unauthorized"),
                ("lemon", {"error": KEY}, f"500 {KEY}"),
                ("tea", {"error": KEY}, "500 Error"),  # what was kept of the first one
            ):
                web.answers["/api/web_search"] = web_answer(orjson.dumps(body), status=status, kind="application/json")
                answers.append((await robot.call("web_search", query=query)).raw)
                answers.append(await person.host.request("keys.test", provider="ollama"))
        assert web.seen[0].headers["authorization"] == f"Bearer {KEY}"
    for found in (answers[0], answers[-2]):
        assert found["success"]
        assert "[REDACTED]" in found["data"][0]["title"]
    outcomes = ["connected", "refused", "refused", "unreachable", "unreachable"]
    assert [answer["outcome"] for answer in answers[1::2]] == outcomes
    everything = await person.host.request("audit.query", limit=1000)
    assert {record["url"] for record in everything if record["kind"] == "network"} == {
        f"http://127.0.0.1:{web.plain_port}/api/web_search"
    }
    for said in (orjson.dumps(answers), orjson.dumps(everything), caplog.text.encode()):
        for form in FORMS:
            assert form not in said
    assert_nowhere(vault)
