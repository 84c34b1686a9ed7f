"""The worker process in which what strangers wrote is parsed: whatever it does to a parser, it does to this process.

A request's `task` says what its bytes are: a page, a robots.txt, or the answer of a search service. The answer has what
that came to, or it has `failed`. The process ends when its standard input does, or when it takes more memory than it
may.
"""

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from protego import Protego

from bridge.errors import NetworkFailure
from bridge.web.door import WebResponse
from bridge.web.extraction.form import TooLarge
from bridge.web.extraction.page import read_page
from bridge.web.search_services import search_reader
from bridge.web.url import parse_url
from bridge.workers.frames import answer_requests, limit_address_space, watch_resident_memory

_AGENT: Final = re.compile(r"(\s*user[- ]?agent\s*[:\s]\s*)([^#]*)", re.IGNORECASE)
_OTHERS: Final = "others"


def allows(data: bytes, url: str, agent: str) -> bool:
    """Say whether a robots.txt lets a program read a page.

    The parser keeps every rule once for each program that it is for, so a short file of many of both would take
    gigabytes. All programs but ours become one before it sees them.

    Args:
        data: The file.
        url: The page.
        agent: The program's name for itself, without a version.
    """
    lines = (_without_others(line, agent.lower()) for line in data.decode("utf-8", "replace").splitlines())
    return bool(Protego.parse("\n".join(lines)).can_fetch(url, agent))


def _without_others(line: str, agent: str) -> str:
    found = _AGENT.match(line)
    if found is None:
        return line
    named = found[2].strip().lower()
    return line if named == "*" or (named and agent.startswith(named.replace("*", ""))) else f"User-agent: {_OTHERS}"


ADDRESS_SPACE: Final = 2 * 1024 * 1024 * 1024
RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take. A page of 10 MB takes about 300 MB."""

Answer = tuple[dict[str, Any], bytes]


def main() -> None:
    """Answer requests until there are no more."""
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    answer_requests(answer)


def answer(header: dict[str, Any], data: bytes) -> Answer:
    """Return the answer to one request."""
    try:
        return _TASKS[header["task"]](header, data)
    except NetworkFailure as failure:
        return {"failed": failure.message, "code": failure.code}, b""
    except Exception as error:  # noqa: BLE001 - whatever a text does to a parser is its own fault
        return {"failed": f"it cannot be parsed ({type(error).__name__})"}, b""


def _page(header: dict[str, Any], data: bytes) -> Answer:
    try:
        page = read_page(data, header["url"], header["charset"], header["form"])
    except TooLarge:
        return {"failed": "it has too many elements or rules"}, b""
    facts = asdict(page)
    return facts, facts.pop("text").encode("utf-8", "replace")


def _robots(header: dict[str, Any], data: bytes) -> Answer:
    return {"allowed": allows(data, header["url"], header["agent"])}, b""


def _search(header: dict[str, Any], data: bytes) -> Answer:
    response = WebResponse(parse_url(header["url"]), header["status"], {}, data, len(data), 0.0)
    return {"hits": [asdict(hit) for hit in search_reader(header["service"])(response)]}, b""


_TASKS: Final[dict[str, Callable[[dict[str, Any], bytes], Answer]]] = {
    "page": _page,
    "robots": _robots,
    "search": _search,
}


if __name__ == "__main__":
    main()
