"""Parameters that several tools take, and the sentences for those that are missing."""

from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from bridge.contract.base import Params
from bridge.toolkit.parameters import ModelParameters, Sentence
from bridge.vault.text import encode

P = TypeVar("P", bound=Params)

LONGEST_PATH = 4096
LONGEST_NAME = 2000
LONGEST_TAG = 500
LONGEST_CURSOR = 4096
_LONGEST_COUNT = 9


class SnakeCaseParams(Params):
    """Parameters whose names on the wire are those of the fields, in snake_case."""

    model_config = ConfigDict(alias_generator=None)


_Path = Field(min_length=1, max_length=LONGEST_PATH)
RequiredPath = Annotated[str, _Path, Sentence("path is required and must be a non-empty string.")]
RequiredSource = Annotated[str, _Path, Sentence("source is required and must be a non-empty string.")]
RequiredDestination = Annotated[str, _Path, Sentence("destination is required and must be a non-empty string.")]

NO_CONTENT = "content is required and must be a string."
RequiredContent = Annotated[str, Sentence(NO_CONTENT)]
"""The `content` of the tools that write; it may be empty."""

NoteName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""A note's name, a wikilink, or a path."""

Tag = Annotated[str, Field(min_length=1, max_length=LONGEST_TAG)]
"""A tag, with or without `#`."""

Cursor = Annotated[str, Field(min_length=1, max_length=LONGEST_CURSOR)]
"""The place where an answer goes on: the `metadata.cursor` of the one before."""


def _as_text(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if type(value) is int else value


def _counting(value: str) -> str:
    if not (value.isascii() and value.isdigit() and len(value) < _LONGEST_COUNT):
        raise ValueError("it is the number that the last answer ended with")
    return value


CountingCursor = Annotated[str, BeforeValidator(_as_text), AfterValidator(_counting)]
"""A cursor that says how many items come before it. As models see a number, they may give it as one."""

_WRITTEN: Final = frozenset({"content", "append", "prepend", "new_text", "new_content", "patch", "texts"})
"""The parameters whose text is put into files."""


class WrittenParameters(ModelParameters[P]):
    """The parameters of a tool that writes. Text that no file can hold is refused before anything is looked at."""

    def parse(self, arguments: Any) -> P:
        """Return the arguments as an instance of the model. Raises InvalidParameters."""
        params = super().parse(arguments)
        _check_texts(params, "")
        return params


def _check_texts(value: Any, name: str, of: str = "") -> None:
    match value:
        case str() if name in _WRITTEN:
            encode(value, f"The text{of}")
        case BaseModel():
            for member, inner in value:
                _check_texts(inner, member, of)
        case list() | tuple():
            for number, inner in enumerate(value, 1):
                of = f" of edit {number}" if isinstance(inner, BaseModel) else ""
                _check_texts(inner, name, of)
