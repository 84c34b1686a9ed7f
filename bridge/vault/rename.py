"""Renames in one step that Python has no call for: without overwriting, and two names changing places.

Linux and macOS each have their own way for both, Windows for the first.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

Where = tuple[str, int | None]
"""A name and the descriptor of the folder it is in; or an absolute path and None."""

_AT_FDCWD = -2 if sys.platform == "darwin" else -100
_RENAME_NOREPLACE = 1
_RENAME_EXCL = 4
_RENAME_SWAP = 2
"""Linux calls it RENAME_EXCHANGE; the number is the same."""
_NOT_HERE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What kernels and file systems say that do not know the call."""


def rename_new(source: Where, target: Where) -> bool:
    """Rename, unless the target exists.

    Returns:
        False when the system or this file system cannot do that in one step; then nothing has happened.

    Raises:
        FileExistsError: Something has the new name.
        OSError: Whatever else went wrong.
    """
    if sys.platform == "win32":
        Path(source[0]).rename(target[0])  # refuses to overwrite on Windows, and only there
        return True
    return _rename(source, target, _RENAME_EXCL if sys.platform == "darwin" else _RENAME_NOREPLACE)


def rename_swap(one: Where, other: Where) -> bool:
    """Let two names change places.

    Returns:
        False when the system or this file system cannot do that; then nothing has happened.

    Raises:
        OSError: Whatever else went wrong, such as one of them not being there.
    """
    return sys.platform != "win32" and _rename(one, other, _RENAME_SWAP)


def _rename(source: Where, target: Where, flag: int) -> bool:
    if _CALL is None:
        return False
    ctypes.set_errno(0)
    outcome = _CALL(_fd(source), os.fsencode(source[0]), _fd(target), os.fsencode(target[0]), flag)
    if outcome == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_HERE:
        return False
    raise OSError(code, os.strerror(code), target[0])


def _fd(where: Where) -> int:
    return _AT_FDCWD if where[1] is None else where[1]


def _find_call() -> Callable[..., int] | None:
    """The C library's rename that takes flags."""
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    try:
        function = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (AttributeError, OSError, TypeError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    call: Callable[..., int] = function
    return call


_CALL = _find_call()
