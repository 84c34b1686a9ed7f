"""The quality of reading pages of the web: F1 over runs of four words, beside what trafilatura gives by itself.

The measure is that of the article extraction benchmark whose pages are used where they are on this machine
(`VAULT_BRIDGE_TEST_VAULTS`, in the folder `pages`): its texts are what a person took for the article.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

RUN = 4
"""Words in a row that are compared."""
_LINK = re.compile(r"\]\([^)\s]*(?: \"[^\"]*\")?\)")
_SIGNS = re.compile(r"[*_`\\]")
_WORD = re.compile(r"\w+")


class PageQuality(NamedTuple):
    """The quality of reading some pages, each figure from 0 to 1."""

    f1: float
    precision: float
    recall: float


def page_quality(folder: Path, read: Callable[[bytes, str], str]) -> PageQuality:
    """Return how well some pages are read.

    Args:
        folder: Of the benchmark: `ground-truth.json` and the pages in `html`.
        read: Returns the text of a page, given its bytes and address.
    """
    expected: Mapping[str, Mapping[str, str]] = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    precisions, recalls = [], []
    for name, page in expected.items():
        data = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
        found, wanted = _runs(read(data, page.get("url", ""))), _runs(page["articleBody"])
        both = (found & wanted).total()
        if found:
            precisions.append(both / found.total())
        recalls.append(both / max(wanted.total(), 1))
    precision, recall = sum(precisions) / max(len(precisions), 1), sum(recalls) / len(recalls)
    return PageQuality(2 * precision * recall / (precision + recall), precision, recall)


def plain(markdown: str) -> str:
    """Return Markdown without the addresses of its links and its signs."""
    return _SIGNS.sub("", _LINK.sub("]", markdown))


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return Counter(zip(*(words[start:] for start in range(min(RUN, max(len(words), 1)))), strict=False))
