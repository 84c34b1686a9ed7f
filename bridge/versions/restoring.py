"""The plans that take back what other programs did, and that bring an earlier version of a file back.

A plan is made against the vault as it is and goes through the ledger like any other. A file that something has changed
since stays as it is; so the plan may be smaller than what was asked for, and says what it leaves out.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from bridge.contract.consent import FilePreview, Operation
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.vault.file_types import is_note
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash, preview
from bridge.versions.recorder import Recorder
from bridge.versions.states import Effect, Entry, Side, Unknown, Version

_OPERATIONS = {ChangeKind.CREATE: Operation.CREATE, ChangeKind.DELETE: Operation.DELETE}
_NAMED = 20
_REMEMBERED = 2000
_ROUNDING = 0.0005
"""Seconds by which a time that was written out may differ."""


class Refused(NamedTuple):
    """A file that stays as it is, and why."""

    path: str
    why: str


class EntryDiff(NamedTuple):
    """What an entry did: each file, and those of which the bytes from before or after are not kept."""

    files: tuple[FilePreview, ...]
    lost: tuple[str, ...]


class Restoring:
    """Makes the plans. Writes nothing.

    Args:
        recorder: What is kept.
        files: The vault.
    """

    def __init__(self, recorder: Recorder, files: VaultFiles) -> None:
        self._recorder = recorder
        self._files = files
        self._lines: dict[tuple[int, float, int], tuple[int, int]] = {}

    def undo_plan(self, entry_id: str, paths: Collection[str] | None = None) -> ChangePlan:
        """The plan that takes an entry back.

        Args:
            entry_id: Which.
            paths: Only these files of it; None: all.

        Raises:
            NotFound: There is no such entry, or it has no such file.
            Conflict: No file can be taken back (`edited_since`).
        """
        self._recorder.end_entry()
        entry = self._recorder.entry(entry_id)
        if entry is None:
            raise NotFound(f"There is no change {entry_id!r} in the history; history.list shows those there are")
        chosen = [one for one in entry.effects if paths is None or not set(paths).isdisjoint(one.places)]
        if paths is not None and (missing := set(paths) - {place for one in chosen for place in one.places}):
            raise NotFound(f"The change {entry_id!r} has nothing to do with {min(missing)!r}")
        steps = _Steps(self._files)
        refused = [refusal for effect in chosen if (refusal := self._take_back(effect, steps)) is not None]
        if not steps.changes:
            if not refused:
                raise NotFound(f"The change {entry_id!r} is undone already")
            raise Conflict(
                f"Nothing was undone: {'; '.join(f'{path}: {why}' for path, why in refused[:_NAMED])}",
                code="edited_since",
                data={"path": refused[0].path},
            )
        warnings = [f"{path} stays as it is: {why}" for path, why in refused[:_NAMED]]
        if refused[_NAMED:]:
            warnings.append(f"{len(refused) - _NAMED} more files stay as they are")
        return steps.plan(f"Undo {entry_id}: {summary(entry)}", warnings)

    def version_plan(self, path: str, digest: str, to: str | None = None) -> ChangePlan:
        """The plan that brings an earlier version of a file back.

        Args:
            path: The file.
            digest: SHA-256 of the bytes that it had, in hex.
            to: A new file to bring it back as; None: in its place.

        Raises:
            NotFound: Its bytes are not kept.
            Conflict: There is a file at `to` (`exists`).
            InvalidParameters: The file has these bytes now.
        """
        version = next((one for one in self._recorder.versions(path) if one.digest.hex() == digest), None)
        data = None if version is None else self._recorder.bytes_of(version.digest)
        if version is None or data is None:
            raise NotFound(f"The bytes of this version of {path!r} are not kept")
        place = str(self._files.root.resolve_new(parse_path(to))) if to is not None else path
        now = self._now(place)
        if to is not None and now is not None:
            raise Conflict(f"There is {place!r} already; name a file that is not there", code="exists")
        if now == data:
            raise InvalidParameters(f"{path!r} has exactly these bytes now")
        steps = _Steps(self._files)
        if now is None:
            steps.create(place, data)
        else:
            steps.modify(place, now, data)
        when = datetime.fromtimestamp(version.since, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        what = f"Restore {path} as of {when}"
        return steps.plan(what if to is None else f"{what} as {place}", [])

    def diff(self, entry: Entry) -> EntryDiff:
        """What an entry did to each file, whatever became of it since."""
        shown, lost = [], []
        for effect in entry.effects:
            before, after = self._side(effect, effect.before), self._side(effect, effect.after)
            missing = (before is None) != (effect.before is None) or (after is None) != (effect.after is None)
            if missing and effect.new_path is None:
                lost.append(effect.path)
                before = after = None
            shown.append(preview(_step(effect), *((None, None) if effect.new_path else (before, after))))
        return EntryDiff(tuple(shown), tuple(lost))

    def lines(self, entry: Entry, most: int) -> tuple[int, int]:
        """How many lines an entry added and removed, in so many files of it; remembered until it is another."""
        key = (entry.number, entry.ended, len(entry.effects))
        found = self._lines.get(key)
        if found is None:
            shown = self.diff(replace(entry, effects=entry.effects[:most])).files
            found = self._lines[key] = (sum(one.added for one in shown), sum(one.removed for one in shown))
            while len(self._lines) > _REMEMBERED:
                del self._lines[next(iter(self._lines))]
        return found

    def is_undone(self, entry: Entry) -> bool:
        """Whether every file is as it was before an entry, as far as was seen."""
        return all(self._is_back(effect) for effect in entry.effects)

    def can_undo(self, entry: Entry) -> bool:
        """Whether the bytes from before an entry are kept, of at least one file."""
        return any(self._has_before(effect) for effect in entry.effects)

    # -- within -------------------------------------------------------------------------------------------------

    def _is_back(self, effect: Effect) -> bool:
        if effect.new_path is not None:
            return self._recorder.is_as(effect.path) == effect.before and self._recorder.is_as(effect.new_path) is None
        return effect.before is not Unknown.BYTES and self._recorder.is_as(effect.path) == effect.before

    def _has_before(self, effect: Effect) -> bool:
        if effect.new_path is not None or effect.before is None:
            return effect.after is not Unknown.BYTES
        return isinstance(effect.before, bytes) and self._recorder.is_held(effect.before)

    def _side(self, effect: Effect, side: Side) -> bytes | None:
        """The bytes of one side; those of a file as it is now need not be kept."""
        if not isinstance(side, bytes):
            return None
        kept = self._recorder.bytes_of(side)
        if kept is not None or side != effect.after:
            return kept
        now = self._now(effect.path)
        return now if now is not None and _digest(now) == side else None

    def _take_back(self, effect: Effect, steps: "_Steps") -> Refused | None:
        """Add the steps that take one file back; returns why that cannot be, or None."""
        try:
            return self._take_back_move(effect, steps) if effect.new_path else self._take_back_file(effect, steps)
        except ToolFailure as failure:
            return Refused(effect.path, failure.message)

    def _take_back_move(self, effect: Effect, steps: "_Steps") -> Refused | None:
        new_path = effect.new_path or ""
        there, back = self._now(new_path), self._now(effect.path)
        if back is not None:
            if _digest(back) == effect.before and there is None:
                return None
            return Refused(effect.path, f"there is another file now, and {new_path} would have to go there")
        if there is None or _digest(there) != effect.after:
            return Refused(new_path, "it was changed, moved or deleted since")
        steps.move(new_path, effect.path, there)
        return None

    def _take_back_file(self, effect: Effect, steps: "_Steps") -> Refused | None:
        path, before, after = effect.path, effect.before, effect.after
        now = self._now(path)
        if (None if now is None else _digest(now)) == before:
            return None  # it is as it was
        if isinstance(after, Unknown):
            return Refused(path, "whether anything has changed it since is not known, as its bytes were not kept")
        if (None if now is None else _digest(now)) != after:
            return Refused(path, "it was deleted or moved since" if now is None else "it was changed since")
        if before is None:
            steps.delete(path, now or b"")
            return None
        data = self._recorder.bytes_of(before) if isinstance(before, bytes) else None
        if data is None:
            return Refused(path, "what it was is not kept")
        if now is None:
            steps.create(path, data)
        else:
            steps.modify(path, now, data)
        return None

    def _now(self, path: str) -> bytes | None:
        """A file's bytes; None where there is none."""
        try:
            return self._files.read(parse_path(path))[0]
        except NotFound:
            return None


