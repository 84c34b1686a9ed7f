"""A draft on the disk, outside the vault: its plans in the order they were staged, and every byte they need.

Bytes come first, each under its hash, then the line that needs them. So whenever the bridge ends, a draft has every
plan whose staging was reported, and of the last one all or nothing.
"""

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

import orjson
from pydantic import AfterValidator, Field, TypeAdapter

from bridge.clock import moment_of
from bridge.contract.base import Wire
from bridge.contract.consent import ShownPicture, Take
from bridge.contract.drafts import ReviewComment
from bridge.errors import ExecutionFailed
from bridge.vault.disk import Disk
from bridge.vault.folder import Folder, LineFile, write_atomic
from bridge.vault.paths import VaultPath
from bridge.vault.plan import BrokenLink, Change, content_hash

_HEAD: Final = "draft.json"
_STEPS: Final = "steps.jsonl"
_BYTES: Final = "bytes"
_UNFINISHED: Final = "chain"
_PRIVATE: Final = 0o700
_AT_ONCE: Final = 8
"""Files that are written at the same time: what takes long is waiting for the disk, which waits for all of them."""


def _check_stamp(text: str) -> str:
    moment_of(text)
    return text


_Stamp = Annotated[str, AfterValidator(_check_stamp)]
"""A time, ISO 8601 in UTC."""

State = Literal["open", "handed_in", "sent_back"]
"""The stage of a draft: its client works in it, the person is to look through it, or has sent it back."""


class DraftHead(Wire):
    """The owner of a draft, and its stage.

    Attributes:
        draft_id: Its name.
        client_id: The credential of the client that made it.
        holder: The session that it belongs to.
        created: When it was begun, ISO 8601 in UTC.
        of_chain: Whether it is what one chain has staged until its question: nobody is in it, and it ends with the
            call.
        state: How far it is.
        since: When it was handed in or sent back, ISO 8601 in UTC.
        reviewed: How many steps it had then.
        words: What the person said when sending it back; they stay until it is sent back again.
        comments: What they said then of files and lines.
        shown: How many steps it had when it was sent back last.
        choices: What a person takes where someone else changed the same, by the id of the place.
        reason: Why, in its client's words, as it was handed in last.
    """

    draft_id: str
    client_id: str
    holder: str
    created: _Stamp
    of_chain: bool = False
    state: State = "open"
    since: _Stamp | None = None
    reviewed: int = 0
    words: str | None = None
    comments: tuple[ReviewComment, ...] = ()
    shown: int = 0
    choices: dict[str, Take] = Field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StagedStep:
    """One staged plan.

    Attributes:
        tool: The tool that made it.
        summary: What it does, in a sentence.
        time: When it was staged, ISO 8601 in UTC.
        changes: Its changes, in order.
        follows: The files in which only links change.
        warnings: What its tool warned of.
        broken: The links that it breaks.
        whole: Whether no part of it can be left out.
        reads: Files whose text it puts into others.
        by: The person's screen, where a person has made it.
        rebased: Files that the person has given other bytes, or of which a part is in the vault now; see
            `StagedState.settle`.
        kept: The files that stay in the draft, where the others were taken.
        pictures: Its images as a question shows them, by the hash of their bytes.
    """

    tool: str
    summary: str
    time: _Stamp
    changes: tuple[Change, ...]
    follows: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()
    broken: tuple[BrokenLink, ...] = ()
    whole: bool = False
    reads: tuple[str, ...] = ()
    by: str | None = None
    rebased: tuple[Change, ...] = ()
    kept: tuple[str, ...] | None = None
    pictures: Mapping[str, ShownPicture] = field(default_factory=dict)


@cache
def _step() -> TypeAdapter[StagedStep]:
    """Return what reads and writes a step: a start without drafts does without."""
    return TypeAdapter(StagedStep)


