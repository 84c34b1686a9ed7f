"""The web: what fetches, reads, keeps and searches its pages."""

from bridge.capabilities.core import Capability
from bridge.client.token_storage import config_folder
from bridge.records.folder import cache_folder
from bridge.tools import web_provider
from bridge.web.extraction.reader import PageReader
from bridge.web.search import WebSearch
from bridge.web.search_services import search_services
from bridge.web.services import LastUsed, RobotsRules, WebCache, WebCredentials, WebServices


class Web(Capability):
    """The tools of the web. Nothing is fetched until one of them is called."""

    async def open(self) -> None:
        """Build them."""
        base, network = self.core.base, self.core.network
        clock, place = base.clock, cache_folder(base.root.path)
        reader, last_used = PageReader(clock), LastUsed(clock)
        base.stack.callback(reader.close)
        cache = WebCache(place / "web" if place is not None else None, lambda: base.settings.current, clock)
        web = WebServices(
            door=network.door,
            cache=cache,
            credentials=WebCredentials(config_folder(), base.secrets.add),
            reader=reader,
            robots=RobotsRules(network.door, reader, clock),
            clock=clock,
            last_used=last_used,
        )
        search = WebSearch(network.door, network.keys, search_services(clock.now), reader.hits)
        network.exchanged.on(last_used.note)
        network.keys_changed.on(cache.clear)
        base.faults.look_at(web.credentials)
        base.parts.web.fill(web)
        base.parts.search.fill(search)
        await base.registry.add(web_provider(web, search))
