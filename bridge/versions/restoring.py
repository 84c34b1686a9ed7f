"""The plans that take back what other programs did, and that bring an earlier version of a file back.

A plan is made against the vault as it is and goes through the ledger like any other. A file that something has changed
since stays as it is; so the plan may be smaller than what was asked for, and says what it leaves out.
"""

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from bridge.contract.tools import ChangeDiff
from bridge.contract.versions import LeftOut
from bridge.errors import Conflict, InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, known_path, parse_path
from bridge.vault.plan import (
    Change,
    ChangeKind,
    ChangePlan,
    LeftFile,
    PlanBuilder,
    content_hash,
    is_hidden,
    operation_of,
    preview,
)
from bridge.vault.text import is_note
from bridge.versions.recorder import Recorder
from bridge.versions.states import Effect, Entry, Side, Unknown


class Steps(PlanBuilder):
    """A plan of what is restored. A step raises Conflict if a file is in the place of its folder.

    Args:
        files: The vault, which is only looked at.
    """

    def __init__(self, files: VaultFiles) -> None:
        super().__init__(files.root)
        self._files = files

    def put(self, path: str, now: bytes | None, data: bytes) -> None:
        """Give a file these bytes; `now` is what it has, None if it is not there."""
        if now is None:
            self.create(known_path(path), data)
        else:
            self.modify(known_path(path), now, data, stays_text=False)

    def plan(self, text: str, warnings: list[str]) -> ChangePlan:
        """Return the plan. There must be steps."""
        return replace(self.build(operation_of(self.changes), text, warnings), restores=True)

    def _make(self, path: VaultPath) -> None:
        if self._files.exists(path):
            raise Conflict(f"there is a file now where its folder {str(path)!r} was", code="exists")
        super()._make(path)


_NAMED = 20
_REMEMBERED = 2000
_CONFIGURATION = (
    "it belongs to Obsidian's configuration, in which the bridge writes nothing; `vault-bridge restore FILE --at TIME "
    "--output COPY` gives you an earlier version"
)
_MIXED = "the bridge changed it too, or you typed in it meanwhile; undo that first, or take back what you typed as well"


class EarlierPlan(NamedTuple):
    """A plan that brings the vault back to its state at an earlier time.

    Attributes:
        steps: The steps to take.
        effects: The effects that they take back.
        left: Files that stay as they are.
        nearest: Files of which the state at that time is not kept, with the time of the state that they go back to.
        within: The folder or file that it is limited to.
    """

    steps: Steps
    effects: tuple[Effect, ...]
    left: tuple[LeftOut, ...]
    nearest: dict[str, float]
    within: str | None

    def build(self, when: str) -> ChangePlan:
        """Return the plan.

        Args:
            when: The time, as the person reads it.

        Raises:
            NotFound: There is nothing to do.
            Conflict: No file can be brought back (`edited_since`).
        """
        place = self.within or "The vault"
        if not self.effects and not self.left:
            raise NotFound(f"{place} is as it was at {when}, as far as other programs go")
        where = f" in {self.within}" if self.within else ""
        text = f"Undo what other programs did since {when}{where}: {summary(self.effects)}" if self.effects else ""
        nearest = [f"{path} goes back to what it was at {show_moment(at)}" for path, at in self.nearest.items()]
        return _built(self.steps, text, [LeftFile(one.path, one.why) for one in self.left], nearest)


