"""Programs are told to ask before their own editors change a vault, exactly as shown, and that is taken back whole."""

import asyncio
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge import hook
from bridge.agents.machine import ConfigurationRefused, Machine
from bridge.agents.protected import (
    MARGIN_SECONDS,
    PROTECTED,
    PROTECTED_BY_ID,
    Hook,
    claude_rules,
    gemini_rules,
    shell_line,
)
from bridge.agents.protection import Options, ProtectionPlan, Protector
from bridge.client import token_storage
from bridge.records.folder import UserFolder
from tests.agents.conftest import Clients

IDS = list(PROTECTED_BY_ID)

SETTINGS = """{
  "model": "opus",
  "permissions": {
    "deny": ["Bash(curl:*)"]
  },
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]}
    ]
  }
}
"""

FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
}
EVENTS = {"claude-code": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool"}


@pytest.fixture
def protector(machine: Machine, notes: Path, tmp_path: Path) -> Callable[..., Protector]:
    def make(vault: Path = notes, on: Machine = machine) -> Protector:
        folder = UserFolder(tmp_path.resolve() / "state" / vault.name / "clients")
        state = tmp_path.resolve() / "state"
        return Protector(
            on, vault, folder, endpoint=state / "agent.json", guarded=(token_storage.config_folder(), state)
        )

    return make


def files_of(home: Path) -> dict[str, bytes]:
    return {str(file.relative_to(home)): file.read_bytes() for file in home.rglob("*") if file.is_file()}


def group(home: Path, agent: str) -> dict[str, Any]:
    """Our group of hooks: the last one."""
    settings = json.loads((home / FILES[agent]).read_text("utf-8"))
    found: dict[str, Any] = settings["hooks"][EVENTS[agent]][-1]
    return found


def protect(protector: Protector, agent: str, clients: Clients, options: Options | None = None) -> ProtectionPlan:
    plan = protector.plan_protect(PROTECTED_BY_ID[agent], options)
    asyncio.run(protector.protect(plan, clients))
    return plan


@pytest.mark.parametrize("agent", IDS)
def test_what_was_there_comes_back_byte_for_byte(
    protector: Callable[..., Protector], machine: Machine, agent: str
) -> None:
    home, clients, one = machine.home, Clients(), PROTECTED_BY_ID[agent]
    if agent in FILES:
        file = home / FILES[agent]
        file.parent.mkdir()
        file.write_text(SETTINGS, encoding="utf-8")
    before = files_of(home)
    subject = protector()
    plan = protect(subject, agent, clients)
    shown = {str(change.file): change.after for change in plan.changes}
    assert all(Path(path).read_bytes() == after for path, after in shown.items())
    assert list(clients.tokens) == [one.client]
    assert clients.presets == ["minimal"]
    assert [each.id for each in subject.protected()] == [agent]
    removed = subject.plan_remove(one)
    done = asyncio.run(subject.remove(removed, clients))
    assert done.revoked_client
    assert files_of(home) == before
    assert clients.tokens == {}
    assert subject.protected() == []
    assert not token_storage.token_file(subject._vault, one.client).exists()
    assert not list((token_storage.config_folder() / "hooks").iterdir())


@pytest.mark.parametrize("agent", list(FILES))
def test_what_others_wrote_since_stays_when_it_is_taken_back(
    protector: Callable[..., Protector], machine: Machine, agent: str
) -> None:
    file = machine.home / FILES[agent]
    file.parent.mkdir()
    file.write_text(SETTINGS, encoding="utf-8")
    subject, clients = protector(), Clients()
    protect(subject, agent, clients)
    changed = json.loads(file.read_text("utf-8"))
    changed["model"] = "sonnet"
    changed["hooks"][EVENTS[agent]].append({"matcher": "later", "hooks": []})
    file.write_text(json.dumps(changed, indent=2), encoding="utf-8")
    asyncio.run(subject.remove(subject.plan_remove(PROTECTED_BY_ID[agent]), clients))
    left = json.loads(file.read_text("utf-8"))
    expected = json.loads(SETTINGS)
    expected["model"] = "sonnet"
    expected["hooks"].setdefault(EVENTS[agent], []).append({"matcher": "later", "hooks": []})
    assert left == expected


def test_claude_code_is_told_with_its_switch_that_refuses_what_fails(
    protector: Callable[..., Protector], machine: Machine, notes: Path
) -> None:
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude" / "settings.json").write_text(SETTINGS, encoding="utf-8")
    protect(protector(), "claude-code", Clients(), Options(seconds=120))
    settings = json.loads((machine.home / ".claude" / "settings.json").read_text("utf-8"))
    assert settings["hooks"]["PreToolUse"][0]["matcher"] == "Bash"
    ours = settings["hooks"]["PreToolUse"][1]
    assert ours["matcher"] == "Edit|Write|MultiEdit|NotebookEdit"
    (entry,) = ours["hooks"]
    assert (entry["timeout"], entry["onFailure"]) == (120 + MARGIN_SECONDS, "block")
    assert entry["args"][:3] == ["-I", "-S", hook.__file__]
    asked = json.loads(Path(entry["args"][3]).read_text("utf-8"))
    assert (asked["seconds"], asked["vault"], asked["client"]) == (120, str(notes), "claude-code")
    assert str(machine.home / ".claude" / "settings.json") in asked["guarded"]
    assert settings["permissions"]["deny"][0] == "Bash(curl:*)"
    assert f"Edit(/{machine.home}/.claude/settings.json)" in settings["permissions"]["deny"]
    assert not any(str(notes) in rule for rule in settings["permissions"]["deny"])


@pytest.mark.parametrize("agent", IDS)
def test_the_entry_gives_the_hook_time_and_no_secret(
    protector: Callable[..., Protector], machine: Machine, agent: str
) -> None:
    clients = Clients()
    plan = protect(protector(), agent, clients)
    (token,) = clients.tokens.values()
    assert all(token.encode() not in (change.after or b"") for change in plan.changes)
    if agent == "gemini":
        assert group(machine.home, agent)["hooks"][0]["timeout"] == (300 + MARGIN_SECONDS) * 1000
    elif agent == "codex":
        assert group(machine.home, agent)["hooks"][0]["timeout"] == 300 + MARGIN_SECONDS
    if os.name == "posix":
        configuration = next(change.file for change in plan.changes if change.file.parent.name == "hooks")
        assert configuration.stat().st_mode & 0o077 == 0


def test_the_command_survives_the_shell(protector: Callable[..., Protector], machine: Machine) -> None:
    protect(protector(), "codex", Clients())
    entry = group(machine.home, "codex")["hooks"][0]
    program, *arguments = shlex.split(entry["command"])
    assert Path(program).exists()
    assert arguments[:2] == ["-I", "-S"]
    assert Path(arguments[2]).exists()
    assert Path(arguments[3]).exists()


@pytest.mark.parametrize(
    ("system", "powershell", "line"),
    [
        ("linux", False, "'/a b/python' -I 'it'\"'\"'s'"),
        ("windows", False, '"/a b/python" -I it\'s'),
        ("windows", True, "& '/a b/python' '-I' 'it''s'"),
    ],
)
def test_each_shell_is_quoted_for(system: str, powershell: bool, line: str) -> None:
    machine = Machine(system, Path("/home"), {})  # type: ignore[arg-type]
    assert shell_line(("/a b/python", "-I", "it's"), machine, powershell=powershell) == line


def test_two_vaults_have_a_hook_each(
    protector: Callable[..., Protector], machine: Machine, notes: Path, tmp_path: Path
) -> None:
    other = tmp_path.resolve() / "Other"
    other.mkdir()
    first, second, clients = protector(), protector(other), Clients()
    protect(first, "claude-code", clients)
    protect(second, "claude-code", Clients())
    file = machine.home / ".claude" / "settings.json"
    assert len(json.loads(file.read_text("utf-8"))["hooks"]["PreToolUse"]) == 2
    asyncio.run(first.remove(first.plan_remove(PROTECTED_BY_ID["claude-code"]), clients))
    (left,) = json.loads(file.read_text("utf-8"))["hooks"]["PreToolUse"]
    configuration = left["hooks"][0]["args"][3]
    assert json.loads(Path(configuration).read_text("utf-8"))["vault"] == str(other)
    assert second.faults(PROTECTED_BY_ID["claude-code"]) == []
    asyncio.run(second.remove(second.plan_remove(PROTECTED_BY_ID["claude-code"]), Clients()))
    assert json.loads(file.read_text("utf-8")) == {"hooks": {"PreToolUse": []}, "permissions": {"deny": []}}
    del notes


@pytest.mark.parametrize("agent", IDS)
def test_again_it_changes_nothing_and_another_choice_changes_that_alone(
    protector: Callable[..., Protector], machine: Machine, agent: str
) -> None:
    subject, clients, one = protector(), Clients(), PROTECTED_BY_ID[agent]
    protect(subject, agent, clients)
    assert subject.plan_protect(one).changes == ()
    protect(subject, agent, clients, Options(without_bridge="refuse", seconds=60))
    if agent in FILES:
        assert len(json.loads((machine.home / FILES[agent]).read_text("utf-8"))["hooks"][EVENTS[agent]]) == 1
    assert subject.options(one) == Options(without_bridge="refuse", seconds=60)
    assert subject.plan_protect(one).changes == ()
    asyncio.run(subject.remove(subject.plan_remove(one), clients))
    assert files_of(machine.home) == {}


def test_no_edits_at_all_are_the_programs_own_rule_too(
    protector: Callable[..., Protector], machine: Machine, tmp_path: Path
) -> None:
    plain = tmp_path.resolve() / "Plain"
    plain.mkdir()
    protect(protector(plain), "claude-code", Clients(), Options(edits="refuse"))
    settings = json.loads((machine.home / ".claude" / "settings.json").read_text("utf-8"))
    assert f"Edit(/{plain}/**)" in settings["permissions"]["deny"]
    protect(protector(plain), "claude-code", Clients(PROTECTED_BY_ID["claude-code"].client), Options())
    settings = json.loads((machine.home / ".claude" / "settings.json").read_text("utf-8"))
    assert f"Edit(/{plain}/**)" not in settings["permissions"]["deny"]
    protect(protector(plain), "gemini", Clients(), Options(edits="refuse"))
    (policy,) = (machine.home / ".gemini" / "policies").iterdir()
    assert any("Plain" in rule["argsPattern"] for rule in tomllib.loads(policy.read_text("utf-8"))["rule"])


def hook_for(*guarded: Path, vault: Path = Path("/v")) -> Hook:
    return Hook(("/bin/python", "/c.json"), 300, guarded, vault, "refuse", "vault-bridge-x")


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/home/a/.claude/settings.json", "Edit(//home/a/.claude/settings.json)"),
        ("/home/a/folder", "Edit(//home/a/folder/**)"),
        ("/home/a (b)/x.json", None),
        ("/home/*/x.json", None),
        ("/home/[a]/x.json", None),
    ],
)
def test_a_rule_of_claude_code_means_one_place_or_is_not_written(path: str, rule: str | None) -> None:
    assert (claude_rules(hook_for(Path(path)))[0] == rule) if rule else len(claude_rules(hook_for(Path(path)))) == 1


