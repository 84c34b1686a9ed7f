"""Trusts Codex's hooks as `/hooks` in it does, through the server by which its screens speak with it."""

import json
from typing import Any

from tests.programs.desk import Desk
from tests.programs.programs import CODEX


async def trust_hooks(desk: Desk) -> list[str]:
    """Trust each of the user's hooks as it is now.

    Returns:
        What Codex said of them before, such as `untrusted` or `modified`.
    """
    process = await desk.start_program(CODEX, "app-server")
    writer, reader = process.stdin, process.stdout
    assert writer is not None
    assert reader is not None
    number = 0

    async def request(method: str, **params: Any) -> Any:
        nonlocal number
        number += 1
        writer.write(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n")
        while line := await reader.readline():
            message = json.loads(line)
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
        raise AssertionError(f"Codex ended at {method}")

    await request("initialize", clientInfo={"name": "tests", "version": "1"})
    (listed,) = (await request("hooks/list", cwds=[str(desk.work)]))["data"]
    states = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in listed["hooks"]}
    edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": states}
    await request("config/batchWrite", edits=[edit])
    writer.close()
    await process.wait()
    return [hook["trustStatus"] for hook in listed["hooks"]]
