"""The tool `update_note`: a note gets another text.

The whole text is replaced, with one exception: text without properties leaves those that the note has where they are.
An agent that read a note's text and gives it back changed would otherwise erase them without meaning to.
"""

from collections.abc import Iterator

from pydantic import Field

from bridge.notes.frontmatter import FrontmatterBlock, find_frontmatter
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.kinds import write_spec
from bridge.tools.notes.writing import NoteWriteTool, decoded, encoded, written
from bridge.tools.parameters import NoteName, SnakeCaseParams
from bridge.vault.edits import with_endings_of
from bridge.vault.plan import ChangePlan
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
        title="Update note",
        action="rewrite/rewrote {files|a note}",
        description=(
            "Replace the whole content of a note, given by name. The user sees the diff first. "
            "To change a part of it, apply_patch is safer."
        ),
        icon="file-pen",
        parameters=UpdateNoteParams,
        id_prefix="note",
    )

    def prepare(self, params: UpdateNoteParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        path, data = self._note(params.name)
        new, kept = rewritten(data, params.content, keep_properties=not params.replace_properties)
        if new == data:
            message = Output({"path": path}, f"No changes made: {path} already has this content.")
            return Unchanged(in_vault(path), f"Compare {path} with new content", message)
        summary = f"Update {path}" + (_KEPT if kept else "")
        return self._plan(path, data, new, summary, list(shrinking(data, new)), replaces=True)

    def report(self, params: UpdateNoteParams, applied: Applied) -> Output:
        """Report what was done."""
        del params
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
    """Return the content behind the old properties and the blank lines that follow them."""
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
