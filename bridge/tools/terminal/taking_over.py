"""The changes that a command made to the copy of the vault, as one plan for the vault."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bridge.contract.consent import Operation
from bridge.errors import NotFound, ToolFailure
from bridge.index.losses import LostLink, lost_links
from bridge.tools.formatting import counted
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash
from bridge.vault.working_copy import Differences, WorkingCopy

MOST_BYTES: Final = 256 * 1024 * 1024
"""Bytes of all new texts and files of one command; they pass through memory."""
MOST_FILES: Final = 20_000
"""Files that one command may change, all of which are compared, shown in one plan, and written."""
Refused = Callable[[str], str | None]
"""Says why a file may not be changed; None where it may."""
_CHANGED: Final = "it was changed by somebody else meanwhile"


@dataclass(slots=True)
class TakingOver:
    """A plan in the making.

    Args:
        storage: The vault.
        copy: The copy.
        differences: What was done to it.

    Attributes:
        left: What is left alone, with the reason.
        lost: The links that lead nowhere once the plan is carried out, those in closed notes included.
    """

    storage: PlanningStorage
    copy: WorkingCopy
    differences: Differences
    left: list[tuple[str, str]] = field(default_factory=list)
    lost: list[LostLink] = field(default_factory=list)
    _refused: Refused = field(default=lambda _path: None, init=False)

    def plan(self, command: str, refused: Refused) -> ChangePlan | None:
        """Return the plan, or None where nothing is to be done. Blocks.

        Args:
            command: For its sentence.
            refused: Says why a file may not be changed; None where it may.
        """
        found = self.differences
        self._refused = refused
        self.left, self.lost = list(found.odd), []
        touched = (*found.changed, *found.made, *found.gone)
        if len(touched) > MOST_FILES:
            why = f"the command changed {len(touched):,} files, and at most {MOST_FILES:,} are taken over"
            self.left += [(path, why) for path in touched]
            return None
        size = sum(self.copy.size(path) for path in (*found.changed, *found.made))
        if size > MOST_BYTES:
            why = f"the command wrote {size // 2**20} MB in all, and at most {MOST_BYTES // 2**20} MB are taken over"
            self.left += [(path, why) for path in touched]
            return None
        builder = self.storage.plan()
        done: set[str] = set()
        moved = self._moves(builder, done)
        for path in found.gone:
            if path not in moved:
                self._step(path, lambda place: self._delete(builder, place, path), done)  # noqa: B023 - run at once
        for path in found.changed:
            self._step(path, lambda place: self._modify(builder, place, path), done)  # noqa: B023 - the same
        for path in found.made:
            if path not in moved:
                self._step(path, lambda place: self._create(builder, place, path), done)  # noqa: B023 - the same
        for path in found.folders_made:
            self._step(path, lambda place: builder.mkdir(self.storage.resolve_new(place)), done)
        self._remove_folders(builder, done)
        if not done:
            return None
        creates_only = not found.changed and not found.gone
        operation = Operation.CREATE if creates_only else Operation.UPDATE
        plan = builder.build(operation, f"Changes by the command: {command}", whole=True)
        self.lost = lost_links(plan, self.storage.everything.knowledge)
        return replace(plan, summary=f"{plan.summary}; {lost_sentence(self.lost)}") if self.lost else plan

    # -- the steps ----------------------------------------------------------------------------------------------

    def _step(self, path: str, step: Callable[[VaultPath], None], done: set[str]) -> bool:
        """Plan one step, or note why not."""
        try:
            place = parse_path(path)
            reason = self._refused(path)
            denial = self.storage.closed()
            if reason is None and denial is not None and (rule := denial(path)) is not None:
                reason = rule.why
            if reason is None:
                step(place)
                done.add(path)
                return True
        except ToolFailure as failure:
            reason = failure.message
        self.left.append((path, reason))
        return False

    def _before(self, path: str) -> bytes:
        """Return the bytes that a file has in the vault, which must be those that were copied. Raises NotFound."""
        data, _state = self.storage.everything.read(parse_path(path))
        if content_hash(data) != self.differences.copied[path].digest:
            raise NotFound(_CHANGED)
        return data

    def _delete(self, builder: PlanBuilder, place: VaultPath, path: str) -> None:
        builder.delete(place, self._before(path))

    def _modify(self, builder: PlanBuilder, place: VaultPath, path: str) -> None:
        builder.modify(place, self._before(path), self.copy.read(path))

    def _create(self, builder: PlanBuilder, place: VaultPath, path: str) -> None:
        builder.create(self.storage.resolve_new(place), self.copy.read(path))

    def _moves(self, builder: PlanBuilder, done: set[str]) -> set[str]:
        """Take what is gone in one place and new in another, with the same bytes, for moved."""
        gone: dict[str, list[str]] = defaultdict(list)
        for path in self.differences.gone:
            gone[self.differences.copied[path].digest].append(path)
        moved: set[str] = set()
        for path in self.differences.made:
            sources = gone.get(content_hash(self.copy.read(path))) if gone else None
            if not sources:
                continue
            source = sources.pop(0)

            def move(place: VaultPath, source: str = source, path: str = path) -> None:
                del place
                self._before(source)
                old = parse_path(source)
                to = self.storage.resolve_new(parse_path(path), moving=old)
                builder.move(old, to, self.differences.copied[source].digest)

            if reason := self._refused(path):
                self.left.append((path, reason))
            else:
                self._step(source, move, done)
            moved |= {source, path}
        return moved

    def _remove_folders(self, builder: PlanBuilder, done: set[str]) -> None:
        """Remove the folders that the command removed and that nothing else is in."""
        removed = set(done)
        for path in self.differences.folders_gone:
            try:
                place = parse_path(path)
                inside = {f"{path}/{name}" for name in self.storage.everything.names(place)}
            except ToolFailure:
                continue  # it has gone already
            if inside <= removed:
                builder.rmdir(place)
                removed.add(path)
                done.add(path)


def lost_sentence(lost: Sequence[LostLink]) -> str:
    """Say how many links lead nowhere now; empty for none."""
    if not lost:
        return ""
    verb = "leads" if len(lost) == 1 else "lead"
    return f"{counted(len(lost), 'link')} in {counted(len({link.path for link in lost}), 'note')} {verb} nowhere now"
