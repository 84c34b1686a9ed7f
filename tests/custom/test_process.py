"""Runs of code: what comes back of them, and what they cannot do, however they try."""

import asyncio
import json
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.custom.process import MOST_OUTPUT, Processes
from tests.custom.conftest import PATIENT, Run
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no sandbox works there"),
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here"),
]

SOON = 1500
"""Milliseconds for code that never ends by itself."""
BOTH = pytest.mark.parametrize("where", ["node", "python"])


@pytest.mark.parametrize(
    ("where", "code", "result"),
    [
        ("node", "return params.a + parameters.a", 4),
        ("node", "return await Promise.resolve([null, 'ä\\u2028']);", [None, "ä\u2028"]),
        ("node", "return (await bridge.call('read', {path: 'x'}))[1].path", "x"),
        ("node", "return (await Promise.all(['a', 'b'].map((n) => bridge.call(n)))).map((r) => r[0])", ["a", "b"]),
        ("node", "return require('node:path').basename('/a/b.md')", "b.md"),
        ("node", "const x = 1;", None),
        ("python", "return params['a'] + parameters['a']", 4),
        ("python", "return [None, 'ä\\u2028']", [None, "ä\u2028"]),
        ("python", "return bridge.call('read', path='x')[1]['path']", "x"),
        ("python", "return bridge.call('read', {'path': 'x'})[1]['path']", "x"),
        ("python", 'text = """a\nb"""\nreturn text', "a\nb"),
        ("python", "import statistics\nreturn statistics.mean([1, 3])", 2),
        ("python", "x = 1", None),
    ],
)
async def test_code_gets_its_parameters_calls_the_bridge_and_returns_json(
    run: Run, where: str, code: str, result: Any
) -> None:
    answer = await run(where, code, {"a": 2})
    assert (answer.success, answer.result, answer.error) == (True, result, None)
    assert answer.execution_time > 0


@pytest.mark.parametrize(
    ("where", "code", "words"),
    [
        ("node", "throw new RangeError('too far')", "RangeError: too far"),
        ("node", "return 10n", "no JSON"),
        ("node", "const a = {}; a.a = a; return a", "no JSON"),
        ("node", "let = ;", "SyntaxError"),
        ("node", "return 1;\n\nlet = ;", "(line 3)"),
        ("node", "await new Promise(() => {})", "what it waited for never came"),
        ("node", "setTimeout(() => { throw new Error('later') }, 1); await new Promise(() => {})", "Error: later"),
        ("node", "process.exit(3)", "exit code 3"),
        ("node", "}); process.exit(4); (() => {", "SyntaxError"),
        ("python", "raise KeyError('gone')", "KeyError: 'gone'"),
        ("python", "return {1, 2}", "not JSON serializable"),
        ("python", "return float('nan')", "not JSON compliant"),
        ("python", "return 1 +", "SyntaxError"),
        ("python", "import os\nos._exit(3)", "exit code 3"),
        ("python", "raise SystemExit(5)", "SystemExit: 5"),
        ("python", "import numpy", "ModuleNotFoundError"),
        ("python", "import bridge.app", "ModuleNotFoundError"),
    ],
)
async def test_a_failure_of_the_code_is_a_result_that_says_so(run: Run, where: str, code: str, words: str) -> None:
    answer = await run(where, code)
    assert (answer.success, answer.result) == (False, None)
    assert words in (answer.error or "")


@BOTH
async def test_what_it_prints_is_kept_apart_from_what_it_returns(run: Run, where: str) -> None:
    printing = {
        "node": "console.log('one'); console.error('two'); require('node:child_process').execSync('echo three', "
        "{stdio: 'inherit'}); return 4",
        "python": "import os, sys\nprint('one', flush=True)\nprint('two', file=sys.stderr)\nos.system('echo three')\n"
        "return 4",
    }
    answer = await run(where, printing[where])
    assert (answer.success, answer.result) == (True, 4)
    assert {"one", "two", "three"} <= set(answer.output.split())


@BOTH
async def test_each_run_is_a_new_process_with_an_empty_folder(run: Run, home: Path, where: str) -> None:
    code = {
        "node": "const fs = require('fs'); const seen = [globalThis.left ?? null, fs.readdirSync('.')]; "
        "globalThis.left = 1; fs.writeFileSync('left.txt', 'x'); return seen",
        "python": "import builtins, os\nseen = [getattr(builtins, 'left', None), os.listdir('.')]\nbuiltins.left = 1\n"
        "open('left.txt', 'w').close()\nreturn seen",
    }[where]
    first, second = await run(where, code), await run(where, code)
    assert first.result == second.result == [None, []]
    assert list((home / "state" / "scratch").iterdir()) == []


READ = {
    "node": "return require('fs').readFileSync(params.path, 'utf8')",
    "python": "return open(params['path']).read()",
}
WRITE = {
    "node": "require('fs').writeFileSync(params.path, 'changed'); return true",
    "python": "open(params['path'], 'w').write('changed')\nreturn True",
}
PLACES = ("diary.txt", "Vault/Ideas.md", "state/host.json", "configuration/tools.json")


@BOTH
@pytest.mark.parametrize("place", PLACES)
async def test_it_reads_and_changes_nothing_of_the_person_s_not_even_its_own_definition(
    run: Run, home: Path, where: str, place: str
) -> None:
    before = (home / place).read_bytes()
    for code in (READ, WRITE):
        answer = await run(where, code[where], {"path": str(home / place)})
        assert (answer.success, answer.result) == (False, None)
    assert (home / place).read_bytes() == before
    made = await run(where, WRITE[where], {"path": str(home / "new.txt")})
    assert (made.success, (home / "new.txt").exists()) == (False, False)


