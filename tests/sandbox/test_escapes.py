"""What a program in a sandbox tries, and does not achieve."""

import asyncio
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.sandbox.job import Ending
from bridge.sandbox.profile import MEGABYTE, Profile, ProgramLimits, environment
from bridge.sandbox.sandbox import Sandbox, SandboxKind, start
from tests.patience import PATIENCE
from tests.sandbox.conftest import Run, living, python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes as Linux shows them"),
]


async def test_what_it_was_not_given_is_not_read(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "home" / "host.json"
    secret.parent.mkdir()
    secret.write_text("the token", encoding="ascii")
    ran = await run(
        f"cat {secret}; cat < {secret}; ls {secret.parent}; ln -s {secret} link; cat link; cp {secret} copy"
    )
    assert "token" not in ran.stdout
    assert "host.json" not in ran.stdout


async def test_a_hidden_folder_is_not_reached_although_it_lies_in_a_given_one(run: Run, given: Path) -> None:
    hidden, kept = given / "hidden", given / "kept"
    for folder in (hidden, kept, given / "open"):
        folder.mkdir()
        (folder / "file").write_text(f"text of {folder.name}", encoding="ascii")
    profile = Profile(write=(given,), hidden=(hidden,), kept=(kept,))
    ran = await run("cat hidden/file kept/file; echo x > hidden/file; echo x > kept/file; echo x > open/file", profile)
    assert "text of hidden" not in ran.stdout
    assert "text of kept" in ran.stdout
    assert (hidden / "file").read_text(encoding="ascii") == "text of hidden"
    assert (kept / "file").read_text(encoding="ascii") == "text of kept"
    assert (given / "open" / "file").read_text(encoding="ascii") == "x\n"


async def test_nothing_is_written_elsewhere(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "note").write_text("as it was", encoding="ascii")
    ran = await run(
        f"echo x > {other}/new; echo x > {other}/note; rm {other}/note; mv {other}/note .; mkdir {other}/folder; "
        f"chmod 777 {other}; echo x > /usr/new && cat /usr/new; echo x > /etc/new && cat /etc/new; "
        "echo x > mine; cat mine"
    )
    assert [path.name for path in other.iterdir()] == ["note"]
    assert (other / "note").read_text(encoding="ascii") == "as it was"
    assert ran.stdout == "x\n", "what it was given it may write"


async def test_what_is_given_inside_a_hidden_folder_can_be_used(run: Run, sandbox: Sandbox, given: Path) -> None:
    inner = given / "hidden" / "inner"
    inner.mkdir(parents=True)
    (given / "hidden" / "file").write_text("the token", encoding="ascii")
    profile = Profile(write=(given, inner), hidden=(given / "hidden",))
    ran = await run("cat hidden/file; echo x > hidden/new; echo x > hidden/inner/new; cat hidden/inner/new", profile)
    assert "the token" not in ran.stdout
    assert not (given / "hidden" / "new").exists()
    if sandbox.moves:
        assert ran.stdout == "x\n", ran.stderr


@pytest.mark.parametrize("allowed", [False, True])
async def test_the_network_is_reached_only_where_that_is_allowed(run: Run, given: Path, allowed: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5); print('in')"
        argv, read = python(script)
        ran = await run(argv, Profile(read=read, write=(given,), network=allowed))
        assert ("in" in ran.stdout) is allowed, ran.stderr


async def test_sockets_of_other_programs_and_of_other_kinds_cannot_be_made(run: Run, given: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(given / "s"))
        server.listen()
        argv, read = python(
            "import socket\n"
            "for kind, way in (('UNIX', 1), ('INET', 2), ('INET6', 2), ('NETLINK', 3)):\n"
            "    try: made = socket.socket(getattr(socket, 'AF_' + kind), way)\n"
            "    except OSError: continue\n"
            "    print(kind)\n"
        )
        ran = await run(argv, Profile(read=read, write=(given,)))
    assert ran.stdout == ""


async def test_other_processes_are_neither_ended_nor_looked_into(sandbox: Sandbox, run: Run) -> None:
    if not sandbox.confines:
        pytest.skip("Landlock alone does not keep signals in: this test would be ended")
    mark = secrets.token_hex(8)
    other = await asyncio.create_subprocess_exec("/bin/sleep", "1000", env={"TOKEN": mark})
    try:
        ran = await run(f"kill -9 {other.pid} {os.getpid()} $PPID; cat /proc/[0-9]*/environ | tr '\\0' '\\n'")
        assert mark not in ran.stdout
        assert other.pid in living("/bin/sleep")
    finally:
        other.kill()
        await other.wait()


async def test_a_child_that_is_left_behind_is_ended_with_it(run: Run) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    ran = await run(f"sleep {mark} & setsid sleep {mark} & (setsid sh -c 'sleep {mark} & sleep {mark}' &) ; echo done")
    assert ran.stdout == "done\n"
    assert ran.report.ending is Ending.EXITED
    assert living(mark) == []


async def test_too_many_processes_are_all_ended(run: Run) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    script = f"i=0; while [ $i -lt 200 ]; do setsid sleep {mark} & i=$((i+1)); done; wait; sleep {mark}"
    ran = await run(script, processes=20)
    assert ran.report.ending is Ending.PROCESSES
    assert living(mark) == []


async def test_a_disk_is_not_filled_by_one_file(run: Run, given: Path) -> None:
    ran = await run("head -c 20000000 /dev/zero > big", file_size=MEGABYTE)
    assert ran.report.code != 0
    assert (given / "big").stat().st_size <= MEGABYTE


async def test_a_disk_is_not_filled_by_many_files(run: Run) -> None:
    script = "i=0; while [ $i -lt 40 ]; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done; sleep 1000"
    ran = await run(script, disk=5 * MEGABYTE)
    assert ran.report.ending is Ending.DISK


async def test_memory_is_limited(run: Run) -> None:
    ran = await run("head -c 300000000 /dev/zero | tail > /dev/null || exit 9", memory=50 * MEGABYTE)
    assert ran.report.ending is Ending.MEMORY or ran.report.code == 9


async def test_endless_output_ends_it(run: Run) -> None:
    ran = await run("yes & yes >&2", output=MEGABYTE)
    assert ran.report.ending is Ending.OUTPUT
    assert 0 < len(ran.stdout) + len(ran.stderr) <= MEGABYTE


@pytest.mark.parametrize("script", ["sleep 1000", "trap '' TERM; sleep 1000; sleep 1000", "setsid sleep 1000; :"])
async def test_what_hangs_is_ended_in_time_whether_it_listens_or_not(run: Run, script: str) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    ran = await run(script.replace("1000", mark), seconds=0.3, grace=0.1)
    assert ran.report.ending is Ending.TIMED_OUT
    assert living(mark) == []


async def test_it_is_told_to_end_before_it_is_ended(run: Run) -> None:
    ran = await run("trap 'echo bye; exit' TERM; echo up; while :; do sleep 0.1; done", seconds=10, grace=PATIENCE)
    assert ran.report.ending is Ending.TIMED_OUT
    assert ran.stdout == "up\nbye\n"


async def test_nothing_of_the_bridges_environment_and_descriptors_is_passed_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a secret")
    ran = await run("env; ls /proc/self/fd; cat")
    assert "secret" not in ran.stdout
    assert set(ran.stdout.splitlines()[-4:]) <= {"0", "1", "2", "3", *ran.stdout.splitlines()[:-4]}


async def test_a_program_that_is_not_there_says_so(run: Run, sandbox: Sandbox) -> None:
    ran = await run(["/nowhere/program"])
    if sandbox.kind is SandboxKind.BUBBLEWRAP:
        assert ran.report.code != 0
    else:
        assert ran.report.ending is Ending.NOT_STARTED
        assert "No such file" in ran.report.message


_BRIDGE = """
import asyncio, os, signal, sys
from pathlib import Path
from bridge.sandbox.profile import ProgramLimits, Profile
from bridge.sandbox.sandbox import probe_one
from bridge.sandbox.sandbox import SandboxKind, start
from bridge.sandbox.profile import environment
given, kind, mark, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]

async def main():
    script = f"setsid sh -c 'sleep {mark} & sleep {mark}' & trap '' TERM; sleep {mark} & echo up; sleep {mark}"
    running = await start(
        probe_one(SandboxKind(kind)), Profile(write=(given,)).guarded([]), ["/bin/sh", "-c", script],
        folder=given, environment=environment(home=given, temporary=given), talks=moment == "talking",
    )
    os.write(1, f"{running.supervisor}\\n".encode())
    if moment != "at once":
        await running.stdout.readline()
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["at once", "later", "talking"])
def test_nothing_is_left_when_the_bridge_is_killed(sandbox: Sandbox, given: Path, moment: str) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    command = [sys.executable, "-c", _BRIDGE, str(given), sandbox.kind, mark, moment]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as bridge:  # noqa: S603 - this test's own
        said, _ = bridge.communicate()
    assert bridge.returncode == -signal.SIGKILL
    try:
        supervisor = os.pidfd_open(int(said))
    except ProcessLookupError:
        supervisor = None
    if supervisor is not None:
        select.select([supervisor], [], [])  # readable once it has ended
        os.close(supervisor)
    assert living(mark) == []


async def test_a_program_that_talks_hears_what_is_written_and_ends_with_its_input(
    sandbox: Sandbox, given: Path
) -> None:
    running = await start(
        sandbox,
        Profile(write=(given,), limits=ProgramLimits()).guarded([]),
        ["/bin/cat"],
        folder=given,
        environment=environment(home=given, temporary=given),
        talks=True,
    )
    big = b"x" * 300_000 + b"\n"
    sending = asyncio.create_task(running.write(big))
    assert await running.stdout.readexactly(len(big)) == big
    await sending
    running.end()
    assert [piece async for piece in running.output(None)] == []
    assert (await running.ended()).ending is Ending.STOPPED
