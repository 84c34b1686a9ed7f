"""The two kinds of wire model: what we send, and what we are sent."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """Something the bridge sends. camelCase on the wire, immutable in memory."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True)

    def to_wire(self) -> dict[str, object]:
        """The JSON object, with camelCase names."""
        return self.model_dump(mode="json", by_alias=True)


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
