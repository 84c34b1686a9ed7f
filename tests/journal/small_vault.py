"""A small vault with a ledger, for the tests of this room: plans in a few words, and the whole tree to compare."""

import errno
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Operation
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.journal.plan_executor import Editors
from bridge.vault.disk import Disk, FolderHandle
from bridge.vault.plan import Applied, Change, ChangeKind, ChangePlan, Disposal, content_hash
from bridge.vault.root import VaultRoot

posix_only = pytest.mark.skipif(os.name == "nt", reason="permissions, owners, links and pipes are as POSIX has them")

Tree = dict[str, tuple[int, bytes | None]]
"""Every file (mode, bytes) and folder (mode, None) of a vault, the bridge's own folder and the trash left out."""
Step = tuple[Any, ...]
"""`("modify", path, old, new)`, `("create", path, new)`, `("delete", path, old)`, `("move", path, to, data)`,
`("mkdir", path)`, `("rmdir", path)`; and `("disposal", where)` for the plan as a whole."""

FILES = {
    "Ideas.md": (0o640, b"# Ideas\r\nmixed\nendings"),
    "Notes/Meeting.md": (0o600, b"# Meeting\n\n- TODO: call Ada\n"),
    "Notes/Deep/Er/Old.md": (0o444, b"\xef\xbb\xbfold\n"),
    "Archive/2024.md": (0o644, b""),
    "Archive/Scan.bin": (0o644, bytes(range(256)) * 40),
    "Empty too.md": (0o600, b""),
}


class Killed(BaseException):
    """The process is gone: nothing that it does after this reaches the disk."""


class HookedDisk(Disk):
    """A disk that asks a hook before every change.

    Args:
        hook: Told the number of the change, the operation and the name. It may raise, or edit files.
        descriptors: As of `Disk`.
        swaps: Whether two names can change places here.
        apart: A folder of the vault that is on another disk; needs `descriptors=False`.
    """

    def __init__(
        self,
        hook: Callable[[int, str, str], None] = lambda _number, _operation, _name: None,
        *,
        descriptors: bool | None = None,
        swaps: bool = True,
        apart: str | None = None,
    ) -> None:
        super().__init__(descriptors=descriptors)
        self.hook = hook
        self.count = 0
        self._swaps = swaps
        self._apart = apart

    def before(self, operation: str, name: str) -> None:
        self.count += 1
        self.hook(self.count, operation, name)

    def fsync(self, fd: int) -> None:  # noqa: ARG002 (the signature is Disk's)
        self.before("fsync", "")  # no test here cuts the power, and syncing takes most of the time

    def sync_folder(self, at: FolderHandle) -> None:
        if isinstance(at, int):
            self.before("sync_folder", "")

    def sync_all(self, at: FolderHandle) -> None:  # noqa: ARG002 (the signature is Disk's)
        self.before("sync_all", "")

    def swap(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> bool:
        return self._swaps and super().swap(at, name, to, to_name)

    def move_new(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> None:
        disks = {self._apart in Path(str(place)).parts for place in (at, to)}
        if len(disks) > 1:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), to_name)
        super().move_new(at, name, to, to_name)


