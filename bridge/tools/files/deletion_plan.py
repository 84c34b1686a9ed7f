"""The plan that deletes a file, or a folder with everything in it, into the trash that the user chose."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from bridge.clock import Clock
from bridge.contract.consent import FilePreview, Operation
from bridge.errors import DeadlineExceeded, InvalidParameters, PermissionDenied
from bridge.notes.names import link_key, split_link
from bridge.toolkit.tool import Applied, CallContext, Output
from bridge.tools.files.deletion_preview import DeletionPreview
from bridge.tools.formatting import counted, size
from bridge.tools.storage import PlanningStorage
from bridge.vault.name_folding import fold
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Change, ChangeKind, ChangePlan
from bridge.vault.subtree import Subtree

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
    """Plans deletions, and reports those that were made.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def plan(self, path: VaultPath, context: CallContext) -> ChangePlan:
        """Plan that a file or folder goes.

        Args:
            path: Which, as the caller wrote it.
            context: The call.

        Raises:
            NotFound: Nothing is there.
            InvalidParameters: It is the vault itself, a link, or a folder that holds one.
            PermissionDenied: It is a dot-folder or holds one, or something in it is closed to tools.
            DeadlineExceeded: It is too much to be read in time.
        """
        if not path.parts:
            raise InvalidParameters("The path names the vault itself, which cannot be deleted; name a folder in it")
        is_folder = self._storage.is_folder(path)
        place = self._real(path)
        self._refuse_closed(place, place)
        tree = Subtree((), (place,))
        if is_folder:
            tree = self._storage.subtree(place, lambda found: self._refuse_closed(found, place))
        where: TrashPlace = self._storage.app_settings.trash_option
        shown = DeletionPreview(self._storage, listed=LISTED)
        for number, file in enumerate(tree.files):
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded(f"{str(place)!r} holds too much to be read in time; delete it in several parts")
            shown.add(file)
            if number % _STEP == _STEP - 1:
                context.progress(number + 1, len(tree.files), f"Reading {place}")
        sources = self._linked_from(tree)
        changes = [Change(ChangeKind.DELETE, str(file), before=digest) for file, digest in shown.hashes]
        changes += [Change(ChangeKind.RMDIR, str(folder)) for folder in reversed(tree.folders)]
        what = _described(place, tree, shown.size) if is_folder else str(place)
        return ChangePlan(
            operation=Operation.DELETE,
            summary=f"Delete {what}: {_GOES[where]}",
            changes=tuple(changes),
            blobs={},
            previews=tuple(_previews(place, tree, shown)),
            warnings=tuple(self._warnings(tree, sources, where, context)),
            disposal=None if where == "none" else where,
            linked_from=len(sources),
        )

    # -- what goes ----------------------------------------------------------------------------------------------

    def _real(self, path: VaultPath) -> VaultPath:
        """Where the path really leads. A link at its end is no file: deleting it would delete another."""
        everything = self._storage.everything
        place, parent = everything.resolve(path), everything.resolve(path.parent)
        if self._storage.is_link(path) or place.parent != parent or fold(place.name) != fold(path.name):
            raise InvalidParameters(
                f"{str(path)!r} is a link to {str(place)!r}. Give that path to delete what it leads to, "
                "or ask the user to remove the link"
            )
        return place

    def _refuse_closed(self, path: VaultPath, place: VaultPath) -> None:
        """What may not be seen may not go, and is not named either."""
        denial = self._storage.closed()
        rule = None if denial is None else denial(str(path))
        if rule is None:
            return
        if path == place:
            why, data = f"{str(place)!r} may not be read: {rule.why}", {"rule": rule.name}
        else:
            why, data = f"{str(place)!r} holds something that the user has closed, so it cannot be deleted", {}
        raise PermissionDenied(why, code="denied_by_rule", data=data)

    def _linked_from(self, tree: Subtree) -> list[str]:
        """The files outside it that link to something in it."""
        knowledge = self._storage.everything.knowledge
        knowledge.refresh()
        names = knowledge.names
        gone = set(map(str, tree.files))
        links = knowledge.links_named({link_key(path) for path in gone})
        found = {link.source for link in links if names.resolve(split_link(link.link)[0], link.source) in gone}
        return sorted(found - gone)

    # -- what is shown ------------------------------------------------------------------------------------------

    def _warnings(self, tree: Subtree, sources: list[str], where: TrashPlace, context: CallContext) -> Iterator[str]:
        if where == "none" and not context.settings.patch_backup_enabled:
            yield (
                "Nothing of it will be kept: Obsidian is set to keep no trash, and backups are off "
                "(the setting 'patchBackupEnabled'). This cannot be undone"
            )
        if sources:
            it = "what is in it" if tree.folders else "it"
            verb = "links" if len(sources) == 1 else "link"
            denial = self._storage.closed()
            seen = [source for source in sources if denial is None or denial(source) is None]
            yield f"{counted(len(sources), 'note')} {verb} to {it}{_named(seen, len(sources))}"
        hidden = [str(file) for file in tree.files if file.name.startswith(".")]
        if hidden and tree.folders:
            verb = "goes" if len(hidden) == 1 else "go"
            yield f"{counted(len(hidden), 'hidden file')} {verb} with it{_named(hidden, len(hidden))}"
        if len(tree.files) > LISTED:
            yield f"Only {LISTED:,} of the {len(tree.files):,} files are listed here; all of them go"

    # -- what was done ------------------------------------------------------------------------------------------

    @staticmethod
    def report(applied: Applied) -> Output:
        """That it is gone, and where it is now."""
        plan = applied.plan
        path = plan.changes[-1].path  # the folder itself goes last
        data: dict[str, Any] = {
            "path": path,
            "trash": applied.disposal or "none",
            "files": sum(change.kind is ChangeKind.DELETE for change in plan.changes),
            "linkedFrom": plan.linked_from,
            "backup": applied.backup,
        }
        if applied.disposal is not None:
            return Output(data, f"Deleted '{path}' to trash.")
        undo = "It can be undone." if applied.backup else "It cannot be undone."
        return Output(data, f"Deleted '{path}' permanently: Obsidian is set to keep no trash. {undo}")


def _previews(place: VaultPath, tree: Subtree, shown: DeletionPreview) -> Iterator[FilePreview]:
    """The folder, folded: itself with all that is not listed, then its files."""
    if tree.folders:
        yield FilePreview(path=str(place), change="rmdir", removed=shown.unlisted_lines)
    yield from shown.previews


def _described(place: VaultPath, tree: Subtree, total: int) -> str:
    inner = len(tree.folders) - 1
    inside = f" and {counted(inner, 'folder')}" if inner else ""
    if not tree.files:
        return f"the folder {place} ({counted(inner, 'folder')} in it)" if inner else f"the empty folder {place}"
    return f"the folder {place} with {counted(len(tree.files), 'file')}{inside} ({size(total)})"


def _named(paths: Sequence[str], count: int) -> str:
    """`: A.md, B.md, and 3 more`."""
    if not paths:
        return ""
    shown = ", ".join(paths[:NAMED])
    rest = count - len(paths[:NAMED])
    return f": {shown}, and {rest:,} more" if rest else f": {shown}"
