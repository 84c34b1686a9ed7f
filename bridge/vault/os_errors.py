"""What the operating system said, as a failure that an agent can read and act on."""

import errno
from collections.abc import Callable

from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, ToolFailure


def not_found(path: object) -> NotFound:
    """Nothing is there, or nothing that the vault knows of."""
    return NotFound(f"File or folder not found: {str(path)!r}. Use find to see what there is")


def folder_given(path: object) -> InvalidParameters:
    """A file was needed."""
    return InvalidParameters(f"Path {str(path)!r} is a folder, not a file; name a file in it")


def special_file_given(path: object) -> InvalidParameters:
    """A file was needed, and this only looks like one."""
    return InvalidParameters(f"Path {str(path)!r} is a pipe, socket or device, not a file; choose a file")


def as_failure(error: OSError, path: object) -> ToolFailure:
    """The failure to raise `from` an `OSError` about a path of the vault.

    Args:
        error: What the system said. Its own text may hold absolute paths and is not passed on.
        path: The vault path it is about.
    """
    known = _KNOWN.get(error.errno or 0)
    if known is not None:
        return known(path)
    reason = errno.errorcode.get(error.errno or 0, "unknown error")
    return ExecutionFailed(f"The disk failed at {str(path)!r} ({reason}); check the disk and try again")


def _exists(path: object) -> Conflict:
    return Conflict(f"Something named {str(path)!r} exists already; choose another name", code="exists")


def _replaced(path: object) -> Conflict:
    return Conflict(f"{str(path)!r} was replaced while it was read; try again", code="stale")


def _refused(path: object) -> ExecutionFailed:
    return ExecutionFailed(f"The operating system refuses access to {str(path)!r}; check its permissions")


def _full(path: object) -> ExecutionFailed:
    return ExecutionFailed(f"The disk is full: {str(path)!r} could not be written; free some space and try again")


_KNOWN: dict[int, Callable[[object], ToolFailure]] = {
    errno.ENOENT: not_found,
    errno.ENOTDIR: not_found,
    errno.ELOOP: not_found,
    errno.EISDIR: folder_given,
    errno.ENXIO: special_file_given,
    errno.EEXIST: _exists,
    errno.ESTALE: _replaced,
    errno.EACCES: _refused,
    errno.EPERM: _refused,
    errno.ENOSPC: _full,
    errno.EDQUOT: _full,
}
