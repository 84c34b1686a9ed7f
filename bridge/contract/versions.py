"""Changes by other programs, for the person's own programs: earlier versions (`versions.*`), notices, and reports.

Obsidian reports its own writes, so that they are told from those of other programs.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from bridge.contract.base import Event, Params, Time, Wire
from bridge.contract.consent import FilePreview, Id

FilePath = Annotated[str, Field(min_length=1, max_length=4096)]


class VersionsListParams(Params):
    """The file: a path, or a note's name."""

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


class VersionReadParams(VersionsListParams):
    """The state that a file had at a time (ISO 8601), or the nearest after it that is kept."""

    at: Id


class VersionBytes(Wire):
    """Bytes that a file had.

    Attributes:
        path: The file.
        version: The state.
        content: Its bytes, in base64.
    """

    path: str
    version: FileVersion
    content: str


class VersionRestoreParams(VersionReadParams):
    """The state of a file at a time to bring back: in its place, or as the new file `to`."""

    to: FilePath | None = None


class VersionsCompareParams(Params):
    """The time to compare with (ISO 8601), and what: all files, or one folder or file, without some of them.

    What the person typed in Obsidian is part of it only where `typed` is set.
    """

    at: Id
    path: FilePath | None = None
    without: Annotated[list[FilePath], Field(max_length=1000)] | None = None
    typed: bool = False


class VersionsRestoreAllParams(VersionsCompareParams):
    """The time to go back to, and the plan that `versions.compare` gave the digest of, if it is still that one."""

    plan: Id


class LeftOut(Wire):
    """A file that cannot be brought back to what it was.

    Attributes:
        path: The file.
        why: Why not.
        diff: The effect of bringing it back; None where its bytes are not kept.
    """

    path: str
    why: str
    diff: FilePreview | None


class NearestState(Wire):
    """A file whose state at that time is not kept.

    Attributes:
        path: The file.
        at: The time of the state that it goes back to, ISO 8601 in UTC.
    """

    path: str
    at: str


class VersionsCompared(Wire):
    """The changes by other programs since a time, and how they would be taken back.

    Attributes:
        at: The time.
        plan: The digest of what would be done; None where there is nothing to do.
        text: The plan in a sentence.
        files: The effect on each file.
        left: Files that stay as they are.
        nearest: Files that go back to another time than that.
    """

    at: str
    plan: str | None
    text: str
    files: tuple[FilePreview, ...]
    left: tuple[LeftOut, ...]
    nearest: tuple[NearestState, ...]


class VersionsBrokenParams(Params):
    """The change of another program that broke links."""

    execution_id: Id


class VersionsMendParams(VersionsBrokenParams):
    """The change whose links to mend, if that is still the plan of which `versions.broken` gave the digest."""

    plan: Id


class BrokenLinks(Wire):
    """The links that another program broke by moving files, as they would be mended.

    Attributes:
        plan: The digest of what would be done; None where there is nothing to do.
        text: The plan in a sentence.
        files: The effect on each file.
        warnings: The things that stay as they are, and why.
    """

    plan: str | None
    text: str
    files: tuple[FilePreview, ...]
    warnings: tuple[str, ...]


class VersionsForgetParams(Params):
    """The file or folder to forget; `everything` lets all go, and begins anew."""

    path: FilePath | None = None
    everything: bool = False


class VersionsForgotten(Wire):
    """The result of forgetting versions.

    Attributes:
        path: The file or folder; None: everything.
        found: Whether there was anything to forget.
    """

    path: str | None
    found: bool


class VersionsStatus(Wire):
    """The state of recording other programs' changes.

    Attributes:
        on: Whether it is recorded what other programs change.
        since: Since when; None before the first look at the vault is complete.
        files: Files that are known.
        whole: Those of them whose bytes are kept.
        entries: Entries in the history.
        oldest: When the first of them began.
        bytes: The space that it takes on the disk.
        budget: The space that it may take.
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
