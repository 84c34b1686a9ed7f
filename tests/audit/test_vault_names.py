"""Which words of a text are names of the vault, and which are not."""

import time

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from bridge.audit import anonymous
from bridge.audit.anonymous import HIDDEN_PATH, VaultNames

PATHS = (
    *("Steph Ango.md", "Clippings", "Clippings/todo.md", "日本.md", "🦊 Fox.md", "Plan (old) B.md", "c.md", "C++.md"),
    *("Zoe\u0308.md", "create_note.md", "2026-01-31.md"),
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask Steph Ango, soon", "ask [PATH], soon"),
        ("STEPH  ango's, steph_ango, Steph.Ango", "[PATH]'s, [PATH], [PATH]"),
        ("Stephen Ango and Steph Angora", "Stephen Ango and Steph Angora"),
        ("(Steph%20Ango) 100%", "([PATH]) 100%"),
        ("100%25 sure", "100%25 sure"),
        ("Clippings/todo.md", "[PATH]"),
        ("the todos to do, a todo", "the todos to do, a [PATH]"),
        ("昨日日本へ", "昨日[PATH]へ"),
        ("a 🦊 Fox, a fox, a 🦊", "a [PATH], a [PATH], a 🦊"),
        ("plan old b", "[PATH]"),
        ("Zo\u00eb and Zoe\u0308", "[PATH] and [PATH]"),
        ("c is a letter", "c is a letter"),
        ("on 2026-01-31", "on [PATH]"),
        ("[PATH] path", "[PATH] path"),
    ],
)
def test_a_name_is_hidden_wherever_it_stands_as_words_of_its_own(text: str, shown: str) -> None:
    assert VaultNames(lambda: PATHS).hiding().hide(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Steph Ango is closed", "[PATH] is closed"),
        ("nothing named 'steph ango' is here", "nothing named '[PATH]' is here"),
        ("a todo of ours, but 'todo' and \"see todo\"", "a todo of ours, but '[PATH]' and \"see [PATH]\""),
        ("Clippings is closed, clippings are small", "[PATH] is closed, clippings are small"),
        ("create_note, or 'create_note'", "create_note, or '[PATH]'"),
        ("the person's todo isn't hidden", "the person's todo isn't hidden"),
    ],
)
def test_in_our_own_sentences_ordinary_words_stay_unless_they_are_quoted(text: str, shown: str) -> None:
    assert VaultNames(lambda: PATHS).hiding().hide(text, of_ours=True) == shown


def test_what_a_record_names_is_hidden_though_there_is_no_such_file() -> None:
    hiding = VaultNames(lambda: PATHS).hiding(["Old/My Secret.md", "rea"], but=["todo"])
    assert hiding.hide("my secret is rea, real", of_ours=False) == "[PATH] is [PATH], real"
    assert hiding.hide("rea is read by 'todo'", of_ours=True) == "[PATH] is read by 'todo'"


def test_a_file_that_went_is_still_named_by_those_who_speak_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anonymous, "_MOST_GONE", 2)
    paths = ["Steph Ango.md"]
    names = VaultNames(lambda: tuple(paths))
    names.hiding()
    for number in range(5):
        paths[0] = f"File {number}.md"
        shown = names.hiding().hide("Steph Ango")
        assert shown == HIDDEN_PATH or number == 4
        assert names.hiding().hide(f"file {number}") == HIDDEN_PATH
    assert shown == "Steph Ango"


WORDS = st.text(st.characters(categories=["L", "N", "S", "P", "Zs"], exclude_characters="/\\"), min_size=2, max_size=12)


@examples(max_examples=200)
@given(name=WORDS, before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_name_of_words_survives_between_spaces(name: str, before: str, after: str) -> None:
    if len("".join(filter(str.isalnum, name))) < 2 or "%" in name:
        return
    shown = VaultNames(lambda: (f"Folder/{name}.md",)).hiding().hide(f"{before.replace('%', '')} {name} {after}")
    assert HIDDEN_PATH in shown


@pytest.mark.slow
def test_a_name_of_very_many_words_does_not_take_long_to_look_for() -> None:
    began = time.thread_time()
    text = "a " * 10_000
    assert VaultNames().hiding([f"{'a ' * 2_000}z"]).hide(text) == text
    assert time.thread_time() - began < 30
