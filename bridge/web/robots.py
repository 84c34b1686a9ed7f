"""The rules of robots.txt, and when they apply.

A page that a person's agent fetches is not crawled: robots.txt is for programs that go from page to page by themselves
(RFC 9309). So it does not hold for what a person has just allowed, nor for the first pages of a site in a session; from
`FREE` pages on it does, because an agent that reads so many of one site is a crawler by then.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from bridge.clock import Clock
from bridge.errors import NetworkFailure, ToolFailure
from bridge.web.door import PRODUCT, WebDoor, WebRequest
from bridge.web.extraction.reader import PageReader
from bridge.web.url import WebUrl

FREE: Final = 10
"""Pages of one site that a session fetches before robots.txt holds."""
KEPT_SECONDS: Final = 24 * 60 * 60.0
"""The time for which a robots.txt is trusted (RFC 9309, 2.4)."""
_MOST_SITES: Final = 200
_LONGEST: Final = 500 * 1024
"""Bytes that are looked at (RFC 9309, 2.5)."""
_MOST_BYTES: Final = 8 * _LONGEST
"""Bytes that are kept of all sites together."""


@dataclass(slots=True)
class _Site:
    rules: bytes | None
    until: float


@dataclass(slots=True)
class RobotsRules:
    """The count of pages read, which asks robots.txt when there are many.

    Args:
        door: Fetches robots.txt.
        reader: Reads it, in a process of its own: it is a stranger's.
        clock: For how long it is believed.
    """

    door: WebDoor
    reader: PageReader
    clock: Clock
    _sites: OrderedDict[str, _Site] = field(default_factory=OrderedDict)
    _counts: OrderedDict[tuple[str, str], int] = field(default_factory=OrderedDict)

    async def check(self, url: WebUrl, session: str, *, asked: bool) -> None:
        """Count a page, and refuse it where robots.txt does.

        Args:
            url: The page.
            session: In which session it is fetched.
            asked: Whether a person has just allowed this very call.

        Raises:
            NetworkFailure: With the code `robots`.
        """
        place = (session, url.origin)
        count = self._counts[place] = self._counts.pop(place, 0) + 1
        while len(self._counts) > _MOST_SITES:
            self._counts.popitem(last=False)
        if asked or count <= FREE:
            return
        rules = await self._rules(url)
        if rules is None or (rules and not await self._allows(rules, url)):
            raise NetworkFailure(
                f"{url.host} does not want programs to read this page (robots.txt), and {count - 1} of its pages were "
                "read in this session. A person may still allow the single page",
                code="robots",
            )

    async def _allows(self, rules: bytes, url: WebUrl) -> bool:
        """Return whether rules let us read a page; unreadable rules let us read none until they are fetched anew."""
        try:
            return await asyncio.to_thread(self.reader.may_fetch, rules, str(url), PRODUCT)
        except ToolFailure:
            site = self._sites.get(url.origin)
            if site is not None:
                site.rules = None
            return False

    async def _rules(self, url: WebUrl) -> bytes | None:
        """Return the site's rules; None where nothing may be read because they cannot be had."""
        site = self._sites.get(url.origin)
        if site is None or site.until < self.clock.monotonic():
            site = self._sites[url.origin] = _Site(await self._fetched(url), self.clock.monotonic() + KEPT_SECONDS)
            while (
                len(self._sites) > _MOST_SITES
                or sum(len(one.rules or b"") for one in self._sites.values()) > _MOST_BYTES
            ):
                self._sites.popitem(last=False)
        return site.rules

    @property
    def _kept(self) -> int:
        """Return the number of bytes that are kept."""
        return sum(len(site.rules or b"") for site in self._sites.values())

    async def _fetched(self, url: WebUrl) -> bytes | None:
        try:
            response = await self.door.send(WebRequest(url.joined("/robots.txt")))
        except ToolFailure:
            return None
        if response.is_success:
            return response.body[:_LONGEST]
        missing = HTTPStatus.BAD_REQUEST <= response.status < HTTPStatus.INTERNAL_SERVER_ERROR
        return b"" if missing else None
