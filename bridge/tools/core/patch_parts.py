"""The parts of a patch: files, their hunks, and the hunks' lines."""

from dataclasses import dataclass, field
from typing import NamedTuple

from bridge.errors import InvalidParameters


class PatchLine(NamedTuple):
    """One line of a hunk.

    Attributes:
        sign: ` ` stays, `-` goes, `+` comes.
        text: Without its ending.
        ended: False when the patch says that the file ends with it, without a line break.
    """

    sign: str
    text: str
    ended: bool = True


class PatchHunk(NamedTuple):
    """One hunk.

    Attributes:
        at: The line of the patch where it begins.
        lines: Its lines.
        heading: The line of the file below which it stands (`@@ ## Next`); empty where the patch names none.
        at_end: Whether the patch says that the file ends with it (`*** End of File`).
    """

    at: int
    lines: tuple[PatchLine, ...]
    heading: str = ""
    at_end: bool = False

    @classmethod
    def checked(cls, at: int, lines: tuple[PatchLine, ...], heading: str = "", *, at_end: bool = False) -> "PatchHunk":
        """Return a hunk, checked to be one that a file can have.

        Raises:
            InvalidParameters: A line that is not the last says that the file ends with it.
        """
        hunk = cls(at, lines, heading, at_end)
        if not all(line.ended for side in (hunk.old, hunk.new) for line in side[:-1]):
            raise malformed(at, "only the last line of a file can have no newline")
        return hunk

    @property
    def old(self) -> list[PatchLine]:
        """Return the lines that it expects in the file."""
        return [line for line in self.lines if line.sign != "+"]

    @property
    def new(self) -> list[PatchLine]:
        """Return the lines that are there afterwards."""
        return [line for line in self.lines if line.sign != "-"]


@dataclass(slots=True)
class Section:
    """The section of a patch about one file.

    Attributes:
        at: The line of the patch where it begins.
        source: The name before; None while there is none.
        target: The name afterwards; None while there is none.
        git: Whether it begins as git's do, so that the names have `a/` and `b/`.
        creates: Whether the file is new.
        hunks: Its hunks so far.
    """

    at: int
    source: str | None = None
    target: str | None = None
    git: bool = False
    creates: bool = False
    hunks: list[PatchHunk] = field(default_factory=list)

    @property
    def named(self) -> bool:
        """Return whether one of its names is known."""
        return self.source is not None or self.target is not None


class FilePatch(NamedTuple):
    """The part of a patch that is about one file.

    Attributes:
        names: Its path. Two when a new file's `b/` may be git's prefix (the first is without it) or a folder.
        creates: Whether the file is new.
        hunks: In the order of the patch; none for a new file that is empty.
    """

    names: tuple[str, ...]
    creates: bool
    hunks: tuple[PatchHunk, ...]


def malformed(line: int, reason: str) -> InvalidParameters:
    """Return the refusal of a patch.

    Args:
        line: The line of the patch that is wrong, from 1.
        reason: What is wrong with it.
    """
    return InvalidParameters(
        f"The patch is malformed in line {line}: {reason}. Send a unified diff, or use patches with line numbers",
        data={"line": line},
    )
