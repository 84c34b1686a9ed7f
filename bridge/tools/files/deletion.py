"""The tool `delete_file`, and the plan that it shares with the other tools that put something into the user's trash.

Large files are read in pieces, and the diffs together have an end, so that a folder of any size can be shown.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Literal

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass, FilePreview, Operation
from bridge.errors import InvalidParameters, PermissionDenied
from bridge.notes.names import link_key
from bridge.toolkit.tool import CallContext, Output, P
from bridge.tools.formatting import size, some
from bridge.tools.kinds import RequiredPath, SnakeCaseParams, VaultWriteTool, until, write_spec
from bridge.tools.paths import existing_path, not_found_as
from bridge.tools.storage import PlanningStorage
from bridge.vault.change_facts import binary_kind, lost_note
from bridge.vault.diff import binary_line
from bridge.vault.files import Subtree
from bridge.vault.paths import VaultPath, fold
from bridge.vault.plan import Applied, Change, ChangeKind, ChangePlan, preview
from bridge.vault.text import counted, describe_binary, is_text

NAMED = 10
"""Files that a warning names; the others it counts."""
LISTED = 1_000
"""Files of a folder that the question lists one by one."""
LARGEST = 1 << 20
"""Bytes of a file whose text is shown."""
MOST_TEXT = 1_000_000
"""Characters of all diffs together."""
_CHUNK = 1 << 20
_STEP = 500

TrashPlace = Literal["system", "local", "none"]
_GOES = {
    "system": "it goes to the system trash",
    "local": "it goes to .trash in the vault",
    "none": "it goes for good, as Obsidian is set to keep no trash",
}


class DeletingTool(VaultWriteTool[P]):
    """A tool that puts files or folders into the trash.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._clock = clock

    def report(self, _params: P, applied: Applied) -> Output:
        """Report that it is gone, and where it is now."""
        plan = applied.plan
        paths = [path.rstrip("/") for path in plan.subjects]
        single = len(paths) == 1
        data: dict[str, Any] = {"path": paths[0]} if single else {"paths": paths}
        data |= {
            "trash": applied.disposal or "none",
            "files": sum(change.kind is ChangeKind.DELETE for change in plan.changes),
            "linkedFrom": plan.linked_from,
        }
        what = f"'{paths[0]}'" if single else f"{len(paths)} items: {some(paths)}"
        undo = "It can be undone." if applied.backup else "It cannot be undone."
        where = "to trash." if applied.disposal else f"permanently: Obsidian is set to keep no trash. {undo}"
        return Output(data, f"Deleted {what} {where}")

    def _deletion(self, paths: Sequence[VaultPath], context: CallContext) -> ChangePlan:
        """Return the plan by which files and folders go, all of them in one change.

        Args:
            paths: Which, as the caller wrote them; each once, and none in another one.
            context: The call.

        Raises:
            NotFound: Nothing is there.
            InvalidParameters: It is the vault itself, a link, or a folder that holds one; or one is named twice.
            PermissionDenied: It is a dot-folder or holds one, or something in it is closed to tools.
            DeadlineExceeded: It is too much to be read in time.
        """
        trees = [self._tree(path, len(paths)) for path in paths]
        together = [file for tree in trees for file in (*tree.found.files, *tree.found.folders)]
        if len(set(map(str, together))) < len(together):
            raise InvalidParameters(
                "A file or folder is named twice, or lies in another one that is named; name it once"
            )
        where: TrashPlace = self._storage.app_settings.trash_option
        for tree in trees:
            self._read(tree, context)
        sources = self._linked_from({str(file) for tree in trees for file in tree.found.files})
        what = [tree.description for tree in trees[:NAMED]]
        more = [f"{len(trees) - NAMED:,} more"] if len(trees) > NAMED else []
        goes = _GOES[where] if len(trees) == 1 else _GOES[where].replace("it goes", "they go", 1)
        return ChangePlan(
            operation=Operation.DELETE,
            summary=f"Delete {', '.join([*what, *more])}: {goes}",
            changes=tuple(change for tree in trees for change in tree.changes),
            blobs={},
            previews=tuple(shown for tree in trees for shown in tree.previews),
            warnings=tuple(self._warnings(trees, sources, where, context)),
            disposal=None if where == "none" else where,
            linked_from=len(sources),
            about=tuple(tree.name for tree in trees) if any(tree.is_folder for tree in trees) else (),
        )

    def _tree(self, path: VaultPath, of: int) -> "_Tree":
        """Return one file, or a folder with all that is in it; one of so many things that go."""
        if not path.parts:
            raise InvalidParameters("The path names the vault itself, which cannot be deleted; name a folder in it")
        is_folder = self._storage.is_folder(path)
        place = self._real(path)
        self._refuse_closed(place, place)
        found = Subtree((), (place,))
        if is_folder:
            found = self._storage.subtree(place, lambda each: self._refuse_closed(each, place))
        return _Tree(place, found, is_folder=is_folder, of=of)

    def _read(self, tree: "_Tree", context: CallContext) -> None:
        """Read all files that go."""
        late = f"{str(tree.place)!r} holds too much to be read in time; delete it in several parts"
        check = until(self._clock, context, late)
        for number, path in enumerate(tree.found.files):
            check()
            with self._storage.open(path) as file:
                tree.add(path, file)
            if number % _STEP == _STEP - 1:
                context.progress(number + 1, len(tree.found.files), f"Reading {tree.place}")

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

    def _linked_from(self, gone: set[str]) -> list[str]:
        """Return the files that stay and link to a file that goes."""
        knowledge = self._storage.everything.knowledge
        knowledge.refresh()
        names = knowledge.names
        links = knowledge.links_named({link_key(path) for path in gone})
        found = {link.source for link in links if names.resolve(link.linkpath, link.source) in gone}
        return sorted(found - gone)

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
        listed = sum(min(len(tree.found.files), tree.listed) for tree in trees)
        if len(files) > listed:
            yield f"Only {listed:,} of the {len(files):,} files are listed here; all of them go"


