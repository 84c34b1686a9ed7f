"""The services that the tools of the web are built from: besides the door and the reader, those that are defined here.

`WebCache` keeps pages that were fetched, for a while, in the user's cache folder, in files that nobody else can read.
It is asked only after the guard and the consent of the client that asks now, and holds what the settings of that
moment would fetch too: their version is part of the key. Nothing that credentials went along with is kept, and nothing
that was refused. If an entry is unusable, the page is fetched again.

`WebCredentials` has the headers that the user has written down for hosts, in `web_auth.json` in their configuration
folder: `{"auth": {"api.example.org": {"headers": {"Authorization": "Bearer …"}}}}`. They go to exactly that host, over
https only, and never along with a redirect to another one.

`RobotsRules` applies robots.txt. A page that a person's agent fetches is not crawled: robots.txt is for programs that
go from page to page by themselves (RFC 9309). So it does not hold for what a person has just allowed, nor for the first
pages of a site in a session; from `FREE` pages on it does, because an agent that reads so many of one site is a crawler
by then.

`LastUsed` has the time of the last fetch from each site, since the bridge started.
"""

import asyncio
import contextlib
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from bridge.clock import Clock
from bridge.errors import NetworkFailure, StartError, ToolFailure
from bridge.records.folder import UserFolder
from bridge.settings.model import Settings
from bridge.web.door import PRODUCT, Exchanged, WebDoor, WebRequest
from bridge.web.extraction.reader import PageReader
from bridge.web.url import BadUrl, WebUrl, parse_host

if TYPE_CHECKING:
    from bridge.contract.web import CacheState

_SUFFIX: Final = ".page"
_LONGEST_HEAD: Final = 256 * 1024
_POLICY: Final = (
    *("allow_all_domains", "only_allowed_domains", "block_external_requests", "https_only"),
    *("allow_self_signed_localhost", "max_response_size", "follow_redirects", "max_redirects"),
)
"""The settings, besides the list of sites, that say what may be fetched."""


class Cached(NamedTuple):
    """An entry.

    Attributes:
        head: What is known of the content: JSON.
        content: The content.
    """

    head: dict[str, Any]
    content: bytes


class WebCache:
    """The cache of one vault's bridge. Its methods block.

    Args:
        folder: Where it lies, or None where nothing can be kept.
        settings: The settings, asked anew each time.
        clock: Time.
    """

    def __init__(self, folder: Path | None, settings: Callable[[], Settings], clock: Clock) -> None:
        self._usable = folder is not None
        self._folder = folder or Path(os.devnull)
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._sizes: dict[str, int] | None = None
        self._hits = self._misses = 0

    def get(self, *key: str) -> Cached | None:
        """Return what is kept under a key and not too old; None where there is nothing."""
        settings = self._settings()
        if not (settings.cache_enabled and self._usable):
            return None
        name = self._name(key)
        found = self._read(name, settings.cache_ttl)
        with self._lock:
            self._hits += found is not None
            self._misses += found is None
            if found is not None and self._sizes is not None and name in self._sizes:
                self._sizes[name] = self._sizes.pop(name)  # used last
        return found

    def put(self, key: tuple[str, ...], head: dict[str, Any], content: bytes) -> None:
        """Keep a result. One that does not fit is not kept, and a disk that is full is no failure."""
        settings = self._settings()
        if not (settings.cache_enabled and self._usable and settings.cache_ttl):
            return
        encoded = orjson.dumps({"at": self._clock.now().timestamp(), "head": head}) + b"\n"
        size = len(encoded) + len(content)
        if size > settings.max_cache_size // 4 or len(encoded) > _LONGEST_HEAD:
            return
        name = self._name(key)
        with self._lock, contextlib.suppress(OSError, StartError):
            sizes = self._known()
            while sizes and sum(sizes.values()) + size > settings.max_cache_size:
                self._remove(next(iter(sizes)))
            UserFolder(self._folder).write(name, encoded + content)
            sizes.pop(name, None)
            sizes[name] = size

    def clear(self) -> "CacheState":
        """Remove everything; returns what there was."""
        with self._lock:
            before = self._state()
            for name in list(self._known()):
                self._remove(name)
        return before

    def stats(self) -> "CacheState":
        """Return how full it is."""
        with self._lock:
            return self._state()

    def _state(self) -> "CacheState":
        from bridge.contract.web import CacheState  # noqa: PLC0415 - a start does without

        sizes = self._known()
        return CacheState(entries=len(sizes), size=sum(sizes.values()), hits=self._hits, misses=self._misses)

    def _name(self, key: tuple[str, ...]) -> str:
        return hashlib.sha256(orjson.dumps([policy_version(self._settings()), *key])).hexdigest() + _SUFFIX

    def _read(self, name: str, seconds: int) -> Cached | None:
        try:
            data = (self._folder / name).read_bytes()
            line, _, content = data.partition(b"\n")
            entry = orjson.loads(line)
            age = self._clock.now().timestamp() - entry["at"]
            return Cached(entry["head"], content) if 0 <= age <= seconds else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _known(self) -> dict[str, int]:
        """Return the size of every entry, the one used longest ago first. Looked up once: nobody else writes here."""
        if self._sizes is None:
            found: list[tuple[float, str, int]] = []
            with contextlib.suppress(OSError):
                for entry in os.scandir(self._folder):
                    status = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(_SUFFIX):
                        found.append((status.st_mtime, entry.name, status.st_size))
                    else:
                        Path(entry.path).unlink(missing_ok=True)  # begun, and never finished
            self._sizes = {name: size for _time, name, size in sorted(found)}
        return self._sizes

    def _remove(self, name: str) -> None:
        if self._sizes is not None:
            self._sizes.pop(name, None)
        with contextlib.suppress(OSError):
            (self._folder / name).unlink(missing_ok=True)


