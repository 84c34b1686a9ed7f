"""The tools `add_tag` and `remove_tag`."""

from collections.abc import Sequence

from pydantic import Field

from bridge.notes.frontmatter import all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.note import Work
from bridge.notes.properties import add_tag, check_tag, remove_tag
from bridge.notes.tags import append_tag, remove_tags, tag_places
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.kinds import write_spec
from bridge.tools.notes.writing import NoteWriteTool, decoded, encoded, written
from bridge.tools.parameters import NoteName, SnakeCaseParams, Tag
from bridge.vault.paths import fold
from bridge.vault.plan import ChangePlan

_NAMED = 10


class AddTagParams(SnakeCaseParams):
    """The tag to add, and where it goes."""

    name: NoteName = Field(description="Note name or wikilink")
    tag: Tag = Field(description="Tag to add (e.g., 'important' or '#important')")
    in_body: bool = Field(
        default=False, description="Put the tag at the end of the text instead of into the properties"
    )


class AddTagTool(NoteWriteTool[AddTagParams]):
    """The tool that adds a tag."""

    spec = write_spec(
        name="add_tag",
        title="Add tag",
        action="tag/tagged {files|a note}[ with {tag}]",
        description="Add a tag to a note: into its properties, without reformatting them, or at the end of its text.",
        icon="tag",
        parameters=AddTagParams,
        id_prefix="tag",
    )

    def prepare(self, params: AddTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        tag = check_tag(params.tag)
        path, data = self._note(params.name)
        text = decoded(data)
        if has_tag(text, tag):
            message = Output({"path": path, "tag": f"#{tag}"}, f"{path} already has the tag #{tag}.")
            return Unchanged(in_vault(path), f"Look at the tags of {path}", message)
        new = with_tag(text, tag, in_body=params.in_body)
        return self._plan(path, data, encoded(new), f"Add the tag #{tag} to {path}")

    def report(self, params: AddTagParams, applied: Applied) -> Output:
        """Report what was done."""
        tag = f"#{check_tag(params.tag)}"
        return written(applied, applied.plan.summary.replace("Add ", "Added ", 1), tag=tag)


class RemoveTagParams(SnakeCaseParams):
    """The tag to remove, and whether to remove it from the text too."""

    name: NoteName = Field(description="Note name or wikilink")
    tag: Tag = Field(description="Tag to remove")
    include_body: bool = Field(default=False, description="Remove it from the text too, not only from the properties")


class RemoveTagTool(NoteWriteTool[RemoveTagParams]):
    """The tool that removes a tag."""

    spec = write_spec(
        name="remove_tag",
        title="Remove tag",
        action="remove/removed the tag[ {tag}] from {files|a note}",
        description="Remove a tag from a note's properties, without reformatting them, and on request from its text.",
        icon="tag",
        parameters=RemoveTagParams,
        id_prefix="tag",
    )

    def prepare(self, params: RemoveTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        tag = check_tag(params.tag)
        path, data = self._note(params.name)
        text = decoded(data)
        new = without_tag(text, tag, in_body=params.include_body)
        left = lines_with_tag(new, tag)
        where = f"in its text, line {', '.join(map(str, left[:_NAMED]))}{', ...' if left[_NAMED:] else ''}"
        if new == text:
            message = f"{path} has the tag #{tag} only {where}; set include_body to remove it there."
            if not left:
                message = f"{path} does not have the tag #{tag}."
            output = Output({"path": path, "tag": f"#{tag}", "removed": 0, "body_lines": left}, message)
            return Unchanged(in_vault(path), f"Look at the tags of {path}", output)
        warnings = [f"The tag #{tag} is still {where}"] if left else []
        summary = f"Remove the tag #{tag} from {path}"
        return self._plan(path, data, encoded(new), summary, warnings)

    def report(self, params: RemoveTagParams, applied: Applied) -> Output:
        """Report what was done."""
        tag = f"#{check_tag(params.tag)}"
        said = ". ".join([applied.plan.summary.replace("Remove ", "Removed ", 1), *applied.plan.warnings[-1:]])
        return written(applied, said, tag=tag)


def has_tag(text: str, tag: str) -> bool:
    """Return whether a note has a tag, in its properties or its text.

    Args:
        text: The note.
        tag: The tag, without `#`.
    """
    return fold(f"#{tag}") in map(fold, all_tags(parse_note(text, outline=False, work=Work.of_one_note())))


def with_tag(text: str, tag: str, *, in_body: bool) -> str:
    """Return a note with a tag that it does not have: in its properties, or at the end of its text (`in_body`)."""
    return append_tag(text, tag) if in_body else add_tag(text, tag)


def without_tag(text: str, tag: str, *, in_body: bool) -> str:
    """Return a note without a tag in its properties, and on request (`in_body`) without it in its text."""
    removed = remove_tag(text, tag)
    return remove_tags(removed, tag) if in_body else removed


def lines_with_tag(text: str, tag: str) -> Sequence[int]:
    """Return the lines of a note's text that a tag stands in."""
    places = tag_places(parse_note(text, outline=False, work=Work.of_one_note()), tag)
    return list(dict.fromkeys(text.count("\n", 0, place.start) + 1 for place in places))
