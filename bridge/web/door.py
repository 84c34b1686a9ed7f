"""One request to the web, from the URL to the answer: checked, followed, repeated where that is safe, and logged.

A redirect is a new request. Each hop goes through the whole guard; where it leads to another site, whoever made the
request is asked first (`authorize`); what was meant for the first site (credentials, a body) does not go along. The
connection is `transport.py`'s, whose library is slow to import and not needed before the first request.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import orjson

from bridge import __version__
from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters, NetworkFailure, ToolFailure
from bridge.settings.model import Settings
from bridge.web.decoding import ACCEPTED, decode, layers
from bridge.web.guard import Clearance, RequestRefused, Rules, Service, UrlPlace, check
from bridge.web.url import WebUrl

if TYPE_CHECKING:
    from bridge.web.transport import StreamedAnswer, Transport


class WebAnswer(NamedTuple):
    """A server's answer.

    Attributes:
        status: The status.
        headers: The headers, in order, with their names in lower case.
        wire: The body as it came.
        received: Bytes that came in altogether.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    wire: bytes
    received: int

    def header(self, name: str) -> str:
        """Return the values of a header, joined with commas; empty without it."""
        return ", ".join(value for key, value in self.headers if key == name)


class StreamLimits(NamedTuple):
    """The limits on an answer that is received piece by piece.

    Attributes:
        most: Bytes that may come in altogether.
        silence: Seconds in which nothing comes, at most; the first byte may take as long.
        seconds: The most time for everything together.
    """

    most: int
    silence: float
    seconds: float


PRODUCT: Final = "vault-bridge"
USER_AGENT: Final = f"{PRODUCT}/{__version__}"
"""The bridge's name for itself; a page is fetched because a person's agent asked for it."""
REPETITIONS: Final = 2
"""The number of times a repeatable request is repeated."""
FIRST_WAIT: Final = 0.5
"""Seconds before the first repetition; each further one waits twice as long, give or take a half."""
LONGEST_WAIT: Final = 5.0
"""Seconds that a server may have us wait (`Retry-After`) before a repetition; what asks for more is an answer."""

_REDIRECTS: Final = {301, 302, 303, 307, 308}
_REPEATED: Final = {429, 502, 503, 504}
_BROKEN: Final = {"connect", "protocol"}
"""Failures that may pass by themselves."""
_OURS: Final = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "te", "upgrade", "expect")
)
"""Headers that the connection itself sets."""