class DraftFiles:
    """The folder of one draft. Used by one thread at a time, but for `place` and `read`.

    Args:
        folder: The folder; `make` makes it.
        disk: The system calls.
    """

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self.folder = folder
        self._disk = disk or Disk()
        self._steps = LineFile(_STEPS)
        self._held: set[str] = set()
        self._failed: set[str] = set()
        """The files that may be half written, because their writing was begun and not ended."""
        self._lines: list[int] = []
        """Bytes of each line of the steps."""
        self.size = 0
        """Bytes that are held."""

    def make(self, head: DraftHead) -> None:
        """Begin a draft.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        with _reporting():
            with self._opened(self.folder.parent) as above:
                above.mkdir(self.folder.name, mode=_PRIVATE)
            with self._opened(self.folder) as folder:
                folder.mkdir(_BYTES, mode=_PRIVATE)
        self.write_head(head)

    def write_head(self, head: DraftHead) -> None:
        """Replace what is known of the draft.

        Raises:
            ExecutionFailed: The disk is full or failed; all is as before.
        """
        with _reporting(), self._opened(self.folder) as folder:
            write_atomic(folder, _HEAD, orjson.dumps(head.to_wire()))

    def load(self) -> tuple[DraftHead, list[StagedStep]]:
        """Return what was staged when the bridge ran last.

        Raises:
            ValueError: It is damaged.
            OSError: It cannot be read.
        """
        head = DraftHead.model_validate_json((self.folder / _HEAD).read_bytes())
        for place in (self.folder / _BYTES).iterdir():
            if place.suffix:
                place.unlink()  # half written
            else:
                self._held.add(place.name)
                self.size += place.stat().st_size
        steps = self.folder / _STEPS
        lines = steps.read_bytes().splitlines(keepends=True) if steps.exists() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        self._lines = [len(line) for line in whole]
        if len(whole) < len(lines):  # the last was cut off: it was never reported
            self._cut(len(whole))
        self.size += sum(self._lines)
        if (self.folder / _UNFINISHED).exists():  # a chain was cut off: none of it was reported
            self.cut(int((self.folder / _UNFINISHED).read_bytes()))
            self.end_chain()
        return head, [_step().validate_json(line) for line in whole[: len(self._lines)]]

    def begin_chain(self) -> None:
        """Make the next steps part of a chain: until it ends, a start of the bridge drops them.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        with _reporting(), self._opened(self.folder) as folder:
            write_atomic(folder, _UNFINISHED, str(len(self._lines)).encode())

    def end_chain(self) -> None:
        """Keep the steps of the chain.

        Raises:
            ExecutionFailed: The disk failed; they do not.
        """
        with _reporting(), contextlib.suppress(FileNotFoundError), self._opened(self.folder) as folder:
            folder.unlink(_UNFINISHED)

    def put(self, *contents: bytes) -> None:
        """Keep the bytes of some files, each whole or not at all. Durable together, in the time of one.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        wanted = {digest: data for data in contents if (digest := content_hash(data)) not in self._held}
        if not wanted:
            return
        with _reporting(), self._opened(self.folder / _BYTES) as folder:

            def write(digest: str) -> None:
                temporary = f"{digest}.new"
                folder.create(temporary, wanted[digest], sync=True)
                folder.replace(temporary, folder, digest)

            for left in wanted.keys() & self._failed:
                with contextlib.suppress(FileNotFoundError):
                    folder.unlink(f"{left}.new")
            self._failed |= wanted.keys()
            with ThreadPoolExecutor(min(len(wanted), _AT_ONCE)) as threads:
                list(threads.map(write, wanted))
            folder.sync()
        self._failed -= wanted.keys()
        self._held |= wanted.keys()
        self.size += sum(map(len, wanted.values()))

    def append(self, step: StagedStep) -> None:
        """Write down that a plan is staged; its bytes are kept already.

        Raises:
            ExecutionFailed: The disk is full or failed; then it is not staged.
        """
        line = _step().dump_json(step) + b"\n"
        with _reporting(), self._opened(self.folder) as folder:
            self._steps.append(folder, line, sync=True)
        self._lines.append(len(line))
        self.size += len(line)

    def cut(self, count: int) -> None:
        """Keep the first so many steps alone.

        Raises:
            ExecutionFailed: The disk failed; all are kept.
        """
        if count < len(self._lines):
            with _reporting():
                self._cut(count)
            self.size -= sum(self._lines[count:])
            del self._lines[count:]

    def place(self, digest: str) -> Path:
        """Return the file that holds the bytes with this hash."""
        return self.folder / _BYTES / digest

    def read(self, digest: str) -> bytes:
        """Return the bytes with this hash.

        Raises:
            ExecutionFailed: They are damaged or cannot be read.
        """
        with _reporting():
            data = self.place(digest).read_bytes()
        if content_hash(data) != digest:
            raise ExecutionFailed("The draft's files are damaged, so nothing of it is written; discard it")
        return data

    def remove(self) -> None:
        """Take it all away: first what makes it a draft, so that no half of one is ever taken up."""
        with contextlib.suppress(OSError), self._opened(self.folder) as folder:
            folder.unlink(_HEAD)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _cut(self, count: int) -> None:
        with self._opened(self.folder) as folder:
            self._steps.cut(folder, sum(self._lines[:count]))

    def _opened(self, place: Path) -> Folder:
        return Folder(self._disk, self._disk.open_top(str(place)), VaultPath.root(), top=str(place))


@contextlib.contextmanager
def _reporting() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExecutionFailed(
            f"The draft cannot be kept: {error.strerror}. Nothing of this call is staged; make room on the disk"
        ) from error
