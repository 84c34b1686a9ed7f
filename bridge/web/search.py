"""Web searches: the services that the person has chosen, asked one after the other until one answers."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote

from bridge.contract.keys import Connection, KeyTest, SearchService, SearchServiceInfo
from bridge.errors import BridgeError, NetworkFailure, ToolFailure
from bridge.keys.store import KeyFault, KeyStore, key_server
from bridge.own_commands import own_command
from bridge.policy.redaction import REDACTED
from bridge.settings.model import Settings
from bridge.web.door import WebDoor, WebResponse
from bridge.web.guard import RequestRefused
from bridge.web.search_services import Hit, NoSense, NotReady, SaidNo, SearchQuery, TooMany, WebSearchService

_TEST: Final = SearchQuery("Obsidian", 1)
"""The query of a test: a word that says nothing about anybody."""
_ANY_KEY: Final = "x" * 32
"""Stands for a key that is set where it is only asked whether all is there."""


Read = Callable[[SearchService, str, WebResponse], list[Hit]]
"""Reads the answer of a service, given its title too; see `PageReader.hits`."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A service that was asked in vain.

    Attributes:
        title: Its name, for people.
        why: The failure and what to do, as a sentence without a full stop.
        code: The same for programs.
    """

    title: str
    why: str
    code: str


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search.

    Attributes:
        service: The service that answered.
        title: Its name, for people.
        hits: The results, best first.
        fresh: Whether they are as recent as was asked for; None where nothing was asked.
        failed: The services that were asked before, in vain.
    """

    service: SearchService
    title: str
    hits: tuple[Hit, ...]
    fresh: bool | None
    failed: tuple[Failed, ...] = ()


class WebSearch:
    """The search of the web.

    Args:
        door: Makes the requests.
        keys: The API keys.
        services: All services that there are.
        read: Reads their answers.
    """

    def __init__(self, door: WebDoor, keys: KeyStore, services: Sequence[WebSearchService], read: Read) -> None:
        self._door = door
        self._keys = keys
        self._read = read
        self._services = {service.id: service for service in services}

    def chosen(self, settings: Settings) -> list[WebSearchService]:
        """Return the services that the person has chosen, in their order.

        Raises:
            NotReady: None is.
        """
        chosen = [self._services[SearchService(name)] for name in settings.web_search_providers]
        if not chosen:
            raise NotReady(
                "No service for web searches is chosen. The user can choose one in Obsidian, or with "
                + own_command("settings", "set", 'webSearchProviders=["brave"]')
            )
        return chosen

    def ready(self, settings: Settings) -> list[WebSearchService]:
        """Return those of the chosen services that can be asked as things are set.

        Raises:
            NotReady: None is chosen, or none can be asked; the message says what is missing.
        """
        chosen = self.chosen(settings)
        missing = {service.id: self._missing(service, settings) for service in chosen}
        ready = [service for service in chosen if missing[service.id] is None]
        if not ready:
            raise NotReady(". ".join(str(missing[service.id]) for service in chosen))
        return ready

    def asked(self, settings: Settings) -> list[str]:
        """Return who is asked, and where: what an answer to the same words depends on besides."""
        return [f"{service.id.value} {service.place(settings).base}" for service in self.ready(settings)]

    def has_key(self, settings: Settings) -> bool:
        """Return whether the service that is asked first has an API key."""
        first = self.ready(settings)[0].key
        return first is not None and self._keys.has(first)

    def infos(self, settings: Settings) -> list[SearchServiceInfo]:
        """Return the search services to choose from."""
        return [
            SearchServiceInfo.of(
                service, service=service.id, needs_key=service.key is not None, missing=self._missing(service, settings)
            )
            for service in self._services.values()
        ]

    async def search(self, query: SearchQuery, settings: Settings) -> Found:
        """Search with the first of the chosen services that answers.

        Args:
            query: The query.
            settings: As they were when the person was asked.

        Raises:
            NotReady: No service is chosen.
            NetworkFailure: None answers; the message says why of each.
        """
        failed: list[Failed] = []
        for service in self.chosen(settings):
            try:
                hits = await self._ask(service, query, settings)
            except ToolFailure as failure:
                failed.append(Failed(service.title, failure.message, failure.code or failure.error_type.value))
            else:
                fresh = service.has_freshness if query.freshness is not None else None
                return Found(service.id, service.title, tuple(hits[: query.most]), fresh, tuple(failed))
        raise NetworkFailure(
            "No search was made. " + ". ".join(_sentence(one) for one in failed),
            code=failed[0].code if len(failed) == 1 else "no_service",
            data={"services": [{"service": one.title, "code": one.code} for one in failed]},
        )

    async def test(self, service_id: SearchService, settings: Settings) -> KeyTest:
        """Test whether a service answers as it is set up, by a search for one result."""
        service = self._services[service_id]
        try:
            await self._ask(service, _TEST, settings)
        except (SaidNo, NotReady, KeyFault, RequestRefused) as failure:
            outcome, message = Connection.REFUSED, failure.message
        except (TooMany, NoSense) as failure:
            outcome, message = Connection.CONNECTED, f"{service.title} answers, but: {failure.message}"
        except BridgeError as failure:
            outcome, message = Connection.UNREACHABLE, str(failure)
        else:
            outcome, message = Connection.CONNECTED, f"{service.title} answers."
        return KeyTest(provider=service_id, outcome=outcome, message=message)

    async def _ask(self, service: WebSearchService, query: SearchQuery, settings: Settings) -> list[Hit]:
        place = service.place(settings)
        key = await asyncio.to_thread(self._key, service, settings)
        response = await self._door.send(service.request(query, settings, key), service=place)
        hits = await asyncio.to_thread(self._read, service.id, service.title, response)
        return hits if key is None else [_without(key, hit) for hit in hits]

    def _key(self, service: WebSearchService, settings: Settings) -> str | None:
        """Return the key, where one is set; made for exactly the server that will be asked. Blocks."""
        if service.key is None or not self._keys.has(service.key):
            return None
        return self._keys.get(service.key, key_server(service.key, ollama=settings.ollama_web_search_endpoint))

    def _missing(self, service: WebSearchService, settings: Settings) -> str | None:
        """Return what has to be set before a service can be asked; whether a key opens is not tried."""
        key = _ANY_KEY if service.key is not None and self._keys.has(service.key) else None
        try:
            service.request(_TEST, settings, key)
        except NotReady as missing:
            return missing.message
        return None


def _without(key: str, hit: Hit) -> Hit:
    """Return a result without the key, should the service send it back."""

    def hide(text: str) -> str:
        for form in (key, quote(key, safe="")):
            text = text.replace(form, REDACTED)
        return text

    return replace(hit, title=hide(hit.title), url=hide(hit.url), snippet=hide(hit.snippet))


def _sentence(failed: Failed) -> str:
    return failed.why if failed.why.startswith(failed.title) else f"{failed.title}: {failed.why}"
