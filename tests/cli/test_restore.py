"""`vault-bridge restore`, `history --outside` and `undo outside-…`: what is said, and what is done."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


@pytest.fixture
def run(served: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `vault-bridge` on the served vault, in a pipe of 160 columns."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(*words: str, code: int = 0, answer: str = "") -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)], input=answer)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def note(served: Any) -> Path:
    """A note that another program has overwritten."""
    bridge, place = served._bridge, Path(served.vault) / "Ideas.md"
    bridge.index.refresh()
    place.write_text("overwritten\n")
    bridge.index.refresh()
    return place


def test_what_another_program_did_is_listed_shown_and_undone_after_a_question(
    run: Run, note: Path, served: Any
) -> None:
    assert "Ideas.md changed" in run("history").stdout
    (row,) = run("history", "--outside").stdout.splitlines()[1:]
    name = row.split()[0]
    assert "Another program" in row
    assert "overwritten" in run("history", "--diff", name).stdout
    assert "Nothing was undone" in run("undo", name, answer="n\n", code=1).output
    assert note.read_text() == "overwritten\n"
    undone = run("undo", name, answer="y\n").output
    assert "+ overwritten" in undone
    assert "Undone" in undone
    assert note.read_text() != "overwritten\n"
    served._bridge.index.refresh()
    assert "(undone)" in run("history", "--outside").stdout
    run("undo")
    assert note.read_text() == "overwritten\n"


def test_a_file_that_was_changed_since_stays_as_it_is(run: Run, note: Path) -> None:
    name = run("history", "--outside").stdout.splitlines()[1].split()[0]
    run("history", "--diff", name)
    note.write_text("mine\n")
    assert "changed since" in run("undo", name, "--yes", code=1).output
    assert "has nothing to do with" in run("undo", name, "--file", "Other.md", "--yes", code=1).output
    assert note.read_text() == "mine\n"
    run("undo", "patch-1", "--file", "Ideas.md", code=2)


def test_versions_are_listed_brought_back_and_written_elsewhere(run: Run, note: Path, tmp_path: Path) -> None:
    found = json.loads(run("restore", "Ideas", "--list", "--json").stdout)
    assert [one["until"] is None for one in found["versions"]] == [True, False]
    assert "now" in run("restore", "Ideas", "--list").stdout
    at = found["versions"][1]["since"]
    run("restore", "Ideas", "--at", at, "--to", "Ideas then.md", "--yes")
    before = (note.parent / "Ideas then.md").read_bytes()
    assert before != note.read_bytes()
    run("restore", "Ideas", "--at", at, "--to", "Ideas then.md", "--yes", code=1)
    output = tmp_path / "elsewhere.md"
    run("restore", "Ideas", "--at", at, "--output", str(output))
    assert output.read_bytes() == before
    if os.name == "posix":
        assert output.stat().st_mode & 0o777 == 0o600
    assert "exists already" in run("restore", "Ideas", "--at", at, "--output", str(output), code=1).output
    assert "Nothing was written" in run("restore", "Ideas", "--at", at, answer="n\n", code=1).output
    run("restore", "Ideas", "--at", at, answer="y\n")
    assert note.read_bytes() == before
    run("restore", "Ideas", code=2)
    run("restore", "Nobody", "--list", code=1)


def test_everything_since_a_time_is_shown_asked_about_and_taken_back(run: Run, served: Any) -> None:
    bridge, vault = served._bridge, Path(served.vault)
    bridge.index.refresh()
    before = (vault / "Ideas.md").read_bytes()
    then = json.loads(run("restore", "Ideas", "--list", "--json").stdout)["versions"][0]["since"]
    (vault / "Ideas.md").write_text("overwritten\n")
    (vault / "Diary").mkdir()
    (vault / "Diary" / "new.md").write_text("new\n")
    bridge.index.refresh()
    again = ("restore", "--all", "--at", then)
    said = run(*again, answer="n\n", code=1).output
    assert "- overwritten" in said
    assert "1 note changed, 1 made" in said
    assert "What you typed in Obsidian since then is no part of it" in said
    assert "What you typed in Obsidian since then is part of it" in run(*again, "--typed", answer="n\n", code=1).output
    assert "if the vault is synced" in said
    assert "Nothing was written" in said
    run("restore", "Diary/", "--all", "--at", then, "--yes")
    assert not (vault / "Diary" / "new.md").exists()
    assert (vault / "Ideas.md").read_text() == "overwritten\n"
    assert "as far as other programs go" in run(*again, "--except", "Ideas.md", "--yes", code=1).output
    assert "1 file as of" in run(*again, "--yes").output
    assert (vault / "Ideas.md").read_bytes() == before
    run("undo")
    assert (vault / "Ideas.md").read_text() == "overwritten\n"
    run("restore", "--all", code=2)
    run("restore", "--all", "--at", then, "--list", code=2)
    run("restore", "Ideas", "--list", "--except", "Ideas", code=2)
    run("restore", "Ideas", "--at", then, "--typed", code=2)


def test_what_the_bridge_changed_too_stays_and_is_shown(run: Run, served: Any) -> None:
    bridge, note = served._bridge, Path(served.vault) / "Ideas.md"
    bridge.index.refresh()
    first = json.loads(run("restore", "Ideas", "--list", "--json").stdout)["versions"][0]["since"]
    for text in ("theirs\n", "theirs again\n"):
        note.write_text(text)
        bridge.index.refresh()
        bridge.services.recorder.end_entry()
    second = json.loads(run("restore", "Ideas", "--list", "--json").stdout)["versions"][1]["since"]
    run("restore", "Ideas", "--at", second, "--yes")
    note.write_text("theirs at last\n")
    bridge.index.refresh()
    said = run("restore", "--all", "--at", first, "--yes", code=1).output
    assert "Stays as it is: Ideas.md" in said
    assert "the bridge changed it too" in said
    assert "- theirs at last" in said
    assert note.read_text() == "theirs at last\n"


def test_links_that_broke_are_said_shown_and_mended(run: Run, served: Any) -> None:
    bridge, vault = served._bridge, Path(served.vault)
    (vault / "Linking.md").write_text("See [[Ideas]].\n")
    bridge.index.refresh()
    bridge.services.recorder.end_entry()
    (vault / "Ideas.md").rename(vault / "Thoughts.md")
    bridge.index.refresh()
    listed = run("history", "--outside").stdout
    assert "1 link is broken by it" in " ".join(listed.split())
    name = listed.splitlines()[1].split()[0]
    assert "Nothing was written" in run("mend", name, answer="n\n", code=1).output
    assert "+ See [[Thoughts]]" in run("mend", name, answer="y\n").output
    assert (vault / "Linking.md").read_text() == "See [[Thoughts]].\n"
    assert "broken" not in run("history", "--outside").stdout
    run("mend", name, "--yes", code=1)
    run("undo")
    assert (vault / "Linking.md").read_text() == "See [[Ideas]].\n"
    run("mend", "patch-1", code=2)


def test_obsidians_configuration_is_listed_and_written_elsewhere_and_never_in_place(
    run: Run, served: Any, tmp_path: Path
) -> None:
    bridge, vault = served._bridge, Path(served.vault)
    settings = vault / ".obsidian" / "hotkeys.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("before")
    bridge.index.refresh()
    bridge.services.recorder.end_entry()
    recorded = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == recorded:
        pass  # versions are told apart by the millisecond
    settings.write_text("after")
    bridge.index.refresh()
    assert ".obsidian/hotkeys.json changed" in " ".join(run("history", "--outside").stdout.split())
    found = json.loads(run("restore", ".obsidian/hotkeys.json", "--list", "--json").stdout)["versions"]
    at = found[1]["since"]
    assert "writes nothing" in " ".join(
        run("restore", ".obsidian/hotkeys.json", "--at", at, "--yes", code=1).output.split()
    )
    run("restore", ".obsidian/hotkeys.json", "--at", at, "--output", str(tmp_path / "then.json"))
    assert (tmp_path / "then.json").read_text() == "before"
    assert settings.read_text() == "after"


def test_it_says_what_is_kept_and_forgets_it(run: Run, note: Path) -> None:
    said = run("restore").stdout
    assert "1 by other programs" in said
    assert "of 500 MB" in said
    assert "Nothing was forgotten" in run("restore", "Ideas.md", "--forget", answer="n\n", code=1).output
    assert "Forgotten." in run("restore", "Ideas.md", "--forget", "--yes").output
    assert "Nothing is kept" in run("restore", "Ideas.md", "--forget", "--yes", code=1).output
    assert "Nothing has been changed without the bridge." in run("history", "--outside").output
    assert "Forgotten." in run("restore", "--forget-everything", "--yes").output
    run("restore", "--forget", code=2)
    run("restore", "Ideas", "--forget-everything", code=2)
    assert note.read_text() == "overwritten\n"


def test_status_says_what_nobody_has_looked_at_until_somebody_does(run: Run, note: Path, served: Any) -> None:
    note.write_text("".join(f"line {number}\n" for number in range(12)))
    served._bridge.index.refresh()
    assert "Outside" not in run("status").stdout
    served.host("settings.update", patch={"outsideNoticeFiles": 1})
    served._bridge.services.parts.notices.get().look()
    deadline = time.monotonic() + PATIENCE
    while not (told := served.host("versions.notice"))["entries"] and time.monotonic() < deadline:
        served._bridge.services.parts.notices.get().look()
    assert told["message"] == "1 note changed"
    (row,) = [line for line in run("status").stdout.splitlines() if line.strip().startswith("Outside")]
    assert "another program: 1 note changed, at " in row
    assert row.endswith(f"see vault-bridge history --diff {told['entries'][0]}")
    assert json.loads(run("status", "--json").stdout)["outside"] == told
    run("history", "--diff", told["entries"][0])
    assert "Outside" not in run("status").stdout


def test_the_history_is_filtered_by_who_it_was_and_refuses_anybody_else(run: Run, note: Path, served: Any) -> None:
    note.write_text("typed\n")
    digest = hashlib.sha256(note.read_bytes()).hexdigest()
    served.host("versions.wrote", writes=[{"path": "Ideas.md", "digest": digest, "typed": True}])
    served._bridge.index.refresh()
    (typed,) = run("history", "--origin", "typed").stdout.splitlines()[1:]
    assert "You typed in Obsidian" in typed
    (program,) = run("history", "--origin", "program").stdout.splitlines()[1:]
    assert "Another program" in program
    assert "Nothing has been changed like that" in run("history", "--origin", "obsidian").output
    assert len(json.loads(run("history", "--outside", "--json").stdout)) == 2
    run("history", "--origin", "nobody", code=2)
