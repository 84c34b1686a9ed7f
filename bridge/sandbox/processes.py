"""Resources of processes, as Linux shows them: memory that is theirs, and files without a name that they hold."""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

_BLOCK: Final = 512
"""Bytes of the blocks of `st_blocks`."""
_OWN: Final = (b"RssAnon:", b"VmSwap:", b"VmPTE:")
"""The lines of a process's status with memory that it does not share with files: also swapped out, and what the kernel
needs to find it."""
_RESERVED: Final = b"VmSize:"
_SHARED: Final = (b"/dev/zero", b"/memfd:", b"/SYSV")
"""Names of memory that processes share and that is not a file."""
_DELETED: Final = b" (deleted)"


class Nameless(NamedTuple):
    """The files that processes hold and that no folder lists.

    Attributes:
        size: Bytes on the disk of files without a name.
        hides: Whether they may hold more, whose size the system does not tell.
    """

    size: int
    hides: bool


def descendants(process: int) -> Iterator[int]:
    """Yield all processes that come from one, parents before their children; none if the system does not tell."""
    pending = list(children(process))
    while pending:
        found = pending.pop(0)
        yield found
        pending += children(found)


def children(process: int) -> list[int]:
    """Return the processes that one has started and that nobody has inherited."""
    try:
        tasks = [task.name for task in Path(f"/proc/{process}/task").iterdir()]
    except OSError:
        return []
    found: list[int] = []
    for task in tasks:
        with contextlib.suppress(OSError, ValueError):
            data = Path(f"/proc/{process}/task/{task}/children").read_bytes()
            found += map(int, data.split())
    return found


def memory(processes: Sequence[int], limit: int) -> int:
    """Return the bytes that processes have for themselves or share with each other; what matters is if it is too much.

    Args:
        processes: Their ids.
        limit: What they may have. Where all that they have reserved is less, that is returned, which is quicker.
    """
    reserved = own = 0
    for process in processes:
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{process}/status").read_bytes().splitlines():
                if line.startswith((_RESERVED, *_OWN)):
                    size = int(line.split()[1]) * 1024
                    reserved += size if line.startswith(_RESERVED) else 0
                    own += size if line.startswith(_OWN) else 0
    return reserved if reserved <= limit else own + _shared(processes)


def _shared(processes: Sequence[int]) -> int:
    """Return the bytes of the memory that processes share, once each, also where none has it in use at the moment."""
    found: dict[bytes, int] = {}
    for process in processes:
        for fields in _mappings(process, _SHARED):
            first, _, last = fields[0].partition(b"-")
            end = int(fields[2], 16) + int(last, 16) - int(first, 16)
            found[fields[4]] = max(found.get(fields[4], 0), end)
    return sum(found.values())


def nameless(processes: Sequence[int]) -> Nameless:
    """Return what processes hold without a name."""
    files: dict[tuple[int, int], int] = {}
    hides = False
    for process in processes:
        try:
            for descriptor in os.scandir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):
                    state = descriptor.stat()
                    if stat.S_ISSOCK(state.st_mode):
                        hides = True  # a file may be on its way through it
                    elif stat.S_ISREG(state.st_mode) and state.st_nlink == 0:
                        files[state.st_dev, state.st_ino] = size_on_disk(state)
        except PermissionError:
            hides = True
        except OSError:
            continue  # it has ended
    open_ones = {inode for _device, inode in files}
    for process in processes:
        hides = hides or any(int(fields[4]) not in open_ones for fields in _mappings(process, (_DELETED,)))
    return Nameless(sum(files.values()), hides)


def _mappings(process: int, marks: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Yield the fields of those of a process's mappings whose name holds one of some marks."""
    try:
        data = Path(f"/proc/{process}/maps").read_bytes()
    except OSError:
        return
    if any(mark in data for mark in marks):
        yield from (line.split(None, 5) for line in data.splitlines() if any(mark in line for mark in marks))


def size_on_disk(state: os.stat_result) -> int:
    """Return the bytes that a file takes; on Windows, which does not say, those that it holds."""
    blocks: int | None = getattr(state, "st_blocks", None)
    return state.st_size if blocks is None else blocks * _BLOCK


def tasks_of_user() -> int:
    """Return how many tasks this user has already: the system's limit is about all of them. Known on Linux alone."""
    if sys.platform != "linux":
        return 0
    user, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid == user:
                count += sum(1 for _ in (process / "task").iterdir())
    return count
