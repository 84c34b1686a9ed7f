"""Pages are read in a process of their own, which a hostile page takes down alone."""

import contextlib
from collections.abc import Iterator

import pytest

from bridge.clock import SystemClock
from bridge.errors import NetworkFailure, ToolFailure
from bridge.web.extraction.reader import LARGEST, PageReader

URL = "https://example.com/"
PAGE = b"<title>Tea</title><article><h1>Tea</h1>" + b"<p>Boil the water and wait for a while.</p>" * 5


@pytest.fixture(scope="module")
def reader() -> Iterator[PageReader]:
    reader = PageReader(SystemClock())
    yield reader
    reader.close()


@pytest.mark.slow
def test_a_page_comes_back_with_its_title(reader: PageReader) -> None:
    page = reader.read(PAGE + b"<p hidden>x</p>", URL, "utf-8", "markdown")
    assert (page.title, page.removed) == ("Tea", 1)
    assert page.text.startswith("# Tea\n\nBoil the water")


BOMBS = {
    "nested": b"<div>" * 300_000,
    "nested lists": b"<ul><li>" * 200_000,
    "wide table": b"<table><tr><td colspan=99999999 rowspan=99999999>x</td></tr></table>" * 1000,
    "attributes": b"<p " + b"a=b " * 500_000 + b">x",
    "one attribute": b"<p a='" + b"x" * 5_000_000 + b"'>x",
    "entities": b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><p>" + b"&b;" * 100_000,
    "rules": b"<style>" + b".a .b .c .d{display:none}" * 20_000 + b"</style><p>x</p>" * 1000,
    "at rules": b"<style>" + b"@media{" * 100_000 + b"</style><p>x",
    "comments": b"<!--" * 500_000,
    "unclosed": b"<a href='" * 200_000,
    "tags": b"<x" * 1_000_000,
    "links": b"<a href='//[::1'>x</a>" * 20_000,
    "spaces": b"<p>" + b" \n" * 2_000_000 + b"x</p>",
    "nul": b"\x00" * 3_000_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_hostile_page_is_read_or_refused_and_the_next_one_is_read(reader: PageReader, bomb: str) -> None:
    with contextlib.suppress(ToolFailure):
        page = reader.read(BOMBS[bomb], URL, "utf-8", "markdown")
        assert len(page.text) <= 2 * len(BOMBS[bomb]) + 1000
    assert reader.read(PAGE, URL, "utf-8", "text").title == "Tea"


def test_a_page_that_is_too_large_reaches_no_process(reader: PageReader) -> None:
    with pytest.raises(NetworkFailure, match="fetch it as `raw`"):
        reader.read(b"x" * (LARGEST + 1), URL, "utf-8", "markdown")
