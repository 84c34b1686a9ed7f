"""mcp.json: what the user may enter, and what is refused with words that say where."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.records.folder import UserFolder
from bridge.servers.configuration import FILE, MOST, ServersFile, check_name, entry, parse

FILES = {"command": "npx", "args": ["-y", "server-files"], "description": "Files", "env": {"API_KEY": "s3cr3t"}}


@pytest.fixture
def folder(tmp_path: Path) -> UserFolder:
    return UserFolder(tmp_path / "config" / "vault-bridge")


def test_the_form_of_the_document_is_read_and_written_back(folder: UserFolder) -> None:
    file = ServersFile(folder)
    assert file.read() == {}
    (folder.path / FILE).write_text(json.dumps({"mcp_servers": {"files": FILES}}), encoding="utf-8")
    servers = file.read()
    assert servers["files"].args == ("-y", "server-files")
    file.write(servers)
    assert json.loads((folder.path / FILE).read_bytes()) == {"mcp_servers": {"files": FILES}}
    assert (folder.path / FILE).stat().st_mode & 0o077 == 0


def test_values_of_variables_and_headers_are_shown_nowhere() -> None:
    program = entry("files", FILES)
    address = entry("notes", {"url": "https://notes.example/mcp", "headers": {"Authorization": "Bearer s3cr3t"}})
    assert program.told() == ["program: npx", "  -y", "  server-files", "variable: API_KEY", "may use the network"]
    assert address.told() == ["address: https://notes.example/mcp", "header: Authorization"]
    assert [*program.secrets, *address.secrets] == ["s3cr3t", "Bearer s3cr3t"]


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ({}, "name either a command or a url"),
        ({"command": "a", "url": "https://b"}, "name either a command or a url"),
        ({"command": "a", "trustd": True}, "'trustd': is not known"),
        ({"command": "a", "trusted": "yes"}, "'trusted': Input should be a valid boolean"),
        ({"command": "a\nb"}, "'command': holds control characters"),
        ({"command": "a", "env": {"A=B": "c"}}, "'env"),
        ({"command": "a", "headers": {"X": "y"}}, "headers are for a url"),
        ({"url": "https://b", "args": ["x"]}, "args, env and folders are for a command"),
        ({"command": ["a"]}, "'command': Input should be a valid string"),
        ("a", "valid dictionary"),
    ],
)
def test_what_is_entered_wrongly_is_refused_by_name(member: Any, said: str) -> None:
    with pytest.raises(InvalidParameters) as refused:
        entry("files", member)
    assert said in refused.value.message
    assert "'files'" in refused.value.message


def test_a_fault_never_quotes_a_value() -> None:
    with pytest.raises(InvalidParameters) as refused:
        entry("files", {"command": "a", "env": {"KEY": ["s3cr3t"]}})
    assert "s3cr3t" not in refused.value.message


@pytest.mark.parametrize("name", ["", "a__b", "_a", "a_", "-", "a b", "é", "a" * 25, "a/b", "mcp__x"])
def test_a_name_that_would_blur_its_tools_names_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameters):
        check_name(name)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "is no JSON: line 1"),
        (b"[]", "must hold"),
        (b'{"mcpServers": {}}', "must hold"),
        (b'{"mcp_servers": {}, "more": 1}', "nothing else"),
        (b'{"mcp_servers": []}', "must hold"),
        (b" " * (1 << 20) + b"{}", "larger than"),
        (json.dumps({"mcp_servers": {f"s{n}": {"command": "a"} for n in range(MOST + 1)}}).encode(), "more than"),
    ],
)
def test_a_file_that_is_none_says_why(data: bytes, said: str) -> None:
    with pytest.raises(InvalidParameters) as refused:
        parse(data)
    assert said in refused.value.message


def test_a_faulty_file_is_never_overwritten(folder: UserFolder) -> None:
    (folder.path / FILE).write_bytes(b'{"mcp_servers": {"a": {"command": "x", "oops": 1}}}')
    file = ServersFile(folder)
    assert file.read() == {}
    assert file.fault is not None
    assert "'oops'" in file.fault
    with pytest.raises(ExecutionFailed, match="Correct it by hand"):
        file.write({})
    assert b"oops" in (folder.path / FILE).read_bytes()
