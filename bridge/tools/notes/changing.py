"""The tools that change one note, given by name: `update_note`, `add_tag`, `remove_tag` and `delete_note`.

`update_note` replaces the whole text, with one exception: text without properties leaves those that the note has where
they are. An agent that read a note's text and gives it back changed would otherwise erase them without meaning to.
"""

from collections.abc import Iterator

from pydantic import Field

from bridge.contract.consent import ConsentClass, Operation
from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import FrontmatterBlock, all_tags, find_frontmatter
from bridge.notes.parts import LONGEST
from bridge.notes.properties import add_tag, check_tag, remove_tag
from bridge.notes.tags import append_tag, remove_tags, tag_places
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.files.deletion import DeletingTool
from bridge.tools.joining import parsed
from bridge.tools.kinds import NoteName, SnakeCaseParams, Tag, write_spec
from bridge.tools.notes.lookup import NoteLookup, NoteWriteTool, decoded, encoded, written
from bridge.vault.edits import with_endings_of
from bridge.vault.paths import fold, parse_path
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import encode

MOST_CHARACTERS = 16_000_000
SHRINKS = 20
"""Lines that a note may have and lose without a warning; of a longer one, half of them."""

_KEPT = ", keeping its properties"


class UpdateNoteParams(SnakeCaseParams):
    """The note, and its new text."""

    name: NoteName = Field(description="Note name or wikilink to update")
    content: str = Field(
        max_length=MOST_CHARACTERS,
        description="New content in Markdown format; it replaces all of the note, "
        "but the note's properties (frontmatter) are kept when it does not begin with its own",
    )
    replace_properties: bool = Field(
        default=False, description="Remove the note's properties when the content has none, instead of keeping them"
    )


