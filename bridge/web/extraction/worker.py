"""The worker process in which pages are read: what a page does to a parser, it does to this process alone.

A request has `url`, `charset` and `form`, and the page; the answer has `title` and `removed`, and the text, or it has
`failed`.
The process ends when its standard input does, or when it takes more memory than it may.
"""

from typing import Any, Final

from bridge.web.extraction.form import TooLarge
from bridge.web.extraction.page import read_page
from bridge.workers.frames import answer_requests
from bridge.workers.memory import limit_address_space, watch_resident_memory

ADDRESS_SPACE: Final = 2 * 1024 * 1024 * 1024
RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take. A page of 10 MB takes about 300 MB."""


def main() -> None:
    """Answer requests until there are no more."""
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    answer_requests(answer)


def answer(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """One request's answer."""
    try:
        page = read_page(data, header["url"], header["charset"], header["form"])
    except TooLarge:
        return {"failed": "it has too many elements or rules"}, b""
    except Exception as error:  # noqa: BLE001 - whatever a page does to a parser is its own fault
        return {"failed": f"it cannot be parsed ({type(error).__name__})"}, b""
    return {"title": page.title, "removed": page.removed}, page.text.encode("utf-8", "replace")


if __name__ == "__main__":
    main()
