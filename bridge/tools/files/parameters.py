"""The parameters of seed S's tools: names in snake_case, and its sentences for what is missing."""

from typing import Annotated

from pydantic import ConfigDict, Field

from bridge.contract.base import Params
from bridge.toolkit.arguments import Sentence

LONGEST_PATH = 4096


class SeedParams(Params):
    """Parameters whose names on the wire are those of the fields."""

    model_config = ConfigDict(alias_generator=None)


RequiredPath = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_PATH),
    Sentence("path is required and must be a non-empty string."),
]
"""The `path` that most of seed S's tools must be given."""

RequiredContent = Annotated[str, Sentence("content is required and must be a string.")]
"""The `content` of the tools that write; it may be empty."""
