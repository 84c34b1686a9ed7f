"""The recipes for nights: what can be checked of each without its scheduler is checked."""

import json
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bridge.drafts.store import HANDED_IN, MOST_HANDED_IN, MOST_OF_ONE
from bridge.health.unattended import ALLOWED, LETS
from tests.docs.unattended_recipes import PAGE, blocks, command, script, section
from tests.patience import PATIENCE
from tests.programs.programs import CLAUDE_CODE, CODEX, GEMINI, PROGRAMS, Program

TITLES = {"claude-code": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "OpenCode"}
EVERYTHING = ("--dangerously", "--yolo", "danger-full-access", "--auto", "bypass", "--approval-mode yolo")
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell")


def ran(*words: str, **environment: str) -> str:
    done = subprocess.run(  # noqa: S603 - of the test's own choosing
        words, capture_output=True, text=True, timeout=PATIENCE, env=environment or None, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@posix
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_each_program_has_a_script_that_starts_it_and_lets_nothing_else_through(
    program: Program, tmp_path: Path
) -> None:
    text = script(TITLES[program.id])
    file = tmp_path / "run.sh"
    file.write_text(text, encoding="utf-8")
    ran("sh", "-n", str(file))
    assert command(TITLES[program.id]).startswith(f"{program.command} ")
    assert not any(word in text for word in EVERYTHING)


def test_what_lets_a_program_call_our_tools_is_what_doctor_and_the_tests_of_the_programs_say() -> None:
    assert ALLOWED in command("Claude Code")
    assert f"`{ALLOWED}`" == CLAUDE_CODE.lets
    for program, said in ((CODEX, 'default_tools_approval_mode = "approve"'), (GEMINI, '"trust": true')):
        assert program.trusts == (LETS[program.id],)
        assert f"`{said}`" in PAGE.read_text("utf-8")


def test_opencode_is_denied_its_own_tools() -> None:
    (settings,) = blocks("OpenCode", "json")
    assert json.loads(settings)["permission"] == dict.fromkeys(("edit", "bash", "webfetch"), "deny")


def test_the_line_of_cron_has_five_fields_that_are_times_and_no_percent_sign() -> None:
    (table,) = blocks("cron", "crontab")
    variable, line = table.splitlines()
    assert re.fullmatch(r"PATH=(/[\w./]+)(:/[\w./]+)*", variable)
    *fields, what = line.split(maxsplit=5)
    for field, (least, most) in zip(fields, ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7)), strict=True):
        assert field == "*" or least <= int(field) <= most
    assert "%" not in what
    assert what.split()[0].endswith("/night/run.sh")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for name, text in units().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "night").mkdir()
    (tmp_path / "night" / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "night" / "run.sh").chmod(0o700)
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    words = ["systemd-analyze", "--user", "verify", *(str(tmp_path / name) for name in units())]
    said = ran(*words, HOME=str(tmp_path), PATH="/usr/bin:/bin", XDG_RUNTIME_DIR=str(runtime))
    assert not [line for line in said.splitlines() if "vault-night" in line], said
    (when,) = re.findall(r"^OnCalendar=(.*)$", units()["vault-night.timer"], re.MULTILINE)
    assert "02:10:00" in ran("systemd-analyze", "calendar", when)


def test_the_timer_starts_the_unit_of_its_name() -> None:
    assert set(units()) == {"vault-night.service", "vault-night.timer"}
    assert "enable --now vault-night.timer" in section("systemd")


def units() -> dict[str, str]:
    names = re.findall(r"^`~/\.config/systemd/user/(.*)`:$", section("systemd"), re.MULTILINE)
    return dict(zip(names, blocks("systemd", "ini"), strict=True))


def test_the_property_list_of_launchd_has_what_it_needs() -> None:
    (text,) = blocks("launchd", "xml")
    agent = plistlib.loads(text.encode())
    assert f"{agent['Label']}.plist" in section("launchd")
    assert agent["StartCalendarInterval"] == {"Hour": 2, "Minute": 10}
    assert all(Path(word).is_absolute() for word in agent["ProgramArguments"])
    assert set(agent) == {
        *("Label", "ProgramArguments", "EnvironmentVariables", "StartCalendarInterval"),
        *("StandardOutPath", "StandardErrorPath"),
    }


def test_the_task_of_windows_is_of_the_form_of_its_schema_and_runs_the_words_of_claude_code() -> None:
    (text,) = blocks("Task Scheduler", "xml")
    task = ET.fromstring(text.removeprefix('<?xml version="1.0" encoding="UTF-16"?>\n'))  # noqa: S314 - our own
    assert task.tag == f"{TASK}Task"
    assert {child.tag.removeprefix(TASK) for child in task} == {"Triggers", "Principals", "Settings", "Actions"}
    trigger = task.find(f"{TASK}Triggers/{TASK}CalendarTrigger")
    assert trigger is not None
    assert [child.tag.removeprefix(TASK) for child in trigger] == ["StartBoundary", "ScheduleByDay"]  # in this order
    assert task.findtext(f"{TASK}Settings/{TASK}MultipleInstancesPolicy") == "IgnoreNew"
    assert task.findtext(f"{TASK}Principals/{TASK}Principal/{TASK}RunLevel") == "LeastPrivilege"
    context = task.find(f"{TASK}Actions")
    principal = task.find(f"{TASK}Principals/{TASK}Principal")
    assert context is not None
    assert principal is not None
    assert context.get("Context") == principal.get("id")
    words = task.findtext(f"{TASK}Actions/{TASK}Exec/{TASK}Arguments") or ""
    assert command("Claude Code").replace(' "$(cat prompt.md)"', "") in words


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    text = PAGE.read_text("utf-8")
    assert f"More than {MOST_HANDED_IN} drafts of one client that are waiting" in text
    assert f", or {MOST_OF_ONE} that are not handed in" in text
    assert f"a draft is kept for {HANDED_IN.days} days after it was handed in" in text
