"""Moves of what is no file: headings, tags, properties, sections and the texts of notes, by the tools made for each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from bridge.clock import Clock
from bridge.errors import InvalidParameters
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged
from bridge.tools.everyday.merge_notes import MergeNotesTool
from bridge.tools.everyday.rename_heading import RenameHeadingTool
from bridge.tools.everyday.rename_property import RenamePropertyTool
from bridge.tools.everyday.rename_tag import RenameTagTool
from bridge.tools.everyday.split_note import SplitNoteTool
from bridge.tools.storage import PlanningStorage
from bridge.vault.plan import ChangePlan
from bridge.vault.text import is_note

What = Literal["file", "heading", "tag", "property", "section", "merge"]

NAMED_AFTER: Final[Mapping[str, str]] = {
    "heading": "rename_heading",
    "tag": "rename_tag",
    "property": "rename_property",
    "section": "split_note",
    "merge": "merge_notes",
}
"""The tool whose work a move is, by what is moved."""

_Maker = RenameHeadingTool | RenameTagTool | RenamePropertyTool | SplitNoteTool | MergeNotesTool

Pairs = Sequence[tuple[str, str]]
"""Sources and destinations, as a caller named them."""


class NamedMoves:
    """The planning and the reports of moves of what is no file.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._tools: Mapping[str, _Maker] = {
            "heading": RenameHeadingTool(storage, clock),
            "tag": RenameTagTool(storage, clock),
            "property": RenamePropertyTool(storage, clock),
            "section": SplitNoteTool(storage, clock),
            "merge": MergeNotesTool(storage, clock),
        }

    def prepare(self, what: str, pairs: Pairs, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the moves. Raises what the tool raises whose work it is, and InvalidParameters."""
        maker = self._tools[what]
        return maker.prepare(maker.spec.parameters.parse(_arguments(what, pairs)), context)

    def report(self, what: str, pairs: Pairs, applied: Applied) -> Output:
        """Return what was done."""
        maker = self._tools[what]
        return maker.report(maker.spec.parameters.parse(_arguments(what, pairs)), applied)


def _arguments(what: str, pairs: Pairs) -> dict[str, Any]:
    """Return the moves as the arguments of the tool whose work they are."""
    source, destination = pairs[0]
    if what in {"section", "merge"}:
        if any(other != destination for _, other in pairs):
            raise InvalidParameters(f"With what={what}, all moves of a call go to the same destination")
        sources = [each for each, _ in pairs]
        if what == "section":
            return _sections(sources, destination)
        return {"sources": sources, "target": destination}
    if len(pairs) > 1:
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
