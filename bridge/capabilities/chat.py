"""The chat with a model."""

from typing import TYPE_CHECKING

from bridge.capabilities.calls import Calls
from bridge.capabilities.capability import Capability
from bridge.chat.endpoints import AgreedEndpoints

if TYPE_CHECKING:
    from bridge.chat.chats import Chats


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
