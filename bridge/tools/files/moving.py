"""The tools `move_file` and `organize_note`, and their plan: files or folders move, and every link follows."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass, Operation
from bridge.errors import Ambiguous, Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.notes.rewriting import Relocation
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.files.link_keeping import SOURCES, KeptLinks, LinkKeeper, broken_sentence, closed_file, followed_data
from bridge.tools.formatting import UNLINKABLE
from bridge.tools.kinds import RequiredDestination, RequiredSource, SnakeCaseParams, VaultWriteTool, write_spec
from bridge.tools.paths import existing_path, note_path, vault_path
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.files import Obstacle
from bridge.vault.paths import VaultPath, fold, parse_path, protected, unsafe_name
from bridge.vault.plan import Applied, ChangeKind, ChangePlan, PlanBuilder, content_hash
from bridge.vault.text import CHUNK, counted

MOST_FILES = 20_000
"""Files that one call moves."""

MOST_NAMED = 3
"""Moves that the question's sentence names."""

_PROGRESS_EVERY = 50


@dataclass(slots=True)
class MoveSet:
    """The content of a move: one file, or a folder with everything in it. All of it is movable, or nothing moves.

    Attributes:
        source: The file or folder.
        target: Where it goes.
        is_folder: Whether it is a folder.
        files: The files that go along, or the one.
        folders: The folders, each before those in it; the source itself first of all.
    """

    source: VaultPath
    target: VaultPath
    is_folder: bool
    files: list[VaultPath] = field(default_factory=list)
    folders: list[VaultPath] = field(default_factory=list)

    def place(self, path: VaultPath) -> VaultPath:
        """Return where something of it goes."""
        return VaultPath(self.target.parts + path.parts[len(self.source.parts) :])

    def fill(self, storage: PlanningStorage, look: Callable[[VaultPath], None]) -> None:
        """Find everything that goes along.

        Args:
            storage: The vault.
            look: Called with each path; raises when it must not be moved.

        Raises:
            InvalidParameters: Something in the folder cannot be moved, or it is too much for one call.
            PermissionDenied: There is a dot-folder in it (`protected`).
            ExecutionFailed: A folder cannot be read.
        """
        look(self.source)
        if not self.is_folder:
            self.files.append(self.source)
            return

        def check(path: VaultPath) -> None:
            look(path)
            parse_path(str(self.place(path)))  # its path may be too long there

        tree = storage.subtree(self.source, check, _refusal, MOST_FILES)
        if len(tree.files) > MOST_FILES:
            raise InvalidParameters(
                f'"{self.source}" holds more than {MOST_FILES:,} files; move the folders in it one by one'
            )
        self.files += tree.files
        self.folders += tree.folders