@pytest.mark.parametrize(
    "path", ["/home/a b/x.json", "/home/é+(1)/y.json", '/home/q"uote/z.json', "/home/a\U0001f600/x"]
)
def test_a_policy_of_gemini_matches_the_path_and_nothing_beside_it(path: str) -> None:
    rules = tomllib.loads(gemini_rules("", hook_for(Path(path))))["rule"]
    pattern = re.compile(rules[0]["argsPattern"])
    assert pattern.search(json.dumps({"content": "", "file_path": path}, separators=(",", ":"), ensure_ascii=False))
    inside = {"content": "", "file_path": f"{path}/deep"}
    assert pattern.search(json.dumps(inside, separators=(",", ":"), ensure_ascii=False))
    beside = {"content": "", "file_path": f"{path}2"}
    assert not pattern.search(json.dumps(beside, separators=(",", ":"), ensure_ascii=False))
    assert (rules[0]["decision"], rules[0]["toolName"]) == ("deny", ["write_file", "replace"])


@pytest.mark.parametrize("agent", list(FILES))
@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": ', "[]", '{"hooks": {"PreToolUse": 1, "BeforeTool": 1}}'])
def test_a_file_that_is_not_understood_is_left_alone(
    protector: Callable[..., Protector], machine: Machine, agent: str, text: str
) -> None:
    file = machine.home / FILES[agent]
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationRefused, match="Nothing was changed"):
        protector().plan_protect(PROTECTED_BY_ID[agent])
    assert file.read_text("utf-8") == text


