"""From what a draft comes to, to the one plan that makes it of the vault as it is now."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from bridge.contract.consent import MergePlace, Operation, ShownPicture, Take
from bridge.drafts.staging import StagedFile, Staging
from bridge.errors import Conflict
from bridge.vault.merging import Clash, merge
from bridge.vault.paths import known_path
from bridge.vault.plan import BrokenLink, ChangeKind, ChangePlan, PlanBuilder, content_hash
from bridge.vault.text import is_text

Choices = Mapping[str, Take]
"""The side a person takes in each conflict between a draft and other changes, by the id of the place."""
_EACH: Final = (Take.VAULT, Take.DRAFT)
MOST_SHOWN: Final = 20_000
"""Characters that are shown of each side of a place; the diff has all of it."""


class Vault(NamedTuple):
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
    staging: Staging
    vault: Vault
    builder: PlanBuilder
    choices: Choices
    pictures: Mapping[str, ShownPicture]
    conflicts: list[MergePlace] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    """The draft's files that stay as the vault has them, because the person wants that."""
    merged: list[str] = field(default_factory=list)
    kinds: set[ChangeKind] = field(default_factory=set)

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
                self.kinds.add(ChangeKind.MKDIR)
        for path in sorted(self.staging.unmade, reverse=True):
            if self.vault.has_folder(path):
                self.builder.rmdir(known_path(path))
                self.kinds.add(ChangeKind.RMDIR)

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
            self.kinds.add(ChangeKind.MOVE)

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
            self.kinds.add(ChangeKind.CREATE)
        elif new is None:
            self.builder.delete(place, old)
            self.kinds.add(ChangeKind.DELETE)
        else:
            self.builder.modify(place, old, new, follows=follows)
            self.kinds.add(ChangeKind.MODIFY)

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
            taken = self.choices.get(place_id)
            texts = _text(clash.theirs), _text(clash.ours)
            self._note(
                MergePlace(
                    place_id=place_id,
                    path=shown,
                    why=why,
                    line=clash.line,
                    vault=texts[0],
                    draft=texts[1],
                    offers=(*_EACH, Take.BOTH),
                    taken=taken,
                )
            )
            return taken or Take.BOTH

        found = merge(*three, choose)
        if found.data is not None:
            return found.data
        return theirs if self._is_left(shown, path, why, theirs, ours) else ours

    def _is_left(self, shown: str, path: str, why: str, theirs: bytes | None, ours: bytes | None) -> bool:
        """Return whether the person wants a file as the vault has it, and with it all that hangs together with it."""
        sides = [None if side is None else content_hash(side) for side in (theirs, ours)]
        place_id = content_hash(f"{shown}\0{sides}".encode())[:24]
        taken = self.choices.get(place_id)
        texts = _text(theirs or b""), _text(ours or b"")
        self._note(
            MergePlace(
                place_id=place_id, path=shown, why=why, vault=texts[0], draft=texts[1], offers=_EACH, taken=taken
            )
        )
        if taken is Take.VAULT:
            self.left.add(path)
        return taken is Take.VAULT

    def _note(self, place: MergePlace) -> None:
        if all(place.place_id != other.place_id for other in self.conflicts):
            self.conflicts.append(place)

    def _left_from(self, origin: str) -> str:
        """Return the hash of the bytes that a file had where the draft took it from."""
        return next((file.before or "" for file in self.staging.files.values() if file.origin == origin), "")


def net_plan(
    staging: Staging,
    vault: Vault,
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
    if not planning.kinds:
        return NetPlan(None, merged, tuple(conflicts))
    notes = [*warnings, *(f"{path!r} was changed by somebody else meanwhile; that stays" for path in merged)]
    plan = planning.builder.build(_operation(planning.kinds), summary, notes, broken=broken)
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


def _is_there(staging: Staging, vault: Vault) -> bool:
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


def _with_units(plan: ChangePlan, staging: Staging) -> ChangePlan:
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
