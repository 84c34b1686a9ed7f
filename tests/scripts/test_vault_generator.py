"""The generated vault is the same every time."""

from pathlib import Path

from scripts.lib.vault_generator import generate


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_one_seed_makes_one_vault_and_another_seed_another(tmp_path: Path) -> None:
    first = contents(generate(tmp_path / "a", notes=40, seed=7))
    again = contents(generate(tmp_path / "b", notes=40, seed=7))
    other = contents(generate(tmp_path / "c", notes=40, seed=8))
    assert first == again
    assert first != other


def test_it_has_as_many_notes_as_asked_and_the_planted_lines(tmp_path: Path) -> None:
    notes = [text for name, text in contents(generate(tmp_path, notes=45)).items() if name.endswith(".md")]
    assert len(notes) == 45
    assert sum(b"TODO: " in text or b"FIXME: " in text for text in notes) == 3
    assert sum(b"kwyjibo" in text for text in notes) == 1


def test_a_vault_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    generate(tmp_path, notes=3)
    note = next(tmp_path.rglob("*.md"))
    note.write_text("mine", encoding="utf-8")
    generate(tmp_path, notes=3)
    assert note.read_text(encoding="utf-8") == "mine"
