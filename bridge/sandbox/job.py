"""The messages between the bridge and a process of its own: the job of a program's supervisor, its report, and errors.

They are JSON. The supervisor is a process of its own (`supervisor.py`, `windows_job.py`), so this imports nothing but
the standard library.
"""

import contextlib
import json
import os
import shutil
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any, Final


class Ending(StrEnum):
    """The reason why a program ended."""

    EXITED = "exited"
    """By itself."""
    TIMED_OUT = "timed_out"
    """It ran longer than it may."""
    MEMORY = "memory"
    """It took more memory than it may."""
    PROCESSES = "processes"
    """It started more processes than it may."""
    DISK = "disk"
    """It wrote more than it may."""
    OUTPUT = "output"
    """It said more than it may."""
    STOPPED = "stopped"
    """The bridge stopped it, or stopped itself."""
    NOT_STARTED = "not_started"
    """It could not be started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramJob:
    """One program to run.

    Attributes:
        argv: The program's path and its arguments.
        folder: Its working directory.
        environment: All of its environment.
        report: The file in which the supervisor says how it ended.
        wrapper: A command that runs it in a sandbox, with its arguments; empty: none.
        layers: What it sees, in namespaces that the supervisor makes, each with its kind, its source and its place;
            empty: it makes none.
        own_users: Whether those have users of their own too.
        keepers: How many processes of the sandbox's own there are, one in another, before the program.
        read: What Landlock lets it read; None: Landlock is not used.
        write: What Landlock lets it write.
        network: Whether it may use the network.
        filtered: Whether seccomp keeps system calls from it.
        truncate: Whether it may empty files by name, where nothing else governs that.
        grown: The folders whose growth is measured.
        talks: Whether what the supervisor reads is passed to it; else it reads nothing.
        seconds: As in `Limits`, and so are all that follow.
        grace: See there.
        memory: See there.
        processes: See there.
        file_size: See there.
        disk: See there.
    """

    argv: tuple[str, ...]
    folder: str
    environment: dict[str, str]
    report: str
    wrapper: tuple[str, ...] = ()
    layers: tuple[tuple[str, str, str], ...] = ()
    own_users: bool = True
    keepers: int = 0
    read: tuple[str, ...] | None = None
    write: tuple[str, ...] = ()
    network: bool = False
    filtered: bool = False
    truncate: bool = True
    grown: tuple[str, ...] = ()
    talks: bool = False
    seconds: float | None
    grace: float
    memory: int
    processes: int
    file_size: int
    disk: int

    def to_json(self) -> bytes:
        """Return it as one line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_json(cls, line: bytes) -> "ProgramJob":
        """Return the job that `to_json` wrote."""
        values: dict[str, Any] = json.loads(line)
        lists = ("argv", "wrapper", "write", "grown")
        values |= {name: tuple(values[name]) for name in lists}
        values["layers"] = tuple(map(tuple, values["layers"]))
        values["read"] = None if values["read"] is None else tuple(values["read"])
        return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report of how a program ended.

    Attributes:
        ending: The reason.
        code: Its exit code if it ended by itself; minus the number of the signal that ended it.
        message: The reason why it could not be started.
    """

    ending: Ending
    code: int | None = None
    message: str = ""

    def to_json(self) -> bytes:
        """Return the JSON for the file."""
        return json.dumps(asdict(self)).encode()

    def write(self, file: Path) -> None:
        """Leave it for the bridge, or nothing if the bridge has gone or has stopped the program itself.

        Args:
            file: Where the bridge looks for it, in a folder of its own.
        """
        if self.ending is Ending.STOPPED:
            remove_tree(file.parent)
            return
        part = file.with_suffix(".part")
        part.write_bytes(self.to_json())
        part.replace(file)

    @classmethod
    def from_json(cls, data: bytes) -> "Report":
        """Return the report that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
        values = json.loads(data)
        return cls(**(values | {"ending": Ending(values["ending"])}))


def remove_tree(place: Path) -> None:
    """Remove a folder that a program has written to, also where the program has closed it, even to itself. Blocks.

    What is in folders in it comes out of them first, since they may lie deeper than any path leads. What cannot be
    removed stays.
    """
    with contextlib.suppress(RecursionError):
        shutil.rmtree(place, ignore_errors=True)
    if place.is_symlink() or not place.is_dir():
        return
    with contextlib.suppress(OSError):
        heap, pending, numbers = place.with_name(f"{place.name}.removed"), [place], count()
        heap.mkdir(mode=0o700)
        while pending:
            folder = pending.pop()
            folder.chmod(0o700)
            with os.scandir(folder) as entries:
                for entry in list(entries):
                    if entry.is_dir(follow_symlinks=False):
                        Path(entry.path).chmod(0o700)  # only so can it be moved
                        pending.append(Path(entry.path).rename(heap / str(next(numbers))))
                    else:
                        Path(entry.path).unlink()
            folder.rmdir()
        heap.rmdir()


TELL_ERROR: Final = """
import sys
def tell(kind, error, trace):
    import traceback
    print(kind.__name__, error, sep=": ", file=sys.stderr)
    traceback.print_exception(kind, error, trace)
sys.excepthook = tell
"""
"""Beginning of their programs: the line with the error comes before the traceback."""
