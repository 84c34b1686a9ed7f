"""Add tag: a note gets one more (seed C, `AddTagParams`)."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.notes.body_tags import append_tag
from bridge.notes.frontmatter import all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.properties import add_tag, check_tag
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool, discloses_content
from bridge.tools.notes.parameters import NoteName, NoteParams, Tag
from bridge.tools.notes.storage import NoteStorage
from bridge.tools.notes.writing import decoded, encoded, whole_note, written
from bridge.vault.name_folding import fold
from bridge.vault.plan import ChangePlan


class AddTagParams(NoteParams):
    """Seed C's parameters, and where the tag goes."""

    name: NoteName = Field(description="Note name or wikilink")
    tag: Tag = Field(description="Tag to add (e.g., 'important' or '#important')")
    in_body: bool = Field(
        default=False, description="Put the tag at the end of the text instead of into the properties"
    )


class AddTagTool(WriteTool[AddTagParams]):
    """Adds a tag.

    Args:
        storage: The notes.
    """

    name = "add_tag"
    title = "Add Tag"
    description = "Add a tag to a note: into its properties, without reformatting them, or at the end of its text."
    icon = "tag"
    parameters = AddTagParams
    operation = Operation.UPDATE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.SESSION
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "tag"

    def __init__(self, storage: NoteStorage) -> None:
        self._storage = storage

    def prepare(self, params: AddTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        tag = check_tag(params.tag)
        note, data = whole_note(self._storage, params.name)
        text = decoded(data)
        if fold(f"#{tag}") in map(fold, all_tags(parse_note(text, outline=False))):
            told = Output({"path": note.location, "tag": f"#{tag}"}, f"{note.location} already has the tag #{tag}.")
            return Unchanged((note.location,), f"Look at the tags of {note.location}", told)
        with discloses_content(note.location):
            new = append_tag(text, tag) if params.in_body else add_tag(text, tag)
        return self._storage.plan_update(note, data, encoded(new), f"Add the tag #{tag} to {note.location}")

    def report(self, params: AddTagParams, applied: Applied) -> Output:
        """What was done."""
        tag = f"#{check_tag(params.tag)}"
        return written(applied, applied.plan.summary.replace("Add ", "Added ", 1), tag=tag)
