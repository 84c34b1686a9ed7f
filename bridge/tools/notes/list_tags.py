"""The tool `list_tags`: every tag of the vault."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from pydantic import Field

from bridge.index.knowledge import TagCount
from bridge.toolkit.output_schema import TEXT, WHOLE, a_list, members, perhaps
from bridge.toolkit.tool import CallContext, Output, ReadEffect, matching
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteLookup, NoteReadTool
from bridge.tools.notes.paging import listing, page
from bridge.tools.parameters import Cursor, SnakeCaseParams
from bridge.vault.paths import fold


class ListTagsParams(SnakeCaseParams):
    """The page of the list."""

    limit: int = Field(default=500, ge=1, le=10_000, description="Maximum number of tags to return")
    cursor: Cursor | None = Field(default=None, description="The last answer's metadata.cursor, for the next page")


@dataclass(frozen=True, slots=True)
class TagInfo:
    """One tag.

    Attributes:
        tag: With `#`, in the casing seen first.
        count: The number of notes that have it, or one nested in it.
        parent: The tag it is nested in; None for one that is in none.
        own: The number of notes that have just it.
        uses: The number of times it is written, in all notes together.
    """

    tag: str
    count: int
    parent: str | None
    own: int
    uses: int


class ListTagsTool(NoteReadTool[ListTagsParams]):
    """The tool that lists tags."""

    spec = read_spec(
        name="list_tags",
        title="List tags",
        action="list/listed the tags[: {count:tag}]",
        description="List all tags with the number of notes that have them; a nested tag also counts for its parents.",
        icon="tag",
        parameters=ListTagsParams,
        output=a_list(members(tag=TEXT, count=WHOLE, parent=perhaps(TEXT))),
        default_rate=60,
    )

    def prepare(self, params: ListTagsParams, context: CallContext) -> ReadEffect:
        """Return what it reads; there is nothing to check."""
        del params, context
        return ReadEffect(matching("**"), "List the tags of all notes")

    def run(self, params: ListTagsParams, context: CallContext) -> Output:
        """Count."""
        return listed_tags(self._notes, context, params.limit, params.cursor)


def listed_tags(notes: NoteLookup, context: CallContext, limit: int, cursor: str | None) -> Output:
    """Return a page of all tags with their counts.

    Args:
        notes: Finds them.
        context: The call.
        limit: The most to return.
        cursor: Where to go on.

    Raises:
        InvalidParameters: There is nothing at the cursor.
    """
    tags = tag_infos(notes, notes.storage.ignored(context.settings.ignore_patterns))
    shown = page(tags, lambda info: info.tag, cursor, limit)
    data = [asdict(info) for info in shown.items]
    lines = [f"{info.tag} ({info.count})" for info in shown.items]
    return Output(data, listing(lines, shown, "No note has a tag."), shown.metadata)


def tag_infos(notes: NoteLookup, excluded: Callable[[str], bool] | None) -> list[TagInfo]:
    """Return every tag and every parent of one, the most used first, then by name.

    Args:
        notes: Finds them.
        excluded: The notes that do not count; None when all do.
    """
    counted = notes.knowledge.tags() if excluded is None else _counted(notes, excluded)
    own = {fold(count.tag): count for count in counted}
    spelled = {key: count.tag for key, count in own.items()}
    parents: set[str] = set()
    for nested in counted:
        parts = nested.tag.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            if parent != "#":
                spelled.setdefault(fold(parent), parent)
                parents.add(fold(parent))
    infos = []
    for key, tag in spelled.items():
        count = own.get(key)
        own_notes = count.notes if count else 0
        total = own_notes
        if key in parents:
            total = sum(1 for path in notes.knowledge.tagged(tag) if excluded is None or not excluded(path))
        infos.append(TagInfo(tag, total, spelled.get(key.rpartition("/")[0]), own_notes, count.uses if count else 0))
    return sorted(infos, key=lambda info: (-info.count, fold(info.tag), info.tag))


def _counted(notes: NoteLookup, excluded: Callable[[str], bool]) -> Iterable[TagCount]:
    """Return the tags of the notes that count."""
    uses: dict[str, int] = {}
    holders: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for facts in notes.knowledge.notes():
        if facts.tags and not excluded(facts.path):
            for tag in facts.tags:
                spelled.setdefault(fold(tag), tag)
                uses[fold(tag)] = uses.get(fold(tag), 0) + 1
            for key in {fold(tag) for tag in facts.tags}:
                holders[key] = holders.get(key, 0) + 1
    return [TagCount(tag, uses[key], holders[key]) for key, tag in spelled.items()]