class Restoring:
    """The maker of plans that restore files. Writes nothing.

    Args:
        recorder: What is kept.
        files: The vault.
    """

    def __init__(self, recorder: Recorder, files: VaultFiles) -> None:
        self._recorder = recorder
        self._files = files
        self._lines: dict[tuple[int, float, int], tuple[int, int]] = {}

    def undo_plan(self, entry_id: str, paths: Collection[str] | None = None) -> ChangePlan:
        """Return the plan that takes an entry back.

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
        chosen = entry.effects
        if paths is not None:
            if missing := [path for path in paths if not any(is_within(effect, path) for effect in chosen)]:
                raise NotFound(f"The change {entry_id!r} has nothing to do with {missing[0]!r}")
            chosen = tuple(effect for effect in chosen if any(is_within(effect, path) for path in paths))
        steps = Steps(self._files)
        refused = [refusal for effect in chosen if (refusal := self._take_back(effect, steps)) is not None]
        if not steps.changes and not refused:
            raise NotFound(f"The change {entry_id!r} is undone already")
        return _built(steps, f"Undo {entry_id}: {summary(entry.effects)}", refused)

    def earlier_plan(
        self, moment: float, within: str | None = None, without: Collection[str] = (), *, typed: bool = False
    ) -> EarlierPlan:
        """Return what brings the vault back to its state at a time, as far as other programs changed it since.

        Args:
            moment: The time, in seconds since 1970.
            within: Only this folder or file; None: all.
            without: Folders and files that are left out.
            typed: Whether what a person typed in Obsidian is taken back too.
        """
        self._recorder.end_entry()
        found = self._recorder.since(moment, typed=typed)

        def is_chosen(effect: Effect) -> bool:
            if is_hidden(effect.path):
                return False  # Obsidian's configuration, in which the bridge writes nothing
            inside = within is None or is_within(effect, within)
            return inside and not any(is_within(effect, path) for path in without)

        steps, left, done = Steps(self._files), list[LeftOut](), list[Effect]()
        for effect in filter(is_chosen, found.effects):
            steps_before = len(steps.changes)
            refusal = self._take_back(effect, steps)
            if refusal is not None:
                left.append(self._left(effect, refusal))
            elif len(steps.changes) > steps_before:
                done.append(effect)
        left += [self._left(effect, LeftFile(effect.path, _MIXED)) for effect in filter(is_chosen, found.mixed)]
        places = {effect.path for effect in done}
        nearest = {path: at for path, at in found.nearest.items() if path in places}
        return EarlierPlan(steps, tuple(done), tuple(left), nearest, within)

    def version_plan(self, path: str, digest: str, to: str | None = None) -> ChangePlan:
        """Return the plan that brings an earlier version of a file back.

        Args:
            path: The file.
            digest: SHA-256 of the bytes that it had, in hex.
            to: A new file to bring it back as; None: in its place.

        Raises:
            NotFound: Its bytes are not kept.
            Conflict: There is a file at `to` (`exists`).
            InvalidParameters: The file has these bytes now.
            PermissionDenied: It belongs to Obsidian's configuration, and `to` is not given (`protected`).
        """
        version = next((one for one in self._recorder.versions(path) if one.digest.hex() == digest), None)
        data = None if version is None else self._recorder.bytes_of(version.digest)
        if version is None or data is None:
            raise NotFound(f"The bytes of this version of {path!r} are not kept")
        if to is None and is_hidden(path):
            raise PermissionDenied(f"{path!r} stays as it is: {_CONFIGURATION}", code="protected")
        place = str(self._files.root.resolve_new(parse_path(to))) if to is not None else path
        now = self._now(place)
        if to is not None and now is not None:
            raise Conflict(f"There is {place!r} already; name a file that is not there", code="exists")
        if now == data:
            raise InvalidParameters(f"{path!r} has exactly these bytes now")
        steps = Steps(self._files)
        steps.put(place, now, data)
        what = f"Restore {path} as of {show_moment(version.since)}"
        return steps.plan(what if to is None else f"{what} as {place}", [])

    def diff(self, entry: Entry) -> ChangeDiff:
        """Return what an entry did to each file, whatever has happened to it since."""
        shown, lost = [], []
        for effect in entry.effects:
            before, after = self._side(effect, effect.before), self._side(effect, effect.after)
            missing = (before is None) != (effect.before is None) or (after is None) != (effect.after is None)
            if effect.is_only_moved:
                before = after = None
            elif missing:
                lost.append(effect.path)
                before = after = None
            shown.append(preview(_step(effect), before, after))
        return ChangeDiff(files=tuple(shown), lost=tuple(lost))

    def lines(self, entry: Entry, most: int) -> tuple[int, int]:
        """Return how many lines an entry added and removed in its first files; cached until the entry changes."""
        key = (entry.number, entry.ended, len(entry.effects))
        found = self._lines.get(key)
        if found is None:
            shown = self.diff(entry._replace(effects=entry.effects[:most])).files
            found = self._lines[key] = (sum(one.added for one in shown), sum(one.removed for one in shown))
            while len(self._lines) > _REMEMBERED:
                del self._lines[next(iter(self._lines))]
        return found

    def is_undone(self, entry: Entry) -> bool:
        """Return whether every file is as it was before an entry, as far as was seen."""
        return all(self._is_back(effect) for effect in entry.effects)

    def can_undo(self, entry: Entry) -> bool:
        """Return whether the bytes from before an entry are kept for at least one file."""
        return any(self._has_before(effect) for effect in entry.effects)

    # -- within -------------------------------------------------------------------------------------------------

    def _left(self, effect: Effect, refusal: LeftFile) -> LeftOut:
        """Return a file that is left as it is, and what taking it back would have done to it."""
        shown = None
        data = self._recorder.bytes_of(effect.before) if isinstance(effect.before, bytes) else None
        if effect.new_path is None and (data is not None or effect.before is None):
            with contextlib.suppress(ToolFailure):
                now = self._now(effect.path)
                kind = ChangeKind.CREATE if now is None else ChangeKind.DELETE if data is None else ChangeKind.MODIFY
                shown = preview(Change(kind, effect.path), now, data)
        return LeftOut(path=refusal.path, why=refusal.why, diff=shown)

    def _is_back(self, effect: Effect) -> bool:
        if effect.new_path is not None:
            return self._recorder.is_as(effect.path) == effect.before and self._recorder.is_as(effect.new_path) is None
        return effect.before is not Unknown.BYTES and self._recorder.is_as(effect.path) == effect.before

    def _has_before(self, effect: Effect) -> bool:
        if is_hidden(effect.path):
            return False
        if effect.is_only_moved or effect.before is None:
            return effect.after is not Unknown.BYTES
        return isinstance(effect.before, bytes) and self._recorder.is_held(effect.before)

    def _side(self, effect: Effect, side: Side) -> bytes | None:
        """Return the bytes of one side; those of a file as it is now need not be kept."""
        if not isinstance(side, bytes):
            return None
        kept = self._recorder.bytes_of(side)
        if kept is not None or side != effect.after or is_hidden(effect.path):
            return kept
        now = self._now(effect.new_path or effect.path)
        return now if now is not None and _digest(now) == side else None

    def _take_back(self, effect: Effect, steps: Steps) -> LeftFile | None:
        """Add the steps that take one file back; returns why that cannot be, or None."""
        if is_hidden(effect.path):
            return LeftFile(effect.path, _CONFIGURATION)
        try:
            return self._take_back_move(effect, steps) if effect.new_path else self._take_back_file(effect, steps)
        except ToolFailure as failure:
            return LeftFile(effect.path, failure.message)

    def _take_back_move(self, effect: Effect, steps: Steps) -> LeftFile | None:
        new_path = effect.new_path or ""
        if not isinstance(effect.before, bytes):
            return LeftFile(new_path, "its earlier bytes are not kept")
        there, back = self._now(new_path), self._now(effect.path)
        if back is not None:
            if _digest(back) == effect.before and there is None:
                return None
            return LeftFile(effect.path, f"there is another file now, and {new_path} would have to go there")
        if there is None or _digest(there) != effect.after:
            return LeftFile(new_path, "it was changed, moved or deleted since")
        data = there if effect.is_only_moved else self._recorder.bytes_of(effect.before)
        if data is None:
            return LeftFile(new_path, "its earlier bytes are not kept")
        edited = (there, data) if data != there else None
        steps.move(known_path(new_path), known_path(effect.path), content_hash(there), edited)
        return None

    def _take_back_file(self, effect: Effect, steps: Steps) -> LeftFile | None:
        path, before, after = effect.path, effect.before, effect.after
        now = self._now(path)
        if (None if now is None else _digest(now)) == before:
            return None  # it is as it was
        if isinstance(after, Unknown):
            return LeftFile(path, "whether it was changed since is not known, because its bytes were not kept")
        if (None if now is None else _digest(now)) != after:
            return LeftFile(path, "it was deleted or moved since" if now is None else "it was changed since")
        if before is None:
            steps.delete(known_path(path), now or b"")
            return None
        data = self._recorder.bytes_of(before) if isinstance(before, bytes) else None
        if data is None:
            return LeftFile(path, "its earlier bytes are not kept")
        steps.put(path, now, data)
        return None

    def _now(self, path: str) -> bytes | None:
        """Return a file's bytes; None if there is none of just this name."""
        try:
            data, state = self._files.read(parse_path(path))
        except NotFound:
            return None
        return data if str(state.path) == path else None


