"""A program's own editor has to ask about a note under any name of its file, even a hard link outside the vault."""

from pathlib import Path

import pytest

from bridge.hook import Refused, in_vault
from tests.hooked import claude, configuration, run_hook


def test_a_hard_link_outside_is_the_note_inside(vault: Path, tmp_path: Path) -> None:
    link = tmp_path / "out.md"
    link.hardlink_to(vault / "Notes" / "Meeting.md")
    settings = {"vault": str(vault.resolve()), "guarded": []}
    assert in_vault([{"path": str(link), "content": "x"}], settings, str(tmp_path)) == [
        {"path": "Notes/Meeting.md", "content": "x"}
    ]


def test_a_hard_link_to_something_else_is_not_asked_about(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("x", encoding="utf-8")
    (tmp_path / "two.md").hardlink_to(tmp_path / "one.md")
    settings = {"vault": str(vault.resolve()), "guarded": []}
    assert in_vault([{"path": str(tmp_path / "two.md"), "content": ""}], settings, str(tmp_path)) == []


def test_a_hard_link_to_a_credential_is_refused(vault: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tokens"
    folder.mkdir()
    (folder / "a.token").write_text("x", encoding="utf-8")
    (tmp_path / "two").hardlink_to(folder / "a.token")
    settings = {"vault": str(vault.resolve()), "guarded": [str(folder)]}
    with pytest.raises(Refused, match="Only the user changes it"):
        in_vault([{"path": str(tmp_path / "two"), "content": ""}], settings, str(tmp_path))


async def test_the_hook_as_a_process_refuses_it_where_no_edits_are_allowed(vault: Path, tmp_path: Path) -> None:
    link = tmp_path / "out.md"
    link.hardlink_to(vault / "Ideas.md")
    event = claude("Write", tmp_path, file_path=str(link), content="x")
    answered = await run_hook(configuration(vault, tmp_path, edits="refuse"), event)
    assert answered.decision[0] == "deny"
