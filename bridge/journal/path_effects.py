"""Effects of a list of changes on each path, worked out without looking at the disk.

Applying, recovering and reversing a change all need to know in which states each path may be found if the change
was interrupted anywhere, and which bytes each step pushes aside. A file is followed through its moves and edits,
so that the bytes it had at first are kept once, under the path it had at first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge.vault.plan import Change, ChangeKind

FOLDER = "folder"
"""The state of a path where a folder is. A file's state is the hash of its bytes, and None is nothing."""

PathState = str | None


@dataclass(slots=True)
class PathEffect:
    """The effect of the changes on one path.

    Attributes:
        first: Its state before the change.
        last: Its state after the change.
        states: Every state it is in at some time.
        mode: The permissions of what was there first.
    """

    first: PathState
    last: PathState
    states: set[PathState] = field(default_factory=set)
    mode: int | None = None


@dataclass(slots=True, eq=False)
class TracedFile:
    """One file on its way through the steps.

    Attributes:
        origin: Where it was first; None for one that the change makes.
        first: The hash of the bytes it had first.
        last: The hash of the bytes it has in the end; None when it is deleted.
        place: Where it is in the end.
        kept: Whether a step so far has pushed its first bytes aside.
    """

    origin: str | None
    first: PathState
    last: PathState
    place: str
    kept: bool = False


@dataclass(slots=True)
class PathEffects:
    """The effects of a list of changes.

    Attributes:
        tracks: The effect on each path, in the order in which the paths are first touched.
        files: For each step, the file it is about; None for folders.
        homes: For each path that a file was moved away from, where its first bytes may be since.
        keeps: For each step, the path under which the bytes that it pushes aside are kept; None when it pushes
            nothing aside that was there before the change.
    """

    by_path: dict[str, PathEffect] = field(default_factory=dict)
    files: list[TracedFile | None] = field(default_factory=list)
    keeps: list[str | None] = field(default_factory=list)
    homes: dict[str, list[str]] = field(default_factory=dict)

    def step(self, path: str, before: PathState, after: PathState, mode: int | None = None) -> None:
        """Note that a step takes a path from one state to another."""
        effect = self.by_path.get(path)
        if effect is None:
            effect = self.by_path[path] = PathEffect(before, before, {before}, mode)
        effect.last = after
        effect.states.add(after)


def follow_changes(changes: Sequence[Change], modes: Sequence[int | None]) -> PathEffects:
    """Follow the changes.

    Args:
        changes: The steps, which must fit each other.
        modes: For each step, the permissions of what it finds; a folder to be made that has some is there already.
    """
    found = PathEffects()
    at: dict[str, TracedFile] = {}
    for change, mode in zip(changes, modes, strict=True):
        file, keep = None, None
        match change.kind:
            case ChangeKind.CREATE:
                file = at[change.path] = TracedFile(None, None, change.after, change.path)
                found.step(change.path, None, change.after)
            case ChangeKind.MODIFY | ChangeKind.DELETE:
                file = at.get(change.path) or TracedFile(change.path, change.before, change.before, change.path)
                if file.origin is not None and not file.kept and change.before != change.after:
                    keep, file.kept = file.origin, True
                file.last = change.after
                at[change.path] = file
                found.step(change.path, change.before, change.after, mode)
                if change.kind is ChangeKind.DELETE:
                    del at[change.path]
            case ChangeKind.MOVE:
                file = at.pop(change.path, None) or TracedFile(change.path, change.before, change.before, change.path)
                new_path = file.place = change.new_path or change.path
                at[new_path] = file
                if file.origin is not None and change.before == file.first:
                    found.homes.setdefault(file.origin, []).append(new_path)
                found.step(change.path, change.before, None, mode)
                found.step(new_path, None, change.before)
            case ChangeKind.MKDIR:
                found.step(change.path, None if mode is None else FOLDER, FOLDER, mode)
            case ChangeKind.RMDIR:
                found.step(change.path, FOLDER, None, mode)
        found.files.append(file)
        found.keeps.append(keep)
    return found