class MovePlanner(LinkKeeper):
    """The planner of moves, with which all links follow."""

    def plan(self, moves: Sequence[tuple[VaultPath, VaultPath]], context: CallContext) -> ChangePlan | None:
        """Return the plan that moves files and folders, all of them in one change.

        Args:
            moves: What, and where to, as the caller wrote it.
            context: The call.

        Returns:
            None when all of it is there already.

        Raises:
            NotFound: There is nothing to move.
            Ambiguous: Several things have that name.
            Conflict: Something has that place (`exists`).
            InvalidParameters: It cannot be moved there, or something in it cannot be moved.
            PermissionDenied: A dot-folder is concerned, or a file that the user has closed.
            DeadlineExceeded: It takes too long.
        """
        sets = self._move_sets(moves, context)
        if not sets:
            return None
        builder, kept = self._storage.plan(), KeptLinks()
        places = {str(path): str(moved.place(path)) for moved in sets for path in moved.files}
        if len(set(places.values())) < sum(len(moved.files) for moved in sets):
            raise InvalidParameters("Two of the moves are of the same file, or to the same place; put them into one")
        whole = {str(moved.source): str(moved.target) for moved in sets if moved.is_folder}
        moving = self.moving(dict(places), whole)
        for moved in sets:
            self._move(builder, moved, moving, kept, context)
        others = [path for path in self.sources(moving, [*places, *places.values()]) if path not in places]
        self.follow(builder, moving, others, kept, context)
        for moved in sets:
            for folder in reversed(moved.folders) if not _is_respelling(moved) else ():
                builder.rmdir(folder)
        if bad := [character for character in UNLINKABLE if any(character in moved.target.name for moved in sets)]:
            kept.warnings.insert(0, f"Obsidian cannot follow links to a name with {' '.join(bad)} in it")
        summary = f"Move {_listed(sets)}{kept.sentence}"
        about = [f"{path}{'/' * moved.is_folder}" for moved in sets for path in (moved.source, moved.target)]
        return builder.build(Operation.UPDATE, summary, kept.warnings, about=about if whole else [], broken=kept.broken)

    def _move_sets(self, moves: Sequence[tuple[VaultPath, VaultPath]], context: CallContext) -> list[MoveSet]:
        """Return what moves where, with everything that goes along; without what is there already."""
        sets = [moved for move in moves if (moved := self._move_set(*move)) is not None]
        closed = self.closed()

        def look(path: VaultPath) -> None:
            self.check(context)
            if closed(str(path)):
                raise closed_file()

        for moved in sets:
            moved.fill(self._storage, look)
        return sets

    def _move_set(self, source: VaultPath, target: VaultPath) -> MoveSet | None:
        """Return what moves where; None when it is there already."""
        if not source.parts or not target.parts:
            raise InvalidParameters("The vault itself cannot be moved or replaced; name a file or folder in it")
        if fold(source.name) != fold(target.name):
            self._storage.check_new_name(target.name)
        try:
            is_folder = self._storage.is_folder(source)
            real = self._storage.resolve(source)
        except NotFound:
            raise NotFound(f'Source not found: "{source}"', wanted=str(source)) from None
        taken = self._is_taken(target)
        if target in {source, real}:
            return None
        if self._storage.everything.resolve(source.parent) != real.parent or fold(source.name) != fold(real.name):
            raise InvalidParameters(f'"{source}" is a symbolic link; move what it leads to, "{real}"')
        try:
            place = self._storage.resolve_new(target, moving=real)
        except Conflict as conflict:
            if not taken:
                raise
            raise Conflict(f'Destination already exists: "{target}"', code="exists", data=conflict.data) from None
        if place == real:
            return None
        self._is_taken(place)
        if place.parts[: len(real.parts)] == real.parts:
            raise InvalidParameters(f'Cannot move "{real}" into itself ("{place}"); choose a place outside it')
        return MoveSet(real, place, is_folder)

    def _is_taken(self, path: VaultPath) -> bool:
        """Return whether something is there. Refuses what the user has closed, whether anything is there or not."""
        try:
            return exists(self._storage, path)
        except Ambiguous:
            return True

    # -- the steps ------------------------------------------------------------------------------------------------

    def _move(
        self, builder: PlanBuilder, moved: MoveSet, moving: Relocation, kept: KeptLinks, context: CallContext
    ) -> None:
        """Move everything to its place.

        Where a folder's new name differs from its old one in spelling only, they are one name to some disks: then
        everything goes by way of another folder.
        """
        stop = moved
        if _is_respelling(moved):
            stop = MoveSet(moved.source, self._free(moved.source), is_folder=True)
            for folder in moved.folders:
                builder.mkdir(stop.place(folder))
            for path in moved.files:
                builder.move(path, stop.place(path), self._hash(path))
            for folder in reversed(moved.folders):
                builder.rmdir(folder)
        for folder in moved.folders:
            builder.mkdir(moved.place(folder))
        for number, path in enumerate(moved.files):
            self.check(context)
            if number % _PROGRESS_EVERY == 0 and len(moved.files) > _PROGRESS_EVERY:
                context.progress(number, len(moved.files), "Looking at the files that move")
            digest, edited = self._content(path, moving, kept)
            builder.move(path if stop is moved else stop.place(path), moved.place(path), digest, edited)
        if stop is not moved:
            for folder in reversed(moved.folders):
                builder.rmdir(stop.place(folder))

    def _content(self, path: VaultPath, moving: Relocation, kept: KeptLinks) -> tuple[str, tuple[bytes, bytes] | None]:
        """Return a file's hash, and its bytes now and then when its own links change."""
        if path.name.startswith(".") or path.suffix.lower() not in SOURCES:
            return self._hash(path), None
        data, _stat = self._storage.read(path)
        new = self.rewrite(str(path), data, moving, kept)
        return content_hash(data), None if new is None else (data, new)

    def _hash(self, path: VaultPath) -> str:
        """Return the hash of a file's bytes, read in pieces."""
        digest = hashlib.sha256()
        with self._storage.open(path) as stream:
            while piece := stream.read(CHUNK):
                digest.update(piece)
        return digest.hexdigest()

    def _free(self, path: VaultPath) -> VaultPath:
        """Return a name beside a folder that nothing has."""
        names = (f"{path.name[:50]} (moving {number})" for number in count(1))
        places = map(path.parent.child, names)
        return next(place for place in places if not exists(self._storage.everything, place))


