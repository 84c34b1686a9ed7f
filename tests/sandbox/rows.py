"""What a program may try in a sandbox, by the rows of the table in `docs/security.md`. Data alone.

Each attempt is a Python expression or statement that raises where it is refused. In it, `secret` is a file outside,
`given` what it may write, `other` a process outside, `shm`, `ours` and `abstract` what that user has outside.
"""

from typing import Final, NamedTuple


class Row(NamedTuple):
    """What a program does or does not get to do.

    Attributes:
        what: In words.
        confined: What holds of it in a sandbox of Linux.
        macos: What holds of it with macOS's `sandbox-exec`, by its documentation.
        without: What holds of it without a sandbox.
        attempts: What is tried, by its name.
        shows: The attempt by which is shown that it can be done without a sandbox; empty where it cannot.
    """

    what: str
    confined: str
    macos: str
    without: str
    attempts: dict[str, str]
    shows: str = ""


def _sockets(*families: str) -> dict[str, str]:
    return {
        f"socket {family} {way}": f"socket.socket(socket.{family}, socket.{way})"
        for family in families
        for way in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW")
    }


REACHING: Final = (
    Row(
        "reads your files, the tokens, `.vault-bridge`, `.obsidian`, closed notes",
        "no",
        "no",
        "yes, all that you can read",
        {
            "read a file": "open(secret).read()",
            "follow a link": "os.symlink(secret, given + '/l'); open(given + '/l').read()",
            "follow a hard link": "os.link(secret, given + '/h'); open(given + '/h').read()",
            "open_by_handle_at": "assert libc.open_by_handle_at(0, ctypes.create_string_buffer(16), 0) >= 0",
            "environment of the bridge": "assert 'A_KEY' in os.environ",
            "chroot": "os.chroot(given)",
        },
        "read a file",
    ),
    Row(
        "sees which other files there are, or watches them",
        "no",
        "sees that they are there",
        "yes",
        {
            "list a folder": "assert os.path.basename(secret) in os.listdir(os.path.dirname(secret))",
            "see that a file is there": "os.stat(secret)",
            "watch a folder": (
                "assert libc.inotify_add_watch(libc.inotify_init(), os.path.dirname(secret).encode(), 2) >= 0"
            ),
        },
        "see that a file is there",
    ),
    Row(
        "changes your files without the history, or their permissions and times",
        "no",
        "no",
        "yes",
        {
            "write a file": "open(secret, 'a')",
            "empty a file": "os.truncate(secret, 0)",
            "remove a file": "os.unlink(secret)",
            "move a file": "os.rename(secret, given + '/m')",
            "chmod": "os.chmod(secret, 0o777)",
            "chmod a device": "os.chmod('/dev/null', os.stat('/dev/null').st_mode & 0o7777)",
            "chmod a program": "os.chmod('/usr/bin/env', os.stat('/usr/bin/env').st_mode & 0o7777)",
            "utimes": "os.utime(secret)",
            "setxattr": "os.setxattr(secret, 'user.x', b'x')",
            "chown": "os.chown(secret, os.getuid(), os.getgid())",
        },
        "write a file",
    ),
    Row(
        "uses the network without `terminalNetwork`",
        "no",
        "no",
        "yes",
        {
            **_sockets("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"),
        },
        "socket AF_INET SOCK_STREAM",
    ),
    Row(
        "reaches sockets of other programs (Docker, D-Bus, an SSH agent), or memory that they share",
        "no",
        "no",
        "yes",
        {
            **_sockets("AF_UNIX"),
            "datagram pair to a path": "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', ours)",
            "raw pair to a path": "socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)[0].sendto(b'x', ours)",
            "stream pair to a path": "socket.socketpair()[0].sendto(b'x', ours)",
            "datagram pair to an abstract name": (
                "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', b'\\0' + abstract.encode())"
            ),
            "System V memory": "checked(libc.shmget(shm, 1, 0))",
            "new System V memory": "checked(libc.shmget(0, 4096, 0o1600))",
            "System V semaphores": "checked(libc.semget(0, 1, 0o1600))",
            "System V messages": "checked(libc.msgget(0, 0o1600))",
            "POSIX messages": "checked(librt.mq_open(b'/vault-bridge', 0o102, 0o600, None))",
            "keyctl": "checked(libc.syscall(250, 0, -3, 1))",
        },
        "datagram pair to a path",
    ),
    Row(
        "sees, ends, limits or inspects your other programs",
        "no",
        "cannot inspect them",
        "yes",
        {
            "signal": "os.kill(other, 0)",
            "signal everybody": "os.kill(-1, 0)",
            "limit another process": "resource.prlimit(other, resource.RLIMIT_CPU)",
            "slow another process": "os.setpriority(os.PRIO_PROCESS, other, 5)",
            "ptrace": "checked(libc.ptrace(16, other, 0, 0))",
            "process_vm_readv": "checked(libc.process_vm_readv(other, None, 0, None, 0, 0))",
            "pidfd": "os.pidfd_open(other)",
            "environment of others": "assert b'TOKEN' in open(f'/proc/{other}/environ', 'rb').read()",
            "arguments of others": "open(f'/proc/{other}/cmdline').read()",
            "root of others": "os.listdir(f'/proc/{other}/root')",
            "memory of others": "open(f'/proc/{other}/mem', 'rb')",
            "descriptors of others": "assert os.listdir(f'/proc/{other}/fd')",
            "take over a first process that has no filter": (
                "assert 'Seccomp:\\t2' not in open('/proc/1/status').read(); open('/proc/1/mem', 'r+b')"
            ),
            "type into a terminal": "fcntl.ioctl(0, 0x5412, b'x')",
        },
        "arguments of others",
    ),
)
"""What a program can reach. All attempts of these are made by one program."""

