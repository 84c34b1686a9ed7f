"""Two ways in which the Linux kernel confines a process, with all that it starts, by its system calls alone.

Landlock (`man 7 landlock`) is its sandbox for programs without privileges. Rules only ever allow, and whatever they
allow holds for everything below a folder: nothing can be taken out of a folder that is allowed.

A seccomp filter (`man 2 seccomp`) says which system calls cannot be made. It closes what rules about files leave open:
sockets of every kind but those of the internet where the network is allowed (the bus of the desktop, Docker and an
agent of SSH listen on sockets that are files), looking into other processes and limiting them, the kernel's keyrings,
memory and messages that are no files and so are not measured, namespaces, and calls that need privileges anyway.
io_uring could make sockets without the call.
"""

import ctypes
import errno
import os
import platform
import stat
import struct
import sys
from collections.abc import Sequence
from typing import Final

# The same numbers on every architecture (include/uapi/asm-generic/unistd.h).
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1

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

# From the kernel's headers seccomp.h, filter.h and audit.h
_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_X32: Final = 0x40000000
"""First of the calls of the x32 ABI, which are other numbers for the same calls."""
_SET_SECCOMP, _FILTER_MODE, _NO_NEW_PRIVILEGES = 22, 2, 38  # prctl(2)
_INTERNET: Final = (2, 10)
"""AF_INET and AF_INET6."""
_WAY: Final = 0xF
"""Of the second argument of `socketpair`, what is not an option."""
_CONNECTED: Final = (1, 5)
"""SOCK_STREAM and SOCK_SEQPACKET: a pair of another kind can send to any socket that has a path."""
_NEW_NAMESPACE: Final = 0x7E020000
"""Every flag of `clone` that makes one."""
_TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which type into a terminal."""

# Numbers of system calls, of the kernel's tables: that of x86_64 and that of aarch64
_SOCKET: Final = (41, 198)
_SOCKETPAIR: Final = (53, 199)
_CLONE: Final = (56, 220)
_PRLIMIT: Final = (302, 261)
_IOCTL: Final = (16, 29)
_TRUNCATE_CALL: Final = (76, 45)
_ABSENT: Final = {
    # The flags of clone3 are where a filter cannot look; who hears that it is not there takes clone.
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
}
"""Answered as a kernel does that does not have them, since programs know what to do then."""
_REFUSED: Final = """
    ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, pidfd_getfd 438 438,
    add_key 248 217, request_key 249 218, keyctl 250 219, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282,
    io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, mount 165 40, umount2 166 39,
    pivot_root 155 41, open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432,
    mount_setattr 442 442, unshare 272 97, setns 308 268, open_by_handle_at 304 265, kexec_load 246 104,
    init_module 175 105, finit_module 313 273, delete_module 176 106, reboot 169 142, swapon 167 224,
    swapoff 168 225, settimeofday 164 170, clock_settime 227 112, syslog 103 116, acct 163 89, quotactl 179 60,
    shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190, semop 65 193, semtimedop 220 192, semctl 66 191,
    msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181
"""
_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Each with its column above and its number in audit.h."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock_abi() -> int:
    """Return the version of Landlock that the kernel offers; 0 if there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    version: int = _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    return max(version, 0)


def restrict(read: Sequence[str], write: Sequence[str], *, network: bool) -> None:
    """Restrict this process by Landlock for good, with all that it starts from now on. Missing places are skipped.

    Args:
        read: Files and folders that it may read and execute.
        write: Those that it may change too.
        network: Whether it may use TCP.

    Raises:
        OSError: The kernel refuses; nothing is restricted.
    """
    version = landlock_abi()
    handled = _handled(version)
    closed = 0 if network or version < _NETWORK_ABI else _TCP
    attributes = _Ruleset(handled, closed, _SCOPES if version >= _SCOPES_ABI else 0)
    size = 24 if version >= _SCOPES_ABI else 16 if version >= _NETWORK_ABI else 8
    ruleset = _call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path in read:
            _allow(ruleset, path, handled & _READING)
        for path in write:
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


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def has_filter() -> bool:
    """Return whether there is a filter for this system's architecture."""
    return sys.platform.startswith("linux") and platform.machine() in _ARCHITECTURES and sys.maxsize > 2**32


