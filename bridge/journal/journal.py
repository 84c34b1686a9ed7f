"""The journal: what is about to be done to the vault, and what became of it, in lines that are only ever appended.

Each line is JSON with a checksum over its content: `{"sum": "1c291ca3", "line": {...}}`, CRC-32 over the bytes of the
inner object. A line that a crash tore at the end is cut off; one in the middle that cannot be read is reported and
passed over. Neither is ever taken for something that happened.

A record says which of a change's files belong together (`Units`): they are taken back as one or stay as one. A move
belongs with the changes to the notes that link there, and text that moves from one note to another is removed from one
and added to the other. Everything else is taken back file by file.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args
from zlib import crc32

import orjson

from bridge.contract.consent import Operation
from bridge.errors import ExecutionFailed
from bridge.identity.caller import SHARED_ID
from bridge.vault.folder import Folder, LineFile
from bridge.vault.paths import fold, folders_above
from bridge.vault.plan import Change, ChangeKind, ChangePlan, Disposal, LeftFile
from bridge.vault.root import STATE_FOLDER, VaultRoot


class Cause(NamedTuple):
    """The reason for applying a plan.

    Attributes:
        execution_id: The name of the change in the history, and of its backup folder.
        tool: The tool that planned it.
        client: The caller's name, for people.
        session_id: The caller's session.
        call_id: The caller's own id, which makes the call idempotent.
        arguments_hash: Hash of tool and arguments, to recognise a call id used twice for different things.
        reverses: The change that an undo takes back or a redo repeats.
        kind: A change of its own, or the undo or redo of one.
        credential: The id of the caller's credential: whose change it is.
        grant: The id of the remembered answer that allowed it, if one did.
    """

    execution_id: str
    tool: str
    client: str
    session_id: str
    call_id: str | None = None
    arguments_hash: str | None = None
    reverses: str | None = None
    kind: Literal["change", "undo", "redo"] = "change"
    credential: str = SHARED_ID
    grant: str | None = None


class Recovery(NamedTuple):
    """The changes that were found half done when the bridge started, and what was done about them.

    Attributes:
        rolled_back: Changes that were taken back completely.
        completed: Changes that were complete and only had not been marked so.
        conflicted: Changes that could be taken back only in part, because someone edited a file meanwhile.
        messages: What a person should know, one sentence each.
    """

    rolled_back: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    conflicted: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


NAME = "journal.jsonl"
JOURNAL = f"{STATE_FOLDER}/journal"
"""The folder that it is in."""
_MAX_LINE = 1 << 28

OutcomeKind = Literal["done", "rolled_back", "conflicted", "dropped"]

_HEAD = b'{"sum":"%08x","line":'
_HEAD_SIZE = len(_HEAD % 0)
_CAUSE = {"id": "execution_id", "session": "session_id", "call": "call_id", "arguments": "arguments_hash"} | {
    name: name for name in ("kind", "reverses", "tool", "client", "credential", "grant")
}
"""The members of a beginning that say why, and what they are called in `Cause`."""
_PLAIN = ("operation", "summary", "digest", "keep", "added", "removed")
"""Those that are called the same in `BeginRecord`."""
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


class BeginRecord(NamedTuple):
    """A plan is about to be applied.

    Attributes:
        cause: The reason.
        time: The time, ISO 8601 UTC.
        digest: The plan's digest.
        operation: What the plan as a whole is.
        summary: Its one sentence.
        changes: Its steps, in order.
        modes: For each step the permissions of what was there before it, None if nothing was.
        added: Lines added, for the history.
        removed: Lines removed.
        keep: Whether the bytes that are replaced are kept when the change is done.
        disposal: Destination of what it deletes; None when it only stays in the backups.
        subjects: What the person saw as its subject, where that was not simply every file; else empty.
        units: The files that belong together; None if an earlier version did not say.
        left: Of an undo, the files that it left as they were.
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
    subjects: tuple[str, ...] = ()
    units: tuple[tuple[str, ...], ...] | None = None
    left: tuple[LeftFile, ...] = ()

    @property
    def execution_id(self) -> str:
        """Return the change's name."""
        return self.cause.execution_id

    @property
    def pushes_aside(self) -> bool:
        """Return whether any step replaces or removes bytes, which only a backup can bring back."""
        return any(change.before != change.after for change in self.changes if change.before is not None)


