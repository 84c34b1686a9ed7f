"""The net effect of a draft, and the one plan that makes it of the vault as it is now.

Many staged plans are folded into what differs from the vault in the end (`StagedState`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from bridge.contract.consent import FilePreview, MergePlace, Operation, ShownPicture, Take
from bridge.errors import Conflict
from bridge.vault.diff import unified_diff
from bridge.vault.edits import Clash, merge
from bridge.vault.paths import known_path
from bridge.vault.plan import BrokenLink, Change, ChangeKind, ChangePlan, PlanBuilder, content_hash
from bridge.vault.text import is_text


class StagedFile(NamedTuple):
    """One file as a draft has it.

    Attributes:
        origin: Where the vault has the file that it was made from; None where the draft made it.
        before: The hash of its bytes there, as the draft first met them; None without an origin.
        after: The hash of its bytes now.
        steps: The numbers of the staged plans that had to do with it.
        follows: Whether only links in it were changed.
    """

    origin: str | None
    before: str | None
    after: str
    steps: frozenset[int] = frozenset()
    follows: bool = False


class Removed(NamedTuple):
    """A file of the vault that a draft has no more, under any name.

    Attributes:
        before: The hash of its bytes.
        steps: The staged plans that had to do with it.
    """

    before: str
    steps: frozenset[int]


@dataclass(slots=True)
class StagedState:
    """The differences from the vault. Paths are as a plan spells them.

    Attributes:
        files: Files with other bytes or another name than in the vault, by where they are now.
        removed: Files that are no more, by where the vault has them.
        made: Folders that the vault has not, and the step that made each.
        unmade: Folders of the vault that are no more, and the step that removed each.
        whole: The steps of which no part can be left out.
        steps: How many plans were staged.
    """

    files: dict[str, StagedFile] = field(default_factory=dict)
    removed: dict[str, Removed] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    unmade: dict[str, int] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    steps: int = 0

    def stage(self, plan: ChangePlan) -> None:
        """Fold one more plan in; it was made against the vault with all that is staged already."""
        self.fold(plan.changes, plan.follows, whole=plan.whole)

    def fold(self, changes: Iterable[Change], follows: frozenset[str], *, whole: bool = False) -> None:
        """Fold in a plan's parts, as `stage` does a plan.

        Args:
            changes: Its changes, in order.
            follows: The files in which only links change.
            whole: Whether no part of it can be left out.
        """
        step = self.steps
        self.steps += 1
        if whole:
            self.whole.add(step)
        for change in changes:
            self._fold(change, step, follows=change.path in follows)

    def settle(self, rebased: Iterable[Change], kept: Collection[str] | None) -> list[str]:
        """Take in what a person has made of the draft: a step of its own.

        Args:
            rebased: Files with other bytes, and begun with other bytes of the vault: modified in their place, moved
                there from elsewhere, or created.
            kept: The files that stay in the draft, as the others are in the vault now; None: all.

        Returns:
            The files that are none of the draft's any more.
        """
        step = self.steps
        self.steps += 1
        gone = [] if kept is None else sorted({*self.files, *self.removed} - set(kept))
        for path in gone:
            self.files.pop(path, None)
            self.removed.pop(path, None)
        for change in rebased:
            path = change.new_path or change.path
            held = self.files.pop(path, None)
            origin = None if change.kind is ChangeKind.CREATE else change.path
            if origin == path:
                self.removed.pop(path, None)
            steps = frozenset({step}) | (held.steps if held is not None else frozenset())
            self._put(path, StagedFile(origin, change.before, change.after or "", steps))
        return gone

    def without(self, paths: Collection[str]) -> "StagedState":
        """Return the same without some files, and without all that hangs together with them."""
        left = frozenset[str]().union(*(unit for unit in self.units() if not unit.isdisjoint(paths)))
        files = {path: file for path, file in self.files.items() if path not in left}
        removed = {path: gone for path, gone in self.removed.items() if path not in left}
        steps = {number for path in left for number in self._steps_of(path)}
        steps -= {number for path in (*files, *removed) for number in self._steps_of(path)}
        made = {path: step for path, step in self.made.items() if step not in steps}
        unmade = {path: step for path, step in self.unmade.items() if step not in steps}
        return StagedState(files, removed, made, unmade, set(self.whole), self.steps)

    def _steps_of(self, path: str) -> frozenset[int]:
        held: StagedFile | Removed | None = self.files.get(path) or self.removed.get(path)
        return held.steps if held is not None else frozenset()

    @property
    def moved_from(self) -> Mapping[str, str]:
        """Return the present paths of the files that have moved, by their paths in the vault."""
        return {file.origin: path for path, file in self.files.items() if file.origin not in (None, path)}

    def hidden(self) -> Iterator[str]:
        """Yield the paths of the vault's files that have nothing in their places any more."""
        for path in (*self.removed, *self.moved_from):
            if path not in self.files:
                yield path

    def units(self) -> list[frozenset[str]]:
        """Return the files that hang together, by where they are now or were: taken as one, or left as one.

        A step that moves, makes or removes something is one with every file it touched. Steps that only edit can be
        taken apart, file by file and hunk by hunk.
        """
        whole = {number for path, file in self.files.items() if file.origin != path for number in file.steps} | {
            number for gone in self.removed.values() for number in gone.steps
        }
        whole |= self.whole | set(self.made.values()) | set(self.unmade.values())
        groups: list[tuple[set[int], set[str]]] = []
        touched: list[tuple[str, frozenset[int]]] = [
            *((path, file.steps) for path, file in self.files.items()),
            *((path, gone.steps) for path, gone in self.removed.items()),
        ]
        for path, steps in touched:
            binding = set(steps & whole)
            paths = {path}
            apart = []
            for group in groups:
                if binding & group[0]:
                    binding |= group[0]
                    paths |= group[1]
                else:
                    apart.append(group)
            groups = [*apart, (binding, paths)]
        return [frozenset(paths) for _steps, paths in groups]

    def _fold(self, change: Change, step: int, *, follows: bool) -> None:
        path = change.path
        match change.kind:
            case ChangeKind.CREATE:
                self._put(path, self._recreated(path, change.after or "", step))
            case ChangeKind.MODIFY:
                held = self._take(path, change, step)
                self._put(path, held._replace(after=change.after or "", follows=follows and held.follows))
            case ChangeKind.MOVE:
                held = self._take(path, change, step)
                self._put(change.new_path or path, held._replace(follows=False))
            case ChangeKind.DELETE:
                held = self._take(path, change, step)
                if held.origin is not None:
                    self.removed[held.origin] = Removed(held.before or "", held.steps)
            case ChangeKind.MKDIR:
                if self.unmade.pop(path, None) is None:
                    self.made[path] = step
            case ChangeKind.RMDIR:
                if self.made.pop(path, None) is None:
                    self.unmade[path] = step

    def _take(self, path: str, change: Change, step: int) -> StagedFile:
        """Return the file that a change begins with."""
        held = self.files.pop(path, None)
        if held is None:
            before = change.before or ""
            held = StagedFile(path, before, before, follows=True)
        return held._replace(steps=held.steps | {step})

    def _recreated(self, path: str, after: str, step: int) -> StagedFile:
        """Return a new file; where one was removed before, that one with other bytes."""
        gone = self.removed.pop(path, None)
        if gone is None:
            return StagedFile(None, None, after, frozenset({step}))
        return StagedFile(path, gone.before, after, gone.steps | {step})

    def _put(self, path: str, file: StagedFile) -> None:
        """Record that a file is there now; one that is again as the vault has it is none of the draft's."""
        if file.origin != path or file.before != file.after:
            self.files[path] = file