class TearingDisk(Disk):
    """Ends the process at the nth change; of a write, half is written."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._left = at

    def before(self, operation: str, name: str) -> None:  # noqa: ARG002 (the signature is Disk's)
        self._left -= 1
        if not self._left and operation != "write":
            os._exit(9)

    def write(self, fd: int, data: memoryview) -> int:
        self.before("write", "")
        if not self._left:
            os.write(fd, data[: len(data) // 2])
            os._exit(9)
        return os.write(fd, data)


@dataclass
class FakeTrash:
    """A system's trash outside the vault. What it does to the disk, the disk's hook is asked about.

    Attributes:
        disk: The disk.
        folder: The trash.
        apart: Whether it is on another disk: then things are copied there and removed file by file.
        fails: Raised instead; `after` it was done when that is set.
        after: See `fails`.
        given: The paths that it was given.
    """

    disk: Disk
    folder: Path
    apart: bool = False
    fails: Exception | None = None
    after: bool = False
    given: list[str] = field(default_factory=list)

    def __call__(self, path: str) -> None:
        self.given.append(path)
        if self.fails is not None and not self.after:
            raise self.fails
        self.folder.mkdir(exist_ok=True)
        place = Path(path)
        target = self.folder / f"{len(list(self.folder.iterdir()))} {place.name}"
        self.disk.before("trash", place.name)
        if self.apart:
            self._move_apart(place, target)
        else:
            place.rename(target)
        self.disk.before("trashed", place.name)
        if self.fails is not None:
            raise self.fails

    def _move_apart(self, place: Path, target: Path) -> None:
        copy = shutil.copytree if place.is_dir() else shutil.copy2
        copy(place, target)
        for path in sorted([place, *place.rglob("*")], reverse=True):
            self.disk.before("trash", path.name)
            path.rmdir() if path.is_dir() else path.unlink()

    def names(self) -> set[str]:
        """What is in it, without the numbers."""
        found = list(self.folder.iterdir()) if self.folder.is_dir() else []
        return {path.name.partition(" ")[2] for path in found}


class SteppingClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()


class SmallVault:
    """A vault on disk and what a test does with it."""

    def __init__(self, folder: Path, files: dict[str, tuple[int, bytes]] | None = None) -> None:
        self.folder = folder
        self.clock = SteppingClock()
        self.keep = True
        self.applied: list[ChangePlan] = []
        self.editors: Editors = Editors()
        self.trash = FakeTrash(Disk(), folder.parent / f"{folder.name} trash")
        self._ids = itertools.count(1)
        for path, (mode, data) in (FILES if files is None else files).items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(mode)
        folder.mkdir(exist_ok=True)

    # -- the ledger ---------------------------------------------------------------------------------------------

    @contextmanager
    def ledger(self, disk: Disk | None = None, *, recover: bool = True) -> Iterator[Ledger]:
        """A bridge that starts, until the block ends."""
        with VaultRoot(self.folder, disk or HookedDisk()) as root:
            self.trash.disk = root.disk
            ledger = Ledger(
                root,
                clock=self.clock,
                keep_backups=lambda: self.keep,
                on_applied=self.applied.append,
                editors=self.editors,
                trash=self.trash,
            )
            if recover:
                ledger.recover()
            try:
                yield ledger
            finally:
                ledger.close()

    def cause(self, execution_id: str | None = None, **facts: Any) -> Cause:
        """A reason to change something."""
        name = execution_id or f"change-{next(self._ids)}"
        return Cause(execution_id=name, tool="apply_patch", client="Tests", session_id="s-1", **facts)

    def apply(self, ledger: Ledger, *steps: Step, **facts: Any) -> Applied:
        """Apply some steps."""
        return ledger.apply(plan_of(*steps), self.cause(**facts))

    def undo(self, ledger: Ledger, execution_id: str | None = None) -> str:
        """Take a change back; the undo's own id."""
        change, plan = ledger.undo_plan(execution_id)
        return ledger.apply(plan, self.cause(kind="undo", reverses=change)).execution_id

    def redo(self, ledger: Ledger, execution_id: str | None = None) -> str:
        """Apply an undone change again; the redo's own id."""
        change, plan = ledger.redo_plan(execution_id)
        return ledger.apply(plan, self.cause(kind="redo", reverses=change)).execution_id

    # -- the disk -----------------------------------------------------------------------------------------------

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        return (self.folder / path).read_bytes()

    def write(self, path: str, data: bytes) -> None:
        """Edit a file in place, as Obsidian does."""
        (self.folder / path).write_bytes(data)

    def tree(self) -> Tree:
        """Everything in the vault but the bridge's own folder and the trash."""
        found: Tree = {}
        for folder, folders, files in os.walk(self.folder):
            if Path(folder) == self.folder:
                folders[:] = [name for name in folders if name not in {".vault-bridge", ".trash"}]
            for name in [*folders, *files]:
                place = Path(folder) / name
                state = place.lstat()
                data = place.read_bytes() if stat.S_ISREG(state.st_mode) else None
                found[place.relative_to(self.folder).as_posix()] = stat.S_IMODE(state.st_mode), data
        return found

    def backup(self, execution_id: str) -> Path:
        """The folder of a change's backups."""
        return self.folder / ".vault-bridge" / "backups" / execution_id

    @property
    def journal(self) -> Path:
        """The journal file."""
        return self.folder / ".vault-bridge" / "journal" / "journal.jsonl"


