"""The net effect of a draft: many staged plans, folded into what differs from the vault in the end. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bridge.vault.plan import Change, ChangeKind, ChangePlan


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
class Staging:
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

    def without(self, paths: Collection[str]) -> "Staging":
        """Return the same without some files, and without all that hangs together with them."""
        left = frozenset[str]().union(*(unit for unit in self.units() if not unit.isdisjoint(paths)))
        files = {path: file for path, file in self.files.items() if path not in left}
        removed = {path: gone for path, gone in self.removed.items() if path not in left}
        steps = {number for path in left for number in self._steps_of(path)}
        steps -= {number for path in (*files, *removed) for number in self._steps_of(path)}
        made = {path: step for path, step in self.made.items() if step not in steps}
        unmade = {path: step for path, step in self.unmade.items() if step not in steps}
        return Staging(files, removed, made, unmade, set(self.whole), self.steps)

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
