"""From what a draft comes to, to the one plan that makes it of the vault as it is now."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.contract.consent import Operation
from bridge.drafts.merging import merge
from bridge.drafts.staging import StagedFile, Staging
from bridge.errors import Conflict
from bridge.vault.paths import known_path
from bridge.vault.plan import BrokenLink, ChangeKind, ChangePlan, PlanBuilder, content_hash


@dataclass(frozen=True, slots=True)
class Vault:
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


@dataclass(frozen=True, slots=True)
class Clash:
    """Where a draft and what another hand did meanwhile do not go together.

    Attributes:
        path: The file, where the vault has it.
        why: What became of it, as the end of a sentence.
        lines: The first and last line of each place, in the file as it is now.
    """

    path: str
    why: str
    lines: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        places = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in self.lines)
        return f"{self.path!r} {self.why}" + (f" (lines {places})" if places else "")

    def to_wire(self) -> dict[str, Any]:
        """As data."""
        return {"path": self.path, "why": self.why, "lines": [list(one) for one in self.lines]}


@dataclass(frozen=True, slots=True)
class NetPlan:
    """The plan of a draft.

    Attributes:
        plan: What is to be done; None where nothing is left of it.
        merged: Files in which another hand changed something meanwhile, which stays.
    """

    plan: ChangePlan | None
    merged: tuple[str, ...] = ()


@dataclass(slots=True)
class _Planning:
    staging: Staging
    vault: Vault
    builder: PlanBuilder
    clashes: list[Clash] = field(default_factory=list)
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
        found = self._merged(path, file)
        if found is not None and found[0] != found[1]:
            self.builder.modify(known_path(path), *found, follows=file.follows)
            self.kinds.add(ChangeKind.MODIFY)

    def _fill(self, path: str, file: StagedFile) -> None:
        """Another file comes into the place of one that went, under the same name."""
        new = self._content(file)
        gone = self.staging.removed.get(path)
        before = gone.before if gone is not None else self._left_from(path)
        old = self._unchanged(path, before)
        if new is not None and old is not None and old != new:
            self.builder.modify(known_path(path), old, new)
            self.kinds.add(ChangeKind.MODIFY)

    def _create(self, path: str, file: StagedFile) -> None:
        new, there = self._content(file), self.vault.read(path)
        if new is None or there == new:
            return
        if there is not None:
            self.clashes.append(Clash(path, "has been created by somebody else meanwhile"))
            return
        self.builder.create(known_path(path), new)
        self.kinds.add(ChangeKind.CREATE)

    def _move(self, path: str, origin: str, file: StagedFile) -> None:
        if self.vault.read(path) is not None:
            self.clashes.append(Clash(path, "has been created by somebody else meanwhile"))
            return
        found = self._merged(origin, file)
        if found is not None:
            old, new = found
            self.builder.move(
                known_path(origin), known_path(path), content_hash(old), (old, new) if old != new else None
            )
            self.kinds.add(ChangeKind.MOVE)

    def _delete(self, path: str, before: str) -> None:
        old = self._unchanged(path, before)
        if old is not None:
            self.builder.delete(known_path(path), old)
            self.kinds.add(ChangeKind.DELETE)

    def _content(self, file: StagedFile) -> bytes | None:
        """The bytes of a file that is not where the vault has it, with what became of them there."""
        if file.origin is None:
            return self.vault.staged(file.after)
        found = self._merged(file.origin, file)
        return None if found is None else found[1]

    def _merged(self, path: str, file: StagedFile) -> tuple[bytes, bytes] | None:
        """The vault's bytes now, and those with the draft's change; None where they do not go together."""
        old = self.vault.read(path)
        if old is None:
            self.clashes.append(Clash(path, "is not there any more"))
            return None
        ours = self.vault.staged(file.after)
        if content_hash(old) == file.before:
            return old, ours
        found = merge(self.vault.staged(file.before or ""), ours, old)
        if found.data is None:
            self.clashes.append(Clash(path, "has been edited in the same place meanwhile", found.clashes))
            return None
        self.merged.append(path)
        return old, found.data

    def _unchanged(self, path: str, before: str) -> bytes | None:
        """The bytes of a file that goes; it must be the one that the draft knew."""
        old = self.vault.read(path)
        if old is None:
            if path in self.staging.files:
                self.clashes.append(Clash(path, "is not there any more"))
            return None  # it went already: as wanted
        if content_hash(old) != before:
            self.clashes.append(Clash(path, "has been edited meanwhile, and the draft removes it"))
            return None
        return old

    def _left_from(self, origin: str) -> str:
        """The hash of the bytes that a file had where the draft took it from."""
        return next((file.before or "" for file in self.staging.files.values() if file.origin == origin), "")


def net_plan(
    staging: Staging,
    vault: Vault,
    summary: str,
    *,
    warnings: Sequence[str] = (),
    broken: Sequence[BrokenLink] = (),
) -> NetPlan:
    """The plan of everything that is staged. What another hand changed elsewhere in the same files stays.

    Args:
        staging: What is staged.
        vault: The vault as it is now.
        summary: One sentence for the person.
        warnings: What the staged plans warn of.
        broken: The links that they break.

    Raises:
        Conflict: `draft_conflict`: another hand changed the same places; `data` has them.
    """
    if _is_there(staging, vault):
        return NetPlan(None)
    planning = _Planning(staging, vault, vault.plan())
    planning.run()
    if planning.clashes:
        raise Conflict(
            "The vault has changed where the draft changes it: "
            + "; ".join(map(str, planning.clashes))
            + ". The draft is kept. Make these changes again on the text as it is now, or discard them, then submit",
            code="draft_conflict",
            data={"clashes": [clash.to_wire() for clash in planning.clashes]},
        )
    merged = tuple(planning.merged)
    if not planning.kinds:
        return NetPlan(None, merged)
    notes = [*warnings, *(f"{path!r} was changed by somebody else meanwhile; that stays" for path in merged)]
    plan = planning.builder.build(_operation(planning.kinds), summary, notes, broken=broken)
    return NetPlan(_with_units(plan, staging), merged)


def _is_there(staging: Staging, vault: Vault) -> bool:
    """Whether the vault is already as the draft wants it: it was taken just before the bridge ended."""
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
    """The plan, whose previews say which files hang together; folders come and go with what is in them."""
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
