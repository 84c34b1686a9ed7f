"""Landlock, the Linux kernel's sandbox for programs without privileges (`man 7 landlock`), by its system calls.

Rules only ever allow, and whatever they allow holds for everything below a folder: nothing can be taken out of a
folder that is allowed. A process that is restricted stays so, with all that it starts.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

# The same numbers on every architecture (include/uapi/asm-generic/unistd.h).
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38  # prctl(2)

# include/uapi/linux/landlock.h
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_CONTROL
_READING: Final = _EXECUTE | _READ_FILE | _READ_DIR
_DEVICES: Final = (1 << 6) | (1 << 11)
"""Making devices, which nothing may."""
_TCP: Final = 0b11
_SCOPES: Final = 0b11

_NETWORK_ABI, _SCOPES_ABI = 4, 6
TRUNCATE_ABI: Final = 3
"""The version from which emptying a file is a right of its own; before, nothing governs `truncate`."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class Rules(NamedTuple):
    """The rights of a process once it is restricted.

    Attributes:
        read: Files and folders that it may read and execute.
        write: Those that it may change too.
        network: Whether it may use TCP.
    """

    read: Sequence[str]
    write: Sequence[str]
    network: bool


def abi() -> int:
    """Return the version of Landlock that the kernel offers; 0 if there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    version: int = _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    return max(version, 0)


def restrict(rules: Rules) -> None:
    """Restrict this process for good, with all that it starts from now on.

    Args:
        rules: What it may do. Places that are not there are skipped.

    Raises:
        OSError: The kernel refuses; nothing is restricted.
    """
    version = abi()
    handled = _handled(version)
    network = 0 if rules.network or version < _NETWORK_ABI else _TCP
    attributes = _Ruleset(handled, network, _SCOPES if version >= _SCOPES_ABI else 0)
    size = 24 if version >= _SCOPES_ABI else 16 if version >= _NETWORK_ABI else 8
    ruleset = _call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path in rules.read:
            _allow(ruleset, path, handled & _READING)
        for path in rules.write:
            _allow(ruleset, path, handled & ~_DEVICES)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _handled(version: int) -> int:
    """Return every right that this version knows: what is not handled is not restricted."""
    count = {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)
    return (1 << count) - 1


def _allow(ruleset: int, path: str, rights: int) -> None:
    if sys.platform != "linux":
        return  # `restrict` has failed there
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        rule = _PathBeneath(rights, place)
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    result: int = _libc().syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
