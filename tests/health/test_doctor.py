"""Every fault that is made here is named, with a remedy, and what is well is said to be well."""

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from bridge.app import Bridge
from bridge.cli.main import app
from bridge.health import installation, programs, running, state
from bridge.health.doctor import CHECKS, examine, healthy
from bridge.health.finding import Check, Finding
from bridge.records.folder import RunFolder
from bridge.sandbox.sandbox import NO_SANDBOX, Sandbox, SandboxKind, probe
from bridge.versions.database import NAME as DATABASE
from bridge.versions.database import Database, content_of
from bridge.versions.states import KnownState

posix = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs POSIX modes, and not to be root")


@pytest.fixture
def own(vault: Path) -> Path:
    """The bridge's folder in the vault."""
    folder = vault / ".vault-bridge"
    folder.mkdir(mode=0o700)
    return folder


def one(check: Check, vault: Path, level: str) -> Finding:
    """The finding of a level that a check comes to, which must be the only one but for those that are well."""
    (finding,) = [finding for finding in check(vault) if finding.level != "ok"] or list(check(vault))[:1]
    assert finding.level == level, finding
    assert bool(finding.remedy) is (level != "ok")
    return finding


def test_a_vault_without_faults_is_healthy(vault: Path) -> None:
    found = examine(vault)
    assert healthy(found)
    assert {finding.level for finding in found} <= {"ok", "warn"}
    assert not (vault / ".vault-bridge").exists(), "looking changes nothing"


def test_which_sandbox_works_and_what_it_lacks_is_said(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = programs.check_sandbox(vault)
    assert probe().kind in found.what or not probe().confines
    lacking = Sandbox(SandboxKind.BUBBLEWRAP, ("A program does this", "A program does that"))
    monkeypatch.setattr(programs, "probe", lambda: lacking)
    assert "(bubblewrap); a program does this; a program does that" in one(programs.check_sandbox, vault, "ok").what
    monkeypatch.setattr(sys, "platform", "linux")
    for unconfined in (NO_SANDBOX, Sandbox(SandboxKind.LANDLOCK)):
        monkeypatch.setattr(programs, "probe", lambda found=unconfined: found)
        assert "not limited" in one(programs.check_sandbox, vault, "warn").what
        assert "bubblewrap" in one(programs.check_sandbox, vault, "warn").remedy
    monkeypatch.setattr(sys, "platform", "win32")
    assert one(programs.check_sandbox, vault, "ok").remedy == "", "there is nothing to install"


def test_tools_of_one_s_own_are_looked_at_where_there_are_any(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_CONFIG", str(tmp_path))
    assert list(programs.check_own_tools(vault)) == []
    tool = {"name": "count", "description": "Counts", "code": "return 1", "parameters": {"type": "object"}}
    stored = tool | {"createdAt": "2026-11-23T01:02:03Z", "updatedAt": "2026-11-23T01:02:03Z"}
    (tmp_path / "tools.json").write_text(json.dumps([stored]), encoding="utf-8")
    monkeypatch.setattr(programs, "node", lambda: "/usr/bin/node")
    assert one(programs.check_own_tools, vault, "ok").what == "1 stored, 1 switched on"
    monkeypatch.setattr(programs, "node", lambda: None)
    assert one(programs.check_own_tools, vault, "warn").what == "There is no Node.js, which count needs"
    (tmp_path / "tools.json").write_text(json.dumps([stored | {"name": "read"}]), encoding="utf-8")
    assert "There is a tool 'read' already" in one(programs.check_own_tools, vault, "fail").what


def test_a_check_that_cannot_be_made_is_a_failure(vault: Path) -> None:
    def check_moon(_vault: Path) -> Iterator[Finding]:
        raise PermissionError(13, "Permission denied")

    (finding,) = examine(vault, [check_moon])
    assert (finding.name, finding.level) == ("moon", "fail")
    assert "Permission denied" in finding.what
    assert not healthy([finding])


def test_a_python_that_is_too_old(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 9, "final", 0))
    assert "3.10.9" in one(installation.check_python, vault, "fail").what


def test_a_package_that_is_missing(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "PACKAGES", ("orjson", "no_such_package"))
    assert "no_such_package (ModuleNotFoundError)" in one(installation.check_packages, vault, "fail").what


@pytest.mark.parametrize(
    ("works", "where"), [(True, "--keyring` keeps tokens there"), (False, "--save` keeps tokens in files")]
)
def test_it_says_where_tokens_can_be_kept(
    vault: Path, monkeypatch: pytest.MonkeyPatch, works: bool, where: str
) -> None:
    monkeypatch.setattr(installation, "has_keyring", lambda: works)
    assert where in one(installation.check_keyring, vault, "ok").what


def test_a_vault_that_is_not_there(tmp_path: Path) -> None:
    one(state.check_vault, tmp_path / "none", "fail")


def test_a_folder_that_is_no_vault_yet(tmp_path: Path) -> None:
    assert "Obsidian" in one(state.check_vault, tmp_path, "warn").remedy


@posix
@pytest.mark.parametrize(("mode", "what"), [(0o500, "written"), (0o300, "read")])
def test_a_vault_that_cannot_be_used(vault: Path, mode: int, what: str) -> None:
    vault.chmod(mode)
    try:
        assert what in one(state.check_vault, vault, "fail").what
    finally:
        vault.chmod(0o700)


def test_a_vault_in_a_vault(vault: Path) -> None:
    inner = vault / "Notes" / "Inner"
    (inner / ".obsidian").mkdir(parents=True)
    assert str(inner) in one(state.check_nesting, vault, "warn").what
    assert str(vault) in one(state.check_nesting, inner, "warn").what


@pytest.mark.parametrize(("free", "level"), [(10**6, "fail"), (5 * 10**8, "warn"), (10**12, "ok")])
def test_a_disk_that_fills_up(vault: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=free))
    one(state.check_space, vault, level)


