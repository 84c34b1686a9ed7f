"""Claude Code itself, for a test that is not in Python: it does the work that is read from standard input as JSON.

    {"home": …, "vault": …, "steps": [{"tool": …, "arguments": {…}}, "What the model says at the end."]}

What became of it is written as JSON: `why` it cannot be run here, or its exit code, what it said, and what its model
was shown as the answers to each call.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tests.programs.conversation import Call, Step, find, ours
from tests.programs.desk import desk_in
from tests.programs.programs import CLAUDE_CODE, why_not


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done.

    Attributes:
        home: Whose home it is done in: the configuration that names our server is there.
        vault: The vault.
        steps: What the model calls, one after the other, and what it says at the end.
    """

    home: Path
    vault: Path
    steps: list[str | dict[str, Any]]


async def done(work: Work) -> dict[str, Any]:
    """Do it, and return what became of it."""
    if why := why_not(CLAUDE_CODE):
        return {"why": why}
    calls = [step if isinstance(step, str) else ours(step["tool"], **step["arguments"]) for step in work.steps]
    steps: list[Step] = [find(*(call.tool for call in calls if isinstance(call, Call))), *calls]
    async with desk_in(work.home, work.vault) as desk:
        ended = await desk.run(CLAUDE_CODE, *steps)
    shown = ["\n".join(answer.text for answer in turn.answers) for turn in ended.turns]
    return {"why": "", "code": ended.code, "said": ended.out + ended.err, "shown": shown}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(done(TypeAdapter(Work).validate_json(sys.stdin.read())))))