Choices = Mapping[str, Take]
"""The side a person takes in each conflict between a draft and other changes, by the id of the place."""
_EACH: Final = (Take.VAULT, Take.DRAFT)
MOST_SHOWN: Final = 20_000
"""Characters that are shown of each side of a place; the diff has all of it."""
MOST_NEWER: Final = 100_000
"""Characters of the diff between two reviews of one file."""


class News(NamedTuple):
    """The changes to a draft's files since the person last looked through it.

    Attributes:
        before: What it came to then; None where they have not yet.
        now: What it comes to.
        yours: The number of the last step in which the person edited a file, by where the file is.
        read: The bytes with a hash.
    """

    before: StagedState | None
    now: StagedState
    yours: Mapping[str, int]
    read: Callable[[str], bytes]

    def told(self, shown: FilePreview) -> FilePreview:
        """Return the preview of a file, with that."""
        path = shown.new_path or shown.path
        update: dict[str, Any] = {"yours": True} if path in self.yours else {}
        if self.before is not None and shown.change not in {"mkdir", "rmdir"}:
            update |= self._since(path, self.before)
        return shown.model_copy(update=update) if update else shown

    @property
    def notes(self) -> list[str]:
        """Return sentences about what no preview says."""
        changed = (
            path for path, step in self.yours.items() if (file := self.now.files.get(path)) and max(file.steps) > step
        )
        said = [f"You edited {path!r}, and it has been changed since" for path in changed]
        if self.before is not None:
            gone = sorted({*self.before.files, *self.before.removed} - {*self.now.files, *self.now.removed})
            said += [f"{path!r} was in the draft when you looked last, and is not any more" for path in gone]
        return said

    def _since(self, path: str, before: StagedState) -> dict[str, Any]:
        was, is_ = before.files.get(path), self.now.files.get(path)
        if is_ is None:
            return {"since": "same" if path in before.removed else "new"}
        if was is None:
            return {"since": "new"}
        if was.after == is_.after:
            return {"since": "same"}
        found = unified_diff(self.read(was.after), self.read(is_.after), old_path=path, new_path=path, limit=MOST_NEWER)
        return {"since": "changed", "newer": found.text}


