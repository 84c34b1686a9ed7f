"""What the person looks at in Obsidian: as the plugin tells it, and who may see it."""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from bridge.contract.base import Event, Params, Wire
from bridge.contract.versions import FilePath

MOST_SELECTED: Final = 20_000
"""Characters of what is selected that are told."""
MOST_AROUND: Final = 2_000
"""Characters before the selection and after it that are told."""


class Place(Params):
    """A place in a text, as editors count.

    Attributes:
        line: Its line, from 1.
        column: How many UTF-16 units of the line are before it.
    """

    line: Annotated[int, Field(ge=1)]
    column: Annotated[int, Field(ge=0)]


class Selection(Params):
    """What is selected in the open note, or where the cursor stands.

    Attributes:
        text: What is selected; empty where only the cursor stands there.
        start: Where it begins; None where the note is open for reading, which shows no lines.
        end: Where it ends; None likewise.
        before: The text before it, beginning with a whole line.
        after: The text after it, ending with a whole line.
        cut: Whether more is selected than is told.
    """

    text: Annotated[str, Field(max_length=MOST_SELECTED)] = ""
    start: Place | None = None
    end: Place | None = None
    before: Annotated[str, Field(max_length=MOST_AROUND)] = ""
    after: Annotated[str, Field(max_length=MOST_AROUND)] = ""
    cut: bool = False


class OpenFile(Params):
    """The file that the person looks at.

    Attributes:
        path: Which.
        view: How it is open: `source`, `preview`, or the type of any other view, such as `pdf` or `canvas`.
        selection: What is selected in a note, or where the cursor stands.
    """

    path: FilePath
    view: Annotated[str, Field(min_length=1, max_length=100)]
    selection: Selection | None = None


class Screen(Params):
    """What the person looks at.

    Attributes:
        open: The file in front, also while they are in a sidebar; None: none is open.
        tabs: The files that have a tab.
        recent: The files that were open last, the latest first.
    """

    open: OpenFile | None = None
    tabs: Annotated[list[FilePath], Field(max_length=100, default_factory=list)]
    recent: Annotated[list[FilePath], Field(max_length=20, default_factory=list)]


class ScreenTellParams(Params):
    """What the person looks at now; None: nothing is told any more."""

    screen: Screen | None


class ScreenClients(Wire):
    """The clients that may see what the person looks at, by name. Without any, nothing is to be told."""

    clients: tuple[str, ...]


class ScreenChanged(Event):
    """The person looks at something else than before, as far as the client may see it. Sent to such clients."""

    event_name: ClassVar[str] = "screen.changed"


class ScreenShow(Event):
    """A client wants to show the person a file. Sent to the plugin.

    Attributes:
        client: Who, for people.
        path: The file.
        part: A heading, a block or a page of it, as links name them after `#`; empty: all of it.
        line: A line of it, from 1.
        unasked: Whether the person has allowed the client to open it without a click.
    """

    event_name: ClassVar[str] = "screen.show"

    client: str
    path: str
    part: str = ""
    line: int | None = None
    unasked: bool = False
