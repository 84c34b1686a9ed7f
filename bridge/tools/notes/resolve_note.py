"""Resolve note: which note a name means (seed C, `NoteResolver.resolve` and `find_matches`)."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool
from bridge.tools.notes.parameters import NoteName, NoteParams, reading
from bridge.tools.notes.storage import NoteStorage

MOST_MATCHES = 50


class ResolveNoteParams(NoteParams):
    """Seed C's parameter."""

    name: NoteName = Field(
        description="Note name, wikilink, or path-qualified name, such as 'My Note', '[[My Note]]', 'projects/My Note'"
    )


class ResolveNoteTool(ReadTool[ResolveNoteParams]):
    """Tells which note is meant, or which ones might be.

    Args:
        storage: The notes.
    """

    name = "resolve_note"
    title = "Resolve Note"
    description = (
        "Find the one note that a name, wikilink or alias means. When several fit, they are listed and none is chosen."
    )
    icon = "locate"
    parameters = ResolveNoteParams
    operation = Operation.READ
    risk = RiskLevel.SAFE
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL
    default_rate = 100

    def __init__(self, storage: NoteStorage) -> None:
        self._storage = storage

    def prepare(self, params: ResolveNoteParams, context: CallContext) -> ReadEffect:
        """Check the reference."""
        del context
        return reading(self._storage, params.name, "Find the note")

    def run(self, params: ResolveNoteParams, context: CallContext) -> Output:
        """Resolve it."""
        del context
        note = self._storage.resolve(params.name)
        matches = self._storage.find_matches(params.name)
        others = [match.location for match in matches if match.location != note.location]
        data = note.to_wire() | {
            "via": note.via,
            "part": note.reference.part or None,
            "matches": [match.to_wire() for match in matches[:MOST_MATCHES]],
        }
        lines = [note.location]
        if others:
            named = ", ".join(repr(other) for other in others[:MOST_MATCHES])
            lines.append(f"[Found by its {note.via}. The name also fits {named}.]")
        return Output(data, "\n".join(lines), {"total": len(matches)})
