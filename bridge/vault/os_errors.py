"""What the operating system said, as a failure that an agent can read and act on."""

import errno

from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, ToolFailure


def not_found(path: object) -> NotFound:
    """The failure when nothing is there, or nothing that the vault knows of.

    Args:
        path: What was asked for.
    """
    return NotFound(f"File or folder not found: {str(path)!r}. Use find to see what there is", wanted=str(path))


def folder_given(path: object) -> InvalidParameters:
    """The failure when a file was needed and a folder was named.

    Args:
        path: What was asked for.
    """
    return InvalidParameters(f"Path {str(path)!r} is a folder, not a file; name a file in it")


def special_file_given(path: object) -> InvalidParameters:
    """The failure when a file was needed and a pipe, socket or device was named.

    Args:
        path: What was asked for.
    """
    return InvalidParameters(f"Path {str(path)!r} is a pipe, socket or device, not a file; choose a file")


def as_failure(error: OSError, path: object) -> ToolFailure:
    """The failure to raise `from` an `OSError` about a path of the vault.

    Args:
        error: What the system said. Its own text may hold absolute paths and is not passed on.
        path: The vault path it is about.

    Returns:
        A failure that says what to do next.
    """
    shown = repr(str(path))
    failure: ToolFailure
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR | errno.ELOOP:
            failure = not_found(path)
        case errno.EISDIR:
            failure = folder_given(path)
        case errno.ENXIO:
            failure = special_file_given(path)
        case errno.EEXIST:
            failure = Conflict(f"Something named {shown} exists already; choose another name", code="exists")
        case errno.ESTALE:
            failure = Conflict(f"{shown} was replaced while it was read; try again", code="stale")
        case errno.EACCES | errno.EPERM:
            failure = ExecutionFailed(f"The operating system refuses access to {shown}; check its permissions")
        case errno.ENOSPC | errno.EDQUOT:
            failure = ExecutionFailed(f"The disk is full: {shown} could not be written; free some space and try again")
        case _:
            reason = errno.errorcode.get(error.errno or 0, "unknown error")
            failure = ExecutionFailed(f"The disk failed at {shown} ({reason}); check the disk and try again")
    return failure
