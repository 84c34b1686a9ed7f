"""Obsidian's configuration is recorded too, beside the notes, and given back in files elsewhere, never in place."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bridge.errors import Conflict, PermissionDenied
from bridge.versions.database import NAME
from tests.versions.recorded_vault import RecordedVault, digest

RECORDED = {
    ".obsidian/app.json": "{}",
    ".obsidian/hotkeys.json": "{}",
    ".obsidian/snippets/wide.css": "body {}",
    ".obsidian/themes/Dark/theme.css": "body {}",
    ".obsidian/plugins/tasks/main.js": "module.exports = 1",
    ".obsidian/plugins/tasks/data.json": '{"on":true}',
}
LEFT_OUT = (
    ".obsidian/workspace.json",
    ".obsidian/workspace-mobile.json",
    ".obsidian/plugins/tasks/cache.json",
    ".obsidian/plugins/tasks/lib/main.js",
    ".obsidian/snippets/notes.txt",
    ".obsidian/.hidden.json",
    ".git/config.json",
    ".trash/app.md",
)


@pytest.fixture
def configured(recorded: RecordedVault) -> RecordedVault:
    """A vault with a configuration, known since a minute."""
    for path, text in RECORDED.items():
        recorded.write(path, text)
    for path in LEFT_OUT:
        recorded.write(path, "{}")
    recorded.look()
    recorded.recorder.end_entry()
    recorded.clock.move(60)
    return recorded


def test_settings_snippets_and_the_code_of_plugins_are_recorded_and_nothing_else(configured: RecordedVault) -> None:
    assert configured.done() == [dict.fromkeys(sorted(RECORDED), "made")]
    for path in (*RECORDED, *LEFT_OUT):
        configured.write(path, "changed")
    (configured.folder / ".obsidian/hotkeys.json").unlink()
    configured.look()
    assert configured.done()[1] == {**dict.fromkeys(RECORDED, "changed"), ".obsidian/hotkeys.json": "gone"}
    for text in RECORDED.values():
        assert configured.recorder.bytes_of(digest(text.encode())) == text.encode()


def test_what_is_done_to_it_is_no_part_of_an_entry_about_notes(configured: RecordedVault) -> None:
    for number in range(3):
        configured.write("a.md", f"{number}\n")
        configured.write(".obsidian/plugins/tasks/data.json", f"{number}\n")
        configured.look()
        configured.clock.move(20)
    assert sorted(map(list, configured.done()[1:])) == [[".obsidian/plugins/tasks/data.json"], ["a.md"]]


def test_it_is_shown_and_given_out_and_never_written(configured: RecordedVault) -> None:
    path = ".obsidian/plugins/tasks/main.js"
    then = configured.clock.now().timestamp()
    configured.clock.move(60)
    configured.write(path, "module.exports = 2")
    configured.write("a.md", "2\n")
    configured.look()
    entry = next(one for one in configured.entries if one.effects[0].path == path)
    assert "-module.exports = 1" in configured.restoring.diff(entry).files[0].diff
    assert not configured.restoring.can_undo(entry)
    with pytest.raises(Conflict, match="Obsidian's configuration"):
        configured.undo(entry)
    (_, before) = configured.recorder.versions(path)
    with pytest.raises(PermissionDenied, match="Obsidian's configuration"):
        configured.restoring.version_plan(path, before.digest.hex())
    plan = configured.restoring.version_plan(path, before.digest.hex(), to="main then.md")
    assert [change.path for change in plan.changes] == ["main then.md"]
    plan = configured.restoring.earlier_plan(then).build("then")
    assert [change.path for change in plan.changes] == ["a.md"]
    assert (configured.folder / path).read_text() == "module.exports = 2"


def test_it_is_left_out_where_the_person_wants_that(configured: RecordedVault) -> None:
    configured.rules = type(configured.rules)(megabytes=50, left_out=(".obsidian",))
    configured.write(".obsidian/app.json", "changed")
    configured.look()
    assert len(configured.done()) == 1


def test_where_only_the_notes_were_recorded_before_it_is_a_beginning(recorded: RecordedVault) -> None:
    recorded.stop()
    for path, text in RECORDED.items():
        recorded.write(path, text)
    with closing(sqlite3.connect(recorded.store / NAME)) as raw:
        raw.execute("DELETE FROM meta WHERE key = 'configured'")
        raw.commit()
    recorded.start()
    recorded.look()
    assert recorded.entries == []
    recorded.write(".obsidian/app.json", "changed")
    recorded.look()
    assert recorded.done() == [{".obsidian/app.json": "changed"}]


@pytest.mark.skipif(os.name != "posix", reason="links are made without asking")
def test_links_in_it_are_not_followed(configured: RecordedVault, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("secret")
    (configured.folder / ".obsidian/linked.json").symlink_to(secret)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "main.js").write_text("secret")
    (configured.folder / ".obsidian/plugins/linked").symlink_to(tmp_path / "outside")
    configured.look()
    assert configured.recorder.bytes_of(digest(b"secret")) is None


def test_another_name_of_the_folder_is_found(recorded: RecordedVault) -> None:
    recorded.write(".config/app.json", "{}")
    recorded.write(".other/data.json", "{}")
    recorded.look()
    assert recorded.done() == [{".config/app.json": "made"}]