def plan_of(*steps: Step) -> ChangePlan:
    """A plan of some steps."""
    changes: list[Change] = []
    blobs: dict[str, bytes] = {}
    disposal: Disposal | None = None

    def stage(data: bytes) -> str:
        blobs[content_hash(data)] = data
        return content_hash(data)

    for kind, path, *rest in steps:
        match kind:
            case "modify":
                changes.append(Change(ChangeKind.MODIFY, path, before=content_hash(rest[0]), after=stage(rest[1])))
            case "create":
                changes.append(Change(ChangeKind.CREATE, path, after=stage(rest[0])))
            case "delete":
                changes.append(Change(ChangeKind.DELETE, path, before=content_hash(rest[0])))
            case "move":
                digest = content_hash(rest[1])
                changes.append(Change(ChangeKind.MOVE, path, rest[0], before=digest, after=digest))
            case "disposal":
                disposal = "local" if path == "local" else "system"
            case _:
                changes.append(Change(ChangeKind(kind), path))
    return ChangePlan(Operation.UPDATE, "A change", tuple(changes), blobs, disposal=disposal)


def _old(path: str) -> bytes:
    return FILES[path][1]


IDEAS, MEETING, OLD, EMPTY, SCAN, EMPTY_TOO = FILES
SHAPES: dict[str, tuple[Step, ...]] = {
    "modify": (("modify", MEETING, _old(MEETING), b"# Meeting\n\n- done\n"),),
    "modify in several folders": (
        ("modify", IDEAS, _old(IDEAS), b"new ideas"),
        ("modify", MEETING, _old(MEETING), b""),
        ("modify", OLD, _old(OLD), b"not so old\n"),
        ("modify", EMPTY, b"", b"filled\n"),
    ),
    "create with new parents": (
        ("mkdir", "New"),
        ("mkdir", "New/Deep"),
        ("create", "New/Deep/Note.md", b"fresh\n"),
        ("create", "Notes/Beside.md", b""),
    ),
    "delete": (
        ("delete", EMPTY, b""),
        ("delete", SCAN, _old(SCAN)),
        ("rmdir", "Archive"),
    ),
    "delete into the system's trash": (
        ("disposal", "system"),
        ("delete", EMPTY, b""),
        ("delete", SCAN, _old(SCAN)),
        ("rmdir", "Archive"),
        ("delete", OLD, _old(OLD)),
    ),
    "delete into the vault's trash": (
        ("disposal", "local"),
        ("delete", OLD, _old(OLD)),
        ("rmdir", "Notes/Deep/Er"),
        ("rmdir", "Notes/Deep"),
        ("delete", MEETING, _old(MEETING)),
    ),
    "move": (
        ("mkdir", "Notes/Moved"),
        ("move", MEETING, "Notes/Moved/Meeting.md", _old(MEETING)),
        ("move", SCAN, "Scan.bin", _old(SCAN)),
    ),
    "mixed": (
        ("modify", IDEAS, _old(IDEAS), b"links to [[Renamed]]"),
        ("mkdir", "Fresh"),
        ("move", OLD, "Fresh/Renamed.md", _old(OLD)),
        ("rmdir", "Notes/Deep/Er"),
        ("rmdir", "Notes/Deep"),
        ("delete", SCAN, _old(SCAN)),
        ("create", "Fresh/New.md", b"new\n"),
    ),
    "one file touched several times": (
        ("move", IDEAS, "Notes/Ideas.md", _old(IDEAS)),
        ("modify", "Notes/Ideas.md", _old(IDEAS), b"step one"),
        ("modify", "Notes/Ideas.md", b"step one", b"step two"),
        ("move", "Notes/Ideas.md", "Notes/Better.md", b"step two"),
        ("create", IDEAS, b"another file\n"),
        ("create", "Short.md", b"lived"),
        ("delete", "Short.md", b"lived"),
    ),
    "files with the same bytes": (
        ("delete", EMPTY, b""),
        ("move", EMPTY_TOO, EMPTY, b""),
        ("create", EMPTY_TOO, b""),
        ("delete", MEETING, _old(MEETING)),
    ),
    "two files change names": (
        ("move", MEETING, "Notes/Between.md", _old(MEETING)),
        ("move", OLD, MEETING, _old(OLD)),
        ("move", "Notes/Between.md", OLD, _old(MEETING)),
        ("modify", OLD, _old(MEETING), b"edited at its new place\n"),
    ),
}
