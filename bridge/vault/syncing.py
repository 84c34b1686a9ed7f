"""Making a whole file system durable in one call, where there is one: thousands of new files then cost one wait."""

import ctypes
import os
import sys
from collections.abc import Callable


def sync_file_system(fd: int) -> None:
    """Make everything durable that was written to the file system of an open file or folder.

    Args:
        fd: The file or folder.

    Raises:
        OSError: Something could not be written, or there is no such call here (`CAN_SYNC`).
    """
    ctypes.set_errno(0)
    if _CALL is None or _CALL(fd) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _find_call() -> Callable[[int], int] | None:
    """The C library's `syncfs`. Only on Linux does such a call wait until it is done."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        function = ctypes.CDLL(None, use_errno=True).syncfs
    except (AttributeError, OSError):
        return None
    function.argtypes = [ctypes.c_int]
    function.restype = ctypes.c_int
    call: Callable[[int], int] = function
    return call


_CALL = _find_call()
CAN_SYNC = _CALL is not None
"""Whether there is such a call here."""
