"""A folder with everything in it, wholly or not at all: what a walk would skip must not be deleted unseen."""

import stat
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.vault.disk import as_failure, is_link
from bridge.vault.paths import VaultPath, unsafe_name
from bridge.vault.root import VaultRoot


class Subtree(NamedTuple):
    """A folder and what is in it.

    Attributes:
        folders: The folder itself and those in it, each before what is in it.
        files: All files, hidden ones too.
    """

    folders: tuple[VaultPath, ...]
    files: tuple[VaultPath, ...]


class Obstacle(Enum):
    """A reason why a folder cannot be handled as a whole."""

    DOT_FOLDER = "dot-folder"
    NAME = "name"
    LINK = "link"
    SPECIAL = "special"


Refuse = Callable[[VaultPath, Obstacle], ToolFailure]
"""The failure for something in a folder that keeps it from being handled as a whole."""


def subtree(
    root: VaultRoot,
    top: VaultPath,
    check: Callable[[VaultPath], None] = lambda _path: None,
    refuse: Refuse | None = None,
    most: int | None = None,
) -> Subtree:
    """Return everything in a folder, in the order of the names.

    Args:
        root: The vault.
        top: The folder, as spelled on disk, links resolved.
        check: Called with every path before anything else is said of it; may raise.
        refuse: Says what is wrong, in the caller's words.
        most: With more files than this it looks no further, and what it gives is not everything.

    Raises:
        PermissionDenied: There is a dot-folder in it (`protected`).
        InvalidParameters: There is a link, a device or a name in it that tools cannot handle.
        ToolFailure: A folder in it cannot be read.
    """
    folders: list[VaultPath] = []
    files: list[VaultPath] = []
    pending = [top]
    while pending and (most is None or len(files) <= most):
        path = pending.pop()
        folders.append(path)
        inner: list[VaultPath] = []
        try:
            with root.folder(path, follow=False) as folder:
                for name in sorted(folder.names()):
                    found = path.child(name)
                    check(found)
                    state = folder.stat(name)
                    if obstacle := _obstacle(found, state.st_mode, linked=is_link(state)):
                        raise refuse(found, obstacle) if refuse else _fault(top, found, obstacle)
                    (inner if stat.S_ISDIR(state.st_mode) else files).append(found)
        except OSError as error:
            raise as_failure(error, path) from error
        pending.extend(reversed(inner))
    return Subtree(tuple(folders), tuple(files))


def _obstacle(found: VaultPath, mode: int, *, linked: bool) -> Obstacle | None:
    """Return why something in a folder keeps it from being handled as a whole; None if it does not."""
    if not linked and stat.S_ISDIR(mode) and found.name.startswith("."):
        return Obstacle.DOT_FOLDER
    if unsafe_name(found.name):
        return Obstacle.NAME
    if linked:
        return Obstacle.LINK
    return None if stat.S_ISDIR(mode) or stat.S_ISREG(mode) else Obstacle.SPECIAL


def _fault(top: VaultPath, found: VaultPath, obstacle: Obstacle) -> ToolFailure:
    if obstacle is Obstacle.DOT_FOLDER:
        return PermissionDenied(
            f"Access denied: {str(top)!r} holds the protected system folder '{found}/', so it cannot be taken as a "
            "whole. Name what else is in it, one by one",
            code="protected",
        )
    what = {
        Obstacle.NAME: f"a name that tools cannot handle ({unsafe_name(found.name)})",
        Obstacle.LINK: f"the link {str(found)!r}",
    }.get(obstacle, f"{str(found)!r}, which is a pipe, socket or device")
    return InvalidParameters(
        f"{str(top)!r} holds {what}, so it cannot be taken as a whole. "
        "Ask the user to look at it, or name what else is in it, one by one"
    )
