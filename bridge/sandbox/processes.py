"""Resources that processes take, and the kernel's bounds for them: memory, files, disk space, and control groups.

A control group (cgroup v2) bounds the memory and the processes of one program. A desktop's systemd leaves the groups of
what a user starts to that user, so a process can make another one beside its own. Elsewhere there is none, and the
supervisor only counts, as it does in any case. Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst`.
"""

import contextlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Self

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


_AGAIN: Final = 0.2
"""Seconds after which a measure is taken again, at the earliest."""
_SHARE: Final = 10
"""Minimum time between measurements, as a multiple of the last one's duration."""
_LEAST_FREE: Final = 256 * 1024 * 1024
"""Bytes that a program must leave free on the disk."""
_FILE: Final = 16 * 1024
"""Bytes that a file counts at least, an empty one too: it takes an inode, and time to compare and to remove."""


class Growth:
    """The size of some folders, measured now and then, with that of files that have no name in them any more.

    Args:
        folders: All that can be written.
        limit: Bytes by which they may grow, together.
    """

    def __init__(self, folders: Sequence[str], limit: int) -> None:
        self._folders = folders
        self._limit = limit
        self._free = self._free_bytes()
        self._hides = False
        """Whether there was a folder, at the last measure, that cannot be looked into."""
        self._first = self._size()
        self._next = 0.0

    def is_too_much(self, processes: Sequence[int] = ()) -> bool:
        """Return whether they have grown by more, or the disk is full. Measures only some time after the last time.

        Args:
            processes: Processes that may hold files without a name.
        """
        now = time.monotonic()
        if not self._folders or now < self._next:
            return False
        held, free = nameless(processes), self._free_bytes()
        full = free < _LEAST_FREE < self._free
        self._hides = held.hides
        most = self._first + self._limit - held.size
        too_much = full or self._size(most) > most
        # Of a file that is only mapped, on its way between two processes, or in a folder that the program has closed,
        # nothing shows but the space that it takes.
        too_much = too_much or (self._hides and self._free - free > self._limit)
        spent = time.monotonic() - now
        self._next = now + max(_AGAIN, spent * _SHARE)
        return too_much

    def _size(self, enough: float = float("inf")) -> int:
        """Return the size of everything in the folders, or of so much of it that it is more than enough."""
        total = 0
        pending = list(self._folders)
        while pending and total <= enough:
            try:
                with os.scandir(pending.pop()) as entries:
                    for entry in entries:
                        with contextlib.suppress(FileNotFoundError):  # it was removed while we looked
                            total += max(size_on_disk(entry.stat(follow_symlinks=False)), _FILE)
                            if entry.is_dir(follow_symlinks=False):
                                pending.append(entry.path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:  # the program has closed it, or its path is too long
                self._hides = True
        return total

    def _free_bytes(self) -> int:
        try:
            return min((shutil.disk_usage(folder).free for folder in self._folders), default=0)
        except OSError:
            return 0


ROOT: Final = Path("/sys/fs/cgroup")
_OWN_GROUP: Final = Path("/proc/self/cgroup")
_NEEDED: Final = frozenset({"memory", "pids"})


class ControlGroup(NamedTuple):
    """A group, in which nothing is yet. Made by `make`.

    Attributes:
        folder: Its folder in the kernel's file system.
        door: The file by which a process enters it, opened by its maker, whose rights count.
    """

    folder: Path
    door: int

    @classmethod
    def make(cls, memory: int, tasks: int, root: Path = ROOT) -> Self | None:
        """Make one beside this process's own; None where the system does not let us.

        Args:
            memory: Bytes of memory that all in it may have.
            tasks: Threads that all in it may have.
            root: Where the kernel's file system of groups is.
        """
        try:
            own = next(line[3:] for line in _OWN_GROUP.read_text("ascii").splitlines() if line.startswith("0::/"))
            parent = (root / own.lstrip("/")).parent
            if not _NEEDED.issubset((parent / "cgroup.subtree_control").read_text("ascii").split()):
                return None
            folder = parent / f"vault-bridge-{os.getpid()}"
            with contextlib.suppress(FileNotFoundError):  # left behind by a supervisor that was killed, with its counts
                folder.rmdir()
            folder.mkdir()
        except (OSError, StopIteration, UnicodeError):
            return None
        try:
            _set(folder / "memory.max", memory)
            with contextlib.suppress(FileNotFoundError):  # the system may not count what is swapped out
                _set(folder / "memory.swap.max", 0)
            _set(folder / "memory.oom.group", 1)  # all of it ends together
            _set(folder / "pids.max", tasks)
            return cls(folder, os.open(folder / "cgroup.procs", os.O_WRONLY))
        except OSError:
            _remove(folder)
            return None

    def enter(self) -> None:
        """Enter it with this process, and with all that it starts from now on. Some systems let us make one only."""
        with contextlib.suppress(OSError):
            os.write(self.door, b"0")

    @property
    def was_full(self) -> bool:
        """Return whether anything in it was ended because there was no more memory."""
        try:
            events = dict(line.split() for line in (self.folder / "memory.events").read_text("ascii").splitlines())
        except (OSError, ValueError):
            return False
        return events.get("oom_kill", "0") != "0"

    def remove(self) -> None:
        """Remove it, once all in it has ended."""
        os.close(self.door)
        _remove(self.folder)


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):  # then it is empty and bounds nothing
        folder.rmdir()


def _set(file: Path, value: int) -> None:
    """Write to a file that is there: no others can be made in such a file system."""
    with file.open("r+", encoding="ascii") as opened:
        opened.write(str(value))
