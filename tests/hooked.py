"""The hook as a client runs it: a process of its own, with an event on its standard input."""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge import hook
from bridge.client import token_storage
from bridge.contract.discovery import AGENT_FILE
from bridge.records.folder import place
from tests.patience import PATIENCE

CLIENT = "Claude Code (own editor)"


@dataclass(frozen=True, slots=True)
class Answered:
    """What the hook has answered.

    Attributes:
        out: On standard output.
        err: On standard error.
        code: Its exit code.
    """

    out: str
    err: str
    code: int

    @property
    def decision(self) -> tuple[str, str]:
        """What Claude Code reads in it: the decision and its reason."""
        said = json.loads(self.out)["hookSpecificOutput"]
        assert said["hookEventName"] == "PreToolUse"
        return said["permissionDecision"], said["permissionDecisionReason"]

    @property
    def is_silent(self) -> bool:
        """Whether it has said nothing, so that the client goes on as without it."""
        return (self.out, self.err, self.code) == ("", "", 0)


def configuration(vault: Path, folder: Path, **more: Any) -> Path:
    """A hook's configuration for a vault, in a folder; keywords replace members."""
    real = vault.resolve()
    content = {
        "client": "claude-code",
        "vault": str(real),
        "token": str(token_storage.token_file(real, CLIENT)),
        "endpoint": str(place(real) / AGENT_FILE),
        "edits": "ask",
        "withoutBridge": "allow",
        "seconds": PATIENCE,
        "guarded": [],
    }
    file = folder / "hook.json"
    file.write_text(json.dumps({**content, **more}), encoding="utf-8")
    return file


async def run_hook(configuration: Path, event: bytes | dict[str, Any], *more: str) -> Answered:
    """Start the hook as clients do, and return its answer. `more` are options of Python."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", *more, hook.__file__, str(configuration)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 20,
    )
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    try:
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(data)
    except BaseException:
        process.kill()
        await process.wait()
        raise
    return Answered(out.decode(), err.decode(), process.returncode or 0)


def claude(tool: str, folder: Path, **given: Any) -> dict[str, Any]:
    """An event as Claude Code documents it."""
    return {
        "session_id": "abc123",
        "transcript_path": "/home/ada/.claude/projects/x/00893aaf.jsonl",
        "cwd": str(folder),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": "toolu_01ABC123",
    }
