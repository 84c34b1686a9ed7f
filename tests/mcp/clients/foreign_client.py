"""The bridge's client of other servers, as a program that the conformance suite starts: `foreign_client.py URL`.

It connects to the server, and calls every tool that the server lists, with arguments made from its schema, or with
those that the suite names.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from bridge.errors import ToolFailure
from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from bridge.settings.model import Settings
from bridge.web.guard import Rules, check
from bridge.web.transport import SystemResolver, Transport

SECONDS = 20.0
VALUES: dict[str, Any] = {"string": "x", "number": 5, "integer": 5, "boolean": True, "object": {}, "array": []}


async def main(url: str) -> None:
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    rules = Rules(Settings(), frozenset())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        opener = Opener(
            Programs([], place, required=lambda: False),
            lambda: Transport(SystemResolver()),
            lambda checked, service: check(checked, rules, service),
            place / "Vault",
        )
        server = ServerConnection("suite", entry("suite", {"url": url}), opener)
        try:
            await server.connect()
            for name, arguments in wanted(server, context):
                try:
                    await server.call(name, arguments, SECONDS, lambda *_said: None)
                except ToolFailure as failure:
                    sys.stderr.write(f"{name}: {failure.message}\n")
        finally:
            await server.stop()


def wanted(server: ServerConnection, context: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that are made."""
    if calls := context.get("toolCalls"):
        return [(call["name"], call.get("arguments") or {}) for call in calls]
    schemas = {each.name: dict(each.schema) for each in server.definitions}
    echoed = {"schema": schemas.get("json_schema_2020_12_tool")}
    return [(name, echoed if name == "json_schema_echo" else made(schema)) for name, schema in schemas.items()]


def made(schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments that fit a plain schema."""
    properties = schema.get("properties") or {}
    return {name: VALUES[properties[name].get("type", "string")] for name in schema.get("required") or []}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
