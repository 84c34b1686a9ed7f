"""What the user closed is not to be seen in any answer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.index.vault_index import PermittedKnowledge, VaultIndex

FILES = {
    "Open.md": "---\naliases: Shared name\n---\n[[Private/Diary]] [[Other]] #common #Open",
    "Other.md": "#common [[Open]]",
    "Private/Diary.md": "---\naliases: [Shared name, Secret name]\n---\n[[Open]] [[Other]] #common #Secret #open/inner",
    "Private/Deep/More.md": "[[Diary]]",
}


@pytest.fixture
def closed() -> list[str]:
    """What is closed: beginnings of paths."""
    return []


@pytest.fixture
def known(tmp_path: Path, indexed: Callable[[Path], VaultIndex], closed: list[str]) -> PermittedKnowledge:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    def rules() -> Callable[[str], str | None] | None:
        return (lambda path: "closed" if path.startswith(tuple(closed)) else None) if closed else None

    return PermittedKnowledge(indexed(tmp_path), rules)


def test_without_rules_everything_is_there(known: PermittedKnowledge) -> None:
    assert [file.path for file in known.files()] == ["Open.md", "Other.md", "Private/Diary.md", "Private/Deep/More.md"]
    assert {tag.tag: (tag.uses, tag.notes) for tag in known.tags()} == {
        "#common": (3, 3),
        "#Open": (1, 1),
        "#open/inner": (1, 1),
        "#Secret": (1, 1),
    }
    assert known.tagged("open") == ["Open.md", "Private/Diary.md"]
    assert len(known.backlinks("Open.md")) == 2


def test_closed_files_are_in_no_answer(known: PermittedKnowledge, closed: list[str]) -> None:
    closed.append("Private")
    assert [file.path for file in known.files()] == ["Open.md", "Other.md"]
    assert known.folders() == []
    assert [note.path for note in known.notes()] == ["Open.md", "Other.md"]
    assert known.file("Private/Diary.md") is None
    assert known.note("Private/Diary.md") is None
    assert known.links_from("Private/Diary.md") == []
    assert known.backlinks("Private/Diary.md") == []
    assert [link.source for link in known.backlinks("Open.md")] == ["Other.md"]
    assert [link.source for link in known.links_named(["other", "open"])] == ["Open.md", "Other.md"]
    assert known.with_alias("shared name") == ["Open.md"]
    assert known.with_alias("secret name") == []
    assert known.tagged("common") == ["Open.md", "Other.md"]
    assert known.tagged("secret") == []


def test_a_tag_that_only_closed_notes_have_does_not_exist(known: PermittedKnowledge, closed: list[str]) -> None:
    closed.append("Private")
    assert [tuple(tag) for tag in known.tags()] == [("#common", 2, 2), ("#Open", 1, 1)]


def test_a_tag_is_spelled_as_in_the_first_open_note(known: PermittedKnowledge, closed: list[str]) -> None:
    closed.append("Open.md")
    assert "#open/inner" in {tag.tag for tag in known.tags()}
    assert "#Open" not in {tag.tag for tag in known.tags()}


def test_rules_hold_from_the_moment_they_are_made(known: PermittedKnowledge, closed: list[str]) -> None:
    assert known.note("Private/Diary.md") is not None
    closed.append("Private")
    assert known.note("Private/Diary.md") is None
    closed.clear()
    assert known.note("Private/Diary.md") is not None


def test_a_links_target_does_not_depend_on_who_asks(known: PermittedKnowledge, closed: list[str]) -> None:
    closed.append("Private")
    assert known.names.resolve("Diary", "Open.md") == "Private/Diary.md"
    assert known.links_from("Open.md")[0].link == "Private/Diary"
