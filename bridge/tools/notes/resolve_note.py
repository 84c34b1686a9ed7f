"""The tool `resolve_note`: which note a name means."""

from pydantic import Field

from bridge.contract.consent import RiskLevel
from bridge.toolkit.tool import CallContext, Output, ReadEffect
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteReadTool, note_wire
from bridge.tools.parameters import NoteName, SnakeCaseParams

MOST_MATCHES = 50


class ResolveNoteParams(SnakeCaseParams):
    """The name."""

    name: NoteName = Field(
        description="Note name, wikilink, or path-qualified name, such as 'My Note', '[[My Note]]', 'projects/My Note'"
    )


class ResolveNoteTool(NoteReadTool[ResolveNoteParams]):
    """The tool that tells which note is meant, or which ones might be."""

    spec = read_spec(
        name="resolve_note",
        title="Resolve note",
        action="look/looked for {name|a note}",
        description=(
            "Find the one note that a name, wikilink or alias means. When several fit, they are listed and "
            "none is chosen."
        ),
        icon="locate",
        parameters=ResolveNoteParams,
        risk=RiskLevel.SAFE,
    )

    def prepare(self, params: ResolveNoteParams, context: CallContext) -> ReadEffect:
        """Check the reference."""
        del context
        return self._effect(params.name, "Find the note")

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
