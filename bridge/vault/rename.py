"""Rename without overwriting, in one step, where the system can: Linux, macOS and Windows each have their own way."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable

Where = tuple[str, int | None]
"""A name and the descriptor of the folder it is in; or an absolute path and None."""

_AT_FDCWD = -2 if sys.platform == "darwin" else -100
_RENAME_NOREPLACE = 1
_RENAME_EXCL = 4
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
        os.rename(source[0], target[0])  # refuses to overwrite on Windows, and only there
        return True
    if _EXCLUSIVE is None:
        return False
    call, flag = _EXCLUSIVE
    ctypes.set_errno(0)
    outcome = call(_fd(source), os.fsencode(source[0]), _fd(target), os.fsencode(target[0]), flag)
    if outcome == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_HERE:
        return False
    raise OSError(code, os.strerror(code), target[0])


def _fd(where: Where) -> int:
    return _AT_FDCWD if where[1] is None else where[1]


def _exclusive() -> tuple[Callable[..., int], int] | None:
    """The C library's rename that refuses to overwrite, and its flag."""
    name, flag = ("renameatx_np", _RENAME_EXCL) if sys.platform == "darwin" else ("renameat2", _RENAME_NOREPLACE)
    try:
        call = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (AttributeError, OSError, TypeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call, flag


_EXCLUSIVE = _exclusive()
