"""Pages of a public benchmark are read as well as the best reader does."""

import pytest

from bridge.web.extraction.worker import read_page
from scripts.lib.page_quality import page_quality, plain
from tests.real_data import REAL_VAULTS

PAGES = REAL_VAULTS / "pages"


@pytest.mark.slow
@pytest.mark.skipif(not PAGES.is_dir(), reason="the pages are not on this machine (set VAULT_BRIDGE_TEST_VAULTS)")
def test_pages_of_a_public_benchmark_are_read_well() -> None:
    quality = page_quality(PAGES, lambda data, url: plain(read_page(data, url or "https://example.com/").text))
    assert quality.f1 >= 0.955
    assert quality.recall >= 0.970
