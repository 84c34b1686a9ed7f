"""Links between the documents lead somewhere, and no document mentions what is not in the project."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("**/*.md")), ROOT / "obsidian-plugin" / "README.md"]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """Where a page's links lead; what stands in code is none."""
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", page.read_text(encoding="utf-8"))
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_document_names_is_there(page: Path) -> None:
    named = re.findall(r"`((?:bridge|scripts|tests|docs)/[\w./-]+|[\w/]+\.py)`", page.read_text(encoding="utf-8"))
    for name in named:
        assert any((place / name).exists() for place in (ROOT, ROOT / "bridge", page.parent)), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
@pytest.mark.parametrize(
    "word", [r"\bissue \d", r"/work\b", r"\bshared/", r"\bTODO:? \w+ this\b", r"\bTBD\b", r"\b[sS]eed [LCOTS]\b"]
)
def test_a_document_speaks_of_the_project_alone(page: Path, word: str) -> None:
    assert not re.search(word, page.read_text(encoding="utf-8"))