def _listed(sets: Sequence[MoveSet]) -> str:
    """Describe what moves where, for the question: all of a few."""
    moves = [
        f"{moved.source} to {moved.target}" + (f" ({counted(len(moved.files), 'file')})" if moved.is_folder else "")
        for moved in sets[:MOST_NAMED]
    ]
    more = [f"{len(sets) - MOST_NAMED} more"] if len(sets) > MOST_NAMED else []
    return ", ".join([*moves, *more])


def _is_respelling(moved: MoveSet) -> bool:
    return moved.is_folder and fold(str(moved.source)) == fold(str(moved.target))


def _refusal(path: VaultPath, obstacle: Obstacle) -> ToolFailure:
    """Return the failure that says why something cannot go along, so that nothing is moved."""
    if obstacle is Obstacle.DOT_FOLDER:
        return protected(path)
    reason = {Obstacle.NAME: unsafe_name(path.name), Obstacle.LINK: "it is a symbolic link"}.get(obstacle)
    return InvalidParameters(
        f"{str(path)!r} cannot be moved along: {reason or 'it is not a file'}; move the other things one by one"
    )


class MoveFileParams(SnakeCaseParams):
    """The file or folder, and where to move it."""

    source: RequiredSource = Field(description="Path to the file or folder to move")
    destination: RequiredDestination = Field(
        description="New path for the file or folder, its name included; missing folders are made"
    )


class MoveFileTool(VaultWriteTool[MoveFileParams]):
    """The tool that moves a file or folder.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="move_file",
        action="move/moved {source|a file}[ to {destination}]",
        description="Move or rename a file or folder. Links in all notes, properties and canvases follow, in one "
        "change with one undo; the user sees each of them first. Never overwrites.",
        icon="folder-input",
        parameters=MoveFileParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="move",
        timeout=300.0,
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._moves = MovePlanner(storage, clock)

    def prepare(self, params: MoveFileParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the move and every link that follows."""
        note = isinstance(params, OrganizeNoteParams)
        source = existing_path(params.source, self._storage, "source", note=note)
        target = (note_path if note else vault_path)(params.destination, self._storage, "destination")
        plan = self._moves.plan([(source, target)], context)
        if plan is not None:
            return plan
        message = f'No changes made: source and destination are the same path ("{target}").'
        data = {"source": str(target), "destination": str(target), "files": 0, "updated": [], "updatedCount": 0}
        output = Output(data | {"broken": [], "brokenCount": 0}, message)
        return Unchanged(in_vault(str(target)), f'Look whether "{target}" exists', output)

    def report(self, _params: MoveFileParams, applied: Applied) -> Output:
        """Report where it went, and which notes changed for it."""
        plan = applied.plan
        moves = [change for change in plan.changes if change.kind is ChangeKind.MOVE]
        here, *_, there = (path.rstrip("/") for path in plan.subjects)
        # Where a folder went by way of another one, only the whole way counts.
        arrived = {change.new_path for change in moves} - {change.path for change in moves}
        data = {"source": here, "destination": there, "files": len(arrived)}
        return Output(data | followed_data(plan), f'Moved "{here}" to "{there}".' + broken_sentence(plan))


class OrganizeNoteParams(MoveFileParams):
    """The note to move, and its destination."""

    source: RequiredSource = Field(description="Current path of the note")
    destination: RequiredDestination = Field(
        description="New path of the note, its name included; missing folders are made"
    )


class OrganizeNoteTool(MoveFileTool):
    """The tool that moves a note: as a file is moved, but `.md` may be left out."""

    spec = write_spec(
        name="organize_note",
        action="move/moved {source|a note}[ to {destination}]",
        description="Rename or move a note; .md is added where missing. Links in all notes, properties and canvases "
        "follow, in one change with one undo; the user sees each of them first. Never overwrites.",
        icon="folder-tree",
        parameters=OrganizeNoteParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="organize",
        timeout=300.0,
    )
