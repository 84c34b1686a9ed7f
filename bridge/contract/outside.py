"""Notices of other programs' changes, and Obsidian's reports of its own writes: for the person's programs."""

from typing import Annotated, ClassVar

from pydantic import Field

from bridge.contract.base import Event, Params, Time, Wire
from bridge.contract.versions import FilePath


class OutsideNotice(Event):
    """A notice of other programs' changes. Sent to the person's own programs alone.

    Attributes:
        entries: The ids of the entries that it is about, the newest first; without any there is nothing to be told
            (any more).
        message: The notice in a few words: `17 notes changed, 3 deleted`.
        began: When the first change was seen, ISO 8601 in UTC; None without entries.
        ended: When the last was.
        unattended: Whether the bridge was not running then, so that only the end is known.
    """

    event_name: ClassVar[str] = "versions.noticed"

    entries: tuple[str, ...] = ()
    message: str = ""
    began: Time | None = None
    ended: Time | None = None
    unattended: bool = False


class ObsidianWrite(Params):
    """A write by Obsidian, done or about to happen.

    Attributes:
        path: The file or folder.
        digest: SHA-256 of all its bytes, in hex; None where it was deleted, or moved here.
        source: Where it was before, of one that was moved here.
        typed: Whether an editor saved it.
    """

    path: FilePath
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    source: FilePath | None = None
    typed: bool = False


class ObsidianWritesParams(Params):
    """Obsidian's writes, oldest first."""

    writes: Annotated[list[ObsidianWrite], Field(max_length=1000)]


class ObsidianWritesHeard(Wire):
    """The number of writes received. Whether they are believed depends on what is seen of the files."""

    heard: int
