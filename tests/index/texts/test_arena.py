"""The arena holds every text as it is searched, through edits, restarts and damage."""

import mmap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.texts import arena as arena_module
from bridge.index.texts.arena import LARGEST, Stamp, TextArena, text_entry, walk_key

STAMP = Stamp(1, 2)


def texts(arena: TextArena) -> dict[str, bytes]:
    """Every text; all chunks together must be in walk order."""
    entries = [entry for chunk in arena.chunks() for entry in chunk.entries()]
    assert [entry.path for entry in entries] == sorted({entry.path for entry in entries}, key=walk_key)
    return {entry.path: bytes(entry.text) for entry in entries if entry.is_held}


def large(arena: TextArena) -> tuple[str, ...]:
    """The files that are too large."""
    return tuple(path for chunk in arena.chunks() for path in chunk.large())


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few bytes, so that a few files are many chunks."""
    monkeypatch.setattr(arena_module, "CHUNK", 40)


@pytest.mark.parametrize(
    ("data", "searched", "shown"),
    [
        (b"", b"", b""),
        (b"\xef\xbb\xbf", b"", b""),
        (b"a", b"a\n", b"a"),
        (b"a\n", b"a\n", b"a\n"),
        (b"\xef\xbb\xbfa\r\nb\rc\r\n", b"a\nb\rc\n", b"a\nb\rc\n"),
        (b"\n\n", b"\n\n", b"\n\n"),
        (b"caf\xe9", b"caf\xe9\n", b"caf\xe9"),
    ],
)
def test_text_is_held_as_it_is_searched(data: bytes, searched: bytes, shown: bytes) -> None:
    arena = TextArena()
    arena.put(text_entry("a.md", data, STAMP))
    assert texts(arena) == {"a.md": searched}
    assert bytes(arena.text("a.md") or b"") == shown


def test_binary_large_and_hidden_files_are_known_without_their_text() -> None:
    arena = TextArena()
    arena.put(text_entry("image.png", b"\x89PNG\r\n\x1a\n\x00", STAMP))
    arena.put(text_entry("film.mp4", b"\x00\x00", Stamp(LARGEST + 1, 3)))
    arena.put(text_entry("log.txt", None, Stamp(LARGEST + 1, 4)))
    arena.put(text_entry("A/.hidden.md", b"text", STAMP))
    assert (texts(arena), large(arena), arena.text("log.txt")) == ({}, ("log.txt",), None)
    assert arena.stamps().keys() == {"image.png", "film.mp4", "log.txt", "A/.hidden.md"}
    assert arena.stamps()["log.txt"] == Stamp(LARGEST + 1, 4)
    arena.put(text_entry("log.txt", b"short now", STAMP))
    assert (texts(arena), large(arena)) == ({"log.txt": b"short now\n"}, ())


def test_what_a_search_was_given_does_not_change_when_the_arena_does() -> None:
    arena = TextArena()
    arena.put(text_entry("a.md", b"old\n", STAMP))
    arena.save()
    before = arena.chunks()
    arena.put(text_entry("a.md", b"new\n", STAMP))
    arena.put(text_entry("b.md", b"more\n", STAMP))
    assert [bytes(entry.text) for chunk in before for entry in chunk.entries()] == [b"old\n"]
    assert texts(arena) == {"a.md": b"new\n", "b.md": b"more\n"}
    assert arena.chunks() == arena.chunks()


def test_a_restart_knows_everything_and_copies_nothing(tmp_path: Path) -> None:
    arena = TextArena(tmp_path)
    arena.put(text_entry("b.md", b"b\r\n", Stamp(3, 30)))
    arena.put(text_entry("A/ü.md", b"u", Stamp(1, 10)))
    arena.put(text_entry("pic.png", b"\x00", Stamp(1, 20)))
    arena.put(text_entry("big.txt", None, Stamp(LARGEST + 1, 40)))
    arena.put(text_entry("gone.md", b"gone", Stamp(4, 50)))
    arena.save()
    arena.discard("gone.md")
    arena.save()
    again = TextArena(tmp_path)
    assert again.stamps() == arena.stamps()
    assert texts(again) == texts(arena) == {"b.md": b"b\n", "A/ü.md": b"u\n"}
    assert large(again) == ("big.txt",)
    assert bytes(again.text("A/ü.md") or b"") == b"u"
    assert isinstance(again.chunks()[0].text, mmap.mmap)


def test_what_was_not_saved_is_not_known_after_a_restart(tmp_path: Path) -> None:
    arena = TextArena(tmp_path)
    arena.put(text_entry("a.md", b"a", STAMP))
    arena.save()
    arena.put(text_entry("a.md", b"changed", Stamp(7, 7)))
    arena.put(text_entry("b.md", b"b", STAMP))
    assert TextArena(tmp_path).stamps() == {"a.md": STAMP}


def test_what_was_saved_is_mapped_and_takes_no_memory_of_its_own(tmp_path: Path) -> None:
    arena = TextArena(tmp_path)
    arena.put(text_entry("a.md", b"tea\n", STAMP))
    before = arena.chunks()[0]
    arena.save()
    (kept,) = arena.chunks()
    assert isinstance(kept.text, mmap.mmap)
    assert list(kept.entries()) == list(before.entries())
    arena.put(text_entry("b.md", b"more\n", STAMP))
    arena.save()
    assert [bytes(entry.text) for entry in TextArena(tmp_path).chunks()[0].entries()] == [b"tea\n", b"more\n"]
    assert len(list(tmp_path.iterdir())) == 1


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def garble_the_table(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"paths"', b'"pahts"'))


@pytest.mark.parametrize("damage", [Path.unlink, cut, garble_the_table, lambda file: file.write_bytes(b"")])
def test_what_a_damaged_chunk_held_is_to_be_read_anew(
    tmp_path: Path, small: None, damage: Callable[[Path], object]
) -> None:
    del small
    arena = TextArena(tmp_path)
    arena.put(text_entry("a.md", b"a" * 50, STAMP))
    arena.put(text_entry("b.md", b"b" * 50, STAMP))
    arena.save()
    (first,) = (file for file in tmp_path.glob("*.text") if b"aaa" in file.read_bytes())
    copy = first.read_bytes()
    first.unlink()
    first.write_bytes(copy)  # not the file that is mapped
    damage(first)
    again = TextArena(tmp_path)
    assert again.stamps().keys() == {"b.md"}
    again.put(text_entry("a.md", b"anew", STAMP))
    again.save()
    assert texts(TextArena(tmp_path)) == {"a.md": b"anew\n", "b.md": b"b" * 50 + b"\n"}


def test_files_in_any_order_make_chunks_in_walk_order(small: None) -> None:
    del small
    arena = TextArena()
    for name in sorted(f"{folder}{number}.md" for folder in ("", "A/", "A/B/") for number in range(9)):
        arena.put(text_entry(name, name.encode() * 2, STAMP))
    paths = [path for chunk in arena.chunks() for path in chunk.paths]
    assert paths == sorted(paths, key=walk_key)
    assert len(arena.chunks()) > 3


def test_of_two_chunks_that_hold_the_same_file_the_later_is_right(tmp_path: Path) -> None:
    """As after a save that was cut short before it removed what it replaced."""
    arena = TextArena(tmp_path)
    for name in ("a.md", "c.md"):
        arena.put(text_entry(name, b"old", STAMP))
    arena.save()
    (first,) = tmp_path.glob("*.text")
    copy = first.read_bytes()
    arena.put(text_entry("b.md", b"new", STAMP))
    arena.put(text_entry("c.md", b"new", STAMP))
    arena.save()
    first.write_bytes(copy)
    again = TextArena(tmp_path)
    assert texts(again) == {"a.md": b"old\n", "b.md": b"new\n", "c.md": b"new\n"}
    again.save()
    assert len(list(tmp_path.glob("*.text"))) == 1


def test_little_that_is_new_is_not_kept_before_the_end(tmp_path: Path) -> None:
    arena = TextArena(tmp_path)
    arena.put(text_entry("a.md", b"a\n", STAMP))
    arena.save(1000)
    arena.put(text_entry("b.md", b"b" * 50, STAMP))
    arena.save(52)
    assert TextArena(tmp_path).stamps().keys() == {"a.md"}
    arena.save(51)
    assert TextArena(tmp_path).stamps().keys() == {"a.md", "b.md"}


def test_edits_do_not_break_chunks_into_many(small: None) -> None:
    del small
    arena = TextArena()
    for number in range(20):
        arena.put(text_entry(f"{number:02}.md", b"1234567\n", STAMP))
        arena.chunks()
    for turn in range(200):
        arena.put(text_entry(f"{turn % 20:02}.md", b"1234567\n" * (1 + turn % 2), STAMP))
        arena.chunks()
    assert len(arena.chunks()) <= 12


PATHS = st.sampled_from(["a.md", "b.md", "A/a.md", "A/c.md", "A a/x.md", "A/B/deep.md", "z.md", "Ü.md"])
TEXTS = st.text("abé\n ", max_size=30).map(str.encode)
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "put", "put", "discard", "save", "restart"]), PATHS, TEXTS),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_any_sequence_of_changes_leaves_what_was_put_last(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, bytes]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena_module, "CHUNK", 40)
        folder = tmp_path_factory.mktemp("arena")
        arena, expected = TextArena(folder), {}
        for number, (step, path, text) in enumerate(steps):
            if step == "put":
                expected[path] = text + (b"\n" if text and not text.endswith(b"\n") else b"")
                arena.put(text_entry(path, text, Stamp(len(text), number)))
            elif step == "discard":
                expected.pop(path, None)
                arena.discard(path)
            else:
                arena.save()
                arena = TextArena(folder) if step == "restart" else arena
            assert texts(arena) == expected
            assert arena.stamps().keys() == expected.keys()
        arena.save()
        assert len(list(folder.glob("*.text"))) <= 12


def test_dead_text_goes_when_there_is_much_of_it(small: None) -> None:
    del small
    arena = TextArena()
    for turn in range(50):
        arena.put(text_entry(f"{turn % 5}.md", b"text of some length", STAMP))
        arena.save()
    assert arena.size < 8 * 5 * 20
