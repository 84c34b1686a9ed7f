"""The tools `list_tags`, `search_by_tags` and `search_by_properties` (rule 92 of docs/obsidian.md)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from bridge.clock import Clock
from bridge.index.knowledge import NoteFacts, TagCount
from bridge.index.search.properties import find_properties, has_value
from bridge.notes.properties import check_tag
from bridge.toolkit.parameters import ANY_OBJECT, TEXT, WHOLE, a_list, members, perhaps
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.formatting import listing, page, shortened, value_text
from bridge.tools.kinds import Cursor, SnakeCaseParams, Tag, read_spec, until
from bridge.tools.notes.lookup import NoteLookup, NoteReadTool
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
        action="list/listed the tags[: {count:tag}]",
        description="List all tags with the number of notes that have them; a nested tag also counts for its parents.",
        icon="tag",
        parameters=ListTagsParams,
        output=a_list(members(tag=TEXT, count=WHOLE, parent=perhaps(TEXT))),
        default_rate=60,
    )

    def prepare(self, _params: ListTagsParams, _context: CallContext) -> ReadEffect:
        """Return what it reads; there is nothing to check."""
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
        count = own.get(key, TagCount(tag, 0, 0))
        total = count.notes
        if key in parents:
            total = sum(1 for path in notes.knowledge.tagged(tag) if excluded is None or not excluded(path))
        infos.append(TagInfo(tag, total, spelled.get(key.rpartition("/")[0]), count.notes, count.uses))
    return sorted(infos, key=lambda info: (-info.count, fold(info.tag), info.tag))


def _counted(notes: NoteLookup, excluded: Callable[[str], bool]) -> Iterable[TagCount]:
    """Return the tags of the notes that count."""
    uses, holders, spelled = Counter[str](), Counter[str](), dict[str, str]()
    for facts in notes.knowledge.notes():
        if facts.tags and not excluded(facts.path):
            keys = [fold(tag) for tag in facts.tags]
            uses.update(keys)
            holders.update(set(keys))
            for key, tag in zip(keys, facts.tags, strict=True):
                spelled.setdefault(key, tag)
    return [TagCount(tag, uses[key], holders[key]) for key, tag in spelled.items()]


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
        action="look/looked for notes[ tagged {tags}][: {count:note}]",
        description="List the notes that have all (or any) of some tags, nested tags included.",
        icon="tags",
        parameters=SearchByTagsParams,
        output=a_list(members(name=TEXT, path=TEXT)),
        default_rate=60,
    )

    def prepare(self, params: SearchByTagsParams, _context: CallContext) -> ReadEffect:
        """Check the tags."""
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
        InvalidParameters: One of them is not a tag.
    """
    sets = [set(notes.knowledge.tagged(check_tag(tag))) for tag in tags]
    return set.intersection(*sets) if match == "all" else set.union(*sets)


_DEEPEST = 8
_Name = Annotated[str, Field(min_length=1, max_length=500)]
MostNames = Annotated[list[_Name], Field(max_length=50)]
"""Names of properties."""


def _not_too_deep(properties: dict[str, Any]) -> dict[str, Any]:
    if _is_deeper(properties, _DEEPEST):
        raise ValueError(f"properties may be nested {_DEEPEST} deep at most")
    return properties


Wanted = Annotated[dict[_Name, Any], Field(max_length=50), AfterValidator(_not_too_deep)]
"""Values of properties by their names."""


class SearchByPropertiesParams(SnakeCaseParams):
    """The properties, and which page of the notes."""

    properties: Wanted = Field(
        default_factory=dict,
        description="Values by property name, all of which a note must have: text, number or boolean is equal; "
        "text that begins with <, <=, > or >= compares ('>5', '>=2024-07-01'); a list means any of its values; "
        "null is a property without a value",
    )
    having: MostNames = Field(
        default_factory=list, description="Names of properties that a note must have, whatever their value"
    )
    limit: int = Field(default=50, ge=1, le=1000, description="Maximum number of notes to return")
    cursor: Cursor | None = Field(default=None, description="The last answer's metadata.cursor, for the next page")

    @model_validator(mode="after")
    def _something(self) -> "SearchByPropertiesParams":
        if not self.properties and not self.having:
            raise ValueError("give properties, such as {'status': 'draft'}, or having")
        return self


class SearchByPropertiesTool(ReadTool[SearchByPropertiesParams]):
    """The tool that lists the notes with some properties.

    Args:
        notes: Finds them.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="search_by_properties",
        action="look/looked for notes by their properties[: {count:note}]",
        description="List the notes whose properties (frontmatter) have some values: equal, compared, any of a list, "
        "null.",
        icon="list-filter",
        parameters=SearchByPropertiesParams,
        output=a_list(members(name=TEXT, path=TEXT, properties=ANY_OBJECT)),
        default_rate=60,
    )

    def __init__(self, notes: NoteLookup, clock: Clock) -> None:
        self._notes = notes
        self._clock = clock

    def prepare(self, params: SearchByPropertiesParams, _context: CallContext) -> ReadEffect:
        """Say what is looked for."""
        wanted = [f"{name}: {_in_short(value)}" for name, value in params.properties.items()]
        return ReadEffect(matching("**"), f"List the notes with the properties {', '.join([*wanted, *params.having])}")

    def run(self, params: SearchByPropertiesParams, context: CallContext) -> Output:
        """Look through the notes."""
        excluded = self._notes.storage.ignored(context.settings.ignore_patterns)
        found = with_properties(self._notes, params.properties, params.having, self._clock, context)
        paths = sorted(path for path in found if excluded is None or not excluded(path))
        shown = page(paths, str, params.cursor, params.limit)
        data = [{"name": self._notes.short_name(path), "path": path, "properties": found[path]} for path in shown.items]
        lines = [
            f"{path} ({', '.join(f'{name}: {_in_short(value)}' for name, value in found[path].items())})"
            for path in shown.items
        ]
        text = listing(lines, shown, "No note has these properties.")
        return Output(data, text, shown.metadata)


def with_properties(
    notes: NoteLookup, properties: Mapping[str, Any], having: Sequence[str], clock: Clock, context: CallContext
) -> dict[str, dict[str, Any]]:
    """Return the notes that have some properties, by path, each with those that were asked for.

    Args:
        notes: Finds them.
        properties: The values that they must have.
        having: The properties that they must have, whatever their value.
        clock: The clock that deadlines are given in.
        context: The call.

    Raises:
        DeadlineExceeded: The call's time is over.
    """
    check = until(clock, context, "Looking through the properties did not end in time; ask for fewer of them")
    found: dict[str, dict[str, Any]] = {}
    for facts in notes.knowledge.notes():
        check()
        matched = _matched(facts, properties, having) if facts.properties else None
        if matched is not None:
            found[facts.path] = matched
    return found


def _matched(facts: NoteFacts, properties: Mapping[str, Any], having: Sequence[str]) -> dict[str, Any] | None:
    """Return the properties of a note that were asked for; None when it has not all of them."""
    matched: dict[str, Any] = {}
    for name in [*properties, *having]:
        values = list(find_properties(facts.properties, name))
        if name in properties:
            values = [value for value in values if has_value(value, properties[name])]
        if not values:
            return None
        matched[name] = values[0]
    return matched


def _in_short(value: Any) -> str:
    """Return a value in a sentence."""
    return shortened(value_text(value))


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether a value is nested deeper than so many levels; one that holds no others is one level."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return not levels or any(_is_deeper(each, levels - 1) for each in inner)