def test_a_plugin_of_somebody_else_in_our_place_stays(protector: Callable[..., Protector], machine: Machine) -> None:
    subject, one = protector(), PROTECTED_BY_ID["opencode"]
    (place,) = one.places(machine, subject._hook(one, Options()))
    place.file.parent.mkdir(parents=True)
    place.file.write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigurationRefused, match="is there already"):
        subject.plan_protect(one)
    assert subject.plan_remove(one).kept != ()
    assert place.file.read_text("utf-8") == "mine"


def test_a_file_that_changes_while_it_is_shown_is_not_written(
    protector: Callable[..., Protector], machine: Machine
) -> None:
    subject, clients = protector(), Clients()
    plan = subject.plan_protect(PROTECTED_BY_ID["claude-code"])
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude" / "settings.json").write_text('{"model": "x"}', encoding="utf-8")
    with pytest.raises(ConfigurationRefused, match="changed by another program"):
        asyncio.run(subject.protect(plan, clients))
    assert clients.tokens == {}


def test_a_lost_credential_is_given_anew_and_a_strangers_is_not_touched(
    protector: Callable[..., Protector], tmp_path: Path
) -> None:
    subject, clients, one = protector(), Clients(), PROTECTED_BY_ID["claude-code"]
    protect(subject, "claude-code", clients)
    _lose_token(tmp_path, "claude-code")
    protect(subject, "claude-code", clients)
    assert subject.faults(one) == []
    other = protector(tmp_path)
    with pytest.raises(ConfigurationRefused, match="clients revoke"):
        protect(other, "claude-code", Clients(one.client))