def policy_version(settings: Settings) -> str:
    """Return a version that changes with what the settings allow: results kept before are then fetched again."""
    said = [sorted(settings.allowed_domains), *(getattr(settings, name) for name in _POLICY)]
    return hashlib.sha256(orjson.dumps(said)).hexdigest()


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
class _SiteRules:
    rules: bytes | None
    until: float


@dataclass(slots=True)
class RobotsRules:
    """The count of pages read, which asks robots.txt when there are many.

    Args:
        door: Fetches robots.txt.
        reader: Reads it, in a process of its own: it is a stranger's.
        clock: The time, to know how long to believe it.
    """

    door: WebDoor
    reader: PageReader
    clock: Clock
    _sites: OrderedDict[str, _SiteRules] = field(default_factory=OrderedDict)
    _counts: OrderedDict[tuple[str, str], int] = field(default_factory=OrderedDict)

    async def check(self, url: WebUrl, session: str, *, asked: bool) -> None:
        """Count a page, and refuse it where robots.txt does.

        Args:
            url: The page.
            session: The session in which it is fetched.
            asked: Whether a person has just allowed this very call.

        Raises:
            NetworkFailure: It may not be read (code `robots`).
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
            site = self._sites[url.origin] = _SiteRules(await self._fetched(url), self.clock.monotonic() + KEPT_SECONDS)
            held = sum(len(one.rules or b"") for one in self._sites.values())
            while len(self._sites) > _MOST_SITES or held > _MOST_BYTES:
                held -= len(self._sites.popitem(last=False)[1].rules or b"")
        return site.rules

    async def _fetched(self, url: WebUrl) -> bytes | None:
        try:
            response = await self.door.send(WebRequest(url.joined("/robots.txt")))
        except ToolFailure:
            return None
        if response.is_success:
            return response.body[:_LONGEST]
        missing = HTTPStatus.BAD_REQUEST <= response.status < HTTPStatus.INTERNAL_SERVER_ERROR
        return b"" if missing else None


NAME: Final = "web_auth.json"
_LARGEST: Final = 256 * 1024

_HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]
_HeaderValue = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$", max_length=4096)]


class _Site(BaseModel):
    model_config = ConfigDict(extra="forbid")

    headers: dict[_HeaderName, _HeaderValue]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    auth: dict[str, _Site]


class WebCredentials:
    """The user's own headers by host, read anew whenever the file changes.

    Args:
        folder: The user's configuration folder.
        keep_secret: Called with every value, so that no log shows it.

    Attributes:
        fault: Why the file cannot be used, as a sentence; None while it can, or where there is none.
    """

    def __init__(self, folder: Path, keep_secret: Callable[[str], None] = lambda _value: None) -> None:
        self.fault: str | None = None
        self._path = folder / NAME
        self._keep_secret = keep_secret
        self._lock = threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._sites: dict[str, Mapping[str, str]] = {}

    def headers_for(self, url: WebUrl) -> Mapping[str, str]:
        """Return the headers for a URL; none where its host has none, or it is not reached over https. Blocks."""
        if url.scheme != "https":
            return {}
        with self._lock:
            self._refresh()
            # A host alone means its usual port; another port is another server.
            return self._sites.get(url.netloc, {})

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            if (stamp := (status.st_mtime_ns, status.st_size)) == self._read_at:
                return
            self._read_at, self._sites, self.fault = stamp, {}, None
            parsed = _File.model_validate_json(self._path.read_bytes()[:_LARGEST])
            self._sites = {_site(name): dict(site.headers) for name, site in parsed.auth.items()}
        except FileNotFoundError:
            self._read_at, self._sites, self.fault = None, {}, None
            return
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            self.fault = f"{NAME} is not used: {'.'.join(map(str, first['loc'][:2]))}: {first['msg']}"
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self.fault = f"{NAME} is not used: {why}"
        for headers in self._sites.values():
            for value in headers.values():
                self._keep_secret(value)
                self._keep_secret(value.rpartition(" ")[2])


def _site(name: str) -> str:
    """Return a host, or host and port, in its one spelling."""
    host, colon, port = name.rpartition(":")
    try:
        if colon and port.isdigit() and not host.endswith(":"):
            return f"{parse_host(host)}:{int(port)}"
        return parse_host(name)
    except BadUrl:
        raise ValueError(f"{name[:100]!r} is no host") from None


_MOST = 1_000


class LastUsed:
    """The memory of when sites were used.

    Args:
        clock: Time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._hosts: OrderedDict[str, datetime] = OrderedDict()

    def note(self, exchanged: Exchanged) -> None:
        """Note that a request was made."""
        if exchanged.service is None:
            self._hosts[exchanged.url.netloc] = self._clock.now()
            self._hosts.move_to_end(exchanged.url.netloc)
            while len(self._hosts) > _MOST:
                self._hosts.popitem(last=False)

    def of(self, name: str) -> datetime | None:
        """Return when a host was used last: one such as `example.org`, `example.org:8080` or `*.example.org`."""
        if not name.startswith("*."):
            return self._hosts.get(name)
        return max((at for host, at in self._hosts.items() if host.endswith(name[1:])), default=None)


class WebServices(NamedTuple):
    """The web, as tools reach it.

    Attributes:
        door: Makes requests.
        cache: Keeps what was fetched.
        credentials: The user's own headers by host.
        reader: Reads pages.
        robots: The rules of robots.txt.
        clock: Time.
        last_used: When each site was fetched last.
    """

    door: WebDoor
    cache: WebCache
    credentials: WebCredentials
    reader: PageReader
    robots: RobotsRules
    clock: Clock
    last_used: LastUsed