class PresentVault(NamedTuple):
    """The vault as it is now, for planning.

    Attributes:
        read: The bytes of the file at exactly this path; None when there is none.
        has_folder: Whether there is a folder at exactly this path.
        staged: The bytes with this hash, that were staged, or that a change began with.
        plan: Gives an empty plan.
    """

    read: Callable[[str], bytes | None]
    has_folder: Callable[[str], bool]
    staged: Callable[[str], bytes]
    plan: Callable[[], PlanBuilder]


class NetPlan(NamedTuple):
    """The plan of a draft.

    Attributes:
        plan: What is to be done; None where nothing is left of it.
        merged: Files in which someone else changed something meanwhile, which stays.
        conflicts: Where the draft and someone else changed the same.
    """

    plan: ChangePlan | None
    merged: tuple[str, ...] = ()
    conflicts: tuple[MergePlace, ...] = ()


@dataclass(slots=True)
class _Planning:
    staging: StagedState
    vault: PresentVault
    builder: PlanBuilder
    choices: Choices
    pictures: Mapping[str, ShownPicture]
    conflicts: list[MergePlace] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    """The draft's files that stay as the vault has them, because the person wants that."""
    merged: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Plan every file, then the folders that are empty."""
        files, removed = self.staging.files, self.staging.removed
        known = {file.origin for file in files.values() if file.origin is not None} | removed.keys()
        left: dict[str, str] = {path: gone.before for path, gone in removed.items()}
        for path, file in sorted(files.items()):
            if file.origin is not None and file.origin != path and (path in known or file.origin in files):
                left[file.origin] = file.before or ""
            self._plan_file(path, file, known)
        for path, before in sorted(left.items()):
            if path not in files:
                self._delete(path, before)
        self._plan_folders()

    def _plan_file(self, path: str, file: StagedFile, known: Collection[str]) -> None:
        """Plan what one file is in the end; `known` are the vault's files that the draft has to do with."""
        if file.origin == path:
            self._modify(path, file)
        elif path in known:
            self._fill(path, file)
        elif file.origin is None or file.origin in self.staging.files:
            self._create(path, file)
        else:
            self._move(path, file.origin, file)

    def _plan_folders(self) -> None:
        for path in sorted(self.staging.made):
            if not self.vault.has_folder(path):
                self.builder.mkdir(known_path(path))
        for path in sorted(self.staging.unmade, reverse=True):
            if self.vault.has_folder(path):
                self.builder.rmdir(known_path(path))

    def _modify(self, path: str, file: StagedFile) -> None:
        self._put(path, self.vault.read(path), self._merged(path, path, file, path), follows=file.follows)

    def _fill(self, path: str, file: StagedFile) -> None:
        """Put another file into the place of one that went, under the same name."""
        gone = self.staging.removed.get(path)
        before = gone.before if gone is not None else self._left_from(path)
        new, old = self._content(path, file), self.vault.read(path)
        if old is None or content_hash(old) != before:
            why = "is not there any more" if old is None else "has been edited meanwhile, and the draft replaces it"
            if self._is_left(path, path, why, old, new):
                return
        self._put(path, old, new)

    def _create(self, path: str, file: StagedFile) -> None:
        new, there = self._content(path, file), self.vault.read(path)
        if new is not None and there is not None and there != new:
            new = self._both(path, path, "has been created by somebody else meanwhile", (b"", new, there))
        self._put(path, there, new)

    def _move(self, path: str, origin: str, file: StagedFile) -> None:
        there, old = self.vault.read(path), self.vault.read(origin)
        new = self._merged(origin, path, file, origin)
        if there is not None and new is not None:
            if self._is_left(path, path, "has been created by somebody else meanwhile", there, new):
                return
            self._put(path, there, new)
            self._put(origin, old, None)
        elif old is None or new is None:
            self._put(path, None, new)
        else:
            edited = (old, new) if old != new else None
            self.builder.move(known_path(origin), known_path(path), content_hash(old), edited)

    def _delete(self, path: str, before: str) -> None:
        old = self.vault.read(path)
        why = "has been edited meanwhile, and the draft removes it"
        if old is not None and content_hash(old) != before and self._is_left(path, path, why, old, None):
            return
        self._put(path, old, None)

    def _put(self, path: str, old: bytes | None, new: bytes | None, *, follows: bool = False) -> None:
        """Plan that a file is so from now on."""
        place = known_path(path)
        if old == new:
            return
        if old is None:
            self.builder.create(place, new or b"", self.pictures.get(content_hash(new or b"")))
        elif new is None:
            self.builder.delete(place, old)
        else:
            self.builder.modify(place, old, new, follows=follows)

    def _content(self, path: str, file: StagedFile) -> bytes | None:
        """Return the bytes of a file that is not where the vault has it, with what became of them there."""
        if file.origin is None:
            return self.vault.staged(file.after)
        return self._merged(file.origin, path, file, path)

    def _merged(self, origin: str, path: str, file: StagedFile, shown: str) -> bytes | None:
        """Return the vault's bytes with the draft's change; None where the person wants the file to stay away."""
        old, ours = self.vault.read(origin), self.vault.staged(file.after)
        if old is None:
            return None if self._is_left(origin, path, "is not there any more", None, ours) else ours
        if content_hash(old) == file.before:
            return ours
        self.merged.append(origin)
        three = self.vault.staged(file.before or ""), ours, old
        return self._both(shown, path, "has been edited in the same place meanwhile", three)

    def _both(self, shown: str, path: str, why: str, three: tuple[bytes, bytes, bytes]) -> bytes:
        """Return the bytes that both changes began with, after both of them: ours, and the others'."""
        _base, ours, theirs = three
        seen = Counter[str]()

        def choose(clash: Clash) -> Take:
            seen[clash.key] += 1
            place_id = content_hash(f"{shown}\0{clash.key}\0{seen[clash.key]}".encode())[:24]
            return self._taken(place_id, shown, why, (clash.theirs, clash.ours), clash.line) or Take.BOTH

        found = merge(*three, choose)
        if found.data is not None:
            return found.data
        return theirs if self._is_left(shown, path, why, theirs, ours) else ours

    def _is_left(self, shown: str, path: str, why: str, theirs: bytes | None, ours: bytes | None) -> bool:
        """Return whether the person wants a file as the vault has it, and with it all that hangs together with it."""
        sides = [None if side is None else content_hash(side) for side in (theirs, ours)]
        place_id = content_hash(f"{shown}\0{sides}".encode())[:24]
        is_left = self._taken(place_id, shown, why, (theirs or b"", ours or b"")) is Take.VAULT
        if is_left:
            self.left.add(path)
        return is_left

    def _taken(
        self, place_id: str, shown: str, why: str, sides: tuple[bytes, bytes], line: int | None = None
    ) -> Take | None:
        """Return what the person takes in a place that the vault and the draft have differently, and note the place."""
        taken, known = self.choices.get(place_id), {"path": shown, "why": why, "line": line}
        if all(place_id != other.place_id for other in self.conflicts):
            known |= {"vault": _text(sides[0]), "draft": _text(sides[1]), "taken": taken}
            offers = _EACH if line is None else (*_EACH, Take.BOTH)
            self.conflicts.append(MergePlace(place_id=place_id, offers=offers, **known))
        return taken

    def _left_from(self, origin: str) -> str:
        """Return the hash of the bytes that a file had where the draft took it from."""
        return next((file.before or "" for file in self.staging.files.values() if file.origin == origin), "")