class _Steps:
    """A plan being put together. Bytes are put back whatever they are."""

    def __init__(self, files: VaultFiles) -> None:
        self._files = files
        self._previews: list[FilePreview] = []
        self._blobs: dict[str, bytes] = {}
        self._made: set[VaultPath] = set()
        self.changes: list[Change] = []

    def create(self, path: str, data: bytes) -> None:
        self._make_parents(path)
        self._blobs[content_hash(data)] = data
        self._add(Change(ChangeKind.CREATE, path, after=content_hash(data)), None, data)

    def modify(self, path: str, now: bytes, data: bytes) -> None:
        self._blobs[content_hash(data)] = data
        self._add(Change(ChangeKind.MODIFY, path, before=content_hash(now), after=content_hash(data)), now, data)

    def delete(self, path: str, now: bytes) -> None:
        self._add(Change(ChangeKind.DELETE, path, before=content_hash(now)), now, None)

    def move(self, path: str, new_path: str, now: bytes) -> None:
        self._make_parents(new_path)
        digest = content_hash(now)
        self._add(Change(ChangeKind.MOVE, path, new_path, before=digest, after=digest), None, None)

    def plan(self, text: str, warnings: list[str]) -> ChangePlan:
        kinds = {change.kind for change in self.changes} - {ChangeKind.MKDIR}
        return ChangePlan(
            operation=_OPERATIONS.get(kinds.pop(), Operation.UPDATE) if len(kinds) == 1 else Operation.UPDATE,
            summary=text,
            changes=tuple(self.changes),
            blobs=self._blobs,
            previews=tuple(self._previews),
            warnings=tuple(warnings),
            restores=True,
        )

    def _add(self, change: Change, old: bytes | None, new: bytes | None) -> None:
        self.changes.append(change)
        self._previews.append(preview(change, old, new))

    def _make_parents(self, path: str) -> None:
        for parent in parse_path(path).parents:
            if parent not in self._made and not self._is_folder(parent):
                self._made.add(parent)
                self._add(Change(ChangeKind.MKDIR, str(parent)), None, None)

    def _is_folder(self, path: VaultPath) -> bool:
        try:
            self._files.root.folder(path).close()
        except NotFound:
            return False
        return True


