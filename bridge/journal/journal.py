"""The journal: what is about to be done to the vault, and what became of it, in lines that are only ever appended.

Each line is JSON with a checksum over its content: `{"sum": "1c291ca3", "line": {...}}`, CRC-32 over the bytes of the
inner object. A line that a crash tore at the end is cut off; one in the middle that cannot be read is reported and
passed over. Neither is ever taken for something that happened.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

import orjson

from bridge.contract.consent import Operation
from bridge.errors import ExecutionFailed
from bridge.journal.record import Cause
from bridge.vault.folder import Folder
from bridge.vault.line_file import LineFile
from bridge.vault.plan import Change, ChangeKind, Disposal

NAME = "journal.jsonl"
_MAX_LINE = 1 << 28

OutcomeKind = Literal["done", "rolled_back", "conflicted", "dropped"]

_HEAD = b'{"sum":"%08x","line":'
_HEAD_SIZE = len(_HEAD % 0)
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass(frozen=True, slots=True)
class BeginRecord:
    """A plan is about to be applied.

    Attributes:
        cause: Why.
        time: When, ISO 8601 UTC.
        digest: The plan's digest.
        operation: What the plan as a whole is.
        summary: Its one sentence.
        changes: Its steps, in order.
        modes: For each step the permissions of what was there before it, None where nothing was.
        added: Lines added, for the history.
        removed: Lines removed.
        keep: Whether the bytes that are replaced are kept when the change is done.
        disposal: Where what it deletes goes; None when it only stays in the backups.
    """

    cause: Cause
    time: str
    digest: str
    operation: Operation
    summary: str
    changes: tuple[Change, ...]
    modes: tuple[int | None, ...]
    added: int = 0
    removed: int = 0
    keep: bool = True
    disposal: Disposal | None = None

    @property
    def execution_id(self) -> str:
        """The change's name."""
        return self.cause.execution_id

    @property
    def pushes_aside(self) -> bool:
        """Whether any step replaces or removes bytes, which only a backup can bring back."""
        return any(change.before != change.after for change in self.changes if change.before is not None)


@dataclass(frozen=True, slots=True)
class OutcomeRecord:
    """What became of a change.

    Attributes:
        kind: `done`, `rolled_back` and `conflicted` end a change; `dropped`: its backups are gone.
        execution_id: Which change.
        time: When, ISO 8601 UTC.
    """

    kind: OutcomeKind
    execution_id: str
    time: str


