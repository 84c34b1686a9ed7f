"""The piece of a note that shows why it was found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.search.note_search import WIDTH, bare_places, excerpt
from bridge.index.search.passages import readable
from bridge.index.search.text_session import Needle, NoteText


def _excerpt(text: str, *words: str) -> str:
    note = NoteText(text)
    return excerpt(note, [list(note.find_all(Needle(word), note.whole)) for word in words])[0]


FAR = "far away words " * 40


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("The project timeline is set for Q2.", ["timeline"], "The project timeline is set for Q2."),
        ("# Title\n\nline one\n\n\tline two", ["one"], "# Title line one line two"),
        ("---\ntags: [x]\n---\n# Nothing of it\nhere", ["zebra"], "# Nothing of it here"),
        ("", ["x"], ""),
        ("bad \udcff byte", ["byte"], "bad \ufffd byte"),
        ("---\nproject: x\n---\nOur project.", ["project"], "...Our project."),
    ],
)
def test_a_short_text_is_shown_whole(text: str, words: list[str], shown: str) -> None:
    assert _excerpt(text, *words) == shown


def test_what_is_left_out_is_marked_and_words_are_not_cut() -> None:
    shown = _excerpt(f"{FAR}the project timeline is set {FAR}", "timeline")
    assert shown.startswith("...")
    assert shown.endswith("...")
    assert "project timeline is set" in shown
    assert len(shown) <= WIDTH + 6
    assert set(shown.strip(".").split()) <= set(f"{FAR} the project timeline is set".split())


def test_the_place_with_the_most_of_the_words_is_shown() -> None:
    assert "beta near alpha" in _excerpt(f"alpha {FAR} beta near alpha {FAR} beta", "alpha", "beta")


def test_the_body_is_shown_rather_than_the_properties() -> None:
    shown = _excerpt(f"---\ntopic: garden\nother: {FAR}\n---\n{FAR} the garden {FAR}", "garden")
    assert "the garden" in shown


def test_a_whole_word_is_shown_rather_than_a_part_of_one() -> None:
    assert "the art of" in _excerpt(f"a party {FAR} the art of {FAR}", "art")


@pytest.mark.parametrize("cluster", ["👩‍👩‍👧", "e\u0301", "🇨🇭", "👍🏽", "क्षि"])
def test_what_is_seen_as_one_character_is_not_cut(cluster: str) -> None:
    for shift in range(8):
        shown = _excerpt("x" * shift + cluster * 300 + "needle" + cluster * 300, "needle").strip(".")
        left, _, right = shown.partition("needle")
        assert left.replace(cluster, "").strip("x") == ""
        assert right.replace(cluster, "") == ""


def test_words_are_shown_where_only_their_accents_differ() -> None:
    note = readable(NoteText(f"{FAR}Le Caf\u00e9 re\u0301sume\u0301 {FAR}"))
    assert note is not None
    places = bare_places(note, ["cafe", "RÉSUMÉ", "zebra"])
    assert [len(found) for found in places] == [1, 1, 0]
    assert "Le Café" in excerpt(note, places)[0]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("バッテリー", "ﾊﾞｯﾃﾘｰ"),
        ("ﾊﾞｯﾃﾘｰ", "バッテリー"),
        ("שלום", "שָׁלוֹם"),
        ("مدرس", "مُدَرِّس"),
        ("जरूर", "ज़रूर"),
        ("hyphen", "hy\u00adphen"),
        ("l'été", "l\u2019été"),
        ("groesse", "größe"),
    ],
)
def test_a_word_is_shown_however_it_is_typed(word: str, text: str) -> None:
    note = NoteText(f"{FAR}{text} {FAR}")
    assert text in excerpt(note, bare_places(note, [word]))[0]


@given(st.text(max_size=600), st.text(min_size=1, max_size=5))
@settings(max_examples=150, deadline=None)
def test_an_excerpt_is_one_bounded_line_of_unicode(text: str, word: str) -> None:
    shown = _excerpt(text, word)
    shown.encode()
    assert len(shown) <= WIDTH + 70
    assert not set(shown) & {"\n", "\r", "\t"}