@pytest.mark.parametrize(("limit", "level"), [("1", "fail"), ("2", "warn"), ("9999", "ok")])
def test_more_folders_than_may_be_watched(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, level: str
) -> None:
    watches = tmp_path / "max_user_watches"
    watches.write_text(limit, encoding="ascii")
    monkeypatch.setattr(state, "WATCHES", watches)
    monkeypatch.setattr(sys, "platform", "linux")
    one(state.check_watches, vault, level)


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_an_own_folder_that_is_a_link(vault: Path, tmp_path: Path) -> None:
    (vault / ".vault-bridge").symlink_to(tmp_path)
    assert "link" in one(state.check_folder, vault, "fail").what


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_an_own_folder_that_others_can_read(vault: Path, own: Path) -> None:
    own.chmod(0o755)
    finding = one(state.check_folder, vault, "fail")
    assert "755" in finding.what
    assert "chmod 700" in finding.remedy


@pytest.mark.parametrize(
    ("check", "name", "content", "level", "says"),
    [
        (state.check_settings, "settings.json", "{", "fail", "line 1"),
        (state.check_settings, "settings.json", '{"findMaxResults": 0}', "fail", "findMaxResults"),
        (state.check_settings, "settings.json", '{"findMaxResult": 1}', "warn", "did you mean 'findMaxResults'"),
        (state.check_settings, "settings.json", '{"findMaxResults": 1}', "ok", "defaults: 1"),
        (state.check_settings, "settings.broken-20260101T000000.json", "{", "warn", "settings.broken-"),
        (state.check_permissions, "permissions.json", '{\n"a.md": "r"}', "fail", "line 2"),
        (state.check_permissions, "permissions.json", '{"a.md": "r--"}', "ok", "1 entries"),
        (state.check_journal, "journal/journal.jsonl", "not a line\n", "warn", "1 lines"),
        (state.check_journal, "journal/journal.jsonl", "torn at the e", "ok", "Changes: 0"),
    ],
)
def test_files_with_and_without_faults(  # noqa: PLR0917 - a table of faults
    vault: Path, own: Path, check: Check, name: str, content: str, level: str, says: str
) -> None:
    file = own / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")
    assert says in one(check, vault, level).what
    assert file.read_text(encoding="utf-8") == content


def test_a_log_from_the_future(vault: Path, own: Path) -> None:
    log = own / "logs" / "tools.log"
    log.parent.mkdir()
    soon = datetime.now(UTC) + timedelta(days=400)
    log.write_text(json.dumps({"timestamp": soon.isoformat()}) + "\n{torn", encoding="utf-8")
    assert str(soon.year) in one(state.check_clock, vault, "warn").what
    log.write_text(json.dumps({"timestamp": datetime.now(UTC).isoformat()}) + "\n", encoding="utf-8")
    one(state.check_clock, vault, "ok")


async def test_a_bridge_that_serves_is_well(vault: Path) -> None:
    async with Bridge(vault):
        found = await asyncio.to_thread(examine, vault)
    assert [finding for finding in found if finding.level != "ok"] == []
    assert {"bridge", "tokens", "log"} <= {finding.name for finding in found}


async def test_a_change_that_was_done_is_finished(vault: Path) -> None:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"findMaxResults": 7})
    assert "all finished" in one(state.check_journal, vault, "ok").what


async def test_a_fault_that_the_bridge_knows_of_is_reported(vault: Path) -> None:
    async with Bridge(vault):
        (vault / ".vault-bridge" / "permissions.json").write_text("{", encoding="utf-8")
        found = await asyncio.to_thread(lambda: list(running.check_bridge(vault)))
    assert any(finding.level == "warn" and "permissions.json" in finding.what for finding in found)


async def test_tokens_of_another_bridge_are_found(vault: Path) -> None:
    async with Bridge(vault):
        file = RunFolder(vault).path / "host.json"
        told: dict[str, Any] = json.loads(file.read_bytes())
        file.write_text(json.dumps(told | {"token": "x" * 43}), encoding="utf-8")
        found = await asyncio.to_thread(lambda: list(running.check_bridge(vault)))
    assert [finding.name for finding in found if finding.level == "fail"] == ["tokens"]


