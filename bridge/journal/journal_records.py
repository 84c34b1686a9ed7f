"""The journal's lines and their form on disk: JSON, one object a line, each with a checksum over its content.

`{"sum": "1c291ca3", "line": {...}}`: the checksum is CRC-32 over the bytes of the inner object, so that a line torn
by a crash or garbled by the disk is recognised and never taken for something that happened.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

import orjson

from bridge.contract.consent import Operation
from bridge.journal.record import Cause
from bridge.vault.plan import Change, ChangeKind, Disposal

MarkKind = Literal["done", "rolled_back", "conflicted", "dropped"]

_HEAD = b'{"sum":"%08x","line":'
_HEAD_SIZE = len(_HEAD % 0)
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass(frozen=True, slots=True)
class Begin:
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
class Mark:
    """What became of a change.

    Attributes:
        kind: `done`, `rolled_back` and `conflicted` end a change; `dropped`: its backups are gone.
        execution_id: Which change.
        time: When, ISO 8601 UTC.
    """

    kind: MarkKind
    execution_id: str
    time: str


Line = Begin | Mark


def check_id(execution_id: str) -> str:
    """The id again, if it can name a folder of backups.

    Raises:
        ValueError: It cannot.
    """
    if not _SAFE_ID.fullmatch(execution_id):
        raise ValueError(f"{execution_id!r} cannot name a change: letters, digits, '-' and '_' only")
    return execution_id


def encode(line: Line) -> bytes:
    """The line as it is appended, with its line break."""
    body = orjson.dumps(_begin_object(line) if isinstance(line, Begin) else _mark_object(line))
    return b"".join((_HEAD % crc32(body), body, b"}\n"))


def decode(data: bytes) -> Line:
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


def _begin_object(line: Begin) -> dict[str, Any]:
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


def _begin(content: dict[str, Any]) -> Begin:
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
    return Begin(
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


def _mark_object(line: Mark) -> dict[str, Any]:
    return {"type": line.kind, "id": line.execution_id, "time": line.time}


def _mark(content: dict[str, Any]) -> Mark:
    kind = content["type"]
    if kind not in {"done", "rolled_back", "conflicted", "dropped"}:
        raise ValueError(f"{kind!r} is none of ours")
    return Mark(kind, content["id"], content["time"])