Authorize = Callable[[WebUrl, str], Awaitable[None]]
"""Asked before a redirect is followed to another site, with where it leads and a sentence; raises where it may not."""


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request to a server.

    Attributes:
        url: The address.
        method: `GET` or `POST`.
        headers: Headers besides those of the connection. None of them is logged, or goes along to another site.
        body: The body of a POST.
        content_type: The type of the body.
        repeatable: Whether a POST changes nothing, so that it may be made again; a GET always may.
    """

    url: WebUrl
    method: Literal["GET", "POST"] = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    content_type: str = ""
    repeatable: bool = False

    @classmethod
    def json(cls, url: WebUrl, value: Any, headers: Mapping[str, str] | None = None) -> "WebRequest":
        """Return a POST of a JSON value that asks and changes nothing, as searches do."""
        return cls(url, "POST", headers or {}, orjson.dumps(value), "application/json", repeatable=True)


@dataclass(frozen=True, slots=True)
class WebResponse:
    """A server's response.

    Attributes:
        url: The URL that answered, after redirects.
        status: Its status, whatever it is.
        headers: Its headers, with their names in lower case; of several with one name, the values joined with commas.
        body: Its body, unpacked.
        received: Bytes that came over the wire, of this answer alone.
        seconds: The time all of it took, without the waiting for a person.
        hops: The URLs that led there, the first one first.
    """

    url: WebUrl
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    received: int
    seconds: float
    hops: tuple[WebUrl, ...] = ()

    @property
    def is_success(self) -> bool:
        """Return whether the status is one of success."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def content_type(self) -> str:
        """Return the media type alone, in lower case; empty where it is not said."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def json(self) -> Any:
        """Return the body as JSON.

        Raises:
            NetworkFailure: It is none.
        """
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            raise NetworkFailure(f"{self.url.host} did not answer with JSON", code="format") from None


class Exchanged(NamedTuple):
    """One request for the log.

    Attributes:
        url: The URL that was asked for.
        method: The method.
        service: The service it was for; None for a page.
        status: The status of the answer; None where there was none.
        failure: Why there was none.
        received: Bytes that came in.
        seconds: The time it took.
    """

    url: WebUrl
    method: str
    service: str | None
    status: int | None
    failure: str | None
    received: int
    seconds: float

    def for_log(self, *, with_query: bool) -> dict[str, Any]:
        """Return the facts that the log keeps: never a header, never a body.

        Args:
            with_query: Whether the URL has its query.
        """
        url = str(self.url) if with_query else self.url.page
        ended = f"{self.status}" if self.status is not None else f"no answer ({self.failure})"
        return {
            "message": f"{self.method} {url}: {ended}, {self.received} bytes in {self.seconds * 1000:.0f} ms",
            "method": self.method,
            "url": url,
            "status": self.status,
            "failure": self.failure,
            "bytes": self.received,
            "durationMs": round(self.seconds * 1000, 3),
            "service": self.service,
        }


async def _refuse(url: WebUrl, why: str) -> None:
    raise NetworkFailure(f"{why}, which nobody has allowed: {url.page}", code="redirect")


@dataclass(eq=False, repr=False)
class WebDoor:
    """The door that every request of the bridge goes through.

    Args:
        settings: The settings, asked anew for every request.
        transport: Makes what makes single requests; called once, in a thread, as its library is slow to import.
        clock: The time, to measure how long requests take.
        own_ports: The ports at which the bridge listens, asked anew for every hop.
        log: Called with every request that was tried.
        sleep: Waits before a repetition.
        jitter: A random number from 0 to 1.
    """

    settings: Callable[[], Settings]
    transport: Callable[[], "Transport"]
    clock: Clock
    _: KW_ONLY
    own_ports: Callable[[], frozenset[int]] = frozenset
    log: Callable[[Exchanged], None] = lambda _exchanged: None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        self._made: Transport | None = None

    def passage(self, url: WebUrl, service: Service | None = None) -> Clearance:
        """Return how a URL may be reached; see `guard.check`, which raises when it may not."""
        return check(url, Rules(self.settings(), self.own_ports()), service)

    async def send(
        self, request: WebRequest, *, service: Service | None = None, authorize: Authorize = _refuse
    ) -> WebResponse:
        """Make a request, and follow where it leads.

        Args:
            request: The request. Consent to it is the caller's to have.
            service: The service that it is for; such a request goes nowhere else.
            authorize: Asked before a redirect is followed to another site.

        Raises:
            RequestRefused: The URL, or one that it leads to, may not be reached.
            NetworkFailure: There is no answer, or none that can be taken.
            DeadlineExceeded: It took longer than `requestTimeout`.
            PermissionDenied: `authorize` has refused.
        """
        _check_headers(request)
        settings = self.settings()
        hops: list[WebUrl] = []
        seconds = 0.0
        while True:
            passage = self.passage(request.url, service)
            request = replace(request, url=passage.url)
            began = self.clock.monotonic()
            try:
                answer = await self._persist(request, passage, settings, service)
                location = answer.header("location") if answer.status in _REDIRECTS else ""
                final = not location or not settings.follow_redirects
                body = await _unpacked(answer, settings) if final else b""
            finally:
                seconds += self.clock.monotonic() - began
            if final:
                headers = {name: answer.header(name) for name, _value in answer.headers}
                return WebResponse(request.url, answer.status, headers, body, answer.received, seconds, tuple(hops))
            hops.append(request.url)
            if len(hops) > settings.max_redirects:
                why = f"{hops[0].host} redirects more than {settings.max_redirects} times"
                raise NetworkFailure(why, code="redirects")
            request = await self._followed(request, answer, passage.place, service, authorize)

    @asynccontextmanager
    async def stream(
        self, request: WebRequest, *, service: Service, limits: StreamLimits
    ) -> AsyncIterator["StreamedAnswer"]:
        """Ask a service of the person's for an answer that comes in pieces. Nothing is followed or repeated.

        The end of the block closes the connection, so a server that is still at it learns that nobody waits any more.

        Args:
            request: The request. Consent to it is the caller's to have.
            service: The service that it is for; it goes nowhere else.
            limits: The limits on the answer.

        Raises:
            RequestRefused: The URL may not be reached.
            NetworkFailure: There is no answer, or none that can be taken.
            DeadlineExceeded: It took too long, or nothing came for too long.
        """
        _check_headers(request)
        passage = self.passage(request.url, service)
        request = replace(request, url=passage.url)
        headers = _headers(request) | {"Accept-Encoding": "identity"}
        transport = await self._transport()
        with self._logged(request, service) as answers:
            async with transport.stream(passage, request.method, headers, request.body, limits) as answer:
                answers.append(answer)
                yield answer

    async def _followed(
        self, request: WebRequest, answer: WebAnswer, place: UrlPlace, service: Service | None, authorize: Authorize
    ) -> WebRequest:
        """Return the request that a redirect asks for (RFC 9110, 15.4)."""
        status = answer.status
        try:
            target = request.url.joined(answer.header("location"))
        except InvalidParameters as error:
            why = f"{request.url.host} leads to an address that cannot be used. {error.message}"
            raise NetworkFailure(why, code="redirect") from None
        leads_to = self.passage(target, service)
        to = leads_to.url
        if leads_to.place is UrlPlace.HERE and place is UrlPlace.PUBLIC:
            raise RequestRefused(f"{request.url.host} leads to this computer, which no site of the web may do")
        if request.url.scheme == "https" and to.scheme == "http":
            raise NetworkFailure(f"{request.url.host} leads from https to http, which is not followed", code="redirect")
        elsewhere = to.origin != request.url.origin
        moved = {HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.FOUND}
        if status == HTTPStatus.SEE_OTHER or (status in moved and request.method == "POST"):
            request = replace(request, method="GET", body=b"", content_type="")
        if elsewhere:
            if request.method == "POST":
                raise NetworkFailure(f"{request.url.host} would pass what was sent on to {to.host}", code="redirect")
            await authorize(to, f"Follow a redirect from {request.url.host}")
            request = replace(request, headers={})
        return replace(request, url=to)

    async def _persist(
        self, request: WebRequest, passage: Clearance, settings: Settings, service: Service | None
    ) -> WebAnswer:
        """Return the answer to one hop; asked for again where the failure may pass and nothing is done twice."""
        left = REPETITIONS if request.method == "GET" or request.repeatable else 0
        wait = FIRST_WAIT
        while True:
            try:
                answer = await self._once(request, passage, settings, service)
            except NetworkFailure as error:
                if not left or error.code not in _BROKEN:
                    raise
                pause = wait * (0.5 + self.jitter())
            else:
                asked = _retry_after(answer, self.clock)
                if not left or answer.status not in _REPEATED or (asked or 0) > LONGEST_WAIT:
                    return answer
                pause = max(wait * (0.5 + self.jitter()), asked or 0)
            left, wait = left - 1, wait * 2
            await self.sleep(pause)

    async def _once(
        self, request: WebRequest, passage: Clearance, settings: Settings, service: Service | None
    ) -> WebAnswer:
        transport = await self._transport()
        most, seconds = settings.max_response_size, settings.request_timeout
        with self._logged(request, service) as answers:
            answer = await transport.exchange(
                passage, request.method, _headers(request), request.body, most=most, seconds=seconds
            )
            answers.append(answer)
        return answer

    @contextmanager
    def _logged(self, request: WebRequest, service: Service | None) -> Iterator[list["WebAnswer | StreamedAnswer"]]:
        """Log a request at the end of a block, which puts its answer into the list."""
        began = self.clock.monotonic()
        answers: list[WebAnswer | StreamedAnswer] = []
        failure: str | None = "stopped"
        try:
            yield answers
            failure = None
        except ToolFailure as error:
            failure = error.code or error.error_type.value
            raise
        finally:
            status, received = (answers[0].status, answers[0].received) if answers else (None, 0)
            name, seconds = service.name if service is not None else None, self.clock.monotonic() - began
            self.log(Exchanged(request.url, request.method, name, status, failure, received, seconds))

    async def _transport(self) -> "Transport":
        if self._made is None:
            self._made = await asyncio.to_thread(self.transport)
        return self._made


def _headers(request: WebRequest) -> dict[str, str]:
    usual = {"Host": request.url.netloc, "User-Agent": USER_AGENT, "Accept": "*/*"}
    given = {name.lower() for name in request.headers}
    headers = {name: value for name, value in usual.items() if name.lower() not in given} | dict(request.headers)
    headers |= {"Accept-Encoding": ACCEPTED, "Connection": "close"}
    if request.method == "POST":
        headers["Content-Length"] = str(len(request.body))
        headers["Content-Type"] = request.content_type or "application/octet-stream"
    return headers


def _check_headers(request: WebRequest) -> None:
    for name, value in request.headers.items():
        if name.lower() in _OURS or not (name + value).isascii() or not value.isprintable():
            raise InvalidParameters(f"The header {name!r} cannot be sent")


async def _unpacked(answer: WebAnswer, settings: Settings) -> bytes:
    encodings = layers(answer.header("content-encoding"))
    if not encodings:
        return answer.wire
    try:
        async with asyncio.timeout(settings.request_timeout):
            return await asyncio.to_thread(decode, answer.wire, encodings, settings.max_response_size)
    except TimeoutError:
        raise DeadlineExceeded("The answer took too long to unpack") from None


def _retry_after(answer: WebAnswer, clock: Clock) -> float | None:
    """Return the seconds that a server asks to wait (RFC 9110, 10.2.3); None where it does not say."""
    value = answer.header("retry-after").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max((parsedate_to_datetime(value) - clock.now()).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