def summary(entry: Entry) -> str:
    """An entry in a few words: `17 notes changed, 3 deleted`."""
    counts = {"changed": 0, "made": 0, "deleted": 0, "moved": 0}
    for effect in entry.effects:
        counts[kind_of(effect)] += 1
    parts = [(count, what) for what, count in counts.items() if count]
    if len(entry.effects) == 1:
        effect = entry.effects[0]
        said = f"{effect.path} {parts[0][1]}"
        return f"{said} to {effect.new_path}" if effect.new_path else said
    (count, what), *rest = parts
    noun = "note" if all(is_note(effect.path) for effect in entry.effects) else "file"
    return ", ".join(
        [f"{count} {noun}{'' if count == 1 else 's'} {what}", *(f"{count} {what}" for count, what in rest)]
    )


def kind_of(effect: Effect) -> str:
    """What became of a file: it was `changed`, `made`, `deleted` or `moved`."""
    if effect.new_path is not None:
        return "moved"
    if effect.before is None:
        return "made"
    return "deleted" if effect.after is None else "changed"


def _step(effect: Effect) -> Change:
    """What an entry did to a file, as a step of a plan is shown."""
    before, after = (side.hex() if isinstance(side, bytes) else None for side in (effect.before, effect.after))
    kinds = {"moved": ChangeKind.MOVE, "made": ChangeKind.CREATE, "deleted": ChangeKind.DELETE}
    return Change(kinds.get(kind_of(effect), ChangeKind.MODIFY), effect.path, effect.new_path, before, after)


def find_version(versions: Collection[Version], moment: float) -> Version | None:
    """The state that a file had at a time; else the nearest one after it that is kept.

    Args:
        versions: Its states, newest first.
        moment: The time, in seconds since 1970.
    """
    moment += _ROUNDING
    at = [one for one in versions if one.since <= moment and (one.until is None or moment < one.until)]
    later = [one for one in versions if one.since > moment]
    return next(_held(at), None) or next(iter(list(_held(later))[::-1]), None)


def _held(versions: Collection[Version]) -> Iterator[Version]:
    return (one for one in versions if one.size is not None)


def _digest(data: bytes) -> bytes:
    return bytes.fromhex(content_hash(data))
