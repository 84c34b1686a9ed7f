"""Earlier versions of files that other programs changed: `versions.*`. They are for the person's own programs alone."""

from typing import Annotated, ClassVar

from pydantic import Field

from bridge.contract.base import Event, Params, Time, Wire
from bridge.contract.consent import Id

FilePath = Annotated[str, Field(min_length=1, max_length=4096)]


class VersionsListParams(Params):
    """Of which file: a path, or a note's name."""

    path: FilePath


class FileVersion(Wire):
    """One state that a file had.

    Attributes:
        since: From when on it was seen so, ISO 8601 in UTC.
        until: When it was seen to be another, or gone; None of the state that it has now.
        size: Its bytes; None where they are not kept.
        digest: SHA-256 of them, in hex.
    """

    since: str
    until: str | None
    size: int | None
    digest: str


class FileVersions(Wire):
    """The states that a file had.

    Attributes:
        path: The file.
        versions: Its states, newest first.
    """

    path: str
    versions: tuple[FileVersion, ...]


class VersionReadParams(Params):
    """The state that a file had at a time (ISO 8601), or the nearest after it that is kept."""

    path: FilePath
    at: Id


class VersionBytes(Wire):
    """Bytes that a file had.

    Attributes:
        path: The file.
        version: Which state it is.
        content: Its bytes, in base64.
    """

    path: str
    version: FileVersion
    content: str


class VersionRestoreParams(Params):
    """Brings the state of a file at a time back: in its place, or as the new file `to`."""

    path: FilePath
    at: Id
    to: FilePath | None = None


class VersionsForgetParams(Params):
    """Of which file or folder; `everything` lets all go, and begins anew."""

    path: FilePath | None = None
    everything: bool = False


class VersionsForgotten(Wire):
    """What became of it.

    Attributes:
        path: The file or folder; None: everything.
        found: Whether there was anything.
    """

    path: str | None
    found: bool


class VersionsStatus(Wire):
    """How things stand.

    Attributes:
        on: Whether it is recorded what other programs change.
        since: Since when; None before the first look at the vault is complete.
        files: Files that are known.
        whole: Those of them whose bytes are kept.
        entries: Entries in the history.
        oldest: When the first of them began.
        bytes: What it takes of the disk.
        budget: What it may take.
        fault: Why something is not recorded, as a sentence; None when all is well.
    """

    on: bool
    since: str | None
    files: int
    whole: int
    entries: int
    oldest: str | None
    bytes: int
    budget: int
    fault: str | None


class OutsideNotice(Event):
    """What the person is to be told of other programs' changes. Sent to the person's own programs alone.

    Attributes:
        entries: The ids of the entries that it is about, the newest first; without any there is nothing to be told
            (any more).
        message: It in a few words: `17 notes changed, 3 deleted`.
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
