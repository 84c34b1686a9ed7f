"""Namespaces of Linux that we make ourselves (`man 7 namespaces`), for systems without bubblewrap.

The process in them has a file system, processes, shared memory and, unless it may use the network, interfaces of its
own. It is the first of its processes, and when it ends, the kernel ends all others. All of this is done by a process
with one thread, which the supervisor has just made.
"""

import contextlib
import ctypes
import errno
import os
import platform
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from bridge.sandbox.profile import LayerKind, ViewLayer, devices

# From the kernel's headers sched.h, mount.h, prctl.h and capability.h
_NEW_MOUNTS, _NEW_NAMES, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USERS, _NEW_PROCESSES, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
"""The same for mount(2) and for mount_setattr(2)."""
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_DETACH: Final = 2
_HERE, _ALL_BELOW = -100, 0x8000
_DUMPABLE: Final = 4
_CAPABILITIES_VERSION: Final = 0x20080522

# x86_64 and aarch64, of the kernel's tables of system calls
_CLONE: Final = {"x86_64": 56, "aarch64": 220}
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}
_CAPSET: Final = {"x86_64": 126, "aarch64": 91}
_MOUNT_SETATTR: Final = 442

KEEPERS: Final = 1
"""Processes of ours around a program: the first of the namespaces."""
_SIZE: Final = "size=4m,mode=755"
"""For the folders in which everything is laid: nothing is written there."""


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "users"))


def fork(*, users: bool, network: bool) -> int:
    """Fork this process, as `os.fork` does, the child in namespaces of its own.

    Args:
        users: Whether it has users of its own too, without which only root can do this.
        network: Whether it shares the system's network.

    Raises:
        OSError: The system does not let us.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "namespaces are Linux's")
    flags = _NEW_MOUNTS | _NEW_NAMES | _NEW_IPC | _NEW_PROCESSES | signal.SIGCHLD
    flags |= (_NEW_USERS if users else 0) | (0 if network else _NEW_NETWORK)
    # PyDLL keeps the interpreter's lock, so the child has it too.
    process: int = ctypes.PyDLL(None, use_errno=True).syscall(
        _CLONE[platform.machine()], ctypes.c_ulong(flags), *[ctypes.c_void_p()] * 4
    )
    if process < 0:
        raise OSError(ctypes.get_errno(), f"namespaces: {os.strerror(ctypes.get_errno())}")
    return process


def name_users(user: int, group: int) -> None:
    """Have the one user of the new namespace be called as outside. Done by the child; raises OSError."""
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")


def lay(layers: Sequence[ViewLayer], root: Path) -> None:
    """Make the file system of this process and of all that it starts. Done by the child.

    Args:
        layers: What is seen, outer folders first.
        root: A folder that is not there yet, in which it is built.

    Raises:
        OSError: The system does not let us, or something is not there.
    """
    root.mkdir(mode=0o700)
    _mount("none", Path("/"), "", _RECURSIVE | _PRIVATE)
    _mount("tmpfs", root, "tmpfs", _NO_SUID | _NO_DEVICES, _SIZE)
    for layer in [*_beginning(), *layers]:
        place = root / layer.place.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if layer.kind is LayerKind.LINK:
            place.symlink_to(layer.source)
        elif layer.kind is LayerKind.EMPTY:
            place.mkdir(parents=True, exist_ok=True)
            _mount("tmpfs", place, "tmpfs", _NO_SUID | _NO_DEVICES, _SIZE)
        else:
            _bind(layer, place)
    for layer in layers:
        if layer.kind is LayerKind.EMPTY:  # only now, since something that is given may lie in it
            _restrict(root / layer.place.lstrip("/"), _READ_ONLY, 0)
    processes = root / "proc"
    processes.mkdir()
    _mount("proc", processes, "proc", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
    _enter(root)


def _beginning() -> list[ViewLayer]:
    """Return the devices, which nothing can change, and the links that programs look for beside them."""
    streams = (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2"))
    return [
        *(ViewLayer(LayerKind.READ, device, device) for device in devices()),
        *(ViewLayer(LayerKind.LINK, f"/proc/self/fd{number}", f"/dev/{name}") for name, number in streams),
    ]


def _bind(layer: ViewLayer, place: Path) -> None:
    source = Path(layer.source)
    if source.is_dir():
        place.mkdir(parents=True, exist_ok=True)
    elif not place.exists():
        place.touch()
    _mount(layer.source, place, "", _BIND | _RECURSIVE)
    no_devices = 0 if layer.source in devices() else _NO_DEVICES
    _restrict(place, _NO_SUID | no_devices | (0 if layer.kind is LayerKind.WRITE else _READ_ONLY), _ALL_BELOW)


def _enter(root: Path) -> None:
    """Make a folder the root, and let go of everything else."""
    os.chdir(root)
    # The old root comes to lie over the new one, and is taken off.
    _check(_libc().syscall(_PIVOT_ROOT[platform.machine()], b".", b"."), "pivot_root")
    _check(_libc().umount2(b".", _DETACH), "umount")
    os.chdir("/")
    _restrict(Path("/"), _READ_ONLY | _NO_SUID | _NO_DEVICES, 0)


def attend(program: int) -> NoReturn:
    """Be the first process of the namespaces: wait for the program, take what is left behind, and end like it.

    Args:
        program: Its id.

    Raises:
        OSError: This is not Linux.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "namespaces are Linux's")
    _libc().prctl(_DUMPABLE, 0, 0, 0, 0)
    give_up_capabilities()
    for descriptor in [int(link.name) for link in Path("/proc/self/fd").iterdir()]:
        with contextlib.suppress(OSError):  # one was that of the list
            os.close(descriptor)
    while True:
        with contextlib.suppress(InterruptedError):
            process, status = os.wait()
            if process == program:
                code = os.waitstatus_to_exitcode(status)
                os._exit(code if code >= 0 else 128 - code)  # as a shell says it


def give_up_capabilities() -> None:
    """Have this process be one without any capability."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    _check(_libc().syscall(_CAPSET[platform.machine()], ctypes.byref(header), ctypes.byref(none)), "capset")


def _mount(source: str, place: Path, kind: str, flags: int, options: str = "") -> None:
    result = _libc().mount(
        os.fsencode(source), os.fsencode(place), kind.encode() or None, ctypes.c_ulong(flags), options.encode() or None
    )
    _check(result, f"mount of {place}")


def _restrict(place: Path, attributes: int, flags: int) -> None:
    wanted, name = _Attributes(set=attributes), os.fsencode(place)
    given = (ctypes.byref(wanted), ctypes.c_size_t(ctypes.sizeof(wanted)))
    result = _libc().syscall(_MOUNT_SETATTR, ctypes.c_int(_HERE), name, ctypes.c_uint(flags), *given)
    _check(result, f"mount of {place}")


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
