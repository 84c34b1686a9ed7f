"""The memory and the processes of one program, bounded by the kernel: a control group (cgroup v2).

A desktop's systemd leaves the groups of what a user starts to that user, so a process can make another one beside its
own. Elsewhere there is none, and the supervisor only counts, as it does in any case.

Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst`.
"""

import contextlib
import os
from pathlib import Path
from typing import Final, NamedTuple, Self

ROOT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")
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
            own = next(line[3:] for line in _OWN.read_text("ascii").splitlines() if line.startswith("0::/"))
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
            _write(folder / "memory.max", memory)
            with contextlib.suppress(FileNotFoundError):  # the system may not count what is swapped out
                _write(folder / "memory.swap.max", 0)
            _write(folder / "memory.oom.group", 1)  # all of it ends together
            _write(folder / "pids.max", tasks)
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


def _write(file: Path, value: int) -> None:
    """Write to a file that is there: no others can be made in such a file system."""
    with file.open("r+", encoding="ascii") as opened:
        opened.write(str(value))
