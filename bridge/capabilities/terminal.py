"""The terminal: the tool that runs commands on a copy of the vault."""

from bridge.capabilities.capability import Capability
from bridge.tools import terminal_provider


class Terminal(Capability):
    """The tool that runs commands."""

    async def open(self) -> None:
        """Register it."""
        core, settings = self.core, self.core.base.settings
        storage, drafts = core.tools.services.storage, core.tools.drafts
        provider = terminal_provider(storage, core.programs, drafts, lambda: settings.latest.allow_terminal)
        await core.base.registry.add(provider)
        core.base.tools_follow("allow_terminal")
