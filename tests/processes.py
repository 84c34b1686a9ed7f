"""A bridge in a process of its own, which a test may kill, and the processes that it starts (Linux)."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE

_SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from bridge.app import Bridge

async def main():
    async with Bridge(Path(sys.argv[1])) as bridge:
        bridge.settings.update(json.loads(sys.argv[2]), confirms=True)
        print("up", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@asynccontextmanager
async def bridge_process(vault: Path, **settings: Any) -> AsyncIterator[asyncio.subprocess.Process]:
    """A bridge that serves a vault with these settings, as a person has set them on this computer."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", _SCRIPT, str(vault), json.dumps(settings)],
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        if process.stdout is None or await process.stdout.readline() != b"up\n":
            raise AssertionError("the bridge did not start; its messages are above")
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
    return found


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that these have started."""
    return [each for child in children(process) for each in (child, *descendants(child))]


async def until_gone(process: int) -> None:
    """Return when a process has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, gone.set)
    try:
        async with asyncio.timeout(PATIENCE):
            await gone.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