class _Tree:
    """One file or folder that goes, with all that is in it, as a person is shown it.

    Args:
        place: Where it is, as spelled on disk.
        found: The file, or the folder with everything in it.
        is_folder: Whether it is a folder.
        of: Among how many of these the files that are listed, and the characters of all diffs, are shared.

    Attributes:
        place: As given.
        found: As given.
        is_folder: As given.
        listed: The most files that are shown one by one.
        size: Bytes of all files that were added.
    """

    def __init__(self, place: VaultPath, found: Subtree, *, is_folder: bool, of: int) -> None:
        self.place, self.found, self.is_folder = place, found, is_folder
        self.listed = max(LISTED // of, 1)
        self.size = 0
        self._room = MOST_TEXT // of
        self._hashes: list[tuple[VaultPath, str]] = []
        self._shown: list[FilePreview] = []
        self._unlisted_lines = 0

    def add(self, path: VaultPath, file: BinaryIO) -> None:
        """Take in one of its files.

        Args:
            path: The file, as spelled on disk, links resolved.
            file: Its bytes.
        """
        first = file.read(LARGEST + 1)
        digest, lines, length = hashlib.sha256(first), first.count(b"\n"), len(first)
        last = first
        while length > LARGEST and (piece := file.read(_CHUNK)):
            digest.update(piece)
            lines += piece.count(b"\n")
            length += len(piece)
            last = piece
        lines += not last.endswith(b"\n") and length > 0
        self._hashes.append((path, digest.hexdigest()))
        self.size += length
        if not is_text(first):
            lines = 0
        if len(self._shown) < self.listed:
            self._shown.append(self._preview(str(path), first, length, lines))
        else:
            self._unlisted_lines += lines

    def _preview(self, name: str, first: bytes, length: int, lines: int) -> FilePreview:
        if not is_text(first):
            return FilePreview(
                path=name,
                change="delete",
                diff=binary_line(f"{name} ({describe_binary(first, name)[0]}, {length} bytes)", "/dev/null"),
                note=lost_note(binary_kind(name, first, length), deleted=True),
            )
        if length <= min(LARGEST, self._room):
            shown = preview(Change(ChangeKind.DELETE, name), first, None)
            self._room -= len(shown.diff)
            return shown
        return FilePreview(path=name, change="delete", removed=lines, truncated=True)

    @property
    def name(self) -> str:
        """Return its path, a folder's with a final slash."""
        return f"{self.place}/" if self.is_folder else str(self.place)

    @property
    def changes(self) -> Iterator[Change]:
        """Yield the changes by which it goes."""
        for file, digest in self._hashes:
            yield Change(ChangeKind.DELETE, str(file), before=digest)
        for folder in reversed(self.found.folders):
            yield Change(ChangeKind.RMDIR, str(folder))

    @property
    def previews(self) -> Iterator[FilePreview]:
        """Yield the folder, folded: itself with all that is not listed, then its files."""
        if self.is_folder:
            yield FilePreview(path=str(self.place), change="rmdir", removed=self._unlisted_lines)
        yield from self._shown

    @property
    def description(self) -> str:
        """Return what it is, for the question."""
        if not self.is_folder:
            return str(self.place)
        inner = len(self.found.folders) - 1
        folders = counted(inner, "folder")
        if not self.found.files:
            return f"the folder {self.place} ({folders} in it)" if inner else f"the empty folder {self.place}"
        inside = f" and {folders}" if inner else ""
        return f"the folder {self.place} with {counted(len(self.found.files), 'file')}{inside} ({size(self.size)})"


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
        action="delete/deleted {files|a file}",
        description="Delete a file, or a folder with all its contents. It goes to the trash that the user chose in "
        "Obsidian. The user sees what links to it and decides each time.",
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
            return self._deletion([path], context)
