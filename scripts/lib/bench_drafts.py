"""Drafts: an edit staged among 500 files beside the same edit outside, and the one question about them all."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from bridge.app import Bridge
from bridge.contract.identity import Capability
from bridge.identity.caller import Caller, Client
from bridge.settings.model import MAX_RATE
from bridge.toolkit.tool_call import ToolCall
from scripts.lib.bench_measure import alternate, compare
from scripts.lib.bench_processes import new_place
from scripts.lib.consenting import YesHost

FILES = 500
"""Files that the draft has changed before anything is measured."""
EDITS = 10
"""Edits of which the mean is taken."""
LINES = 60
TOOLS = ("apply_patch", "draft")
OUTSIDE = Caller(Client("outside", "outside", frozenset({Capability.CALL})), "agent-outside")
DRAFTING = Caller(Client("drafting", "drafting", frozenset({Capability.CALL})), "agent-drafting")


def write_notes(folder: Path) -> None:
    """As many notes as the draft changes, and as many again for the edits outside; each links to the next."""
    for number in range(2 * FILES):
        lines = [f"Line {line}: some sixty characters of ordinary text, as in a note." for line in range(LINES)]
        text = "\n".join([f"# Note {number}", f"[[Note {number + 1}]]", *lines, ""])
        (folder / f"Note {number}.md").write_text(text, encoding="utf-8")


def edit(number: int, text: str) -> dict[str, Any]:
    """The arguments of an edit of one line."""
    return {"path": f"Note {number}.md", "patches": [{"startLine": 9, "endLine": 9, "newContent": text}]}


async def call(bridge: Bridge, caller: Caller, tool: str, **arguments: Any) -> None:
    """Call a tool.

    Raises:
        RuntimeError: It failed.
    """
    result = (await bridge.services.calls.call(caller, tool, arguments)).to_wire()
    if not result["success"]:
        raise RuntimeError(result["error"])


def edits(bridge: Bridge, caller: Caller, notes: Iterator[int]) -> Callable[[], Awaitable[float]]:
    """Measures edits of one line each, each previewed first: outside they are asked about and written."""

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(EDITS):
            arguments = edit(next(notes), f"changed {time.perf_counter_ns()}")
            await bridge.services.pipeline.preview(ToolCall(caller, "apply_patch", arguments))
            await call(bridge, caller, "apply_patch", **arguments)
        return (time.perf_counter() - began) / EDITS

    return measure


def question(bridge: Bridge) -> Callable[[], Awaitable[float]]:
    """Measures what the person is asked when the draft is submitted: every file read, compared and drawn."""

    async def measure() -> float:
        began = time.perf_counter()
        await bridge.services.pipeline.preview(ToolCall(DRAFTING, "draft", {"action": "submit"}))
        return time.perf_counter() - began

    return measure


def hashing(folder: Path) -> Callable[[], Awaitable[float]]:
    """Measures reading and hashing as many files twice, as they are and as they would be: the least there is to do."""

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(2):
            for number in range(FILES):
                hashlib.sha256((folder / f"Note {number}.md").read_bytes()).hexdigest()
        return time.perf_counter() - began

    return measure


def around(first: int) -> Iterator[int]:
    """The numbers of notes, again and again."""
    while True:
        yield from range(first, first + FILES)


async def run() -> None:
    """Measure and print."""
    with new_place() as place:  # the draft lies there: on the same disk
        folder = place / "vault"
        folder.mkdir()
        write_notes(folder)
        await _measure(folder)


async def _measure(folder: Path) -> None:
    async with Bridge(folder) as bridge:
        rates = {"globalRateLimit": MAX_RATE, "rateLimits": dict.fromkeys(TOOLS, MAX_RATE)}
        bridge.settings.update({"enabledTools": list(TOOLS), **rates, "consentMode": {"apply_patch": "always_ask"}})
        bridge.services.broker.attach(YesHost(bridge.services.broker))
        await call(bridge, DRAFTING, "draft", action="begin")
        for number in range(FILES):
            await call(bridge, DRAFTING, "apply_patch", **edit(number, f"staged {number}"))
        sides = {
            "staged in a draft": edits(bridge, DRAFTING, around(0)),
            "outside of one": edits(bridge, OUTSIDE, around(FILES)),
        }
        title = f"an edit with its preview, in a draft of {FILES} files (mean of {EDITS})"
        print(compare(title, await alternate(sides), goal=2, row="staged"))
        samples = await alternate({"the question": question(bridge), "reading and hashing twice": hashing(folder)})
        print(compare(f"the one question about {FILES} files (2 s at most)", samples, row="submit"))
        await call(bridge, DRAFTING, "draft", action="discard")
