"""The tool `search_by_tags`: the notes that have some tags."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from bridge.notes.properties import check_tag
from bridge.toolkit.output_schema import TEXT, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, matching
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteLookup, NoteReadTool
from bridge.tools.notes.paging import listing, page
from bridge.tools.parameters import Cursor, SnakeCaseParams, Tag


class SearchByTagsParams(SnakeCaseParams):
    """The tags, and which page of the notes."""

    tags: Annotated[list[Tag], Field(min_length=1, max_length=50)] = Field(
        description="Tags, with or without #; a tag also finds those nested in it (#work finds #work/urgent)"
    )
    match: Literal["all", "any"] = Field(default="all", description="Whether a note must have all of the tags, or any")
    limit: int = Field(default=50, ge=1, le=1000, description="Maximum number of notes to return")
    cursor: Cursor | None = Field(default=None, description="The last answer's metadata.cursor, for the next page")


class SearchByTagsTool(NoteReadTool[SearchByTagsParams]):
    """The tool that lists the notes with some tags."""

    spec = read_spec(
        name="search_by_tags",
        title="Search by tags",
        action="look/looked for notes[ tagged {tags}][: {count:note}]",
        description="List the notes that have all (or any) of some tags, nested tags included.",
        icon="tags",
        parameters=SearchByTagsParams,
        output=a_list(members(name=TEXT, path=TEXT)),
        default_rate=60,
    )

    def prepare(self, params: SearchByTagsParams, context: CallContext) -> ReadEffect:
        """Check the tags."""
        del context
        tags = [f"#{check_tag(tag)}" for tag in params.tags]
        wanted = (" and " if params.match == "all" else " or ").join(tags)
        return ReadEffect(matching("**"), f"List the notes with {wanted}")

    def run(self, params: SearchByTagsParams, context: CallContext) -> Output:
        """Look the tags up."""
        found = with_tags(self._notes, params.tags, params.match)
        excluded = self._notes.storage.ignored(context.settings.ignore_patterns)
        paths = sorted(path for path in found if excluded is None or not excluded(path))
        shown = page(paths, str, params.cursor, params.limit)
        data = [{"name": self._notes.short_name(path), "path": path} for path in shown.items]
        what = f"No note has {params.match} of these tags. list_tags names those there are."
        return Output(data, listing(shown.items, shown, what), shown.metadata)


def with_tags(notes: NoteLookup, tags: Sequence[str], match: Literal["all", "any"]) -> set[str]:
    """Return the paths of the notes that have all of some tags, or any of them; nested tags count.

    Args:
        notes: Finds them.
        tags: With or without `#`; at least one.
        match: Whether all or any of them.

    Raises:
        InvalidParameters: One of them is no tag.
    """
    sets = [set(notes.knowledge.tagged(check_tag(tag))) for tag in tags]
    return set.intersection(*sets) if match == "all" else set.union(*sets)
