"""Parses in worker processes what strangers wrote, within time and memory. Nothing of it is parsed in the bridge."""

from dataclasses import fields
from typing import Any, Final

from bridge.clock import Clock
from bridge.contract.keys import SearchService
from bridge.errors import NetworkFailure
from bridge.policy.redaction import hide_secrets
from bridge.web.door import WebResponse
from bridge.web.extraction.form import PageText
from bridge.web.search_services import Hit, failure_of
from bridge.workers.pool import Job, WorkerPool

SECONDS: Final = 20.0
"""The time reading one page may take; most take some hundredths of a second, the first one a second."""
SHORT_SECONDS: Final = 10.0
"""The same for what is small: a robots.txt, or the answer of a search service."""
LARGEST: Final = 8 * 1024 * 1024
"""Bytes of HTML that are read. Longer pages are data, not pages."""
LARGEST_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of a search service's answer; usual ones have some ten thousand."""
READING: Final = Job("bridge.web.extraction.worker", "page", "fetch it as `raw`")
_WORKERS: Final = 2


class PageReader:
    """The workers that read what came from the network.

    Args:
        clock: The one that deadlines are given in.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pool = WorkerPool(clock, READING, hide_secrets, _WORKERS)

    def read(self, data: bytes, url: str, charset: str, form: str) -> PageText:
        """Return the text that a person would read of a page. Blocks.

        Args:
            data: Its bytes.
            url: Where it came from.
            charset: The encoding that its header names.
            form: `markdown`, `text`, or `note`: Markdown with places for the images, and who wrote it when.

        Raises:
            NetworkFailure: It cannot be read.
            DeadlineExceeded: It takes too long.
            ExecutionFailed: It takes too much memory, or the process cannot start.
        """
        if len(data) > LARGEST:
            raise NetworkFailure(f"The page has more than {LARGEST:,} bytes; fetch it as `raw`", code="too_large")
        header, text = self._ask({"task": "page", "url": url, "charset": charset, "form": form}, data, SECONDS)
        if "failed" in header:
            raise NetworkFailure(f"The page cannot be read: {header['failed']}; fetch it as `raw`", code="unreadable")
        known = {member.name: header[member.name] for member in fields(PageText) if member.name in header}
        images = tuple((str(shows), str(address)) for shows, address in header["images"])
        return PageText(**known | {"text": text.decode("utf-8"), "images": images})

    def may_fetch(self, robots: bytes, url: str, agent: str) -> bool:
        """Return whether a robots.txt lets a program read a page. Blocks.

        Args:
            robots: The file.
            url: The page.
            agent: The program's name for itself, without a version.

        Raises:
            NetworkFailure: It cannot be read.
            DeadlineExceeded: It takes too long.
            ExecutionFailed: It takes too much memory.
        """
        header, _ = self._ask({"task": "robots", "url": url, "agent": agent}, robots, SHORT_SECONDS)
        if "failed" in header:
            raise NetworkFailure(f"The site's robots.txt cannot be read: {header['failed']}", code="robots")
        return bool(header["allowed"])

    def hits(self, service: SearchService, title: str, response: WebResponse) -> list[Hit]:
        """Return the hits that a search service has found. Blocks.

        Args:
            service: The service.
            title: Its name, for people.
            response: Its answer.

        Raises:
            NetworkFailure: It found nothing that can be read, or refuses; as its `read` says.
            DeadlineExceeded: Reading it takes too long.
            ExecutionFailed: It takes too much memory.
        """
        if len(response.body) > LARGEST_ANSWER:
            raise NetworkFailure(f"{title} answered with more than {LARGEST_ANSWER:,} bytes", code="format")
        asked = {"task": "search", "service": service.value, "url": str(response.url), "status": response.status}
        header, _ = self._ask(asked, response.body, SHORT_SECONDS)
        if "failed" in header:
            said = header["failed"] if "code" in header else f"{title} answered with something unreadable"
            raise failure_of(said, header.get("code"))
        return [Hit(**hit) for hit in header["hits"]]

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()

    def _ask(self, header: dict[str, Any], data: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        with self._pool.lend(self._clock.monotonic() + seconds) as worker:
            return worker.ask(header, data)
