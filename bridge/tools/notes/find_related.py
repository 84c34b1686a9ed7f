"""Find related: the notes near one, by links and shared tags (seed C, `FindRelatedParams` and `RelatedNote`)."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool
from bridge.tools.notes.parameters import NoteName, NoteParams, reading
from bridge.tools.notes.relating import related_notes
from bridge.tools.notes.storage import NoteStorage

MOST = 100
_MOST_RELATIONS = 10


class FindRelatedParams(NoteParams):
    """Seed C's parameters."""

    name: NoteName = Field(description="Note name or wikilink")
    limit: int = Field(default=10, ge=1, le=MOST, description="Maximum number of related notes to return")


class FindRelatedTool(ReadTool[FindRelatedParams]):
    """Lists the notes near one.

    Args:
        storage: The notes.
    """

    name = "find_related"
    title = "Find Related"
    description = "Notes related to one: those that link to it, that it links to, or that share tags, nearest first."
    icon = "network"
    parameters = FindRelatedParams
    operation = Operation.READ
    risk = RiskLevel.LOW
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL
    default_rate = 60

    def __init__(self, storage: NoteStorage) -> None:
        self._storage = storage

    def prepare(self, params: FindRelatedParams, context: CallContext) -> ReadEffect:
        """Check the reference."""
        del context
        return reading(self._storage, params.name, "Find the notes related to")

    def run(self, params: FindRelatedParams, context: CallContext) -> Output:
        """Relate."""
        del context
        note = self._storage.resolve(params.name)
        related = related_notes(self._storage, note)
        data = [
            {
                "name": self._storage.short_name(each.location),
                "path": each.location,
                "score": each.score,
                "relationship": each.relations[0]["relationship"],
                "relations": each.relations[:_MOST_RELATIONS],
            }
            for each in related[: params.limit]
        ]
        lines = [
            f"{each['score']:.2f} {each['path']} ({', '.join(_told(relation) for relation in each['relations'])})"
            for each in data
        ]
        if not related:
            lines.append(f"No note is related to {note.location!r} by links or tags.")
        elif len(related) > len(data):
            lines.append(f"[{len(data)} of {len(related)} related notes shown. Raise limit for more.]")
        metadata = {"total": len(related), "truncated": len(related) > len(data)}
        return Output(data, "\n".join(lines), metadata)


def _told(relation: dict[str, str]) -> str:
    words = {"backlink_from": "links to it", "forwardlink_to": "is linked from it"}
    return words.get(relation["relationship"]) or f"shares {relation['tag']}"