def net_plan(
    staging: StagedState,
    vault: PresentVault,
    summary: str,
    *,
    warnings: Sequence[str] = (),
    broken: Sequence[BrokenLink] = (),
    choices: Choices | None = None,
    pictures: Mapping[str, ShownPicture] | None = None,
) -> NetPlan:
    """Return the plan of everything that is staged. Changes by others elsewhere in the same files stay.

    Args:
        staging: What is staged.
        vault: The vault as it is now.
        summary: One sentence for the person.
        warnings: What the staged plans warn of.
        broken: The links that they break.
        choices: What a person takes where someone else changed the same; where they have not said, both is in the
            plan. None where nobody is to choose.
        pictures: Images as a question shows them, by the hash of their bytes.

    Raises:
        Conflict: `draft_conflict`: someone else changed the same places, and nobody is to choose; `data` has them.
    """
    if _is_there(staging, vault):
        return NetPlan(None)
    planning = _Planning(staging, vault, vault.plan(), choices or {}, pictures or {})
    planning.run()
    conflicts = list(planning.conflicts)
    if conflicts and choices is None:
        raise _refused(conflicts)
    while planning.left:
        staging = staging.without(planning.left)
        planning = _Planning(staging, vault, vault.plan(), choices or {}, pictures or {})
        planning.run()
    merged = tuple(dict.fromkeys(planning.merged))
    if not planning.builder.changes:
        return NetPlan(None, merged, tuple(conflicts))
    notes = [*warnings, *(f"{path!r} was changed by somebody else meanwhile; that stays" for path in merged)]
    plan = planning.builder.build(
        _operation({change.kind for change in planning.builder.changes}), summary, notes, broken=broken
    )
    plan = replace(_with_units(plan, staging), conflicts=tuple(conflicts))
    return NetPlan(plan, merged, tuple(conflicts))


