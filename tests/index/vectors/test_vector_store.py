"""Keeping vectors, and finding the nearest."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bridge.index.knowledge import IndexedFile

np: Any = pytest.importorskip("numpy", reason="comes with the extra `semantic`")

if TYPE_CHECKING:
    from bridge.index.vectors.vector_store import VectorStore

DIMENSIONS = 64
Open = Callable[..., "VectorStore"]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    from bridge.index.vectors.vector_store import StoreKey, VectorStore  # noqa: PLC0415 - needs numpy

    stores: list[VectorStore] = []

    def opened(*, vault: str = "/v", model: str = "m", dimensions: int = DIMENSIONS, kept: bool = True) -> VectorStore:
        store = VectorStore(tmp_path / "vectors" if kept else None, StoreKey(vault, model, dimensions))
        stores.append(store)
        return store

    yield opened
    for store in stores:
        store.close()


def vectors(count: int, seed: int = 1, dimensions: int = DIMENSIONS) -> Any:
    made = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def note(path: str, rows: Any, stamp: tuple[int, int] = (1, 1)) -> Any:
    from bridge.index.vectors.vector_store import EmbeddedNote  # noqa: PLC0415 - needs numpy

    return EmbeddedNote(path, stamp, [(10 * number, 10 * number + 10) for number in range(len(rows))], rows)


def files(*paths: str, stamp: tuple[int, int] = (1, 1)) -> Mapping[str, IndexedFile]:
    return {path: IndexedFile(path, *stamp, 0) for path in paths}


def paths(found: Sequence[Any]) -> list[str]:
    return [near.path for near in found]


def test_the_nearest_passages_come_first_with_their_places(opened: Open) -> None:
    store, rows = opened(), vectors(3)
    store.put([note("A.md", rows[:2]), note("B.md", rows[2:])])
    found = store.nearest(rows[1], files("A.md", "B.md"), 2)
    assert (found[0].path, found[0].start, found[0].end) == ("A.md", 10, 20)
    assert found[0].likeness == pytest.approx(1, abs=1e-3)
    assert len(found) == 2
    assert found[1].likeness < 0.9


def test_among_many_the_nearest_are_those_that_comparing_all_would_find(opened: Open) -> None:
    store, rows = opened(dimensions=256), vectors(20_000, dimensions=256)
    store.put([note(f"{number}.md", rows[number * 100 : number * 100 + 100]) for number in range(200)])
    known = files(*(f"{number}.md" for number in range(200)))
    found = 0
    for number in range(50):
        asked = rows[number * 391] + 0.8 * vectors(1, seed=number, dimensions=256)[0]
        asked /= np.linalg.norm(asked)
        wanted = int(np.argmax(rows @ asked))
        first = store.nearest(asked, known, 1)[0]
        found += (first.path, first.start) == (f"{wanted // 100}.md", wanted % 100 * 10)
    assert found == 50


def test_what_is_kept_is_there_after_a_restart(opened: Open) -> None:
    rows = vectors(9000)
    first = opened()
    first.put([note("A.md", rows[:8500], (5, 6))])
    first.put([note("B.md", rows[8500:], (7, 8))])
    first.close()
    again = opened()
    assert again.stamps() == {"A.md": (5, 6), "B.md": (7, 8)}
    assert again.passages == 9000
    assert paths(again.nearest(rows[8700], files("B.md", stamp=(7, 8)), 1)) == ["B.md"]


@pytest.mark.parametrize("other", [{"vault": "/other"}, {"model": "other"}, {"dimensions": 128}])
def test_vectors_of_something_else_are_thrown_away(opened: Open, other: dict[str, Any]) -> None:
    first = opened()
    first.put([note("A.md", vectors(2))])
    first.close()
    assert opened(**other).stamps() == {}


def cut_matrix(folder: Path) -> None:
    (folder / "vectors-0.f16").write_bytes(b"short")


def remove_matrix(folder: Path) -> None:
    (folder / "vectors-0.f16").unlink()


def scribble(folder: Path) -> None:
    for file in folder.glob("*.sqlite*"):
        file.write_bytes(b"no database" * 1000)


def other_table(folder: Path) -> None:
    connection = sqlite3.connect(folder / "passages.sqlite")
    connection.execute("UPDATE passages SET signs = x'00'")
    connection.commit()
    connection.close()


def not_a_folder(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    folder.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut_matrix, remove_matrix, scribble, other_table, not_a_folder])
def test_damaged_files_are_made_anew(opened: Open, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    first, rows = opened(), vectors(2)
    first.put([note("A.md", rows)])
    first.close()
    damage(tmp_path / "vectors")
    again = opened()
    assert again.stamps() == {}
    again.put([note("A.md", rows)])
    assert paths(again.nearest(rows[0], files("A.md"), 1)) == ["A.md"]


def test_numbers_that_a_crash_lost_are_left_out_and_their_note_is_embedded_again(opened: Open, tmp_path: Path) -> None:
    first, rows = opened(), vectors(2)
    first.put([note("A.md", rows[:1]), note("B.md", rows[1:])])
    first.close()
    matrix = tmp_path / "vectors" / "vectors-0.f16"
    data = bytearray(matrix.read_bytes())
    data[: DIMENSIONS * 2] = bytes(DIMENSIONS * 2)
    matrix.write_bytes(data)
    again = opened()
    assert paths(again.nearest(rows[0], files("A.md", "B.md"), 5)) == ["B.md"]
    assert again.is_torn
    assert set(again.stamps()) == {"B.md"}
    again.put([note("A.md", rows[:1])])
    assert set(again.stamps()) == {"A.md", "B.md"}
    assert paths(again.nearest(rows[0], files("A.md", "B.md"), 1)) == ["A.md"]


def test_of_a_note_that_changed_since_nothing_is_found(opened: Open) -> None:
    store, rows = opened(), vectors(2)
    store.put([note("A.md", rows[:1], (5, 6)), note("B.md", rows[1:], (5, 6))])
    known = {**files("A.md", stamp=(5, 7)), **files("B.md", stamp=(5, 6))}
    assert paths(store.nearest(rows[0], known, 5)) == ["B.md"]
    assert paths(store.nearest(rows[0], {}, 5)) == []


@pytest.mark.parametrize("kept", [True, False])
def test_nothing_of_a_forgotten_note_stays(opened: Open, tmp_path: Path, *, kept: bool) -> None:
    store, rows = opened(kept=kept), vectors(3)
    store.put([note("Secret plan.md", rows[:2]), note("B.md", rows[2:])])
    before = store.size
    store.discard(["Secret plan.md", "unknown.md"])
    assert set(store.stamps()) == {"B.md"}
    assert paths(store.nearest(rows[0], files("Secret plan.md", "B.md"), 5)) == ["B.md"]
    store.close()
    numbers = rows[:2].astype(np.float16).tobytes()
    for file in (tmp_path / "vectors").glob("*") if kept else ():
        data = file.read_bytes()
        assert numbers[:64] not in data
        if file.suffix == ".sqlite":
            assert b"Secret plan" not in data
    assert before >= DIMENSIONS * 2


def test_rows_that_are_free_are_used_again(opened: Open) -> None:
    store, rows = opened(), vectors(100)
    for _ in range(300):
        store.put([note("A.md", rows)])
    assert store.passages == 100
    assert len(store._segments) == 1


def test_a_failed_write_leaves_what_was_there(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    store, rows = opened(), vectors(9000)
    store.put([note("A.md", rows[:1])])

    def full(_self: Any, _rows: Any, _halves: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(type(store), "_write", full)
        with pytest.raises(OSError, match="No space"):
            store.put([note("B.md", rows)])
    assert set(store.stamps()) == {"A.md"}
    store.put([note("B.md", rows)])
    assert paths(store.nearest(rows[8999], files("A.md", "B.md"), 1)) == ["B.md"]


def test_a_place_that_cannot_be_written_is_replaced_by_memory(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"")
    (tmp_path / "vectors").unlink()
    tmp_path.joinpath("vectors").mkdir()
    (tmp_path / "vectors" / "passages.sqlite").mkdir()
    (tmp_path / "vectors" / "passages.sqlite" / "kept").write_bytes(b"")
    store, rows = opened(), vectors(1)
    store.put([note("A.md", rows)])
    assert paths(store.nearest(rows[0], files("A.md"), 1)) == ["A.md"]


def test_a_note_without_text_is_known_and_never_found(opened: Open) -> None:
    store = opened()
    store.put([note("Empty.md", vectors(0))])
    assert set(store.stamps()) == {"Empty.md"}
    assert store.nearest(vectors(1)[0], files("Empty.md"), 5) == []


@pytest.mark.parametrize("dimensions", [8, 63, 64, 100, 384, 1024])
def test_vectors_may_have_any_length(opened: Open, dimensions: int) -> None:
    store, rows = opened(dimensions=dimensions), vectors(50, dimensions=dimensions)
    store.put([note("A.md", rows)])
    assert store.nearest(rows[7], files("A.md"), 1)[0].start == 70


@pytest.mark.parametrize("precision", ["float16", "float32"])
def test_the_signs_are_those_of_each_number(precision: str) -> None:
    from bridge.index.vectors.vector_store import signs_of  # noqa: PLC0415 - needs numpy

    smallest = np.finfo(precision).smallest_subnormal
    numbers = np.array([[0.0, -0.0, smallest, -smallest, 1.0, -1.0, np.inf, -np.inf]], precision).repeat(8, axis=1)
    (packed,) = signs_of(numbers).view(np.uint8)
    assert np.unpackbits(packed)[: numbers.size].tolist() == [int(number > 0) for number in numbers[0]]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_the_user_can_enter_the_folders(tmp_path: Path) -> None:
    from bridge.index.vectors.vector_store import StoreKey, VectorStore  # noqa: PLC0415 - needs numpy

    folder = tmp_path / "better" / "model"
    VectorStore(folder, StoreKey("vault", "model", 8)).close()
    assert [place.stat().st_mode & 0o777 for place in (folder.parent, folder)] == [0o700, 0o700]
