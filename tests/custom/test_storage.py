"""tools.json: private, whole, and refused as a whole where anything in it is wrong."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.custom.storage import MOST, StoredTool, ToolsFile, parse, parse_file
from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.records.folder import UserFolder

TOOL: dict[str, Any] = {
    "name": "count",
    "description": "Counts",
    "code": "return 1",
    "parameters": {"type": "object"},
    "timeout": 30_000,
    "environment": "node",
    "enabled": True,
    "createdAt": "2026-11-23T01:02:03Z",
    "updatedAt": "2026-11-23T01:02:03Z",
}


def stored(**members: Any) -> StoredTool:
    return parse(TOOL | members, "it")


@pytest.fixture
def folder(tmp_path: Path) -> UserFolder:
    return UserFolder(tmp_path / "above" / "configuration", durable=True, above=False)


@pytest.fixture
def file(folder: UserFolder) -> ToolsFile:
    return ToolsFile(folder, lambda: ["read"])


def test_what_was_written_is_read_again_in_its_order(file: ToolsFile, folder: UserFolder) -> None:
    tools = {name: stored(name=name) for name in ("b", "a", "c")}
    file.write(tools)
    again = ToolsFile(folder, list)
    assert (dict(again.read()), list(again.read())) == (tools, ["b", "a", "c"])


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of other systems")
def test_nobody_else_can_look_into_it(file: ToolsFile) -> None:
    file.write({"count": stored()})
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_one_that_is_edited_by_hand_is_read_anew(file: ToolsFile) -> None:
    assert file.read() == {}
    file.path.write_text(json.dumps([TOOL]), encoding="utf-8")
    assert set(file.read()) == {"count"}
    file.path.write_text(json.dumps([TOOL, TOOL | {"name": "other"}]), encoding="utf-8")
    assert set(file.read()) == {"count", "other"}
    file.path.unlink()
    assert file.read() == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[", "is no JSON: line 1"),
        ("{}", "must hold a list of tools"),
        ("[5]", "tool 1"),
        (json.dumps([TOOL, TOOL]), "tool 2: There is a tool 'count' already"),
        (json.dumps([TOOL | {"name": "read"}]), "There is a tool 'read' already"),
        (json.dumps([TOOL | {"enabeld": True}]), "enabeld"),
        (json.dumps([TOOL | {"parameters": {"type": "string"}}]), "must be `object`"),
        (json.dumps([TOOL | {"name": f"t{number}"} for number in range(MOST + 1)]), "more than 100 tools"),
        (json.dumps([{key: TOOL[key] for key in TOOL if key != "code"}]), "code"),
    ],
)
def test_a_mistake_is_a_fault_of_the_whole_file_and_is_never_overwritten(
    file: ToolsFile, content: str, words: str
) -> None:
    file.path.write_text(content, encoding="utf-8")
    assert file.read() == {}
    assert file.fault is not None
    assert words in file.fault
    with pytest.raises(ExecutionFailed, match="Correct it by hand"):
        file.write({"count": stored()})
    assert file.path.read_text(encoding="utf-8") == content
    file.path.write_text(json.dumps([TOOL]), encoding="utf-8")
    assert set(file.read()) == {"count"}
    found = file.fault
    assert found is None


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), OSError(5, "Input/output error")])
def test_a_disk_that_fails_leaves_the_tools_as_they_were(
    file: ToolsFile, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    file.write({"count": stored()})
    before = file.path.read_bytes()

    def failing(_descriptor: int) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", failing)
        with pytest.raises(ExecutionFailed, match="cannot be written"):
            file.write({"count": stored(code="return 2")})
    assert file.path.read_bytes() == before
    assert file.read()["count"].code == "return 1"
    assert [each.name for each in file.path.parent.iterdir()] == ["tools.json"]


def test_too_many_are_refused(file: ToolsFile) -> None:
    with pytest.raises(InvalidParameters, match="at most 100"):
        file.write({f"t{number}": stored(name=f"t{number}") for number in range(MOST + 1)})


@given(st.binary(max_size=200) | st.text().map(lambda text: json.dumps([TOOL | {"code": text}]).encode()))
def test_whatever_the_file_holds_it_is_read_or_refused(data: bytes) -> None:
    try:
        found = parse_file(data)
    except InvalidParameters:
        return
    assert all(isinstance(tool, StoredTool) for tool in found.values())