INNER: Final[dict[str, str]] = {
    **_sockets("AF_ALG"),
    "memfd_create": "os.memfd_create('x')",
    "io_uring": "checked(libc.syscall(425, 1, ctypes.create_string_buffer(120)))",
    "userfaultfd": "checked(libc.syscall(323, 1))",
    "bpf": "checked(libc.syscall(321, 0, ctypes.create_string_buffer(120), 120))",
    "perf_event_open": "checked(libc.syscall(298, ctypes.create_string_buffer(120), 0, -1, -1, 0))",
    "unshare": "checked(libc.unshare(0x10000000))",
    "clone into namespaces": "clone(0x10000000 | 17)",
    "clone3": "checked(libc.syscall(435, None, 0)) if ctypes.get_errno() == 38 else absent(435)",
    "mount": "checked(libc.mount(b'none', given.encode(), b'tmpfs', 0, None))",
    "remount": "checked(libc.mount(None, b'/', None, 32 | 4096, None))",
    "umount": "checked(libc.umount2(b'/proc', 2))",
    "make a device": "os.mknod(given + '/d', 0o20600, os.makedev(1, 3))",
    "set the host's name": "socket.sethostname('x')",
    "set the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time())",
    "write to /proc/sys": "os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)",
    "write its map of users": "os.write(os.open('/proc/self/uid_map', os.O_WRONLY), b'0 0 1')",
    "dump its memory": "assert resource.getrlimit(resource.RLIMIT_CORE)[1]",
    "gain capabilities": "assert 'CapEff:\\t0000000000000000' not in open('/proc/self/status').read()",
    "call without the filter": "assert 'Seccomp:\\t2' not in open('/proc/self/status').read()",
}
"""What is no row of the table, and what would be a step on the way out of a sandbox."""