def discovery(own: Path, port: int, pid: int) -> None:
    where = {"url": f"ws://127.0.0.1:{port}/ws", "http": f"http://127.0.0.1:{port}", "pid": pid, "version": "1"}
    (own / "bridge.json").write_text(json.dumps(where | {"runDir": str(own)}), encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="whether a process runs is not looked at on Windows")
@pytest.mark.parametrize(("pid", "level"), [(None, "fail"), (2**22 + 1, "warn")])
def test_a_bridge_that_does_not_answer(vault: Path, own: Path, pid: int | None, level: str) -> None:
    pid = pid or os.getpid()
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        discovery(own, unheard.getsockname()[1], pid)
        assert str(pid) in one(running.check_bridge, vault, level).what


def test_a_discovery_file_that_cannot_be_read(vault: Path, own: Path) -> None:
    (own / "bridge.json").write_text("{", encoding="utf-8")
    one(running.check_bridge, vault, "fail")


def test_tokens_that_a_killed_bridge_left(vault: Path) -> None:
    RunFolder(vault).write("host.json", b"{}")
    assert "host.json" in one(running.check_bridge, vault, "warn").what


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
@pytest.mark.parametrize("damage", [lambda path: path.chmod(0o644), lambda path: path.parent.chmod(0o750)])
def test_tokens_that_others_can_read(vault: Path, damage: Callable[[Path], None]) -> None:
    run = RunFolder(vault)
    run.write("agent.json", b"{}")
    damage(run.path / "agent.json")
    assert "chmod" in one(running.check_run_folder, vault, "fail").remedy


def test_the_command_says_what_to_do_and_its_code_says_healthy_or_not(
    vault: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    well = CliRunner().invoke(app, ["doctor", "--vault", str(vault), "--json"])
    assert well.exit_code == 0
    told = json.loads(well.stdout)
    assert told["healthy"]
    assert len(told["checks"]) >= len(CHECKS)
    (own / "settings.json").write_text("{", encoding="utf-8")
    ill = CliRunner().invoke(app, ["doctor", "--vault", str(vault)])
    assert ill.exit_code == 1
    assert "FAIL  settings" in ill.stdout
    assert "→ Correct" in ill.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_files_that_no_tool_can_see_are_named_and_counted(vault: Path) -> None:
    one(state.check_names, vault, "ok")
    (vault / "aux.md").write_text("a")
    for number in range(state.MOST_NAMED + 2):
        (vault / f"a:{number}.md").write_text("a")
    finding = one(state.check_names, vault, "warn")
    assert "'a:0.md'" in finding.what
    assert finding.what.endswith("and 3 more")
    (vault / "out.md").symlink_to("/")
    (vault / "nowhere.md").symlink_to("nothing.md")
    said = " ".join(each.what for each in state.check_names(vault))
    assert "leads out of the vault: 'out.md'" in said
    assert "leads nowhere: 'nowhere.md'" in said


@pytest.mark.parametrize(
    ("status", "level", "said"),
    [
        ({"byNameOnly": 0, "namedOnly": [], "indexing": False, "notes": 3, "indexed": 3}, "ok", "3 notes are read"),
        ({"byNameOnly": 0, "namedOnly": [], "indexing": True, "notes": 3, "indexed": 1}, "ok", "1 of 3 notes"),
        ({"byNameOnly": 2, "namedOnly": ["A.md"], "indexing": False, "notes": 3, "indexed": 3}, "warn", "'A.md' and 1"),
        (None, "warn", "could not be asked"),
    ],
)
def test_notes_that_were_given_up_are_named(status: Any, level: str, said: str) -> None:
    (finding,) = running._given_up(status)
    assert (finding.level, said in finding.what) == (level, True)


def test_what_is_kept_of_other_programs_changes_is_said(vault: Path, own: Path) -> None:
    check = state.check_outside_changes
    assert "Nothing is recorded yet" in one(check, vault, "ok").what
    folder = RunFolder(Path(os.path.realpath(vault)), kind="versions").path
    with closing(Database(folder, 50)) as database, database.writing():
        content = content_of(b"text")
        database.put_content(content)
        database.put_file("a.md", KnownState(4, 1, 1, content.digest, 0.0))
        database.put_file("large.png", KnownState(9, 1, 1, None, 0.0))
    assert "the bytes of 1 of 2 files" in one(check, vault, "ok").what
    if os.name == "posix":
        (folder / DATABASE).chmod(0o644)
        assert "Other users" in one(check, vault, "fail").what
        (folder / DATABASE).chmod(0o600)
    (folder / DATABASE).write_bytes(b"no database" * 1000)
    assert "--forget-everything" in one(check, vault, "fail").remedy
    (own / "settings.json").write_text('{"outsideVersions": false}')
    assert "outsideVersions is off" in one(check, vault, "ok").what


@pytest.mark.parametrize("time", [5, "2026-01-31", "2026-01-31T10:00:00", "soon", None])
def test_a_record_without_a_time_says_nothing_about_the_clock(vault: Path, own: Path, time: Any) -> None:
    log = own / "logs" / "tools.log"
    log.parent.mkdir()
    log.write_text(json.dumps({"timestamp": time}) + "\n", encoding="utf-8")
    one(state.check_clock, vault, "ok")