def _refused(conflicts: Sequence[MergePlace]) -> Conflict:
    where = [f"{one.path!r} {one.why}" + (f" (line {one.line})" if one.line else "") for one in conflicts]
    return Conflict(
        f"The vault has changed where the draft changes it: {'; '.join(where)}. The draft is kept. Make these changes "
        "again on the text as it is now, or discard them, then submit",
        code="draft_conflict",
        data={"clashes": [{"path": one.path, "why": one.why, "line": one.line} for one in conflicts]},
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")[:MOST_SHOWN] if is_text(data) else ""


def _is_there(staging: StagedState, vault: PresentVault) -> bool:
    """Return whether the vault is already as the draft wants it: it was taken just before the bridge ended."""
    return (
        all(
            (data := vault.read(path)) is not None and content_hash(data) == file.after
            for path, file in staging.files.items()
        )
        and all(vault.read(path) is None for path in staging.hidden())
        and all(map(vault.has_folder, staging.made))
        and not any(map(vault.has_folder, staging.unmade))
    )


def _with_units(plan: ChangePlan, staging: StagedState) -> ChangePlan:
    """Return the plan, whose previews say which files hang together; folders come and go with what is in them."""
    unit_of = {path: str(number) for number, paths in enumerate(staging.units(), 1) for path in paths}
    moves = {shown.path for shown in plan.previews if shown.new_path}
    counted = Counter(unit_of.get(shown.new_path or shown.path, "") for shown in plan.previews)
    previews = []
    for shown in plan.previews:
        unit = unit_of.get(shown.new_path or shown.path, "")
        alone = counted[unit] == 1 and shown.path not in moves
        previews.append(shown if alone or not unit else shown.model_copy(update={"unit": unit}))
    return replace(plan, previews=tuple(previews))


def _operation(kinds: set[ChangeKind]) -> Operation:
    if kinds <= {ChangeKind.DELETE, ChangeKind.RMDIR}:
        return Operation.DELETE
    return Operation.CREATE if kinds <= {ChangeKind.CREATE, ChangeKind.MKDIR} else Operation.UPDATE