def filter_program(*, network: bool, machine: str | None = None, truncate: bool = True) -> bytes:
    """Return the filter, as the kernel and bubblewrap take it.

    Args:
        network: Whether sockets of the internet can be made.
        machine: The architecture; this one's by default.
        truncate: Whether files can be emptied by name, which old versions of Landlock do not govern.

    Raises:
        ValueError: There is none for this architecture.
    """
    found = _ARCHITECTURES.get(machine or platform.machine())
    if found is None:
        raise ValueError("there is no filter for this architecture")
    column, architecture = found
    named = [int(call.split()[1 + column]) for call in _REFUSED.split(",")]
    refused = sorted([*named, *(() if truncate else (_TRUNCATE_CALL[column],))])
    code = [
        _statement(_LOAD, _ARCHITECTURE_AT),
        _jump(_JUMP_EQUAL, architecture, 1, 0),
        _refuse(errno.EPERM),
        _statement(_LOAD, _NUMBER_AT),
        _jump(_JUMP_ABOVE, _X32, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for number in refused:
        code += _for(number, [_refuse(errno.EPERM)])
    for numbers in _ABSENT.values():
        code += _for(numbers[column], [_refuse(errno.ENOSYS)])
    code += _for(_SOCKET[column], _only(0, _INTERNET if network else (), errno.EACCES))
    code += _for(_SOCKETPAIR[column], _only(1, _CONNECTED, errno.EACCES, of=_WAY))
    code += _for(_PRLIMIT[column], _only(0, (0,), errno.EPERM))
    code += _for(_IOCTL[column], [_argument(1), *(step for one in _TERMINAL_INPUT for step in _unless(one)), _ALLOWED])
    code += _for(
        _CLONE[column], [_argument(0), _jump(_JUMP_ANY_BIT, _NEW_NAMESPACE, 0, 1), _refuse(errno.EPERM), _ALLOWED]
    )
    return b"".join((*code, _ALLOWED))


def install_filter(code: bytes) -> None:
    """Put this process under a filter for good, with all that it starts from now on.

    Args:
        code: What `filter_program` made.

    Raises:
        OSError: The kernel refuses.
    """
    libc, made = _libc(), ctypes.byref(_Program(len(code) // 8, code))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or libc.prctl(_SET_SECCOMP, _FILTER_MODE, made) != 0:
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def _statement(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(error: int) -> bytes:
    return _statement(_RETURN, _ERROR | error)


_ALLOWED: Final = _statement(_RETURN, _ALLOW)


def _for(number: int, steps: list[bytes]) -> list[bytes]:
    """Return what is done with one call, and jumped over with others; the last step returns."""
    return [_jump(_JUMP_EQUAL, number, 0, len(steps)), *steps]


def _only(place: int, values: Sequence[int], error: int, of: int = 0xFFFFFFFF) -> list[bytes]:
    """Return the steps that allow a call with some values only.

    Args:
        place: Which of its arguments, of which the lower 32 bits are looked at.
        values: Those that are allowed.
        error: What others are answered.
        of: The bits that count.
    """
    steps = [_argument(place), _statement(_AND, of)]
    for value in values:
        steps += [_jump(_JUMP_EQUAL, value, 0, 1), _ALLOWED]
    return [*steps, _refuse(error)]


def _unless(value: int) -> list[bytes]:
    """Return the steps that refuse a call if the loaded value matches, and otherwise go on."""
    return [_jump(_JUMP_EQUAL, value, 0, 1), _refuse(errno.EPERM)]


def _argument(place: int) -> bytes:
    """Return the step that loads the lower 32 bits of an argument."""
    return _statement(_LOAD, _ARGUMENTS_AT + 8 * place)
