"""RPC: what the whole stack costs above a bare WebSocket."""

import time
from collections.abc import Awaitable, Callable

from scripts.lib.bench_measure import alternate, compare
from scripts.lib.bench_processes import Raw, bare, connected, generated_vault, request, serving

PINGS = 200
REPLIES = 20
HITS = 2000


def hits() -> list[dict[str, object]]:
    """Two thousand hits as grep gives them; about 240 KB of JSON."""
    return [
        {
            "file": f"Folder {number % 40}/Note number {number}.md",
            "line": number % 300 + 1,
            "match": f"- TODO: water plant {number}",
            "context": f"before\n- TODO: water plant {number}\nafter",
        }
        for number in range(HITS)
    ]


def timed(connection: Raw, text: str, count: int, must_hold: str) -> Callable[[], Awaitable[float]]:
    """Measures one round trip as the mean of `count` in a row."""

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(count):
            answer = await connection.ask(text)
        seconds = (time.perf_counter() - began) / count
        if must_hold not in answer:
            raise RuntimeError(f"Not the expected answer: {answer[:200]}")
        return seconds

    return measure


async def run() -> None:
    """Measure and print."""
    vault, payload = generated_vault(100), hits()
    async with serving(vault, payload), connected(vault) as ours, bare(payload) as theirs:
        ping = request("ping")
        samples = await alternate(
            {
                "ping through the whole stack": timed(ours, ping, PINGS, '"pong"'),
                "bare aiohttp WebSocket echo": timed(theirs, ping, PINGS, '"ping"'),
            }
        )
        print(compare("ping (mean of 200 round trips)", samples, goal=2.5))
        call = request("tools.call", name="bench_hits", arguments={"count": 0})
        samples = await alternate(
            {
                "a tool's reply with nothing": timed(ours, call, REPLIES, '"success":true'),
                "bare aiohttp WebSocket echo": timed(theirs, ping, REPLIES, '"ping"'),
            }
        )
        print(compare("a call of a tool, with rules, limits and log (mean of 20)", samples, row="call"))
        call = request("tools.call", name="bench_hits", arguments={"count": HITS})
        samples = await alternate(
            {
                "a tool's reply with 2,000 hits": timed(ours, call, REPLIES, '"success":true'),
                "bare orjson reply with them": timed(theirs, "hits", REPLIES, "Note number 1999.md"),
            }
        )
        print(compare("a call with 2,000 hits, with rules, limits and log (mean of 20)", samples))
        await ours.ask(request("tools.call", name="bench_hits", arguments={"count": HITS}, callId="bench"))
        again = request("tools.result", callId="bench")
        samples = await alternate(
            {
                "2,000 hits, handed out again and logged": timed(ours, again, REPLIES, '"success":true'),
                "bare orjson reply with them": timed(theirs, "hits", REPLIES, "Note number 1999.md"),
            }
        )
        print(compare("2,000 hits through the stack and the log of deliveries (mean of 20)", samples, goal=2.5))