def _built(steps: Steps, text: str, refused: Sequence[LeftFile], warnings: Sequence[str] = ()) -> ChangePlan:
    """Return the plan, which says what it leaves out. Raises Conflict (`edited_since`) where it leaves out all."""
    if not steps.changes:
        raise Conflict(
            f"Nothing was undone: {'; '.join(f'{one.path}: {one.why}' for one in refused[:_NAMED])}",
            code="edited_since",
            data={"path": refused[0].path},
        )
    said = [*map(str, refused[:_NAMED])]
    if refused[_NAMED:]:
        said.append(f"{len(refused) - _NAMED} more files stay as they are")
    said.extend(warnings[:_NAMED])
    if warnings[_NAMED:]:
        said.append(f"{len(warnings) - _NAMED} more files go back to the nearest state that is kept")
    return steps.plan(text, said)


def is_within(effect: Effect, path: str) -> bool:
    """Return whether an effect is on a file, or on one in a folder.

    Args:
        effect: The effect.
        path: The file or folder.
    """
    return any(place == path or place.startswith(f"{path}/") for place in effect.places)


def show_moment(moment: float) -> str:
    """Return a time as it is written: ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def summary(effects: Sequence[Effect]) -> str:
    """Return what was done to files, in a few words: `17 notes changed, 3 deleted`."""
    counts = {"changed": 0, "made": 0, "deleted": 0, "moved": 0}
    for effect in effects:
        counts[kind_of(effect)] += 1
    parts = [(count, what) for what, count in counts.items() if count]
    if len(effects) == 1:
        effect = effects[0]
        said = f"{effect.path} {parts[0][1]}"
        changed = "" if effect.before == effect.after else " and changed"
        return f"{said} to {effect.new_path}{changed}" if effect.new_path else said
    (count, what), *rest = parts
    noun = "note" if all(is_note(effect.path) for effect in effects) else "file"
    return ", ".join(
        [f"{count} {noun}{'' if count == 1 else 's'} {what}", *(f"{count} {what}" for count, what in rest)]
    )


def kind_of(effect: Effect) -> str:
    """Return what happened to a file: it was `changed`, `made`, `deleted` or `moved`."""
    if effect.new_path is not None:
        return "moved"
    if effect.before is None:
        return "made"
    return "deleted" if effect.after is None else "changed"


def _step(effect: Effect) -> Change:
    """Return what an entry did to a file, as a step of a plan."""
    before, after = (side.hex() if isinstance(side, bytes) else None for side in (effect.before, effect.after))
    kinds = {"moved": ChangeKind.MOVE, "made": ChangeKind.CREATE, "deleted": ChangeKind.DELETE}
    return Change(kinds.get(kind_of(effect), ChangeKind.MODIFY), effect.path, effect.new_path, before, after)


def _digest(data: bytes) -> bytes:
    return bytes.fromhex(content_hash(data))