class UpdateNoteTool(NoteWriteTool[UpdateNoteParams]):
    """The tool that replaces a note's text."""

    spec = write_spec(
        name="update_note",
        action="rewrite/rewrote {files|a note}",
        description="Replace the whole content of a note, given by name. The user sees the diff first. To change a "
        "part of it, apply_patch is safer.",
        icon="file-pen",
        parameters=UpdateNoteParams,
        id_prefix="note",
    )

    def prepare(self, params: UpdateNoteParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        path, data = self._note(params.name)
        new, kept = rewritten(data, params.content, keep_properties=not params.replace_properties)
        if new == data:
            message = Output({"path": path}, f"No changes made: {path} already has this content.")
            return Unchanged(in_vault(path), f"Compare {path} with new content", message)
        summary = f"Update {path}" + (_KEPT if kept else "")
        return self._changed(parse_path(path), data, new, summary, list(shrinking(data, new)), replaces=True)

    def report(self, _params: UpdateNoteParams, applied: Applied) -> Output:
        """Report what was done."""
        kept = _KEPT in applied.plan.summary
        return written(applied, applied.plan.summary.replace("Update ", "Updated ", 1), kept_properties=kept)


def rewritten(data: bytes, content: str, *, keep_properties: bool = True) -> tuple[bytes, bool]:
    """Return a note with another text.

    Args:
        data: Its bytes.
        content: The text that replaces all of it.
        keep_properties: Whether the note's properties stay where the content does not begin with its own.

    Returns:
        Its new bytes, and whether its properties were kept.
    """
    encode(content)  # refused, where no file can hold it
    old = decoded(data)
    block = find_frontmatter(old) if keep_properties and not find_frontmatter(content) else None
    return with_endings_of(data, encoded(_with_head(old, content, block) if block else content)), block is not None


def _with_head(old: str, content: str, block: FrontmatterBlock) -> str:
    """Return the content after the old properties and the blank lines that follow them."""
    end = old.find("\n", block.end) + 1 or len(old)
    head, body = old[:end], old[end:]
    if not head.endswith("\n") and content:
        head += "\n"
    if content and not content.startswith(("\n", "\r\n")):
        head += body[: len(body) - len(body.lstrip("\r\n"))]
    return (head if "\r\n" in content else head.replace("\r\n", "\n")) + content


def shrinking(old: bytes, new: bytes) -> Iterator[str]:
    """Yield what a person should know, beside the diff, about a text that shrinks."""
    lines = [data.count(b"\n") + (not data.endswith(b"\n") and bool(data)) for data in (old, new)]
    if lines[0] > SHRINKS and lines[1] * 2 < lines[0]:
        yield f"The note shrinks from {lines[0]} lines to {lines[1]}"


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
        action="tag/tagged {files|a note}[ with {tag}]",
        description="Add a tag to a note: into its properties, without reformatting them, or at the end of its text.",
        icon="tag",
        parameters=AddTagParams,
        id_prefix="tag",
    )

    def prepare(self, params: AddTagParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        tag = check_tag(params.tag)
        path, data = self._note(params.name)
        text = decoded(data)
        if has_tag(text, tag):
            message = Output({"path": path, "tag": f"#{tag}"}, f"{path} already has the tag #{tag}.")
            return Unchanged(in_vault(path), f"Look at the tags of {path}", message)
        new = with_tag(text, tag, in_body=params.in_body)
        return self._changed(parse_path(path), data, encoded(new), f"Add the tag #{tag} to {path}")

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
        action="remove/removed the tag[ {tag}] from {files|a note}",
        description="Remove a tag from a note's properties, without reformatting them, and on request from its text.",
        icon="tag",
        parameters=RemoveTagParams,
        id_prefix="tag",
    )

    def prepare(self, params: RemoveTagParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        tag = check_tag(params.tag)
        path, data = self._note(params.name)
        text = decoded(data)
        new = without_tag(text, tag, in_body=params.include_body)
        places = tag_places(parsed(new), tag)
        left = list(dict.fromkeys(new.count("\n", 0, place.start) + 1 for place in places))
        where = f"in its text, line {', '.join(map(str, left[:_NAMED]))}{', ...' if left[_NAMED:] else ''}"
        if new == text:
            message = f"{path} has the tag #{tag} only {where}; set include_body to remove it there."
            if not left:
                message = f"{path} does not have the tag #{tag}."
            output = Output({"path": path, "tag": f"#{tag}", "removed": 0, "body_lines": left}, message)
            return Unchanged(in_vault(path), f"Look at the tags of {path}", output)
        warnings = [f"The tag #{tag} is still {where}"] if left else []
        summary = f"Remove the tag #{tag} from {path}"
        return self._changed(parse_path(path), data, encoded(new), summary, warnings)

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
    return fold(f"#{tag}") in map(fold, all_tags(parsed(text)))


def with_tag(text: str, tag: str, *, in_body: bool) -> str:
    """Return a note with a tag that it does not have: in its properties, or at the end of its text (`in_body`)."""
    return append_tag(text, tag) if in_body else add_tag(text, tag)


def without_tag(text: str, tag: str, *, in_body: bool) -> str:
    """Return a note without a tag in its properties, and on request (`in_body`) without it in its text."""
    removed = remove_tag(text, tag)
    return remove_tags(removed, tag) if in_body else removed


class DeleteNoteParams(SnakeCaseParams):
    """The note to delete."""

    name: str = Field(min_length=1, max_length=LONGEST, description="Note name or wikilink to delete")


class DeleteNoteTool(DeletingTool[DeleteNoteParams]):
    """The tool that puts the one note that a name means into the trash. Where several fit, none is chosen."""

    spec = write_spec(
        name="delete_note",
        action="delete/deleted {files|a note}",
        description="Delete a note by its name, path or wikilink. It goes to the trash that the user chose in "
        "Obsidian. The user sees what links to it and decides each time.",
        icon="trash-2",
        parameters=DeleteNoteParams,
        operation=Operation.DELETE,
        consent_class=ConsentClass.NEVER,
        id_prefix="delete",
    )

    def prepare(self, params: DeleteNoteParams, context: CallContext) -> ChangePlan:
        """Find the note and plan that it goes."""
        note = NoteLookup(self._storage).resolve(params.name, certain=True)
        if note.reference.part:
            raise InvalidParameters(
                f"{params.name!r} names a part of {note.path!r}, and only a whole note can be deleted; give the "
                "note alone, or remove the part with edit_file",
                data={"path": note.path, "part": note.reference.part},
            )
        return self._deletion([parse_path(note.path)], context)
