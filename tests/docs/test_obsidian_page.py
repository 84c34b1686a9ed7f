"""`docs/obsidian.md` has every rule that is cited, once, in order, and says of each how sure it is."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "obsidian.md").read_text(encoding="utf-8")
RULES = {int(number): text for number, text in re.findall(r"^(\d+)\. (.+)$", PAGE, re.MULTILINE)}
CITATION = re.compile(r"\b[rR]ules? (\d+(?:(?:, | and | to )\d+)*)")


def cited(text: str) -> set[int]:
    """The numbers that a text cites: `rule 7`, `rules 6 to 8`, `rules 54 and 92`, `rules 15, 16, 18 and 19`."""
    numbers: set[int] = set()
    for listed in CITATION.findall(text):
        numbers |= {int(number) for number in re.findall(r"\d+", listed)}
        for first, last in re.findall(r"(\d+) to (\d+)", listed):
            numbers |= set(range(int(first), int(last) + 1))
    return numbers


def test_a_citation_may_be_a_number_a_list_or_a_range() -> None:
    text = "rule 7; rules 54 and 92; Rules 6 to 8; (rules 12 to 14 and 46 to 47); rules 15, 16, 18 and 19"
    assert cited(text) == {7, 54, 92, 6, 8, 12, 13, 14, 46, 47, 15, 16, 18, 19}


def test_every_rule_that_code_and_tests_cite_is_on_the_page() -> None:
    missing = {
        f"{module.relative_to(ROOT)}: rule {number}"
        for room in ("bridge", "tests")
        for module in (ROOT / room).rglob("*.py")
        for number in cited(module.read_text(encoding="utf-8")) - RULES.keys()
    }
    assert not missing


def test_the_rules_the_page_itself_cites_are_on_it() -> None:
    assert cited(PAGE) <= RULES.keys()


def test_the_numbers_are_unique_and_ascending() -> None:
    numbers = [int(number) for number in re.findall(r"^(\d+)\.", PAGE, re.MULTILINE)]
    # Without gaps: Markdown numbers a list by counting from its first number.
    assert numbers == list(range(1, numbers[-1] + 1))


def test_every_rule_says_how_sure_it_is() -> None:
    marks = set(re.findall(r"^\| \*(\w+)\* \|", PAGE, re.MULTILINE))
    assert marks == {"app", "docs", "seen", "assumed"}
    for number, text in RULES.items():
        found = re.findall(r"(?<=[.;:,)] )\*(\w+(?:, \w+)*)\*", text)
        assert any(set(mark.split(", ")) <= marks for mark in found), number


def test_a_file_that_cites_rules_says_where_they_are() -> None:
    lost = [
        str(module.relative_to(ROOT))
        for module in (ROOT / "bridge").rglob("*.py")
        if cited(text := module.read_text(encoding="utf-8")) and "docs/obsidian.md" not in text
    ]
    assert not lost
