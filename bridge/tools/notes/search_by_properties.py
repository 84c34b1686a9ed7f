"""The tool `search_by_properties`: the notes whose properties have some values (rule 92 of docs/obsidian.md)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded
from bridge.index.knowledge import NoteFacts
from bridge.index.search.properties import find_properties, has_value
from bridge.toolkit.output_schema import ANY_OBJECT, TEXT, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.formatting import shortened, value_text
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.paging import listing, page
from bridge.tools.parameters import Cursor, SnakeCaseParams

_DEEPEST = 8
_Name = Annotated[str, Field(min_length=1, max_length=500)]
MostNames = Annotated[list[_Name], Field(max_length=50)]
"""Names of properties."""


def _not_too_deep(properties: dict[str, Any]) -> dict[str, Any]:
    if _depth(properties) > _DEEPEST:
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
        title="Search by properties",
        action="look/looked for notes by their properties[: {count:note}]",
        description=(
            "List the notes whose properties (frontmatter) have some values: equal, compared, any of a list, null."
        ),
        icon="list-filter",
        parameters=SearchByPropertiesParams,
        output=a_list(members(name=TEXT, path=TEXT, properties=ANY_OBJECT)),
        default_rate=60,
    )

    def __init__(self, notes: NoteLookup, clock: Clock) -> None:
        self._notes = notes
        self._clock = clock

    def prepare(self, params: SearchByPropertiesParams, context: CallContext) -> ReadEffect:
        """Say what is looked for."""
        del context
        wanted = [f"{name}: {_shown(value)}" for name, value in params.properties.items()]
        return ReadEffect(matching("**"), f"List the notes with the properties {', '.join([*wanted, *params.having])}")

    def run(self, params: SearchByPropertiesParams, context: CallContext) -> Output:
        """Look through the notes."""
        excluded = self._notes.storage.ignored(context.settings.ignore_patterns)
        having = with_properties(self._notes, params.properties, params.having, self._clock, context.deadline)
        found = {path: matched for path, matched in having.items() if excluded is None or not excluded(path)}
        shown = page(sorted(found), str, params.cursor, params.limit)
        data = [{"name": self._notes.short_name(path), "path": path, "properties": found[path]} for path in shown.items]
        lines = [
            f"{path} ({', '.join(f'{name}: {_shown(value)}' for name, value in found[path].items())})"
            for path in shown.items
        ]
        text = listing(lines, shown, "No note has these properties.")
        return Output(data, text, shown.metadata)


def with_properties(
    notes: NoteLookup, properties: Mapping[str, Any], having: Sequence[str], clock: Clock, deadline: float
) -> dict[str, dict[str, Any]]:
    """Return the notes that have some properties, by path, each with those that were asked for.

    Args:
        notes: Finds them.
        properties: The values that they must have.
        having: The properties that they must have, whatever their value.
        clock: The clock that the deadline is given in.
        deadline: After which it is too late.

    Raises:
        DeadlineExceeded: The deadline has passed.
    """
    found: dict[str, dict[str, Any]] = {}
    for facts in notes.knowledge.notes():
        if clock.monotonic() > deadline:
            raise DeadlineExceeded("Looking through the properties did not end in time; ask for fewer of them")
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


def _shown(value: Any) -> str:
    """Return a value in a sentence."""
    return shortened(value_text(value))


def _depth(value: Any) -> int:
    """Return how deep a value is nested; no deeper than is needed to refuse it."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, Mapping) else each if isinstance(each, list) else ())
        ]
    return depth
