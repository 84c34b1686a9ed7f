"""Hosts: requests that they answer (`docs/protocol.md`), and the person's screen in Obsidian, which the plugin reports.

The requests need a host that can `dirty` and `write`.
"""

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, SCREEN_CHANGED, Event, Params, Time, Wire
from bridge.contract.consent import Id
from bridge.contract.versions import FilePath

MOST_SELECTED: Final = 20_000
"""Characters of what is selected that are told."""
MOST_AROUND: Final = 2_000
"""Characters before the selection and after it that are told."""


class Place(Params):
    """A place in a text, as editors count.

    Attributes:
        line: Its line, from 1.
        column: The number of UTF-16 units before it in the line.
    """

    line: Annotated[int, Field(ge=1)]
    column: Annotated[int, Field(ge=0)]


class Selection(Params):
    """The selection in the open note, or the position of the cursor.

    Attributes:
        text: The selected text; empty where only the cursor stands there.
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

    @property
    def place(self) -> str:
        """Return the lines that it is from, in words; empty where they are not known."""
        start, end = self.start, self.end
        if start is None or end is None:
            return ""
        if start.line == end.line:
            return f"in line {start.line}, columns {start.column + 1} to {end.column}"
        last = end.line if end.column else end.line - 1
        return f"lines {start.line} to {last}" if start.column == 0 else f"from within line {start.line} to line {last}"


class OpenFile(Params):
    """The file that the person looks at.

    Attributes:
        path: The file's path.
        view: How it is open: `source`, `preview`, or the type of any other view, such as `pdf` or `canvas`.
        selection: The selection in a note, or the position of the cursor.
    """

    path: FilePath
    view: Annotated[str, Field(min_length=1, max_length=100)]
    selection: Selection | None = None


class Screen(Params):
    """The files that the person has open or had open.

    Attributes:
        open: The file in front, also while they are in a sidebar; None: none is open.
        tabs: The files that have a tab.
        recent: The files that were open last, the latest first.
    """

    open: OpenFile | None = None
    tabs: Annotated[list[FilePath], Field(max_length=100, default_factory=list)]
    recent: Annotated[list[FilePath], Field(max_length=20, default_factory=list)]


class ScreenTellParams(Params):
    """The person's screen now; None: nothing is reported any more."""

    screen: Screen | None


class ScreenClients(Wire):
    """The clients that may see what the person looks at, by name. Without any, nothing is to be told."""

    clients: tuple[str, ...]


class ScreenSendParams(Params):
    """A file, or what is selected in it, for a client or for the chat.

    Attributes:
        client_id: The client; `chat` for the chat.
        open: The file, and what is selected in it.
    """

    client_id: Id
    open: OpenFile


class SentText(Wire):
    """The very text that goes to a client, or into a message; empty where nothing does."""

    text: str


class ScreenChanged(Event):
    """The person looks at something else than before, as far as the client may see it. Sent to such clients."""

    event_name: ClassVar[str] = SCREEN_CHANGED


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


class ScreenSent(Event):
    """News of something that the person sent to a client, for the person's own programs.

    Attributes:
        client: Whom it was sent to, for people.
        path: The file that it is of.
        became: What became of it.
        message: The same, as a sentence for the person.
    """

    event_name: ClassVar[str] = "screen.sent"

    client: str
    path: str
    became: Annotated[Literal["delivered", "disconnected", "closed", "replaced", "ended"], ANY_TEXT]
    message: str


class DirtyQuestion(Wire):
    """The request `host.dirty`: which of these files are open in an editor, and which of those are unsaved?"""

    paths: tuple[str, ...]


class DirtyAnswer(Wire):
    """The files of the question that are open, and those of them with text that is not on disk yet."""

    open: tuple[str, ...]
    unsaved: tuple[str, ...]


class HostWrite(Wire):
    """One file that is open in an editor. `expected` is the sha256 of the bytes as they are, in hex."""

    path: str
    expected: str
    content: str


class WriteQuestion(Wire):
    """The request `host.write`: write these, if they hold what is expected, and never after `expires_at`."""

    changes: tuple[HostWrite, ...]
    expires_at: Time


WriteOutcome = Literal["written", "stale", "unsaved", "missing", "failed"]
"""`written`; or nothing was: the file held something else, an editor holds text that is not saved, there is no such
file, or the host could not write."""


class WriteResult(Wire):
    """The outcome of writing one file."""

    path: str
    outcome: WriteOutcome


class WriteAnswer(Wire):
    """One result for each change of the question."""

    results: tuple[WriteResult, ...]


class TrashQuestion(Wire):
    """The request `host.trash`: put these where the user's deleted files go (as Obsidian is set)."""

    paths: tuple[str, ...]


TrashOutcome = Literal["trashed", "missing", "failed"]


class TrashResult(Wire):
    """The outcome of moving one file to the trash."""

    path: str
    outcome: TrashOutcome


class TrashAnswer(Wire):
    """One result for each path of the question."""

    results: tuple[TrashResult, ...]
