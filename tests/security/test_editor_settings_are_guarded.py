"""A program's own editor cannot change a settings file, yours or a project's, that can switch off its questions."""

import json
from pathlib import Path

import pytest

from bridge.agents.machine import Machine
from bridge.agents.protected import PROTECTED_BY_ID
from bridge.agents.protection import Options, Protector
from bridge.hook import Refused, in_vault
from bridge.records.folder import UserFolder

FILES = {
    "claude-code": (
        "{home}/.claude/settings.json",
        "{home}/.claude/settings.local.json",
        "{project}/.claude/settings.json",
        "{project}/sub/.claude/settings.local.json",
    ),
    "codex": (
        "{home}/.codex/hooks.json",
        "{home}/.codex/config.toml",
        "{home}/.codex/work.config.toml",
        "{project}/.codex/config.toml",
        "{project}/.codex/hooks.json",
    ),
    "gemini": ("{home}/.gemini/settings.json", "{home}/.gemini/.env", "{project}/.gemini/settings.json"),
    "opencode": (
        "{home}/.config/opencode/opencode.json",
        "{home}/.config/opencode/opencode.jsonc",
        "{home}/.config/opencode/config.json",
        "{home}/.config/opencode/plugins/mine.js",
        "{project}/opencode.json",
        "{project}/OpenCode.jsonc",
        "{project}/.opencode/opencode.json",
        "{project}/.opencode/plugins/mine.js",
        "{project}/.opencode/plugin/mine.js",
        "{home}/named.json",
    ),
}


@pytest.mark.parametrize(("agent", "file"), [(agent, file) for agent, files in FILES.items() for file in files])
def test_it_is_refused(vault: Path, tmp_path: Path, agent: str, file: str) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    machine = Machine("linux", home, {"OPENCODE_CONFIG": str(home / "named.json")})
    records = UserFolder((tmp_path / "state").resolve())
    protector = Protector(machine, vault.resolve(), records, endpoint=tmp_path / "agent.json", guarded=())
    plan = protector.plan_protect(PROTECTED_BY_ID[agent], Options())
    settings = next(json.loads(one.after or b"") for one in plan.changes if one.file.parent.name == "hooks")
    with pytest.raises(Refused, match="Only the user changes it"):
        in_vault([{"path": file.format(home=home, project=project), "content": "{}"}], settings, str(project))
    assert in_vault([{"path": f"{project}/settings.json", "content": "{}"}], settings, str(project)) == []
