"""The main job on real vaults, as its user does it: the real command line in pseudo-terminals, over a real socket.

An agent greps and patches a note; the person sees the exact diff and approves; the note is changed on disk and the
change is in the log; then the person takes it back, byte for byte.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.terminals import close_terminal

pytestmark = pytest.mark.slow

pexpect = pytest.importorskip("pexpect", reason="pseudo-terminals are POSIX")

BRIDGE = [sys.executable, "-m", "bridge"]
ENVIRONMENT_WIDTH = (50, 120)


def run(vault: Path, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(  # noqa: S603 - our own program
        [*BRIDGE, *arguments, "--vault", str(vault)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode == 0) is ok, done.stdout + done.stderr
    return done


def told(vault: Path, *arguments: str) -> Any:
    return json.loads(run(vault, *arguments, "--json").stdout)


def snapshot(vault: Path) -> dict[str, str]:
    """Every file outside our own folder, by its hash."""
    return {
        path.relative_to(vault).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(vault.rglob("*"))
        if path.is_file() and ".vault-bridge" not in path.parts
    }


def notes(vault: Path) -> dict[Path, str]:
    """Every note, without our backups."""
    found = (path for path in sorted(vault.rglob("*.md")) if ".vault-bridge" not in path.parts)
    return {path: path.read_text(encoding="utf-8") for path in found}


def terminal(vault: Path, *arguments: str) -> Any:
    child = pexpect.spawn(
        BRIDGE[0],
        [*BRIDGE[1:], *arguments, "--vault", str(vault)],
        encoding="utf-8",
        codec_errors="replace",  # what the terminal itself writes, such as ^C, may part a letter
        timeout=PATIENCE,
        dimensions=ENVIRONMENT_WIDTH,
        use_poll=True,
        env=os.environ | {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"},
    )
    child.delaybeforesend = None
    return child


@pytest.fixture
def served(real_vault: Path) -> Iterator[Path]:
    """A real vault, served by the real program."""
    server = terminal(real_vault, "serve", "--preset", "vault")
    server.expect(r"ws://127\.0\.0\.1:\d+/ws")
    run(real_vault, "clients", "add", "Robot", "--save")
    yield real_vault
    server.sendintr()
    server.expect(pexpect.EOF)
    server.wait()
    assert server.exitstatus == 0
    assert not (real_vault / ".vault-bridge" / "bridge.json").exists()


def test_grep_patch_approve_log_undo_redo(served: Path) -> None:
    before = snapshot(served)
    note = next(path for path in sorted(served.rglob("*.md")) if path.read_bytes().count(b"\n") > 4)
    name = note.relative_to(served).as_posix()
    old = note.read_bytes()
    lines = old.split(b"\n")
    new = b"\n".join([*lines[:1], b"An agent wrote this line.", *lines[2:]])
    first_word = re.escape(lines[0].decode().rstrip("\r")) or "."

    person = terminal(served, "approve")
    agent = terminal(served, "call", "grep", f"pattern=^{first_word}$", f"filePattern={name}", "--client", "Robot")
    person.expect("Robot")
    person.expect(r"\(y\)|y\b.*once")
    person.sendline("s")
    person.expect("Robot may ")
    person.sendline("y")
    agent.expect(pexpect.EOF)
    agent.wait()
    assert agent.exitstatus == 0

    patches = json.dumps([{"startLine": 2, "endLine": 2, "newContent": "An agent wrote this line."}])
    agent = terminal(
        served, "call", "apply_patch", f"path={name}", f"patches={patches}", "--client", "Robot", "--reason", "to test"
    )
    person.expect("to test")
    person.expect(r"\+.*An agent wrote this line\.")
    assert note.read_bytes() == old, "nothing is written before the answer"
    person.sendline("y")
    agent.expect(pexpect.EOF)
    agent.wait()
    assert agent.exitstatus == 0
    written = note.read_bytes()
    assert written.replace(b"\r\n", b"\n") == new.replace(b"\r\n", b"\n")
    assert snapshot(served) == before | {name: hashlib.sha256(written).hexdigest()}

    (change,) = told(served, "history")
    assert (change["tool"], change["state"], change["files"]) == ("apply_patch", "applied", [name])
    backup = served / ".vault-bridge" / "backups" / change["executionId"] / name
    assert backup.read_bytes() == old
    kinds = [(entry["kind"], entry["tool"]) for entry in told(served, "log")]
    assert ("execution", "apply_patch") in kinds
    assert ("decision", "apply_patch") in kinds

    run(served, "undo")
    assert snapshot(served) == before
    run(served, "redo")
    assert note.read_bytes() == written
    run(served, "undo", change["executionId"])
    assert snapshot(served) == before
    person.sendintr()
    close_terminal(person)


def test_a_denial_reaches_the_agent_with_the_persons_words(served: Path) -> None:
    before = snapshot(served)
    name = next(path for path in sorted(before) if path.endswith(".md"))
    person = terminal(served, "approve")
    person.expect("(?i)wait")
    patches = json.dumps([{"startLine": 1, "endLine": 1, "newContent": "x"}])
    agent = terminal(served, "call", "apply_patch", f"path={name}", f"patches={patches}", "--client", "Robot")
    person.expect(r"\+.*x")
    person.sendline("m")
    person.expect(r"Message to the agent \(")
    person.sendline("not this note")
    agent.expect("not this note")
    agent.expect(pexpect.EOF)
    agent.wait()
    assert agent.exitstatus == 1
    assert snapshot(served) == before
    person.sendintr()
    close_terminal(person)


def test_without_anyone_to_ask_nothing_is_written(served: Path) -> None:
    before = snapshot(served)
    name = next(path for path in sorted(before) if path.endswith(".md"))
    patches = json.dumps([{"startLine": 1, "endLine": 1, "newContent": "x"}])
    refused = run(served, "call", "apply_patch", f"path={name}", f"patches={patches}", "--json", ok=False)
    result = json.loads(refused.stdout)
    assert result["data"]["code"] == "no_ui"
    assert "vault-bridge approve" in result["error"]
    assert snapshot(served) == before


def test_a_second_bridge_for_the_same_vault_says_who_has_it(served: Path) -> None:
    refused = run(served, "serve", ok=False)
    assert refused.returncode == 1
    pid = json.loads((served / ".vault-bridge" / "bridge.json").read_text(encoding="utf-8"))["pid"]
    assert str(pid) in refused.stderr


def test_a_note_that_an_agent_renames_keeps_its_links_and_comes_back_with_them(served: Path) -> None:
    before = snapshot(served)
    texts = notes(served)
    named = Counter(path.stem for path in texts)
    linked = Counter(
        target
        for path, text in texts.items()
        for target in set(re.findall(r"\[\[([^\]\[|#^\n]+)[\]|#]", text)) - {path.stem}
        if named[target] == 1
    )
    ((stem, count),) = linked.most_common(1)
    note = next(path for path in texts if path.stem == stem)
    source = note.relative_to(served).as_posix()
    destination = f"Moved here/Renamed {stem}.md"

    person = terminal(served, "approve")
    agent = terminal(served, "call", "move_file", f"source={source}", f"destination={destination}", "--name", "Mover")
    person.expect("Mover")
    person.expect("Renamed")
    assert snapshot(served) == before, "nothing moves before the answer"
    person.sendline("y")
    agent.expect(pexpect.EOF)
    agent.wait()
    assert agent.exitstatus == 0

    link = re.compile(rf"\[\[{re.escape(stem)}[\]|#]")
    after = notes(served)
    assert not note.exists()
    assert (served / destination).exists()
    changed = [path for path, text in after.items() if path in texts and text != texts[path]]
    assert len(changed) == count
    assert all(re.sub(rf"\[\[Renamed {re.escape(stem)}", f"[[{stem}", after[path]) == texts[path] for path in changed)
    assert not [(path.name, found[0]) for path, text in after.items() if (found := link.search(text))]

    (change,) = told(served, "history", f"Renamed {stem}")
    assert (change["tool"], change["state"]) == ("move_file", "applied")
    run(served, "undo")
    assert snapshot(served) == before
    person.sendintr()
    close_terminal(person)
