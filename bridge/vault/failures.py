"""What the operating system said, as a failure that an agent can read and act on."""

import errno

from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, ToolFailure

_FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
_REFUSED = {errno.EACCES, errno.EPERM}


def not_found(path: object) -> NotFound:
    """Nothing is there, or nothing that the vault knows of."""
    return NotFound(f"File or folder not found: {str(path)!r}. Use find to see what there is")


def is_folder(path: object) -> InvalidParameters:
    """A file was needed."""
    return InvalidParameters(f"Path {str(path)!r} is a folder, not a file; name a file in it")


def explain(error: OSError, path: object) -> ToolFailure:
    """The failure to raise `from` an `OSError` about a path of the vault.

    Args:
        error: What the system said. Its own text may hold absolute paths and is not passed on.
        path: The vault path it is about.
    """
    code = error.errno
    if code in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
        return not_found(path)
    if code == errno.EISDIR:
        return is_folder(path)
    if code == errno.ENXIO:
        return InvalidParameters(f"Path {str(path)!r} is a pipe, socket or device, not a file; choose a file")
    if code == errno.EEXIST:
        return Conflict(f"Something named {str(path)!r} exists already; choose another name", code="exists")
    if code == errno.ESTALE:
        return Conflict(f"{str(path)!r} was replaced while it was read; try again", code="stale")
    if code in _REFUSED:
        return ExecutionFailed(f"The operating system refuses access to {str(path)!r}; check its permissions")
    if code in _FULL:
        return ExecutionFailed(f"The disk is full: {str(path)!r} could not be written; free some space and try again")
    reason = errno.errorcode.get(code or 0, "unknown error")
    return ExecutionFailed(f"The disk failed at {str(path)!r} ({reason}); check the disk and try again")