class OutcomeRecord(NamedTuple):
    """The end of a change.

    Attributes:
        kind: `done`, `rolled_back` and `conflicted` end a change; `dropped`: its backups are gone.
        execution_id: The change.
        time: The time, ISO 8601 UTC.
    """

    kind: OutcomeKind
    execution_id: str
    time: str


JournalRecord = BeginRecord | OutcomeRecord


class JournalEntry(NamedTuple):
    """A record and where its line begins in the file, in bytes."""

    offset: int
    record: JournalRecord


class Journal:
    """The journal of one vault. Used by one thread at a time.

    Args:
        root: The vault.
    """

    def __init__(self, root: VaultRoot) -> None:
        self._root = root
        self._file = LineFile(NAME)

    def load(self) -> tuple[list[JournalEntry], int]:
        """Return every record that can be read, oldest first, and how many cannot. A torn end is cut off.

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
        """Return the beginning of a change again.

        Args:
            offset: The beginning of its line.

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

    def _open_folder(self) -> Folder:
        """Return the folder it is in, made when missing."""
        with self._root.state() as state:
            new = not state.exists("journal")
            folder = state.child_made("journal")
            if new:
                state.sync()
            return folder


def check_id(execution_id: str) -> str:
    """Return the id again, if it can name a folder of backups.

    Raises:
        ValueError: It cannot.
    """
    if not _SAFE_ID.fullmatch(execution_id):
        raise ValueError(f"{execution_id!r} cannot name a change: letters, digits, '-' and '_' only")
    return execution_id


def encode(record: JournalRecord) -> bytes:
    """Return the line as it is appended, with its line break."""
    body = orjson.dumps(_to_json(record))
    return b"".join((_HEAD % crc32(body), body, b"}\n"))