_LEAVES = (
    "import os, signal, sys, time\n"
    "def leave():\n"
    "    if os.fork(): return False\n"
    "    os.setsid()\n"
    "    if os.fork(): os._exit(0)\n"
    "    return True\n"
    "def stay():\n"
    "    for at in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(at, signal.SIG_IGN)\n"
    "    for at in (0, 1, 2): os.close(at)\n"
    "    while 1: time.sleep(1)\n"
)
OUTLIVING: Final = Row(
    "runs longer than its time limit, the call or the bridge",
    "no",
    "may, if it leaves its session",
    "no; on Linux it may, if it ends its supervisor",
    {
        "stay in a session of its own": f"{_LEAVES}if leave(): stay()\n",
        "stay though it is told to end": f"{_LEAVES}stay()\n",
        "stay as many": f"{_LEAVES}for _ in range(20):\n    if leave(): stay()\nstay()\n",
        "end its supervisor": (
            f"{_LEAVES}above = os.getppid()\nif leave():\n    stay()\n"
            "try: os.kill(above, 9)\nexcept OSError: pass\nstay()\n"
        ),
    },
    "end its supervisor",
)
"""Programs that do not want to end: nothing of one is left when its time is over."""

_STAYS = "\ntime.sleep(1000)"
_NAMELESS = "f = os.open('x', os.O_RDWR | os.O_CREAT); os.unlink('x'); os.write(f, b'x' * (20 << 20))"
TAKING: Final = Row(
    "uses more memory, processes or disk than its limits",
    "ended",
    "ended only for time, output, disk and the size of single files",
    "ended",
    {
        "memory: of many processes": (
            "import os, time\nfor _ in range(6):\n    if not os.fork(): m = b'x' * (60 << 20); time.sleep(1000)"
            + _STAYS
        ),
        "memory: shared": (
            "import mmap, time\nm = []\nwhile 1: m.append(mmap.mmap(-1, 8 << 20)); m[-1].write(b'x' * (8 << 20))"
        ),
        "memory: shared and not in use": (
            "import mmap, time\nm = mmap.mmap(-1, 400 << 20)\n"
            "for at in range(400): m.seek(at << 20); m.write(b'x' * (1 << 20)); m.madvise(mmap.MADV_DONTNEED)" + _STAYS
        ),
        "processes: many": "import os, time\nfor _ in range(100):\n    if not os.fork(): time.sleep(1000)" + _STAYS,
        "disk: files without a name": f"import os, time\nm = []\nfor _ in range(15): {_NAMELESS}; m.append(f)" + _STAYS,
        "disk: files that are only mapped": (
            f"import mmap, os, time\nm = []\nfor _ in range(15): {_NAMELESS}; m.append(mmap.mmap(f, 4096)); os.close(f)"
            + _STAYS
        ),
        "disk: files on their way": (
            f"import os, socket, time\nm = []\nfor _ in range(15):\n    {_NAMELESS}\n    pair = socket.socketpair()\n"
            "    socket.send_fds(pair[0], [b'x'], [f]); os.close(f); m.append(pair)" + _STAYS
        ),
        "disk: empty files": "import time\nfor at in range(60_000): open(f'f{at}', 'w').close()" + _STAYS,
        "disk: in a folder that nobody can list": (
            "import os, time\nos.mkdir('d'); os.chmod('d', 0o300)\n"
            "for at in range(300): open(f'd/f{at}', 'wb').write(os.urandom(1 << 20))" + _STAYS
        ),
        "disk: in folders that nobody can search": (
            "import os, time\nfor at in range(3):\n    os.mkdir(f'd{at}')\n"
            "    for n in range(100): open(f'd{at}/f{n}', 'wb').write(os.urandom(1 << 20))\n"
            "    os.chmod(f'd{at}', 0o400)" + _STAYS
        ),
        "disk: in a folder whose path is too long": (
            "import os, time\nfor _ in range(25): os.mkdir('d' * 200); os.chdir('d' * 200)\n"
            "for at in range(300): open(f'f{at}', 'wb').write(os.urandom(1 << 20))" + _STAYS
        ),
        "disk: many files": "import os, time\nfor at in range(300): open(f'f{at}', 'wb').write(os.urandom(1 << 20))"
        + _STAYS,
    },
)
"""Programs that take more than their profile allows; the first word is how each must be ended."""

ROWS: Final = (*REACHING, OUTLIVING, TAKING)
