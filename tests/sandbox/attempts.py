"""What programs try in order to get out of a sandbox, each by itself; run as `python attempts.py KIND FOLDER`.

The names of the attempts that succeeded are printed. It runs as a program of its own, so that it can be started as
another user.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from bridge.sandbox.job import Ending
from bridge.sandbox.probing import probe_one
from bridge.sandbox.profile import Limits, Profile
from bridge.sandbox.sandbox import SandboxKind, start
from bridge.sandbox.system import environment

# Each attempt is a Python expression or statement that raises where it is refused. `secret` is a file outside, `given`
# what it may write, `other` a process outside, `shm`, `ours` and `abstract` what that user has outside.
ATTEMPTS = {
    "read a file": "open(secret).read()",
    "list a folder": "assert os.path.basename(secret) in os.listdir(os.path.dirname(secret))",
    "see that a file is there": "os.stat(secret)",
    "follow a link": "os.symlink(secret, given + '/l'); open(given + '/l').read()",
    "follow a hard link": "os.link(secret, given + '/h'); open(given + '/h').read()",
    "watch a folder": "assert libc.inotify_add_watch(libc.inotify_init(), os.path.dirname(secret).encode(), 2) >= 0",
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
    "environment of the bridge": "assert 'A_KEY' in os.environ",
    **{
        f"socket {family} {way}": f"socket.socket(socket.{family}, socket.{way})"
        for family in ("AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG")
        for way in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW")
    },
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
    "memfd_create": "os.memfd_create('x')",
    "keyctl": "checked(libc.syscall(250, 0, -3, 1))",
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
    "chroot": "os.chroot(given)",
    "open_by_handle_at": "assert libc.open_by_handle_at(0, ctypes.create_string_buffer(16), 0) >= 0",
    "type into a terminal": "fcntl.ioctl(0, 0x5412, b'x')",
    "make a device": "os.mknod(given + '/d', 0o20600, os.makedev(1, 3))",
    "set the host's name": "socket.sethostname('x')",
    "set the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time())",
    "write to /proc/sys": "os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)",
    "write its map of users": "os.write(os.open('/proc/self/uid_map', os.O_WRONLY), b'0 0 1')",
    "dump its memory": "assert resource.getrlimit(resource.RLIMIT_CORE)[1]",
    "gain capabilities": "assert 'CapEff:\\t0000000000000000' not in open('/proc/self/status').read()",
    "call without the filter": "assert 'Seccomp:\\t2' not in open('/proc/self/status').read()",
}
BEGIN = """
import ctypes, fcntl, json, os, resource, socket, sys, time
libc, librt = (ctypes.CDLL(name, use_errno=True) for name in (None, "librt.so.1"))
def checked(result):
    if result < 0: raise OSError(ctypes.get_errno(), "")
def absent(number):
    if libc.syscall(number, None, 0) < 0 and ctypes.get_errno() == 38: raise OSError(38, "")
def clone(flags):
    process = libc.syscall(56, flags, 0, 0, 0, 0)
    if process == 0: os._exit(0)
    checked(process)
given = os.getcwd()
globals().update(json.loads(sys.argv[1]))
done = []
for name, attempt in attempts.items():
    try: exec(attempt)
    except (OSError, AssertionError, AttributeError): continue
    done.append(name)
print(json.dumps(done))
"""


async def succeeded(kind: SandboxKind, folder: Path) -> list[str] | None:
    """Return the names of the attempts that succeed in one sandbox; None where it does not work here."""
    sandbox = probe_one(kind)
    if sandbox is None:
        return None
    given, home = folder / "given", folder / "home"
    for place in (given, home):
        place.mkdir()
    secret = home / "host.json"
    secret.write_text("the token", encoding="ascii")
    os.environ["A_KEY"] = "a secret"
    listening = {"ours": str(home / "socket"), "abstract": f"vault-bridge-{os.getpid()}"}
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as by_path,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as by_name,
        subprocess.Popen(["/bin/sleep", "1000"], env={"TOKEN": "x"}) as other,  # noqa: ASYNC220 - nobody waits for it
    ):
        by_path.bind(listening["ours"])
        by_name.bind(f"\0{listening['abstract']}")
        facts = {"secret": str(secret), "other": other.pid, "attempts": ATTEMPTS, "shm": 0x5EC2E7} | listening
        running = await start(
            sandbox,
            Profile(write=(given,), limits=Limits(seconds=60)).guarded([]),
            ["/usr/bin/python3", "-I", "-S", "-c", BEGIN, json.dumps(facts)],
            folder=given,
            environment=environment(home=given, temporary=given),
        )
        said = {"stdout": b"", "stderr": b""}
        async for name, data in running.output(1 << 20):
            said[name] += data
        report = await running.ended()
        other.kill()
    if report.ending is not Ending.EXITED or report.code != 0:
        raise RuntimeError(f"{report}: {said['stderr'].decode()}")
    found: list[str] = json.loads(said["stdout"])
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(succeeded(SandboxKind(sys.argv[1]), Path(sys.argv[2])))))  # noqa: T201 - its answer
