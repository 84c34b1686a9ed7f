"""A folder with everything in it, wholly or not at all: what a walk would pass over must not be deleted unseen."""

import stat
from collections.abc import Callable
from dataclasses import dataclass

from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.vault.disk import is_link
from bridge.vault.failures import explain
from bridge.vault.paths import VaultPath, unsafe_name
from bridge.vault.root import VaultRoot


@dataclass(frozen=True, slots=True)
class Subtree:
    """A folder and what is in it.

    Attributes:
        folders: The folder itself and those in it, each before what is in it.
        files: All files, hidden ones too.
    """

    folders: tuple[VaultPath, ...]
    files: tuple[VaultPath, ...]


def subtree(root: VaultRoot, top: VaultPath, check: Callable[[VaultPath], None] = lambda _path: None) -> Subtree:
    """Everything in a folder, in the order of the names.

    Args:
        root: The vault.
        top: The folder, as spelled on disk, links resolved.
        check: Called with every path before anything else is said of it; may raise.

    Raises:
        PermissionDenied: There is a dot-folder in it (`protected`).
        InvalidParameters: There is a link, a device or a name in it that tools cannot handle.
        ToolFailure: A folder in it cannot be read.
    """
    folders: list[VaultPath] = []
    files: list[VaultPath] = []
    pending = [top]
    while pending:
        path = pending.pop()
        folders.append(path)
        inner: list[VaultPath] = []
        try:
            with root.folder(path, follow=False) as folder:
                for name in sorted(folder.names()):
                    found = path.child(name)
                    check(found)
                    state = folder.stat(name)
                    if fault := _fault(top, found, state.st_mode, linked=is_link(state)):
                        raise fault
                    (inner if stat.S_ISDIR(state.st_mode) else files).append(found)
        except OSError as error:
            raise explain(error, path) from error
        pending.extend(reversed(inner))
    return Subtree(tuple(folders), tuple(files))


def _fault(top: VaultPath, found: VaultPath, mode: int, *, linked: bool) -> ToolFailure | None:
    """Why something in a folder keeps it from being handled as a whole."""
    if not linked and stat.S_ISDIR(mode) and found.name.startswith("."):
        return PermissionDenied(
            f"Access denied: {str(top)!r} holds the protected system folder '{found}/', so it cannot be taken as a "
            "whole. Name what else is in it, one by one",
            code="protected",
        )
    if reason := unsafe_name(found.name):
        what = f"a name that tools cannot handle ({reason})"
    elif linked:
        what = f"the link {str(found)!r}"
    elif not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        what = f"{str(found)!r}, which is a pipe, socket or device"
    else:
        return None
    return InvalidParameters(
        f"{str(top)!r} holds {what}, so it cannot be taken as a whole. "
        "Ask the user to look at it, or name what else is in it, one by one"
    )
