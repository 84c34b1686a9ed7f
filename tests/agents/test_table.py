"""Where each program keeps its configuration, on the three systems."""

from pathlib import Path

import pytest

from bridge.agents.machine import Machine, System
from bridge.agents.table import AGENTS, BY_ID, ServerCommand

HOME = Path("/home/ada")
MAC = "Library/Application Support"


@pytest.mark.parametrize(
    ("agent", "linux", "macos", "windows"),
    [
        ("claude-code", ".claude.json", ".claude.json", ".claude.json"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            f"{MAC}/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        ("codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml"),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            f"{MAC}/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json"),
        ("opencode", *[".config/opencode/opencode.json"] * 3),
    ],
)
def test_the_file_of_each_program_is_known_on_each_system(agent: str, linux: str, macos: str, windows: str) -> None:
    systems: tuple[tuple[System, str], ...] = (("linux", linux), ("macos", macos), ("windows", windows))
    for system, file in systems:
        assert BY_ID[agent].file(Machine(system, HOME, {})) == HOME / file
    assert len(AGENTS) == 7


@pytest.mark.parametrize(
    ("agent", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ],
)
def test_a_variable_moves_the_file(agent: str, variable: str, file: str) -> None:
    assert BY_ID[agent].file(Machine("linux", HOME, {variable: "/else"})) == Path("/else") / file


def test_the_packaged_claude_desktop_of_windows_has_a_folder_of_its_own(tmp_path: Path) -> None:
    packaged = tmp_path / "AppData" / "Local" / "Packages" / "Claude_x1" / "LocalCache" / "Roaming" / "Claude"
    packaged.mkdir(parents=True)
    machine = Machine("windows", tmp_path, {})
    assert BY_ID["claude-desktop"].file(machine) == packaged / "claude_desktop_config.json"


def test_of_the_two_files_of_opencode_the_one_with_comments_counts(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {})
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").touch()
    assert BY_ID["opencode"].file(machine) == folder / "opencode.jsonc"


def test_a_program_is_here_by_its_files_or_by_its_command(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {"PATH": str(tmp_path / "bin")})
    assert not any(agent.is_here(machine) for agent in AGENTS)
    (tmp_path / ".cursor").mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("codex", "codex.exe"):
        (tmp_path / "bin" / name).touch(mode=0o755)
    assert [agent.id for agent in AGENTS if agent.is_here(machine)] == ["codex", "cursor"]


def test_each_program_gets_the_command_in_its_own_form() -> None:
    server = ServerCommand("/x", ("mcp", "--vault", "/v"))
    plain = {"command": "/x", "args": ["mcp", "--vault", "/v"]}
    typed = {"type": "stdio", **plain}
    one_list = {"type": "local", "command": ["/x", "mcp", "--vault", "/v"], "enabled": True}
    forms = {"claude-code": typed, "vscode": typed, "opencode": one_list}
    for agent in AGENTS:
        assert agent.entry(server) == forms.get(agent.id, plain)
