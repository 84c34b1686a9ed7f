"""Vectors follow the vault: what is written, changed, closed or deleted, through restarts and failures."""

import os
import sqlite3
from pathlib import Path

import pytest

from bridge.index.vectors.vector_index import FEW
from tests.index.vectors.conftest import Make, WordModel
from tests.patience import PATIENCE


def test_notes_are_embedded_in_the_background_and_found(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves in hot water")
    vault.put("Cars.md", "engines and wheels")
    vault.put("Picture.png", "no note")
    vault.start()
    status = vault.until(lambda status: status.state == "ready")
    assert (status.done, status.total, status.passages, status.model) == (2, 2, 2, "words")
    assert status.size > 0
    assert vault.near("hot leaves")[0] == "Tea.md"


def test_a_passage_is_embedded_with_its_notes_name_and_without_properties(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "---\nsecret: property\n---\ngreen leaves\n")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert vault.model.embedded == ["Tea\n\ngreen leaves\n"]


def test_a_change_is_followed_and_only_what_changed_is_embedded(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.put("Cars.md", "engines")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    vault.model.embedded.clear()
    vault.put("Cars.md", "bicycles with saddles")
    vault.follow()
    assert vault.model.embedded == ["Cars\nbicycles with saddles"]
    assert vault.near("bicycles saddles")[0] == "Cars.md"


def test_a_deleted_note_leaves_nothing(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.put("Cars.md", "engines")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    (vault.folder / "Tea.md").unlink()
    assert vault.follow().passages == 1


def test_closed_notes_are_never_embedded_and_closing_one_removes_its_vectors(embedded: Make) -> None:
    vault = embedded()
    vault.put("Diary.md", "dear diary")
    vault.put("Tea.md", "green leaves")
    vault.put("Cars.md", "engines")
    vault.close_notes("Diary.md")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert not any("diary" in text for text in vault.model.embedded)
    vault.close_notes("Diary.md", "Tea.md")
    vault.follow()
    assert set(vault.kept()) == {"Cars.md"}


def test_a_note_that_may_not_be_found_is_not_even_where_it_is_embedded(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.put("Cars.md", "engines")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert vault.near("green leaves", without=["Tea.md"]) == ["Cars.md"]


def test_a_restart_goes_on_where_it_stopped(embedded: Make) -> None:
    vault = embedded()
    for number in range(20):
        vault.put(f"{number}.md", f"note number {number}")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    vault.model.embedded.clear()
    vault.put("20.md", "one more")
    vault.index.refresh()
    vault.restart()
    vault.follow()
    assert vault.model.embedded == ["20\none more"]
    assert vault.near("number 7")[0] == "7.md"


def test_what_was_embedded_before_a_stop_in_the_middle_is_kept(embedded: Make) -> None:
    vault = embedded()
    vault.model.portion = 5
    for number in range(20):
        vault.put(f"{number}.md", f"note number {number}")
    vault.start()
    vault.until(lambda status: status.done >= 5)
    vault.restart()
    vault.follow()
    assert len(vault.model.embedded) <= 25
    assert len(vault.kept()) == 20


def test_the_newest_notes_come_first(embedded: Make) -> None:
    vault = embedded()
    vault.put("Old.md", "old")
    vault.put("New.md", "new")
    os.utime(vault.folder / "Old.md", (1_600_000_000, 1_600_000_000))
    os.utime(vault.folder / "New.md", (1_700_000_000, 1_700_000_000))
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert vault.model.embedded == ["New\nnew", "Old\nold"]


@pytest.mark.parametrize("why", ["battery", "load"])
def test_large_work_waits_while_the_machine_has_better_to_do(embedded: Make, why: str) -> None:
    vault = embedded()
    vault.mode, vault.strain = "auto", why
    for number in range(FEW + 1):
        vault.put(f"{number}.md", f"note number {number}")
    vault.start()
    status = vault.until(lambda status: status.state == "paused")
    assert (status.reason, status.done, status.total) == (why, 0, FEW + 1)
    vault.mode = "on"
    vault.follow()


def test_what_was_just_written_does_not_wait(embedded: Make) -> None:
    vault = embedded()
    vault.mode, vault.strain = "auto", "load"
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")


def test_switched_off_nothing_is_kept_and_on_again_all_is_made_anew(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    vault.mode = "off"
    vault.vectors.changed()
    assert vault.vectors.status().state == "off"
    assert vault.near("green leaves") == []
    end = vault.cache
    assert end is not None
    vault.until(lambda _status: not end.exists())
    vault.mode = "on"
    vault.follow()
    assert vault.near("green leaves") == ["Tea.md"]


def test_rebuilding_embeds_all_notes_again(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    vault.vectors.rebuild()
    vault.until(lambda status: len(vault.model.embedded) == 2 and status.state == "ready")


def test_without_a_model_nothing_is_compared(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.model = None
    vault.start()
    vault.until(lambda status: status.state == "missing")
    assert vault.vectors.nearest("green", {}, 5) is None
    assert vault.vectors.related("Tea.md", {}, 5) is None


def test_a_model_that_fails_is_told_of_and_questions_are_answered_without(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    vault.model.failing = True
    assert vault.vectors.nearest("green", {}, 5) is None
    vault.put("Cars.md", "engines")
    vault.index.refresh()
    vault.vectors.changed()
    assert vault.until(lambda status: status.state == "failed").reason == "The model is on strike"
    vault.model.failing = False
    vault.follow()


def test_files_that_are_damaged_while_it_runs_are_made_anew(embedded: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.vectors.vector_index.FAILED_SECONDS", 0.01)
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    store = vault.vectors._store
    assert store is not None
    store._connection.close()
    broken = sqlite3.connect(":memory:", check_same_thread=False)
    store._connection = broken
    vault.put("Cars.md", "engines")
    vault.follow()
    broken.close()
    assert set(vault.kept()) == {"Tea.md", "Cars.md"}


def test_a_note_that_is_closed_while_others_are_embedded_is_not(embedded: Make) -> None:
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.put("Cars.md", "engines")
    vault.model.hold.clear()
    vault.start()
    assert vault.model.waiting.wait(PATIENCE)
    vault.close_notes("Tea.md")
    vault.model.hold.set()
    vault.follow()
    assert set(vault.kept()) == {"Cars.md"}


def test_notes_near_a_note_are_others(embedded: Make) -> None:
    vault = embedded(kept=False)
    vault.put("Tea.md", "green leaves in hot water")
    vault.put("Coffee.md", "brown beans in hot water")
    vault.put("Cars.md", "engines, wheels")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    files = {file.path: file for file in vault.index.files()}
    found = vault.vectors.related("Tea.md", files, 1)
    assert found is not None
    assert [near.path for near in found] == ["Coffee.md"]
    assert vault.vectors.related("Nothing.md", files, 5) is None


def test_vectors_of_a_model_that_is_no_longer_used_are_removed(embedded: Make) -> None:
    class Other(WordModel):
        model = "others"

    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert vault.cache is not None
    (before,) = vault.cache.iterdir()
    vault.model = Other()
    vault.model.query = lambda: vault.model
    vault.restart()
    vault.until(lambda status: status.state == "ready")
    assert [folder.name for folder in vault.cache.iterdir()] != [before.name]
    assert not before.exists()


def test_texts_of_all_kinds_are_taken(embedded: Make) -> None:
    vault = embedded()
    vault.put("Empty.md", "")
    vault.put("Spaces.md", " \n\n ")
    (vault.folder / "Latin.md").write_bytes(b"caf\xe9 \xff\xfe")
    vault.put("Long.md", "word " * 100_000)
    vault.start()
    status = vault.until(lambda status: status.state == "ready")
    assert status.done == status.total == 4


def test_where_the_cache_cannot_be_written_vectors_are_in_memory(embedded: Make, tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file in the way")
    vault = embedded()
    vault.put("Tea.md", "green leaves")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert vault.near("green leaves") == ["Tea.md"]
