"""The chat with a model."""

from bridge.capabilities.calls import Calls
from bridge.capabilities.capability import Capability
from bridge.chat.chats import Chats
from bridge.chat.conversations import Conversations
from bridge.chat.endpoints import AgreedEndpoints
from bridge.chat.ollama import OllamaServer
from bridge.chat.turn import Surroundings


class Chat(Capability):
    """The chat. Its calls are made as those of any client."""

    async def begin(self, calls: Calls) -> None:
        """Build it. No model is asked until the person says something."""
        base, network = self.core.base, self.core.network
        folder = base.kept("chats")
        agreed = AgreedEndpoints(folder, base.clock)
        around = Surroundings(
            vault=base.root.name,
            server=OllamaServer(network.door, network.keys, agreed),
            calls=calls.registry,
            registry=base.registry,
            settings=lambda: base.settings.current,
            clock=base.clock,
            notify=base.hub.notify_person,
        )
        chats = Chats(around, Conversations(folder), agreed)
        base.stack.push_async_callback(chats.stop)
        base.faults.look_at(agreed)
        base.parts.chats.fill(chats)
