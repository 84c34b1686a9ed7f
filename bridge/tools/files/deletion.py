"""The tool `delete_file`, and the plan that it shares with the other tools that put something into the user's trash.

Large files are read in pieces, and the diffs together have an end, so that a folder of any size can be shown.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass, FilePreview, Operation
from bridge.errors import DeadlineExceeded, InvalidParameters, PermissionDenied
from bridge.notes.names import link_key
from bridge.toolkit.tool import Applied, CallContext, Output, P, WriteTool
from bridge.tools.formatting import counted, size, some
from bridge.tools.kinds import RequiredPath, SnakeCaseParams, write_spec
from bridge.tools.paths import existing_path, not_found_as
from bridge.tools.storage import PlanningStorage, Storage
from bridge.vault.change_facts import binary_kind, lost_note
from bridge.vault.diff import binary_line
from bridge.vault.files import Subtree
from bridge.vault.paths import VaultPath, fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan, preview
from bridge.vault.text import describe_binary, is_text

LARGEST = 1 << 20
"""Bytes of a file whose text is shown."""
MOST_TEXT = 1_000_000
"""Characters of all diffs together."""
_CHUNK = 1 << 20


class DeletionPreview:
    """Files that are to be deleted.

    Args:
        storage: The vault.
        listed: How many are shown one by one.
        share: Among how many of these the characters of all diffs are shared.

    Attributes:
        hashes: Each file with the sha256 of its bytes, in hex.
        previews: What is shown, of the first so many.
        size: Bytes of all of them.
        unlisted_lines: Lines of text in those that are not shown.
    """

    def __init__(self, storage: Storage, *, listed: int, share: int = 1) -> None:
        self.hashes: list[tuple[VaultPath, str]] = []
        self.previews: list[FilePreview] = []
        self.size = 0
        self.unlisted_lines = 0
        self._storage = storage
        self._listed = listed
        self._room = MOST_TEXT // share

    def add(self, path: VaultPath) -> None:
        """Take one file in.

        Args:
            path: The file, as spelled on disk, links resolved.

        Raises:
            ToolFailure: It cannot be read.
        """
        with self._storage.open(path) as file:
            first = file.read(LARGEST + 1)
            digest, lines, length = hashlib.sha256(first), first.count(b"\n"), len(first)
            last = first
            while length > LARGEST and (piece := file.read(_CHUNK)):
                digest.update(piece)
                lines += piece.count(b"\n")
                length += len(piece)
                last = piece
        lines += not last.endswith(b"\n") and length > 0
        self.hashes.append((path, digest.hexdigest()))
        self.size += length
        if not is_text(first):
            lines = 0
        if len(self.previews) >= self._listed:
            self.unlisted_lines += lines
            return
        self.previews.append(self._shown(path, first, length, lines))

    def _shown(self, path: VaultPath, first: bytes, length: int, lines: int) -> FilePreview:
        name = str(path)
        if not is_text(first):
            kind = binary_kind(name, first, length)
            return FilePreview(
                path=name,
                change="delete",
                diff=binary_line(f"{name} ({describe_binary(first, name)[0]}, {length} bytes)", "/dev/null"),
                note=lost_note(kind, deleted=True),
            )
        if length <= min(LARGEST, self._room):
            shown = preview(Change(ChangeKind.DELETE, name), first, None)
            self._room -= len(shown.diff)
            return shown
        return FilePreview(path=name, change="delete", removed=lines, truncated=True)


NAMED = 10
"""Files that a warning names; the others it counts."""
LISTED = 1_000
"""Files of a folder that the question lists one by one."""
_STEP = 500

TrashPlace = Literal["system", "local", "none"]
_GOES = {
    "system": "it goes to the system trash",
    "local": "it goes to .trash in the vault",
    "none": "it goes for good, as Obsidian is set to keep no trash",
}


class DeletionPlanner:
    """The planner of deletions, which also reports those that were made.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def plan(self, paths: Sequence[VaultPath], context: CallContext) -> ChangePlan:
        """Plan that files and folders go, all of them in one change.

        Args:
            paths: Which, as the caller wrote them; each once, and none in another one.
            context: The call.

        Raises:
            NotFound: Nothing is there.
            InvalidParameters: It is the vault itself, a link, or a folder that holds one; or one is named twice.
            PermissionDenied: It is a dot-folder or holds one, or something in it is closed to tools.
            DeadlineExceeded: It is too much to be read in time.
        """
        trees = [self._tree(path) for path in paths]
        together = [str(file) for tree in trees for file in tree.all]
        if len(set(together)) < len(together):
            raise InvalidParameters(
                "A file or folder is named twice, or lies in another one that is named; name it once"
            )
        where: TrashPlace = self._storage.app_settings.trash_option
        shown = [self._shown(tree, len(trees), context) for tree in trees]
        sources = self._linked_from([tree.found for tree in trees])
        changes: list[Change] = []
        for tree, seen in zip(trees, shown, strict=True):
            changes += [Change(ChangeKind.DELETE, str(file), before=digest) for file, digest in seen.hashes]
            changes += [Change(ChangeKind.RMDIR, str(folder)) for folder in reversed(tree.found.folders)]
        what = [_described(tree, preview.size) for tree, preview in zip(trees, shown, strict=True)]
        more = [f"{len(what) - NAMED:,} more"] if len(what) > NAMED else []
        folders = any(tree.is_folder for tree in trees)
        return ChangePlan(
            operation=Operation.DELETE,
            summary=f"Delete {', '.join([*what[:NAMED], *more])}: {_goes(where, len(trees))}",
            changes=tuple(changes),
            blobs={},
            previews=tuple(
                each for tree, preview in zip(trees, shown, strict=True) for each in _previews(tree, preview)
            ),
            warnings=tuple(self._warnings(trees, sources, where, context)),
            disposal=None if where == "none" else where,
            linked_from=len(sources),
            about=tuple(tree.name for tree in trees) if folders else (),
        )

    # -- what goes ----------------------------------------------------------------------------------------------

    def _tree(self, path: VaultPath) -> "_Tree":
        """Return one file, or a folder with all that is in it."""
        if not path.parts:
            raise InvalidParameters("The path names the vault itself, which cannot be deleted; name a folder in it")
        is_folder = self._storage.is_folder(path)
        place = self._real(path)
        self._refuse_closed(place, place)
        found = Subtree((), (place,))
        if is_folder:
            found = self._storage.subtree(place, lambda each: self._refuse_closed(each, place))
        return _Tree(place, found, is_folder=is_folder)

    def _shown(self, tree: "_Tree", of: int, context: CallContext) -> DeletionPreview:
        """Return the preview of one of several things to delete."""
        shown = DeletionPreview(self._storage, listed=max(LISTED // of, 1), share=of)
        for number, file in enumerate(tree.found.files):
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded(
                    f"{str(tree.place)!r} holds too much to be read in time; delete it in several parts"
                )
            shown.add(file)
            if number % _STEP == _STEP - 1:
                context.progress(number + 1, len(tree.found.files), f"Reading {tree.place}")
        return shown

    def _real(self, path: VaultPath) -> VaultPath:
        """Return where the path really leads. A link at its end is refused: deleting it would delete another file."""
        everything = self._storage.everything
        place, parent = everything.resolve(path), everything.resolve(path.parent)
        if self._storage.is_link(path) or place.parent != parent or fold(place.name) != fold(path.name):
            raise InvalidParameters(
                f"{str(path)!r} is a link to {str(place)!r}. Give that path to delete what it leads to, "
                "or ask the user to remove the link"
            )
        return place

    def _refuse_closed(self, path: VaultPath, place: VaultPath) -> None:
        """Refuse to delete what may not be seen, without naming it."""
        denial = self._storage.closed()
        rule = None if denial is None else denial(str(path))
        if rule is None:
            return
        if path == place:
            why, data = f"{str(place)!r} may not be read: {rule.why}", {"rule": rule.name}
        else:
            why, data = f"{str(place)!r} holds something that the user has closed, so it cannot be deleted", {}
        raise PermissionDenied(why, code="denied_by_rule", data=data)

    def _linked_from(self, trees: Sequence[Subtree]) -> list[str]:
        """Return the files that stay and link to something that goes."""
        knowledge = self._storage.everything.knowledge
        knowledge.refresh()
        names = knowledge.names
        gone = {str(file) for tree in trees for file in tree.files}
        links = knowledge.links_named({link_key(path) for path in gone})
        found = {link.source for link in links if names.resolve(link.linkpath, link.source) in gone}
        return sorted(found - gone)

    # -- what is shown ------------------------------------------------------------------------------------------

    def _warnings(
        self, trees: Sequence["_Tree"], sources: list[str], where: TrashPlace, context: CallContext
    ) -> Iterator[str]:
        files = [file for tree in trees for file in tree.found.files]
        folders = [folder for tree in trees for folder in tree.found.folders]
        if where == "none" and not context.settings.patch_backup_enabled:
            yield (
                "Nothing of it will be kept: Obsidian is set to keep no trash, and backups are off "
                "(the setting 'patchBackupEnabled'). This cannot be undone"
            )
        if sources:
            it = "what is in it" if folders else "it"
            it = it if len(trees) == 1 else "what goes"
            verb = "links" if len(sources) == 1 else "link"
            denial = self._storage.closed()
            seen = [source for source in sources if denial is None or denial(source) is None]
            yield f"{counted(len(sources), 'note')} {verb} to {it}{_named(seen, len(sources))}"
        hidden = [str(file) for file in files if file.name.startswith(".")]
        if hidden and folders:
            verb = "goes" if len(hidden) == 1 else "go"
            yield f"{counted(len(hidden), 'hidden file')} {verb} with it{_named(hidden, len(hidden))}"
        listed = sum(min(len(tree.found.files), max(LISTED // len(trees), 1)) for tree in trees)
        if len(files) > listed:
            yield f"Only {listed:,} of the {len(files):,} files are listed here; all of them go"

    # -- what was done ------------------------------------------------------------------------------------------

    @staticmethod
    def report(applied: Applied) -> Output:
        """Report that it is gone, and where it is now."""
        plan = applied.plan
        if len(plan.subjects) > 1:
            return _gone(applied)
        path = plan.changes[-1].path  # the folder itself goes last
        data: dict[str, Any] = {
            "path": path,
            "trash": applied.disposal or "none",
            "files": sum(change.kind is ChangeKind.DELETE for change in plan.changes),
            "linkedFrom": plan.linked_from,
        }
        if applied.disposal is not None:
            return Output(data, f"Deleted '{path}' to trash.")
        undo = "It can be undone." if applied.backup else "It cannot be undone."
        return Output(data, f"Deleted '{path}' permanently: Obsidian is set to keep no trash. {undo}")


class DeletingTool(WriteTool[P]):
    """A tool that puts something into the trash.

    Args:
        storage: The vault.
        deletions: Plans what goes.
    """

    def __init__(self, storage: PlanningStorage, deletions: DeletionPlanner) -> None:
        self._storage = storage
        self._deletions = deletions

    def report(self, params: P, applied: Applied) -> Output:
        """Say that it is gone, and where it is now."""
        del params
        return self._deletions.report(applied)


class _Tree(NamedTuple):
    """One thing that goes.

    Attributes:
        place: Where it is, as spelled on disk.
        found: The file, or the folder with everything in it.
        is_folder: Whether it is a folder.
    """

    place: VaultPath
    found: Subtree
    is_folder: bool

    @property
    def name(self) -> str:
        """Return its path, a folder's with a final slash."""
        return f"{self.place}/" if self.is_folder else str(self.place)

    @property
    def all(self) -> Iterator[VaultPath]:
        """Yield everything that goes with it."""
        yield from self.found.files
        yield from self.found.folders


def _gone(applied: Applied) -> Output:
    """Report that several things are gone."""
    plan = applied.plan
    paths = [path.rstrip("/") for path in plan.subjects]
    data = {
        "paths": paths,
        "trash": applied.disposal or "none",
        "files": sum(change.kind is ChangeKind.DELETE for change in plan.changes),
        "linkedFrom": plan.linked_from,
    }
    where = "to trash" if applied.disposal is not None else "permanently: Obsidian is set to keep no trash"
    undo = "" if applied.disposal is not None else f". It can{'' if applied.backup else 'not'} be undone"
    return Output(data, f"Deleted {len(paths)} items: {some(paths)} {where}{undo}.")


def _goes(where: TrashPlace, count: int) -> str:
    return _GOES[where] if count == 1 else _GOES[where].replace("it goes", "they go", 1)


def _previews(tree: _Tree, shown: DeletionPreview) -> Iterator[FilePreview]:
    """Yield the folder, folded: itself with all that is not listed, then its files."""
    if tree.is_folder:
        yield FilePreview(path=str(tree.place), change="rmdir", removed=shown.unlisted_lines)
    yield from shown.previews


def _described(which: _Tree, total: int) -> str:
    if not which.is_folder:
        return str(which.place)
    place, tree = which.place, which.found
    inner = len(tree.folders) - 1
    inside = f" and {counted(inner, 'folder')}" if inner else ""
    if not tree.files:
        return f"the folder {place} ({counted(inner, 'folder')} in it)" if inner else f"the empty folder {place}"
    return f"the folder {place} with {counted(len(tree.files), 'file')}{inside} ({size(total)})"


def _named(paths: Sequence[str], count: int) -> str:
    """Return `: A.md, B.md, and 3 more`."""
    if not paths:
        return ""
    shown = ", ".join(paths[:NAMED])
    rest = count - len(paths[:NAMED])
    return f": {shown}, and {rest:,} more" if rest else f": {shown}"


class DeleteFileParams(SnakeCaseParams):
    """The file or folder to delete."""

    path: RequiredPath = Field(description="Path to the file or folder to delete, relative to the vault")


class DeleteFileTool(DeletingTool[DeleteFileParams]):
    """The tool that puts a file or folder into the trash."""

    spec = write_spec(
        name="delete_file",
        title="Delete file",
        action="delete/deleted {files|a file}",
        description=(
            "Delete a file, or a folder with all its contents. It goes to the trash that the user chose in Obsidian. "
            "The user sees what links to it and decides each time."
        ),
        icon="trash-2",
        parameters=DeleteFileParams,
        operation=Operation.DELETE,
        consent_class=ConsentClass.NEVER,
        id_prefix="delete",
    )

    def prepare(self, params: DeleteFileParams, context: CallContext) -> ChangePlan:
        """Plan what goes."""
        path = existing_path(params.path, self._storage)
        with not_found_as(f'File or folder not found: "{path}"'):
            return self._deletions.plan([path], context)
