"""Remove tag: a note gets rid of one (seed C, `RemoveTagParams`)."""

from collections.abc import Sequence

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.notes.body_tags import remove_tags, tag_places
from bridge.notes.markdown import parse_note
from bridge.notes.properties import check_tag, remove_tag
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool, discloses_content
from bridge.tools.notes.parameters import NoteName, NoteParams, Tag
from bridge.tools.notes.storage import NoteStorage
from bridge.tools.notes.writing import decoded, encoded, whole_note, written
from bridge.vault.plan import ChangePlan

_NAMED = 10


class RemoveTagParams(NoteParams):
    """Seed C's parameters, and whether the text counts."""

    name: NoteName = Field(description="Note name or wikilink")
    tag: Tag = Field(description="Tag to remove")
    include_body: bool = Field(default=False, description="Remove it from the text too, not only from the properties")


class RemoveTagTool(WriteTool[RemoveTagParams]):
    """Removes a tag.

    Args:
        storage: The notes.
    """

    name = "remove_tag"
    title = "Remove Tag"
    description = "Remove a tag from a note's properties, without reformatting them, and on request from its text."
    icon = "tag"
    parameters = RemoveTagParams
    operation = Operation.UPDATE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.SESSION
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "tag"

    def __init__(self, storage: NoteStorage) -> None:
        self._storage = storage

    def prepare(self, params: RemoveTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        tag = check_tag(params.tag)
        note, data = whole_note(self._storage, params.name)
        text = decoded(data)
        with discloses_content(note.location):
            new = remove_tag(text, tag)
        if params.include_body:
            new = remove_tags(new, tag)
        left = _lines(new, tag)
        where = f"in its text, line {', '.join(map(str, left[:_NAMED]))}{', ...' if left[_NAMED:] else ''}"
        if new == text:
            told = f"{note.location} has the tag #{tag} only {where}; set include_body to remove it there."
            if not left:
                told = f"{note.location} does not have the tag #{tag}."
            output = Output({"path": note.location, "tag": f"#{tag}", "removed": False, "body_lines": left}, told)
            return Unchanged((note.location,), f"Look at the tags of {note.location}", output)
        warnings = [f"The tag #{tag} is still {where}"] if left else []
        summary = f"Remove the tag #{tag} from {note.location}"
        return self._storage.plan_update(note, data, encoded(new), summary, warnings)

    def report(self, params: RemoveTagParams, applied: Applied) -> Output:
        """What was done."""
        tag = f"#{check_tag(params.tag)}"
        said = ". ".join([applied.plan.summary.replace("Remove ", "Removed ", 1), *applied.plan.warnings[-1:]])
        return written(applied, said, tag=tag, removed=True)


def _lines(text: str, tag: str) -> Sequence[int]:
    """The lines of the text that a tag stands in."""
    places = tag_places(parse_note(text, outline=False), tag)
    return list(dict.fromkeys(text.count("\n", 0, place.start) + 1 for place in places))
