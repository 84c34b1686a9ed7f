"""`docs/glossary.md` explains every word of consent in a sentence or two, in the order of the alphabet."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from bridge.contract.consent import ConsentClass, ConsentMode, Decision, Operation, RiskLevel

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
ENTRIES: list[tuple[str, str]] = re.findall(r"^\*\*(.+?)\*\*(?: \(.+?\))?: (.*)$", PAGE, re.MULTILINE)
SECTIONS = PAGE.split("\n## ")[1:]


def test_every_paragraph_is_an_entry() -> None:
    paragraphs = [block for section in SECTIONS for block in section.split("\n\n")[1:]]
    assert len(ENTRIES) == len(paragraphs)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split("\n", 1)[0])
def test_the_words_of_a_section_are_in_the_order_of_the_alphabet(section: str) -> None:
    words = re.findall(r"^\*\*(.+?)\*\*", section, re.MULTILINE)
    assert words == sorted(words)


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("class", ConsentClass),
        ("decision", Decision),
        ("mode", ConsentMode),
        ("operation", Operation),
        ("risk", RiskLevel),
    ],
)
def test_an_entry_names_every_value_there_is(word: str, values: type[StrEnum]) -> None:
    assert all(f"`{value}`" in dict(ENTRIES)[word] for value in values)
