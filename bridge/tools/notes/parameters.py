"""The parameters of seed C's tools, and what their calls have in common: names in snake_case, notes by name."""

from typing import Annotated

from pydantic import ConfigDict, Field

from bridge.contract.base import Params
from bridge.errors import ToolFailure
from bridge.notes.reference import parse_reference
from bridge.toolkit.tool import ReadEffect
from bridge.tools.notes.storage import NoteStorage

LONGEST_NAME = 2000
LONGEST_TAG = 500
LONGEST_CURSOR = 4096


class NoteParams(Params):
    """Parameters whose names on the wire are those of the fields."""

    model_config = ConfigDict(alias_generator=None)


NoteName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""A note's name, a wikilink, or a path."""

Tag = Annotated[str, Field(min_length=1, max_length=LONGEST_TAG)]
"""A tag, with or without `#`."""

Cursor = Annotated[str, Field(min_length=1, max_length=LONGEST_CURSOR)]
"""Where an answer goes on: the `metadata.cursor` of the one before."""


def reading(storage: NoteStorage, name: str, what: str) -> ReadEffect:
    """What a call that reads one note will look at. Whether there is such a note is told only after consent.

    Args:
        storage: The notes.
        name: The note, as the caller named it.
        what: The question's first words, such as `Read`.

    Raises:
        InvalidParameters: The name is no reference.
    """
    shown = parse_reference(name).text
    try:
        shown = storage.resolve(name).location
    except ToolFailure:
        return ReadEffect((shown,), f"{what} {shown}")
    return ReadEffect((shown,), f"{what} {shown}")
