"""Capabilities that reach beyond the vault: the web, other MCP servers, and the chat with a model."""

import asyncio
from typing import TYPE_CHECKING

from bridge.capabilities.core import Calls, Capability
from bridge.capabilities.network import transport
from bridge.chat.endpoints import AgreedEndpoints
from bridge.client.token_storage import config_folder
from bridge.records.folder import UserFolder, cache_folder
from bridge.servers.configuration import ServersFile
from bridge.servers.servers import Approvals, Opener, Servers
from bridge.tools import web_provider
from bridge.tools.servers import ServersProvider
from bridge.web.extraction.reader import PageReader
from bridge.web.search import WebSearch
from bridge.web.search_services import search_services
from bridge.web.services import LastUsed, RobotsRules, WebCache, WebCredentials, WebServices

if TYPE_CHECKING:
    from bridge.chat.chats import Chats


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


class OtherServers(Capability):
    """The servers, with their tools. None of them is started until it is needed."""

    async def open(self) -> None:
        """Register them."""
        base = self.core.base
        servers = await asyncio.to_thread(self._build)
        base.session_ended.on(servers.session_ended)
        base.parts.servers.fill(servers)
        await base.registry.add(ServersProvider(servers, lambda: base.settings.current.allow_mcp_servers))
        base.tools_follow("allow_mcp_servers")

    def _build(self) -> Servers:
        base = self.core.base
        folder = UserFolder(config_folder(), durable=True, above=False)
        opener = Opener(self.core.programs, transport, self.core.network.door.passage, base.root.path)
        return Servers(ServersFile(folder), Approvals(folder), opener, hide=base.secrets.add)


class Chat(Capability):
    """The chat. Its calls are made as those of any client."""

    async def begin(self, calls: Calls) -> None:
        """Build it when the person first looks at it. No model is asked until they say something."""
        base, network = self.core.base, self.core.network
        folder = base.kept("chats")
        agreed = AgreedEndpoints(folder, base.clock)

        def build() -> "Chats":
            from bridge.chat.chats import Chats, Conversations  # noqa: PLC0415 - slow to import, and many never chat
            from bridge.chat.ollama import OllamaServer  # noqa: PLC0415 - the same
            from bridge.chat.turn import Surroundings  # noqa: PLC0415 - the same

            around = Surroundings(
                vault=base.root.name,
                server=OllamaServer(network.door, network.keys, agreed),
                calls=calls.registry,
                registry=base.registry,
                settings=lambda: base.settings.current,
                clock=base.clock,
                notify=base.hub.notify_person,
            )
            return Chats(around, Conversations(folder), agreed)

        async def stop() -> None:
            if (chats := base.parts.chats.made) is not None:
                await chats.stop()

        base.parts.chats.fill_with(build)
        base.stack.push_async_callback(stop)
        base.faults.look_at(agreed)
