"""The tools `move` and `delete`: what has a name moves, is renamed or goes into the trash, in one change.

Moves of what is no file (headings, tags, properties, sections, the texts of notes) are made by the tools for each.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass, Operation
from bridge.errors import InvalidParameters, NotFound
from bridge.toolkit.parameters import respelled
from bridge.toolkit.tool import AGENT, CallContext, Output, Unchanged, WriteTool, in_vault
from bridge.tools.everyday.merging import MergeNotesTool, SplitNoteTool
from bridge.tools.everyday.renaming import RenameHeadingTool, RenamePropertyTool, RenameTagTool
from bridge.tools.files.deletion import DeletingTool
from bridge.tools.files.link_keeping import MOST_LISTED, broken_sentence, followed_data
from bridge.tools.files.moving import MovePlanner
from bridge.tools.kinds import MOST_FILES, PathText, Several, SnakeCaseParams, by_kind, write_spec
from bridge.tools.paths import NOTE, existing_path, vault_path
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import Applied, ChangeKind, ChangePlan
from bridge.vault.text import counted, is_note

_Maker = RenameHeadingTool | RenameTagTool | RenamePropertyTool | SplitNoteTool | MergeNotesTool

What = Literal["file", "heading", "tag", "property", "section", "merge"]

_MAKERS: Final[Mapping[str, type[_Maker]]] = {
    "heading": RenameHeadingTool,
    "tag": RenameTagTool,
    "property": RenamePropertyTool,
    "section": SplitNoteTool,
    "merge": MergeNotesTool,
}
"""The tools whose work moves of what is no file are, by what is moved."""
NAMED_AFTER: Final[Mapping[str, str]] = {what: tool.spec.name for what, tool in _MAKERS.items()}


def _arguments(params: "MoveParams") -> dict[str, Any]:
    """Return the moves as the arguments of the tool whose work they are."""
    what, source, destination = params.what, params.moves[0].source, params.moves[0].destination
    sources = [move.source for move in params.moves]
    if what in {"section", "merge"}:
        if any(move.destination != destination for move in params.moves):
            raise InvalidParameters(f"With what={what}, all moves of a call go to the same destination")
        return _sections(sources, destination) if what == "section" else {"sources": sources, "target": destination}
    if len(sources) > 1:
        raise InvalidParameters(f"With what={what}, a call has one move; for several, use a draft")
    if what == "tag":
        return {"tag": source, "new_tag": destination}
    if what == "property":
        return {"property": source, "new_name": destination}
    note, heading = _in_note(source)
    return {"path": note, "heading": heading, "new_heading": destination.lstrip("#")}


def _sections(sources: Sequence[str], folder: str) -> dict[str, Any]:
    if is_note(folder):
        raise InvalidParameters("destination is the folder of the new note, which is called like its heading")
    parts = [_in_note(source) for source in sources]
    if len({note for note, _ in parts}) > 1:
        raise InvalidParameters("With what=section, all moves of a call are of one note")
    return {"path": parts[0][0], "headings": [heading for _, heading in parts], "folder": folder}


def _in_note(source: str) -> tuple[str, str]:
    """Return the note and the heading that a source names.

    Raises:
        InvalidParameters: It names no heading.
    """
    bare = source.strip().removeprefix("[[").removesuffix("]]")
    note, mark, heading = bare.partition("#")
    if not mark or not note.strip() or not heading.strip():
        raise InvalidParameters(f"{source!r} names no heading; write 'Note#Heading'")
    return note, heading


_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}\Z")
"""An extension that a name may end in, so that `.md` is not added: `v1.2 notes` has none."""


class Move(SnakeCaseParams):
    """One move."""

    source: PathText = Field(description="Path, name or wikilink")
    destination: PathText = Field(description="New path; or a folder ending with '/'")


class MoveParams(SnakeCaseParams):
    """The things to move, and their destinations."""

    moves: Annotated[list[Move], Several] = Field(min_length=1, max_length=MOST_FILES)
    what: What = Field(
        default="file",
        description="heading: 'Note#Heading' gets new text; tag, property: in all notes; section: 'Note#Heading' "
        "becomes a note in a folder; merge: into another note",
    )

    @model_validator(mode="before")
    @classmethod
    def _single(cls, sent: Any) -> Any:
        """Accept one move that is sent without the list."""
        if isinstance(sent, dict) and "moves" not in sent:
            rest = {name: value for name, value in sent.items() if name != "what"}
            return {"moves": [respelled(Move, rest)]} | ({"what": sent["what"]} if "what" in sent else {})
        return sent


_FILE = frozenset({"move", "move_file"})


def _acts(params: MoveParams, paths: Sequence[str]) -> Iterator[frozenset[str]]:
    if params.what != "file":
        return iter([frozenset({"move", NAMED_AFTER[params.what]})])
    return by_kind(paths, _FILE | {"organize_note"}, _FILE)


class MoveTool(WriteTool[MoveParams]):
    """The tool that moves files and folders, and renames what else has a name.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="move",
        action="move/moved {files|files}",
        description="Move or rename notes, files, folders, headings, tags or properties; split and merge notes. Links "
        "follow. Never overwrites.",
        icon="folder-input",
        parameters=MoveParams,
        consent_class=ConsentClass.NEVER,
        timeout=300.0,
        presets=frozenset({AGENT}),
        replaces=frozenset({"move_file", "organize_note", *NAMED_AFTER.values()}),
        acts=_acts,
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._moves = MovePlanner(storage, clock)
        self._makers = {what: maker(storage, clock) for what, maker in _MAKERS.items()}

    def prepare(self, params: MoveParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the moves and every link that follows."""
        if params.what != "file":
            maker = self._makers[params.what]
            return maker.prepare(maker.spec.parameters.parse(_arguments(params)), context)
        for move in params.moves:  # what is wrong with a destination alone is said before anything is looked at
            vault_path(move.destination, self._storage, "destination")
        pairs = [self._pair(move) for move in params.moves]
        plan = self._moves.plan(pairs, context)
        if plan is not None:
            return plan
        paths = [str(target) for _, target in pairs]
        output = Output({"moved": [], "updatedCount": 0}, "No changes made: everything is where it should go.")
        return Unchanged(in_vault(*paths), f"Look whether {', '.join(paths)} exists", output)

    def report(self, params: MoveParams, applied: Applied) -> Output:
        """Report what went where, and how many notes changed for it."""
        if params.what != "file":
            maker = self._makers[params.what]
            return maker.report(maker.spec.parameters.parse(_arguments(params)), applied)
        plan = applied.plan
        moved = {change.path: change.new_path for change in plan.changes if change.kind is ChangeKind.MOVE}
        arrived = {source: target for source, target in moved.items() if source not in moved.values()}
        names = [path.rstrip("/") for path in plan.subjects]
        shown = counted(len(arrived), "file")
        if len(names) == 2:  # noqa: PLR2004 - one thing and its place
            shown = f'{f"{shown} " if len(arrived) > 1 else ""}to "{names[-1]}"'
        listed = [{"source": source, "destination": target} for source, target in arrived.items()][:MOST_LISTED]
        data = {"moved": listed} | followed_data(plan)
        updated = data["updatedCount"]
        follows = f" Links in {counted(updated, 'note')} follow." if updated else ""
        return Output(data, f"Moved {shown}.{follows}" + broken_sentence(plan))

    def _pair(self, move: Move) -> tuple[VaultPath, VaultPath]:
        source = existing_path(move.source, self._storage, "source")
        target = vault_path(move.destination, self._storage, "destination")
        if move.destination.strip().endswith("/") or not target.parts or self._is_another_folder(target, source):
            return source, target.child(source.name)
        if is_note(source.name) and not _EXTENSION.search(target.name):
            target = parse_path(f"{target}{NOTE}")
        return source, target

    def _is_another_folder(self, target: VaultPath, source: VaultPath) -> bool:
        """Return whether there is a folder at the destination already, into which the thing then goes."""
        with suppress(NotFound):
            return self._storage.is_folder(target) and self._storage.resolve(target) != self._storage.resolve(source)
        return False


class DeleteParams(SnakeCaseParams):
    """The files and folders to delete."""

    paths: Annotated[list[PathText], Several] = Field(
        min_length=1, max_length=MOST_FILES, description="By path, name or wikilink"
    )


_DELETES = frozenset({"delete", "delete_file"})


class DeleteTool(DeletingTool[DeleteParams]):
    """The tool that puts files and folders into the trash."""

    spec = write_spec(
        name="delete",
        action="delete/deleted {files|files}",
        description="Delete notes, files or folders, into the user's trash.",
        icon="trash-2",
        parameters=DeleteParams,
        operation=Operation.DELETE,
        consent_class=ConsentClass.NEVER,
        presets=frozenset({AGENT}),
        replaces=frozenset({"delete_file", "delete_note"}),
        acts=lambda _params, paths: by_kind(paths, _DELETES | {"delete_note"}, _DELETES),
    )

    def prepare(self, params: DeleteParams, context: CallContext) -> ChangePlan:
        """Plan what goes."""
        places = []
        for name in params.paths:
            path = existing_path(name, self._storage)
            self._storage.is_folder(path)
            places.append(path)
        return self._deletion(places, context)
