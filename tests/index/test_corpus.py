"""The corpus holds every text as it is searched, through edits, restarts and damage."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index import corpus as corpus_module
from bridge.index.corpus import LARGEST, Corpus
from bridge.index.segments import Stamp
from bridge.index.walk_order import walk_key

STAMP = Stamp(1, 2)


def texts(corpus: Corpus) -> dict[str, bytes]:
    """Every text of a snapshot; segments must be in walk order."""
    found: dict[str, bytes] = {}
    for view in corpus.snapshot().views:
        paths = list(view.segment.paths)
        assert paths == sorted(paths, key=walk_key)
        for held in view.documents():
            assert held.path not in found
            found[held.path] = bytes(held.text)
    return found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of a few bytes, so that a few files are many segments."""
    for name, value in (("SEGMENT", 40), ("TAIL", 20), ("SMALL", 10), ("MOST_LOOSE", 2)):
        monkeypatch.setattr(corpus_module, name, value)


@pytest.mark.parametrize(
    ("data", "searched", "told"),
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
def test_text_is_held_as_it_is_searched(data: bytes, searched: bytes, told: bytes) -> None:
    corpus = Corpus()
    corpus.put("a.md", data, STAMP)
    assert texts(corpus) == {"a.md": searched}
    assert bytes(corpus.text("a.md") or b"") == told


def test_binary_large_and_hidden_files_are_known_without_their_text() -> None:
    corpus = Corpus()
    corpus.put("image.png", b"\x89PNG\r\n\x1a\n\x00", STAMP)
    corpus.put("film.mp4", b"\x00\x00", Stamp(LARGEST + 1, 3))
    corpus.put("log.txt", None, Stamp(LARGEST + 1, 4))
    corpus.put("A/.hidden.md", b"text", STAMP)
    assert (texts(corpus), corpus.snapshot().large, corpus.text("log.txt")) == ({}, ("log.txt",), None)
    assert corpus.stamps().keys() == {"image.png", "film.mp4", "log.txt", "A/.hidden.md"}
    assert corpus.stamp("log.txt") == Stamp(LARGEST + 1, 4)
    corpus.put("log.txt", b"short now", STAMP)
    assert (texts(corpus), corpus.snapshot().large) == ({"log.txt": b"short now\n"}, ())


def test_a_snapshot_does_not_change_when_the_corpus_does() -> None:
    corpus = Corpus()
    corpus.put("a.md", b"old\n", STAMP)
    corpus.save()
    before = corpus.snapshot()
    corpus.put("a.md", b"new\n", STAMP)
    corpus.put("b.md", b"more\n", STAMP)
    assert [bytes(held.text) for view in before.views for held in view.documents()] == [b"old\n"]
    assert texts(corpus) == {"a.md": b"new\n", "b.md": b"more\n"}
    assert before.count == 1
    assert corpus.snapshot() is corpus.snapshot()


def test_a_restart_knows_everything_and_copies_nothing(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("b.md", b"b\r\n", Stamp(3, 30))
    corpus.put("A/ü.md", b"u", Stamp(1, 10))
    corpus.put("pic.png", b"\x00", Stamp(1, 20))
    corpus.put("big.txt", None, Stamp(LARGEST + 1, 40))
    corpus.put("gone.md", b"gone", Stamp(4, 50))
    corpus.save()
    corpus.discard("gone.md")
    corpus.save()
    again = Corpus(tmp_path)
    assert again.stamps() == corpus.stamps()
    assert texts(again) == texts(corpus) == {"b.md": b"b\n", "A/ü.md": b"u\n"}
    assert again.snapshot().large == ("big.txt",)
    assert bytes(again.text("A/ü.md") or b"") == b"u"
    assert again.verify() == []


def test_what_was_not_saved_is_not_known_after_a_restart(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("a.md", b"a", STAMP)
    corpus.save()
    corpus.put("a.md", b"changed", Stamp(7, 7))
    corpus.put("b.md", b"b", STAMP)
    assert Corpus(tmp_path).stamps() == {"a.md": STAMP}


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def garble_the_table(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"paths"', b'"pahts"'))


@pytest.mark.parametrize("damage", [Path.unlink, cut, garble_the_table, lambda file: file.write_bytes(b"")])
def test_what_a_damaged_segment_held_is_to_be_read_anew(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("a.md", b"a" * 50, STAMP)
    corpus.save()
    (first,) = tmp_path.glob("*.text")
    corpus.put("b.md", b"b" * 50, STAMP)
    corpus.save()
    copy = first.read_bytes()
    first.unlink()
    first.write_bytes(copy)  # not the file that is mapped
    damage(first)
    again = Corpus(tmp_path)
    assert again.stamps().keys() == {"b.md"}
    again.put("a.md", b"anew", STAMP)
    again.save()
    assert texts(Corpus(tmp_path)) == {"a.md": b"anew\n", "b.md": b"b" * 50 + b"\n"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 99}', b'{"version": 1, "segments": 5}', None])
def test_a_damaged_list_is_an_empty_corpus(tmp_path: Path, content: bytes | None) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("a.md", b"a", STAMP)
    corpus.save()
    if content is None:
        (tmp_path / "corpus.json").unlink()
    else:
        (tmp_path / "corpus.json").write_bytes(content)
    assert Corpus(tmp_path).stamps() == {}
    assert not list(tmp_path.glob("*.text"))


def test_text_that_was_changed_on_the_disk_is_told_by_verify(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("a.md", b"needle", STAMP)
    corpus.save()
    (file,) = tmp_path.glob("*.text")
    file.write_bytes(file.read_bytes().replace(b"needle", b"noodle"))
    again = Corpus(tmp_path)
    assert again.verify() == ["a.md"]
    assert (again.stamps(), texts(again)) == ({}, {})


def test_files_that_come_in_walk_order_make_ordered_segments(small: None) -> None:
    del small
    corpus = Corpus()
    for name in sorted((f"{folder}{number}.md" for folder in ("", "A/", "A/B/") for number in range(9)), key=walk_key):
        corpus.put(name, name.encode() * 2, STAMP)
    paths = [path for view in corpus.snapshot().views for path in view.segment.paths]
    assert paths == sorted(paths, key=walk_key)
    assert len(corpus.snapshot().views) > 3


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
        for name, value in (("SEGMENT", 40), ("TAIL", 20), ("SMALL", 10), ("MOST_LOOSE", 2)):
            patch.setattr(corpus_module, name, value)
        folder = tmp_path_factory.mktemp("corpus")
        corpus, expected = Corpus(folder), {}
        for number, (step, path, text) in enumerate(steps):
            if step == "put":
                expected[path] = text + (b"\n" if text and not text.endswith(b"\n") else b"")
                corpus.put(path, text, Stamp(len(text), number))
            elif step == "discard":
                expected.pop(path, None)
                corpus.discard(path)
            else:
                corpus.save()
                corpus = Corpus(folder) if step == "restart" else corpus
            assert texts(corpus) == expected
            assert corpus.stamps().keys() == expected.keys()
        corpus.save()
        assert len(list(folder.glob("*.text"))) <= 12


def test_dead_text_goes_when_there_is_much_of_it(small: None) -> None:
    del small
    corpus = Corpus()
    for turn in range(50):
        corpus.put(f"{turn % 5}.md", b"text of some length", STAMP)
        corpus.save()
    assert corpus.size < 8 * 5 * 20
