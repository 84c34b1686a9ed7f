"""The tools `add_tag` and `remove_tag`."""

from collections.abc import Sequence

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.notes.body_tags import append_tag, remove_tags, tag_places
from bridge.notes.frontmatter import all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.properties import add_tag, check_tag, remove_tag
from bridge.toolkit.disclosure import discloses_content
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.writing import decoded, encoded, plan_update, whole_note, written
from bridge.tools.parameters import NoteName, SnakeCaseParams, Tag
from bridge.tools.storage import PlanningStorage
from bridge.vault.name_folding import fold
from bridge.vault.plan import ChangePlan

_NAMED = 10


class AddTagParams(SnakeCaseParams):
    """Which tag, and where it goes."""

    name: NoteName = Field(description="Note name or wikilink")
    tag: Tag = Field(description="Tag to add (e.g., 'important' or '#important')")
    in_body: bool = Field(
        default=False, description="Put the tag at the end of the text instead of into the properties"
    )


class AddTagTool(WriteTool[AddTagParams]):
    """Adds a tag.

    Args:
        storage: The vault.
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

    def __init__(self, storage: PlanningStorage) -> None:
        self._storage = storage
        self._notes = NoteLookup(storage)

    def prepare(self, params: AddTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        tag = check_tag(params.tag)
        note, data = whole_note(self._notes, params.name)
        text = decoded(data)
        if fold(f"#{tag}") in map(fold, all_tags(parse_note(text, outline=False))):
            message = Output({"path": note.path, "tag": f"#{tag}"}, f"{note.path} already has the tag #{tag}.")
            return Unchanged((note.path,), f"Look at the tags of {note.path}", message)
        with discloses_content(note.path):
            new = append_tag(text, tag) if params.in_body else add_tag(text, tag)
        return plan_update(self._storage, note.path, (data, encoded(new)), f"Add the tag #{tag} to {note.path}")

    def report(self, params: AddTagParams, applied: Applied) -> Output:
        """What was done."""
        tag = f"#{check_tag(params.tag)}"
        return written(applied, applied.plan.summary.replace("Add ", "Added ", 1), tag=tag)


class RemoveTagParams(SnakeCaseParams):
    """Which tag, and whether to remove it from the text too."""

    name: NoteName = Field(description="Note name or wikilink")
    tag: Tag = Field(description="Tag to remove")
    include_body: bool = Field(default=False, description="Remove it from the text too, not only from the properties")


class RemoveTagTool(WriteTool[RemoveTagParams]):
    """Removes a tag.

    Args:
        storage: The vault.
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

    def __init__(self, storage: PlanningStorage) -> None:
        self._storage = storage
        self._notes = NoteLookup(storage)

    def prepare(self, params: RemoveTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        tag = check_tag(params.tag)
        note, data = whole_note(self._notes, params.name)
        text = decoded(data)
        with discloses_content(note.path):
            new = remove_tag(text, tag)
        if params.include_body:
            new = remove_tags(new, tag)
        left = _lines(new, tag)
        where = f"in its text, line {', '.join(map(str, left[:_NAMED]))}{', ...' if left[_NAMED:] else ''}"
        if new == text:
            message = f"{note.path} has the tag #{tag} only {where}; set include_body to remove it there."
            if not left:
                message = f"{note.path} does not have the tag #{tag}."
            output = Output({"path": note.path, "tag": f"#{tag}", "removed": False, "body_lines": left}, message)
            return Unchanged((note.path,), f"Look at the tags of {note.path}", output)
        warnings = [f"The tag #{tag} is still {where}"] if left else []
        summary = f"Remove the tag #{tag} from {note.path}"
        return plan_update(self._storage, note.path, (data, encoded(new)), summary, warnings)

    def report(self, params: RemoveTagParams, applied: Applied) -> Output:
        """What was done."""
        tag = f"#{check_tag(params.tag)}"
        said = ". ".join([applied.plan.summary.replace("Remove ", "Removed ", 1), *applied.plan.warnings[-1:]])
        return written(applied, said, tag=tag, removed=True)


def _lines(text: str, tag: str) -> Sequence[int]:
    """The lines of the text that a tag stands in."""
    places = tag_places(parse_note(text, outline=False), tag)
    return list(dict.fromkeys(text.count("\n", 0, place.start) + 1 for place in places))
