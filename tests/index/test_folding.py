"""Texts as they are compared: folded in portions, as if they were folded at once."""

import unicodedata

import pytest

from bridge.index import carried_text
from bridge.index.carried_text import folded

TEXTS = [
    "Two words, AND more. " * 9,
    unicodedata.normalize("NFD", "Schl\u00fcssel unter dem gro\u00dfen Blumentopf. " * 9),
    "one\ntwo three\n\n" * 9,
    "x" * 99,
    "",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("step", [20, 33])
def test_what_is_folded_in_portions_is_as_if_it_were_folded_at_once(
    monkeypatch: pytest.MonkeyPatch, text: str, step: int
) -> None:
    whole = folded(text)
    monkeypatch.setattr(carried_text, "_AT_ONCE", step)
    assert folded(text) == whole == carried_text._folded(text)