def test_what_was_written_is_known_again_where_the_note_of_it_was_lost(
    protector: Callable[..., Protector], machine: Machine, notes: Path, tmp_path: Path
) -> None:
    clients = Clients()
    for agent in IDS:
        subject = protector()
        protect(subject, agent, clients)
        (tmp_path / "state" / notes.name / "clients" / "protections.json").unlink()
        assert subject.protected() == []
        protect(subject, agent, clients)
        assert [one.id for one in subject.protected()] == [agent]
        asyncio.run(subject.remove(subject.plan_remove(PROTECTED_BY_ID[agent]), clients))
    left = {name: data for name, data in files_of(machine.home).items() if not name.endswith(".bak")}
    assert [name for name, data in left.items() if b"vault-bridge" in data or b"hook.py" in data] == []


def _break_hook(home: Path, agent: str) -> None:
    if agent in FILES:
        file = home / FILES[agent]
        settings = json.loads(file.read_text("utf-8"))
        settings["hooks"][EVENTS[agent]][-1]["hooks"][0]["timeout"] = 1
        file.write_text(json.dumps(settings), encoding="utf-8")
    else:
        (file,) = (home / ".config" / "opencode" / "plugins").iterdir()
        file.write_text("", encoding="utf-8")


def _remove_files(home: Path, agent: str) -> None:
    del agent
    for file in list(home.rglob("*")):
        if file.is_file():
            file.unlink()


def _change_configuration(home: Path, agent: str) -> None:
    del home
    (file,) = (token_storage.config_folder() / "hooks").glob(f"{agent}-*.json")
    file.write_text(file.read_text("utf-8").replace('"ask"', '"allow"'), encoding="utf-8")


def _lose_token(home: Path, agent: str) -> None:
    del home, agent
    for file in (token_storage.config_folder() / "tokens").rglob("*.token"):
        file.unlink()


@pytest.mark.parametrize("agent", IDS)
@pytest.mark.parametrize("breaks", [_break_hook, _remove_files, _change_configuration, _lose_token])
def test_what_is_not_there_any_more_is_said(
    protector: Callable[..., Protector], machine: Machine, agent: str, breaks: Callable[[Path, str], None]
) -> None:
    subject, one = protector(), PROTECTED_BY_ID[agent]
    assert subject.all_faults() == []
    protect(subject, agent, Clients())
    trusted = ["Codex runs no hook that you have not trusted: type /hooks in Codex, and trust this one"]
    assert subject.faults(one) == (trusted if agent == "codex" else [])
    breaks(machine.home, agent)
    assert len(subject.faults(one)) > (agent == "codex")
    (sentence,) = subject.all_faults()
    assert sentence.isprintable()
    assert sentence.startswith(f"{one.title} may edit this vault without asking: ")
    assert f"vault-bridge protect {agent}" in sentence
    protect(subject, agent, Clients())
    assert subject.faults(one) == (trusted if agent == "codex" else [])


