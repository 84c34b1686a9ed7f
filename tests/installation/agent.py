"""What the Python of an installation runs: an agent that calls tools, and a person who says yes to each question.

`python agent.py VAULT CLIENT` reads `[tool, arguments]` from its input, one a line, and prints an answer for each.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import bridge
from bridge.client import Connection, connect


async def main(vault: Path, client: str) -> None:
    """Call everything that is asked for."""
    _say({"bridge": bridge.__file__})
    async with connect(vault, name="Ada", role="host", can=["consent"]) as person:

        async def say_yes(question: dict[str, Any]) -> None:
            shown = {"planDigest": question["planDigest"]} if question.get("planDigest") else {}
            await person.request("consent.respond", requestId=question["requestId"], decision="allow_once", **shown)

        person.on("consent.requested", say_yes)
        async with connect(vault, name=client, client=client) as agent:
            for line in sys.stdin:
                tool, arguments = json.loads(line)
                _say(await _answer(agent, tool, arguments))


def _say(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")


async def _answer(agent: Connection, tool: str, arguments: dict[str, Any]) -> Any:
    if tool == "tools.list":
        return [listed["name"] for listed in await agent.request("tools.list")]
    if tool == "await_decision":
        pending = await agent.call("write_file", arguments, wait=0)
        arguments = {"ticket": str(pending.call_id)}
    result = await agent.call(tool, arguments)
    return {"tool": tool, "ok": result.ok, "text": result.text or result.error, "data": result.data}


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
