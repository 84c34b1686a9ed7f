"""A client's token is in no file of the vault, in no log, on no console and in no list of processes."""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import orjson
import pytest

from bridge.app import Bridge
from bridge.client import TokenNotFound, find_vault
from bridge.client.discovery import find_endpoint
from bridge.client.token_storage import token_file
from bridge.policy.redaction import redact_text
from tests.people import Person, add_client, named


def files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


async def test_a_token_is_in_no_file_of_the_vault_and_in_one_private_file_outside(
    bridge: Bridge, person: Person, vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bridge.settings.update({"developerMode": True, "logParameterValues": True})
    token = (await add_client(person, vault, "Robot"))["token"]
    secret = token.removeprefix("vb_")[13:]
    person.answer = "allow_once"
    async with named(vault, "Robot") as robot:
        await robot.call("read", {"path": f"{token}.md"}, reason=f"with {token}")
        await robot.call("grep", pattern=token)
        await robot.call("write_file", {"path": "Ideas.md", "content": "x"}, call_id=token[:100])
        await robot.call(token)
        await robot.request("session.name", client=f"me {token}"[:80])
        await robot.call("read", path="Ideas.md")
    everything = await person.host.request("audit.query", limit=1000)
    assert len(everything) >= 8
    assert secret not in orjson.dumps(everything).decode()
    for path, data in files(vault):
        assert secret.encode() not in data, path
    assert secret not in caplog.text
    state = Path(os.environ["VAULT_BRIDGE_STATE"])
    for path, data in files(state):
        assert secret.encode() not in data, path
    kept = token_file(find_vault(vault), "Robot")
    assert kept.read_text() == token
    if os.name != "nt":
        assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize(
    "around", ["{}", "my token is {}.", '{{"a":"{}"}}', "https://x.example/?t={}", "vb {}", "[{}]"]
)
def test_a_clients_token_is_known_by_its_form(around: str) -> None:
    token = "vb_0123456789ab_" + "Ab-_" * 10 + "xyz"
    shown = redact_text(around.format(token))
    assert "Ab-_" not in shown
    assert "[REDACTED]" in shown
    assert redact_text("vb_0123456789ab and vb_setting_of_a_program") == "vb_0123456789ab and vb_setting_of_a_program"


async def test_a_stolen_list_of_clients_opens_nothing(person: Person, vault: Path) -> None:
    token = (await add_client(person, vault, "Robot"))["token"]
    (stolen,) = [data for path, data in files(Path(os.environ["VAULT_BRIDGE_STATE"])) if path.name == "clients.json"]
    (client,) = orjson.loads(stolen)["clients"]
    tries = [
        client["tokenHash"],
        client["tokenHash"].removeprefix("sha256:"),
        client["id"],
        f"vb_{client['id']}_",
        f"vb_{client['id']}_{client['tokenHash']}",
        f"vb_{client['id']}_{client['tokenHash'].removeprefix('sha256:')}",
        token[:-1],
        f"{token}=",
        token.upper(),
        f"x{token}",
        token.replace("vb_", "vb__"),
    ]
    url = f"{find_endpoint(vault, 'agent').http}/rpc"
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with aiohttp.ClientSession() as http:
        for tried in tries:
            async with http.post(url, json=ping, headers={"Authorization": f"Bearer {tried}"}) as refused:
                assert refused.status == 401, tried
        async with http.post(url, json=ping, headers={"Authorization": f"Bearer {token}"}) as taken:
            assert taken.status == 200


async def test_where_there_is_no_token_no_other_is_used(person: Person, vault: Path) -> None:
    del person
    with pytest.raises(TokenNotFound):
        async with named(vault, "Robot"):
            pass


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks into /proc")
async def test_a_command_shows_no_token_in_the_list_of_processes_or_on_the_console(person: Person, vault: Path) -> None:
    token = (await add_client(person, vault, "Robot"))["token"]
    person.answer = None
    command = [
        sys.executable,
        "-m",
        "bridge",
        "call",
        "read",
        "path=Ideas.md",
        "--client",
        "Robot",
        "--vault",
        str(vault),
    ]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    question = await person.until_asked()
    assert question["client"] == "Robot"
    for name in ("cmdline", "environ"):
        shown = await asyncio.to_thread(Path(f"/proc/{process.pid}/{name}").read_bytes)
        assert token.encode() not in shown
    await person.respond(question, "allow_once")
    output, _ = await process.communicate()
    assert process.returncode == 0
    assert token.encode() not in output
