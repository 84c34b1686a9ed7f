"""Reads pages in worker processes, within time and memory."""

from typing import Final

from bridge.clock import Clock
from bridge.errors import NetworkFailure
from bridge.policy.redaction import hide_secrets
from bridge.web.extraction.form import PageText
from bridge.workers.pool import Job, WorkerPool

SECONDS: Final = 20.0
"""How long reading one page may take; most take some hundredths of a second, the first one a second."""
LARGEST: Final = 8 * 1024 * 1024
"""Bytes of HTML that are read. Longer pages are data, not pages."""
READING: Final = Job("bridge.web.extraction.worker", "page", "fetch it as `raw`")
_WORKERS: Final = 2


class PageReader:
    """Lends workers for pages.

    Args:
        clock: The one that deadlines are given in.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pool = WorkerPool(clock, READING, hide_secrets, _WORKERS)

    def read(self, data: bytes, url: str, charset: str, form: str) -> PageText:
        """What a person would read of a page. Blocks.

        Args:
            data: Its bytes.
            url: Where it came from.
            charset: The encoding that its header names.
            form: `markdown`, or `text`.

        Raises:
            NetworkFailure: It cannot be read.
            DeadlineExceeded: It takes too long.
            ExecutionFailed: It takes too much memory, or the process cannot start.
        """
        if len(data) > LARGEST:
            raise NetworkFailure(f"The page has more than {LARGEST:,} bytes; fetch it as `raw`", code="too_large")
        with self._pool.lend(self._clock.monotonic() + SECONDS) as worker:
            header, text = worker.ask({"url": url, "charset": charset, "form": form}, data)
        if "failed" in header:
            raise NetworkFailure(f"The page cannot be read: {header['failed']}; fetch it as `raw`", code="unreadable")
        return PageText(header["title"], text.decode("utf-8"), header["removed"])

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()
