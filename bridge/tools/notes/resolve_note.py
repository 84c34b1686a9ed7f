"""The tool `resolve_note`: which note a name means."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool
from bridge.tools.notes.lookup import NoteLookup, note_wire, read_effect
from bridge.tools.parameters import NoteName, SnakeCaseParams

MOST_MATCHES = 50


class ResolveNoteParams(SnakeCaseParams):
    """The name."""

    name: NoteName = Field(
        description="Note name, wikilink, or path-qualified name, such as 'My Note', '[[My Note]]', 'projects/My Note'"
    )


class ResolveNoteTool(ReadTool[ResolveNoteParams]):
    """Tells which note is meant, or which ones might be.

    Args:
        notes: Finds them.
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

    def __init__(self, notes: NoteLookup) -> None:
        self._notes = notes

    def prepare(self, params: ResolveNoteParams, context: CallContext) -> ReadEffect:
        """Check the reference."""
        del context
        return read_effect(self._notes, params.name, "Find the note")

    def run(self, params: ResolveNoteParams, context: CallContext) -> Output:
        """Resolve it."""
        del context
        note = self._notes.resolve(params.name)
        matches = self._notes.find_matches(params.name)
        others = [match.path for match in matches if match.path != note.path]
        data = note_wire(note) | {
            "via": note.via,
            "part": note.reference.part or None,
            "matches": [match.to_wire() for match in matches[:MOST_MATCHES]],
        }
        lines = [note.path]
        if others:
            named = ", ".join(repr(other) for other in others[:MOST_MATCHES])
            lines.append(f"[Found by its {note.via}. The name also fits {named}.]")
        return Output(data, "\n".join(lines), {"total": len(matches)})
