"""A call of a program's own editor that names two files for one change is refused, so neither stays unchecked."""

import json
from pathlib import Path

import pytest

from bridge.hook import Refused, decide
from tests.hooked import configuration

PATCH = "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("call", "names", "more"),
    [
        (("opencode", "write"), ("filePath", "file_path"), {"content": "x"}),
        (("opencode", "edit"), ("filePath", "file_path"), {"oldString": "a", "newString": "b"}),
        (("opencode", "edit"), ("filePath", "path"), {"oldString": "a", "newString": "b"}),
        (("claude-code", "Write"), ("file_path", "filePath"), {"content": "x"}),
        (("gemini", "write_file"), ("file_path", "absolute_path"), {"content": "x"}),
        (("codex", "apply_patch"), ("command", "patchText"), {}),
        (("opencode", "apply_patch"), ("patchText", "command"), {}),
    ],
)
def test_two_names_for_one_file_are_refused(
    vault: Path, tmp_path: Path, call: tuple[str, str], names: tuple[str, str], more: dict[str, str], *, turned: bool
) -> None:
    client, tool = call
    files = [str(tmp_path / "outside.md"), str(vault / "Ideas.md")]
    if turned:
        files.reverse()
    given = more | dict(zip(names, map(PATCH.format, files) if tool == "apply_patch" else files, strict=True))
    settings = json.loads(configuration(vault, tmp_path, client=client).read_bytes())
    event = json.dumps({"tool_name": tool, "tool_input": given, "cwd": str(tmp_path)}).encode()
    with pytest.raises(Refused, match="names one thing twice"):
        decide(settings, event, lambda: 5.0)


def test_another_clients_name_alone_is_no_way_past(vault: Path, tmp_path: Path) -> None:
    settings = json.loads(configuration(vault, tmp_path, client="opencode").read_bytes())
    given = {"file_path": str(vault / "Ideas.md"), "content": "x"}
    event = json.dumps({"tool_name": "write", "tool_input": given, "cwd": str(tmp_path)}).encode()
    with pytest.raises(Refused, match="not known"):
        decide(settings, event, lambda: 5.0)
