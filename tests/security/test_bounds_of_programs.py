"""A program that takes more memory or disk than it may is ended, however it takes it: also by files that are empty."""

import sys
from pathlib import Path

import pytest

from bridge.sandbox.job import Ending
from bridge.sandbox.profile import MEGABYTE, Limits, Profile
from tests.sandbox.conftest import Run, given, python, run, sandbox

__all__ = ["given", "run", "sandbox"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes as Linux shows them"),
]

STAYS = "\ntime.sleep(1000)"
NAMELESS = "f = os.open('x', os.O_RDWR | os.O_CREAT); os.unlink('x'); os.write(f, b'x' * (20 << 20))"
BOMBS = {
    "shared memory": (
        Ending.MEMORY,
        "import mmap, time\nm = []\nwhile 1: m.append(mmap.mmap(-1, 8 << 20)); m[-1].write(b'x' * (8 << 20))",
    ),
    "shared memory that is not in use": (
        Ending.MEMORY,
        "import mmap, time\nm = mmap.mmap(-1, 400 << 20)\n"
        "for at in range(400): m.seek(at << 20); m.write(b'x' * (1 << 20)); m.madvise(mmap.MADV_DONTNEED)" + STAYS,
    ),
    "files without a name": (
        Ending.DISK,
        f"import os, time\nm = []\nfor _ in range(15): {NAMELESS}; m.append(f)" + STAYS,
    ),
    "files that are only mapped": (
        Ending.DISK,
        f"import mmap, os, time\nm = []\nfor _ in range(15): {NAMELESS}; m.append(mmap.mmap(f, 4096)); os.close(f)"
        + STAYS,
    ),
    "files on their way": (
        Ending.DISK,
        f"import os, socket, time\nm = []\nfor _ in range(15):\n    {NAMELESS}\n    pair = socket.socketpair()\n"
        "    socket.send_fds(pair[0], [b'x'], [f]); os.close(f); m.append(pair)" + STAYS,
    ),
    "empty files": (Ending.DISK, "import time\nfor at in range(60_000): open(f'f{at}', 'w').close()" + STAYS),
}


@pytest.mark.parametrize("bomb", BOMBS)
async def test_it_is_ended_for_what_it_takes(run: Run, given: Path, bomb: str) -> None:
    ending, script = BOMBS[bomb]
    argv, read = python(script)
    limits = Limits(memory=200 * MEGABYTE, disk=200 * MEGABYTE, seconds=60)
    ran = await run(argv, Profile(read=read, write=(given,), limits=limits))
    assert ran.report.ending is ending, ran.stderr


async def test_memory_that_is_no_file_cannot_be_made(run: Run, given: Path) -> None:
    argv, read = python("import os\nos.memfd_create('x')")
    ran = await run(argv, Profile(read=read, write=(given,)))
    assert "Function not implemented" in ran.stderr
