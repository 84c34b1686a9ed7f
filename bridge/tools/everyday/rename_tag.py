"""The tool `rename_tag`: a tag, with those nested in it, gets another name in the whole vault, in one change."""

from functools import partial

from pydantic import Field

from bridge.contract.consent import ConsentClass
from bridge.errors import NotFound
from bridge.notes.properties import check_tag
from bridge.notes.tags import rename_tag, renamed
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.everyday.many_notes import EverywhereTool
from bridge.tools.formatting import counted
from bridge.tools.kinds import SnakeCaseParams, Tag, write_spec
from bridge.vault.plan import ChangePlan


class RenameTagParams(SnakeCaseParams):
    """The tag, and its new name."""

    tag: Tag = Field(description="The tag; tags nested in it are renamed along")
    new_tag: Tag = Field(description="Its new name; where it exists already, the two become one")


class RenameTagTool(EverywhereTool[RenameTagParams]):
    """The tool that renames a tag."""

    spec = write_spec(
        name="rename_tag",
        title="Rename tag",
        action="rename/renamed the tag[ {tag}][ to {new_tag}]",
        description="Rename a tag, with those nested in it, in the properties and text of all notes.",
        icon="tags",
        parameters=RenameTagParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="rename",
        timeout=300.0,
    )

    def prepare(self, params: RenameTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the tag in every note."""
        from bridge.bases.following import TagFollower  # noqa: PLC0415 - a start is faster without

        old, new = check_tag(params.tag), check_tag(params.new_tag)
        knowledge = self._storage.knowledge
        knowledge.refresh()
        paths = list(knowledge.tagged(old))
        if not paths:
            raise NotFound(f"No note has the tag #{old}; query with list_tags lists those there are")
        builder = self._storage.plan()
        edit = partial(rename_tag, old=old, new=new)
        changed, left = self._notes.edit(builder, paths, edit, context, TagFollower(old, new))
        if not changed:
            message = Output({"updated": [], "updatedCount": 0, "left": left}, f"Nothing to rename to #{new}.")
            return Unchanged(in_vault(*paths), f"Look at the notes with the tag #{old}", message)
        warnings = list(left)
        both = [] if renamed(new, old, new) else knowledge.tagged(new)
        if both:
            warnings.insert(0, f"{counted(len(both), 'note')} had the tag #{new} before, so the two become one")
        summary = f"Rename the tag #{old} to #{new} in {changed}"
        return builder.build(self.spec.operation, summary, warnings)
