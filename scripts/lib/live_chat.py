"""A talk with a real model: a question that only a note answers, and an answer that is stopped.

The vault is one for the moment; of its single note the model knows nothing. A person allows it to read, and nothing
else.
"""

import asyncio
import time
from pathlib import Path
from typing import Any, Final

from bridge.app import Bridge
from bridge.client import Connection, ProtocolFailure, connect

URL: Final = "OLLAMA_URL"
MODEL: Final = "OLLAMA_MODEL"
NOTE: Final = "The kettle in the office is called Zebulon.\n"
QUESTION: Final = "What is the kettle in the office called? It is in my notes: look it up."
ENDLESS: Final = "Count from 1 to 10000, one number a line."
SECONDS: Final = 900
"""The time a turn can take: a model may have to be loaded first."""


async def talked(bridge: Bridge, vault: Path, url: str, model: str) -> bool:
    """Talk with a model, and say what came of it; returns whether all was as it should be.

    Args:
        bridge: Serves the vault.
        vault: The vault's folder.
        url: Where the model is.
        model: Its name; empty takes the only one there is.
    """
    await asyncio.to_thread((vault / "Kettle.md").write_text, NOTE, encoding="utf-8")
    bridge.settings.update({"chatEndpoint": url, "chatModel": model, "chatTools": "minimal"})
    async with connect(vault, name="check-live", role="host", can=["consent"]) as host:
        host.on("consent.requested", lambda question: _read_only(host, question))
        try:
            found = await host.request("chat.models")
            if not found["allowed"]:
                await host.request("chat.allow", endpoint=found["endpoint"])
            return all([await _answers(host), await _stops(host)])
        except ProtocolFailure as failure:
            print(f"chat: FAILED: {failure.hint or failure.message}")
            return False


async def _read_only(host: Connection, question: dict[str, Any]) -> None:
    decision = "allow_once" if question["operation"] == "read" else "deny_once"
    await host.request("consent.respond", requestId=question["requestId"], decision=decision)


async def _answers(host: Connection) -> bool:
    """Return whether the model finds what only the note says."""
    said, used, first, end = await _turn(host, QUESTION)
    ok = end["end"] == "answered" and "zebulon" in said.casefold() and bool(used)
    after = "never" if first is None else f"after {first:.2f} s"
    print(f"chat: {'answered' if ok else 'FAILED'}, first piece {after}, tools used: {', '.join(used) or 'none'}")
    if not ok:
        print(f"  {end['end']}: {end['message'] or said}")
    return ok


async def _stops(host: Connection) -> bool:
    """Return whether the model stops when it is told to."""
    _said, _used, _first, end = await _turn(host, ENDLESS, stop=True)
    print(f"chat: {'stopped when told to' if end['end'] == 'cancelled' else 'FAILED to stop'}")
    return bool(end["end"] == "cancelled")


async def _turn(
    host: Connection, text: str, *, stop: bool = False
) -> tuple[str, list[str], float | None, dict[str, Any]]:
    """Return the model's words, the tools it uses, the seconds to its first piece, and how the turn ends."""
    heard, began, first = host.notifications(), time.monotonic(), None
    started = await host.request("chat.send", text=text)
    said = ""
    used: list[str] = []
    async with asyncio.timeout(SECONDS):
        async for event in heard:
            if event.params.get("turnId") != started["turnId"]:
                continue
            if event.method == "chat.done":
                return said, used, first, event.params
            if event.method == "chat.tool" and event.params["state"] == "running":
                used.append(event.params["tool"])
            if event.method == "chat.delta":
                first = first or time.monotonic() - began
                said += event.params["text"] if event.params["kind"] == "text" else ""
                if stop:
                    stop = False
                    await host.request("chat.cancel", conversationId=started["conversationId"])
    raise AssertionError("the bridge went away")
