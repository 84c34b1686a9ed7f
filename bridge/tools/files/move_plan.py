"""The plan of a move: of a file, or of a folder with everything in it, and of every link that must follow."""

from bridge.contract.consent import Operation
from bridge.errors import Ambiguous, Conflict, InvalidParameters, NotFound
from bridge.notes.rewriting import Relocation
from bridge.toolkit.tool import CallContext
from bridge.tools.files.formatting import counted
from bridge.tools.files.link_keeping import SOURCES, Kept, LinkKeeper, closed_file
from bridge.tools.files.move_set import Load
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.name_folding import fold
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash

_UNLINKABLE = "#^[]|"
_TOLD_EVERY = 50


class Mover:
    """Plans moves.

    Args:
        services: What the tools are built from.
    """

    def __init__(self, services: ToolServices) -> None:
        self._seen = services.files
        self._files = VaultFiles(services.files.root)
        self._root = services.files.root
        self._keeper = LinkKeeper(services)

    def plan(self, source: VaultPath, target: VaultPath, context: CallContext) -> ChangePlan | None:
        """The plan that moves a file or folder.

        Args:
            source: What, as the caller wrote it.
            target: Where to, likewise.
            context: The call.

        Returns:
            None when it is there already.

        Raises:
            NotFound: There is nothing to move.
            Ambiguous: Several things have that name.
            Conflict: Something has that place (`exists`).
            InvalidParameters: It cannot be moved there, or something in it cannot be moved.
            PermissionDenied: A dot-folder is concerned, or a file that the user has closed.
            DeadlineExceeded: It takes too long.
        """
        load = self._load(source, target)
        if load is None:
            return None
        closed = self._keeper.closed()

        def look(path: VaultPath) -> None:
            self._keeper.check(context)
            if closed(str(path)):
                raise closed_file()

        load.fill(self._root, look)
        self._keeper.settle()
        builder, kept = PlanBuilder(self._root), Kept()
        moves: dict[str, str | None] = {str(path): str(load.place(path)) for path in load.files}
        moving = self._keeper.moving(moves)
        self._move(builder, load, moving, kept, context)
        touched = [*moves, *(str(load.place(path)) for path in load.files)]
        others = [path for path in self._keeper.sources(moving, touched) if path not in moves]
        for found in self._keeper.rewritten(moving, others, kept, context):
            builder.modify(parse_path(found.path), found.old, found.new)
        for folder in reversed(load.folders) if not _is_respelling(load) else ():
            builder.rmdir(folder)
        if bad := [character for character in _UNLINKABLE if character in load.target.name]:
            kept.warnings.insert(0, f"Obsidian cannot follow links to a name with {' '.join(bad)} in it")
        count = f" ({counted(len(load.files), 'file')})" if load.is_folder else ""
        summary = f"Move {load.source} to {load.target}{count}{kept.sentence}"
        return builder.build(Operation.UPDATE, summary, kept.warnings)

    def _load(self, source: VaultPath, target: VaultPath) -> Load | None:
        """What moves where; None when it is there already."""
        if not source.parts or not target.parts:
            raise InvalidParameters("The vault itself cannot be moved or replaced; name a file or folder in it")
        try:
            is_folder = self._seen.is_folder(source)
            real = self._root.resolve(source)
            self._seen.is_folder(real)
        except NotFound:
            raise NotFound(f'Source not found: "{source}"') from None
        taken = self._is_taken(target)
        if target in {source, real}:
            return None
        if self._root.resolve(source.parent) != real.parent or fold(source.name) != fold(real.name):
            raise InvalidParameters(f'"{source}" is a symbolic link; move what it leads to, "{real}"')
        try:
            place = self._root.resolve_new(target, moving=real)
        except Conflict as conflict:
            if not taken:
                raise
            raise Conflict(f'Destination already exists: "{target}"', code="exists", data=conflict.data) from None
        if place == real:
            return None
        self._is_taken(place)
        if place.parts[: len(real.parts)] == real.parts:
            raise InvalidParameters(f'Cannot move "{real}" into itself ("{place}"); choose a place outside it')
        return Load(real, place, is_folder)

    def _is_taken(self, path: VaultPath) -> bool:
        """Whether something is there. Refuses what the user has closed, whether anything is there or not."""
        try:
            return self._seen.exists(path)
        except Ambiguous:
            return True

    # -- the steps ------------------------------------------------------------------------------------------------

    def _move(self, builder: PlanBuilder, load: Load, moving: Relocation, kept: Kept, context: CallContext) -> None:
        """Everything to its place.

        Where a folder's new name differs from its old one in spelling only, they are one name to some disks: then
        everything goes by way of another folder.
        """
        stop = load
        if _is_respelling(load) and load.is_folder:
            stop = Load(load.source, self._free(load.source), is_folder=True)
            for folder in load.folders:
                builder.mkdir(stop.place(folder))
            for path in load.files:
                builder.move(path, stop.place(path), self._files.hash(path))
            for folder in reversed(load.folders):
                builder.rmdir(folder)
        for folder in load.folders:
            builder.mkdir(load.place(folder))
        for number, path in enumerate(load.files):
            self._keeper.check(context)
            if number % _TOLD_EVERY == 0 and len(load.files) > _TOLD_EVERY:
                context.progress(number, len(load.files), "Looking at the files that move")
            digest, edited = self._content(path, moving, kept)
            builder.move(path if stop is load else stop.place(path), load.place(path), digest, edited)
        if stop is not load:
            for folder in reversed(load.folders):
                builder.rmdir(stop.place(folder))

    def _content(self, path: VaultPath, moving: Relocation, kept: Kept) -> tuple[str, tuple[bytes, bytes] | None]:
        """A file's hash, and its bytes now and then when its own links change."""
        if path.name.startswith(".") or path.suffix.lower() not in SOURCES:
            return self._files.hash(path), None
        data, _stat = self._files.read(path)
        found = self._keeper.rewrite(str(path), data, moving, kept)
        return content_hash(data), None if found is None else (found.old, found.new)

    def _free(self, path: VaultPath) -> VaultPath:
        """A name beside a folder that nothing has."""
        number = 1
        while self._files.exists(place := path.parent.child(f"{path.name[:50]} (moving {number})")):
            number += 1
        return place


def _is_respelling(load: Load) -> bool:
    return load.is_folder and fold(str(load.source)) == fold(str(load.target))
