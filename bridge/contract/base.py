"""The kinds of wire model: what the bridge sends, what it sends unasked, and what it is sent.

The names of four events are here because some programs need them without their models, which take a megabyte.
"""

from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, WithJsonSchema
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """Something the bridge sends. camelCase on the wire, immutable in memory."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True)

    @classmethod
    def of(cls, source: object, **more: Any) -> Self:
        """Return the model of something that has attributes of the same names.

        Args:
            source: Has an attribute for each member that is not among the others; what else it has does not matter.
            more: The other members.
        """
        if more:
            own = (name for name in cls.model_fields if name not in more and hasattr(source, name))
            source = {name: getattr(source, name) for name in own} | more
        return cls.model_validate(source, from_attributes=True, by_alias=False, by_name=True)

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object, with camelCase names."""
        return self.model_dump(mode="json", by_alias=True)


class Event(Wire):
    """Something that clients are notified of; the model is the notification's parameters.

    Attributes:
        event_name: The notification's method on the wire.
    """

    event_name: ClassVar[str]


class SparseEvent(Event):
    """An event of plain values, on the wire without the members that were not given."""

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object, with the members that were given."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class Params(BaseModel):
    """Parameters that come from outside: strict types, and a field we do not know is an error, not a wish ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=False,
        frozen=True,
        extra="forbid",
        strict=True,
        defer_build=True,  # a start is half a hundred models faster
    )


class NoParams(Params):
    """The parameters of methods that take none."""


ANY_TEXT = WithJsonSchema({"type": "string"})
"""Marks a member of which a later version may send values unknown today: readers take any text for it."""

SKIP_UNKNOWN = {"skipUnknown": True}
"""A list's `json_schema_extra`: readers pass over the items that they cannot read, so that the others are seen."""

Anything = Annotated[Any, WithJsonSchema({"type": "any"})]
"""Any JSON value."""

Time = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
"""A moment that readers must be able to read: ISO 8601 in UTC."""


TOOLS_CHANGED: Final = "tools.changed"
TOOL_PROGRESS: Final = "tool.progress"
OWN_QUESTION: Final = "consent.own"
SCREEN_CHANGED: Final = "screen.changed"