@BOTH
async def test_it_does_not_read_the_home_folder_and_is_given_none_of_our_environment(
    run: Run, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "a secret")
    code = {"node": "return process.env", "python": "import os\nreturn dict(os.environ)"}[where]
    surroundings = (await run(where, code)).result
    assert "a secret" not in json.dumps(surroundings)
    assert surroundings["HOME"] != str(Path.home())
    listing = {
        "node": "return require('fs').readdirSync(params.path)",
        "python": "import os\nreturn os.listdir(params['path'])",
    }
    seen = (await run(where, listing[where], {"path": str(Path.home())})).result or []
    own = [Path(sys.base_prefix), Path(sys.prefix)]  # an interpreter may itself lie in there
    assert set(seen) <= {place.relative_to(Path.home()).parts[0] for place in own if place.is_relative_to(Path.home())}


@BOTH
async def test_it_reaches_no_network_not_even_this_computer(run: Run, where: str) -> None:
    code = {
        "node": "return await new Promise((yes, no) => require('net').connect(params.port, '127.0.0.1', "
        "() => yes('through')).on('error', no))",
        "python": "import socket\nsocket.create_connection(('127.0.0.1', params['port']))\nreturn 'through'",
    }[where]
    with socket.create_server(("127.0.0.1", 0)) as server:
        answer = await run(where, code, {"port": server.getsockname()[1]})
        assert (answer.success, answer.result) == (False, None)


HANGS = {
    "node": (
        "while (true);",
        (
            "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 9)\n"
            "await new Promise(() => {})"
        ),
    ),
    "python": (
        "while True: pass",
        (
            "import signal, time\nfor number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\n"
            "while True: time.sleep(9)"
        ),
    ),
}


@pytest.mark.parametrize(("where", "number"), [("node", 0), ("node", 1), ("python", 0), ("python", 1)])
async def test_what_hangs_is_ended_when_its_time_is_over_whether_it_listens_or_not(
    run: Run, where: str, number: int
) -> None:
    async with asyncio.timeout(PATIENCE):
        answer = await run(where, HANGS[where][number], milliseconds=SOON)
    assert (answer.success, answer.error) == (False, f"Tool execution timed out after {SOON} ms")


async def test_one_that_shuts_its_own_way_to_answer_is_ended_in_time_too(run: Run) -> None:
    code = "import os, time\nos.closerange(3, 30)\ntime.sleep(999)"
    assert "timed out" in ((await run("python", code, milliseconds=SOON)).error or "")


@BOTH
async def test_a_child_that_is_left_behind_ends_with_its_run(run: Run, where: str) -> None:
    code = {
        "node": "const child = require('child_process').spawn('sleep', ['987654'], {detached: true, stdio: 'ignore'}); "
        "child.unref(); return child.pid",
        "python": "import subprocess\nreturn subprocess.Popen(['sleep', '987654'], start_new_session=True, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid",
    }[where]
    answer = await run(where, code)
    assert answer.success
    assert not [line for line in command_lines() if b"987654" in line]


def command_lines() -> list[bytes]:
    """The command lines of all processes."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(entry.read_bytes())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os\nwhile True: os.fork()", ("more processes than it may", "timed out")),
        ("with open('big', 'wb') as file:\n  while True: file.write(b'x' * 1000000)", ("wrote more", "OSError")),
        ("held = []\nwhile True: held.append(bytearray(10_000_000))", ("more memory than it may", "MemoryError")),
        ("while True: print('x' * 100000)", ("printed more than it may",)),
        ("return 'x' * 5_000_000", ("larger than 4,194,304 bytes",)),
        ("while True: bridge.call('read', path='x')", ("more than 1,000 calls",)),
    ],
    ids=["processes", "disk", "memory", "output", "result", "calls"],
)
async def test_what_takes_without_end_is_ended(run: Run, home: Path, code: str, words: tuple[str, ...]) -> None:
    answer = await run("python", code)
    assert not answer.success
    assert any(each in (answer.error or "") for each in words), answer.error
    assert len(answer.output) < 2 * MOST_OUTPUT
    assert list((home / "state" / "scratch").iterdir()) == []


@BOTH
async def test_the_time_in_which_the_bridge_answers_does_not_count(processes: Processes, where: str) -> None:
    code = {"node": "return await bridge.call('read')", "python": "return bridge.call('read')"}[where]
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def answer(_message: Any) -> Any:
        asked.set()
        await go_on.wait()
        return {"success": True, "result": "late"}

    running = asyncio.ensure_future(processes.run(where, code, {}, SOON, answer))
    async with asyncio.timeout(PATIENCE):
        await asked.wait()
        loop = asyncio.get_running_loop()
        loop.call_later(SOON / 1000 + 0.5, go_on.set)
        assert (await running).result == "late"


async def test_one_that_is_cancelled_leaves_nothing(processes: Processes, home: Path) -> None:
    asked = asyncio.Event()

    async def answer(_message: Any) -> Any:
        asked.set()
        await asyncio.Event().wait()

    code = "import subprocess\nsubprocess.Popen(['sleep', '987653'])\nbridge.call('read')"
    running = asyncio.ensure_future(processes.run("python", code, {}, PATIENT, answer))
    async with asyncio.timeout(PATIENCE):
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert not [line for line in command_lines() if b"987653" in line]
    assert list((home / "state" / "scratch").iterdir()) == []


async def test_a_script_is_read_for_mistakes_without_being_run(processes: Processes) -> None:
    assert (await processes.check_script("require('fs').writeFileSync('/dev/stderr', 'ran'); return 1")).output == ""
    wrong = await processes.check_script("return 1;\nlet = ;")
    assert wrong.error == "SyntaxError: Unexpected token ';' (line 2)"