JournalRecord = BeginRecord | OutcomeRecord


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A record and where its line begins in the file, in bytes."""

    offset: int
    record: JournalRecord


class Journal:
    """The journal of one vault. Used by one thread at a time.

    Args:
        open_folder: Opens the folder it is in, made when missing.
    """

    def __init__(self, open_folder: Callable[[], Folder]) -> None:
        self._open_folder = open_folder
        self._file = LineFile(NAME)

    def load(self) -> tuple[list[JournalEntry], int]:
        """Every record that can be read, oldest first, and how many cannot. A torn end is cut off.

        Raises:
            OSError: The file cannot be read.
        """
        entries: list[JournalEntry] = []
        damaged = offset = 0
        with self._open_folder() as folder:
            if not folder.exists(NAME):
                return [], 0
            with folder.open(NAME) as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    if line.strip():
                        try:
                            entries.append(JournalEntry(offset, decode(line)))
                        except ValueError:
                            damaged += 1
                    offset += len(line)
                torn = os.fstat(file.fileno()).st_size > offset
            if torn:
                self._file.cut(folder, offset)
        return entries, damaged

    def append(self, record: JournalRecord, *, sync: bool) -> int:
        """Add a record, in one write.

        Args:
            record: What is about to happen, or became of it.
            sync: Whether it is durable when this returns.

        Returns:
            Where in the file its line begins, for `read`.

        Raises:
            OSError: The disk is full or failed; the journal is as it was.
        """
        with self._open_folder() as folder:
            return self._file.append(folder, encode(record), sync=sync)

    def read(self, offset: int) -> BeginRecord:
        """The beginning of a change again.

        Args:
            offset: Where its line begins.

        Raises:
            ExecutionFailed: The journal no longer holds it.
        """
        try:
            with self._open_folder() as folder, folder.open(NAME) as file:
                file.seek(offset)
                record = decode(file.readline(_MAX_LINE))
        except (OSError, ValueError) as error:
            raise _lost() from error
        if not isinstance(record, BeginRecord):
            raise _lost()
        return record


def check_id(execution_id: str) -> str:
    """The id again, if it can name a folder of backups.

    Raises:
        ValueError: It cannot.
    """
    if not _SAFE_ID.fullmatch(execution_id):
        raise ValueError(f"{execution_id!r} cannot name a change: letters, digits, '-' and '_' only")
    return execution_id


def encode(line: JournalRecord) -> bytes:
    """The line as it is appended, with its line break."""
    body = orjson.dumps(_begin_object(line) if isinstance(line, BeginRecord) else _mark_object(line))
    return b"".join((_HEAD % crc32(body), body, b"}\n"))


def decode(data: bytes) -> JournalRecord:
    """The line that was written.

    Args:
        data: One line, with or without its line break.

    Raises:
        ValueError: It is damaged.
    """
    data = data.rstrip(b"\r\n")
    body = data[_HEAD_SIZE:-1]
    if data[:_HEAD_SIZE] != _HEAD % crc32(body) or data[-1:] != b"}":
        raise ValueError("The line and its checksum do not agree")
    try:
        content = orjson.loads(body)
        return _begin(content) if content["type"] == "begin" else _mark(content)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("The line is none of ours") from error


def _begin_object(line: BeginRecord) -> dict[str, Any]:
    cause = line.cause
    return {
        "type": "begin",
        "id": cause.execution_id,
        "time": line.time,
        "kind": cause.kind,
        "reverses": cause.reverses,
        "tool": cause.tool,
        "client": cause.client,
        "session": cause.session_id,
        "call": cause.call_id,
        "arguments": cause.arguments_hash,
        "operation": line.operation,
        "summary": line.summary,
        "digest": line.digest,
        "keep": line.keep,
        "added": line.added,
        "removed": line.removed,
        "changes": [[*change.canonical(), mode] for change, mode in zip(line.changes, line.modes, strict=True)],
    } | ({} if line.disposal is None else {"disposal": line.disposal})


def _begin(content: dict[str, Any]) -> BeginRecord:
    changes = content["changes"]
    cause = Cause(
        execution_id=check_id(content["id"]),
        tool=content["tool"],
        client=content["client"],
        session_id=content["session"],
        call_id=content["call"],
        arguments_hash=content["arguments"],
        reverses=content["reverses"],
        kind=content["kind"],
    )
    return BeginRecord(
        cause=cause,
        time=content["time"],
        digest=content["digest"],
        operation=Operation(content["operation"]),
        summary=content["summary"],
        changes=tuple(Change(ChangeKind(kind), *rest) for kind, *rest, _mode in changes),
        modes=tuple(change[-1] for change in changes),
        added=content["added"],
        removed=content["removed"],
        keep=content["keep"],
        disposal=_disposal(content.get("disposal")),
    )


def _disposal(found: Any) -> Disposal | None:
    if found not in {None, "system", "local"}:
        raise ValueError(f"{found!r} is no place for what is deleted")
    place: Disposal | None = found
    return place


def _mark_object(line: OutcomeRecord) -> dict[str, Any]:
    return {"type": line.kind, "id": line.execution_id, "time": line.time}


def _mark(content: dict[str, Any]) -> OutcomeRecord:
    kind = content["type"]
    if kind not in {"done", "rolled_back", "conflicted", "dropped"}:
        raise ValueError(f"{kind!r} is none of ours")
    return OutcomeRecord(kind, content["id"], content["time"])


def _lost() -> ExecutionFailed:
    return ExecutionFailed(
        "The journal no longer holds this change, so it cannot be taken back; "
        "its files may still be in '.vault-bridge/backups', to be copied back by hand"
    )