def test_a_missing_deny_rule_is_said(protector: Callable[..., Protector], machine: Machine) -> None:
    subject = protector()
    protect(subject, "claude-code", Clients())
    file = machine.home / ".claude" / "settings.json"
    settings = json.loads(file.read_text("utf-8"))
    settings["permissions"]["deny"].pop()
    file.write_text(json.dumps(settings, indent=2), encoding="utf-8")
    assert subject.faults(PROTECTED_BY_ID["claude-code"]) == [f"{file} does not have all of it any more"]


@pytest.mark.parametrize(
    ("agent", "text", "fault"),
    [
        ("claude-code", '"disableAllHooks": true', "has disableAllHooks"),
        ("gemini", '"hooksConfig": {"enabled": false}', "has hooksConfig.enabled = false"),
        ("gemini", '"tools": {"enableHooks": false}', "has tools.enableHooks = false"),
    ],
)
def test_a_switch_that_turns_hooks_off_is_said(
    protector: Callable[..., Protector], machine: Machine, agent: str, text: str, fault: str
) -> None:
    place = machine.home / FILES[agent]
    place.parent.mkdir()
    place.write_text(f"{{{text}}}", encoding="utf-8")
    subject = protector()
    protect(subject, agent, Clients())
    (found,) = subject.faults(PROTECTED_BY_ID[agent])
    assert found.endswith(fault)


def test_codex_is_told_to_trust_the_hook_and_that_is_seen(
    protector: Callable[..., Protector], machine: Machine
) -> None:
    subject, one = protector(), PROTECTED_BY_ID["codex"]
    protect(subject, "codex", Clients())
    folder = machine.home / ".codex"
    key = f"{folder / 'hooks.json'}:pre_tool_use:0:0"
    config = folder / "config.toml"
    config.write_text(f'[hooks.state.{json.dumps(key)}]\ntrusted_hash = "sha256:1"\n', encoding="utf-8")
    assert subject.faults(one) == []
    trusted = config.read_text("utf-8")
    config.write_text(f"{trusted}enabled = false\n", encoding="utf-8")
    assert subject.faults(one) == ["Codex has the hook switched off: type /hooks in Codex, and switch it on"]
    config.write_text(f"{trusted}\n[features]\nhooks = false\n", encoding="utf-8")
    assert subject.faults(one) == [f"{config} has features.hooks = false"]


def test_nothing_is_written_into_the_vault_or_a_project(machine: Machine, notes: Path) -> None:
    for one in PROTECTED:
        for place in one.places(machine, hook_for(vault=notes)):
            assert place.file.is_relative_to(machine.home)


def test_the_table_says_of_each_that_a_shell_goes_round_it_and_can_remove_it() -> None:
    for one in PROTECTED:
        said = {line.what: line.then for line in one.holds}
        assert said["It writes by a shell or a script (sed, mv, cp, rm)"] == "Not asked about. It is recorded"
        assert said["It removes all this by a shell"].startswith("Possible.")


def test_settings_of_another_shape_are_no_fault_of_the_look(
    protector: Callable[..., Protector], machine: Machine
) -> None:
    subject, file = protector(), machine.home / FILES["gemini"]
    protect(subject, "gemini", Clients())
    settings = json.loads(file.read_text("utf-8")) | {"hooksConfig": True, "tools": []}
    file.write_text(json.dumps(settings), encoding="utf-8")
    assert subject.faults(PROTECTED_BY_ID["gemini"]) == []


@pytest.mark.parametrize("settings", ['{"permissions": {"deny": 5}}', '{"hooks": {"PreToolUse": 5}}'])
def test_settings_of_another_shape_are_refused_and_stay(
    protector: Callable[..., Protector], machine: Machine, settings: str
) -> None:
    subject, file = protector(), machine.home / FILES["claude-code"]
    file.parent.mkdir()
    file.write_text(settings, encoding="utf-8")
    with pytest.raises(ConfigurationRefused, match="is no list"):
        subject.plan_protect(PROTECTED_BY_ID["claude-code"])
    assert subject.plan_remove(PROTECTED_BY_ID["claude-code"]).changes == ()