def decode(data: bytes) -> JournalRecord:
    """Return the line that was written.

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
        return _from_json(content)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("The line is none of ours") from error


def _to_json(record: JournalRecord) -> dict[str, Any]:
    if isinstance(record, OutcomeRecord):
        return {"type": record.kind, "id": record.execution_id, "time": record.time}
    steps = zip(record.changes, record.modes, strict=True)
    return (
        {"type": "begin", "id": record.execution_id, "time": record.time}
        | {key: getattr(record.cause, name) for key, name in _CAUSE.items()}
        | {name: getattr(record, name) for name in _PLAIN}
        | {"changes": [[*change.canonical(), mode] for change, mode in steps]}
        | ({} if record.disposal is None else {"disposal": record.disposal})
        | ({"subjects": record.subjects} if record.subjects else {})
        | ({} if record.units is None else {"units": record.units})
        | ({"left": [[one.path, one.why] for one in record.left]} if record.left else {})
    )


def _from_json(content: dict[str, Any]) -> JournalRecord:
    kind, changes, disposal = content["type"], content.get("changes"), content.get("disposal")
    if kind in get_args(OutcomeKind):
        return OutcomeRecord(kind, content["id"], content["time"])
    if kind != "begin" or changes is None or disposal not in {None, *get_args(Disposal)}:
        raise ValueError("The line is none of ours")
    check_id(content["id"])
    content = {"credential": SHARED_ID, "grant": None} | content  # earlier journals do not have them
    units = content.get("units")
    plain: dict[str, Any] = {name: content[name] for name in _PLAIN} | {"operation": Operation(content["operation"])}
    return BeginRecord(
        cause=Cause(**{name: content[key] for key, name in _CAUSE.items()}),
        time=content["time"],
        changes=tuple(Change(ChangeKind(change), *rest) for change, *rest, _mode in changes),
        modes=tuple(change[-1] for change in changes),
        disposal=disposal,
        subjects=tuple(map(str, content.get("subjects", ()))),
        units=None if units is None else tuple(tuple(map(str, paths)) for paths in units),
        left=tuple(LeftFile(str(path), str(why)) for path, why in content.get("left", ())),
        **plain,
    )


def _lost() -> ExecutionFailed:
    return ExecutionFailed(
        "The journal no longer holds this change, so it cannot be taken back; "
        "its files may still be in '.vault-bridge/backups', to be copied back by hand"
    )


class Units:
    """The files of a change, by what belongs together.

    Args:
        begins: The change, or several in a row. One that does not say what belongs together, as earlier versions wrote
            it, belongs together as a whole.
    """

    def __init__(self, *begins: BeginRecord) -> None:
        self._joined: dict[str, str] = {}
        for begin in begins:
            for change in _of_files(begin.changes):
                self._join([change.path, change.new_path or change.path])
            whole = [[change.path for change in _of_files(begin.changes)]]
            for paths in whole if begin.units is None else begin.units:
                self._join(paths)

    def of(self, path: str) -> str:
        """Return the unit that a file belongs to: the same for all files that belong together."""
        name = fold(path)
        while (above := self._joined.setdefault(name, name)) != name:
            self._joined[name] = name = self._joined[above]
        return name

    def named(self) -> tuple[tuple[str, ...], ...]:
        """Return the units of several files each, by folded paths."""
        groups: dict[str, list[str]] = {}
        for name in list(self._joined):
            groups.setdefault(self.of(name), []).append(name)
        return tuple(tuple(paths) for paths in groups.values() if len(paths) > 1)

    def around(self, paths: Iterable[str]) -> dict[str, str]:
        """Return everything that belongs together with one of some paths: its unit by its folded path."""
        wanted = set(map(self.of, paths))
        return {name: unit for name in list(self._joined) if (unit := self.of(name)) in wanted}

    def _join(self, paths: Sequence[str]) -> None:
        for path in paths:
            self._joined[self.of(path)] = self.of(paths[0])


def units_of(plan: ChangePlan) -> tuple[tuple[str, ...], ...]:
    """Return the groups of a plan's files that belong together, as the journal keeps them.

    Args:
        plan: The plan, with its previews.
    """
    if plan.units is not None:
        return plan.units
    files = list(_of_files(plan.changes))
    if plan.whole:
        return (tuple(change.path for change in files),) if files else ()
    unit_of = {path: shown.unit for shown in plan.previews for path in (shown.path, shown.new_path) if path}
    others = [change for change in files if not unit_of.get(change.path)]
    groups: dict[str, list[str]] = {}
    for change in files:
        if unit := unit_of.get(change.path):
            groups.setdefault(unit, []).append(change.path)
    if any(change.kind is ChangeKind.MOVE or change.path in plan.follows for change in others):
        groups[""] = [change.path for change in others]
    return tuple(tuple(dict.fromkeys(paths)) for paths in groups.values() if len(set(paths)) > 1)


def only(begin: BeginRecord, paths: Collection[str] | None) -> BeginRecord:
    """Return a part of a change: some files, what belongs with them, and the folders that they are in.

    Args:
        begin: The change.
        paths: The files; None: all of them.
    """
    if paths is None:
        return begin
    units = Units(begin)
    wanted = set(map(units.of, paths))
    places = {
        place for change in _of_files(begin.changes) if units.of(change.path) in wanted for place in change.places
    }
    for path in [*places, *paths]:
        places |= {path, *folders_above(path)}
    kept = [
        number
        for number, change in enumerate(begin.changes)
        if (change.path in places if change.of_folder else units.of(change.path) in wanted)
    ]
    return begin._replace(
        changes=tuple(begin.changes[number] for number in kept), modes=tuple(begin.modes[number] for number in kept)
    )


def _of_files(changes: Iterable[Change]) -> Iterator[Change]:
    return (change for change in changes if not change.of_folder)
