"""The services that undo, repair and report other programs' changes."""

import asyncio
from typing import Final

from bridge.capabilities.calls import Calls
from bridge.capabilities.capability import Capability
from bridge.rpc.methods.outside_notices import notice_sent
from bridge.tools.history.reversals import LinkMender, RestoreProvider
from bridge.tools.storage import VaultStorage
from bridge.versions.notices import Notices
from bridge.versions.restoring import Restoring

NOTICE_SECONDS: Final = 1.0
"""The interval of checks whether the person should be told of what other programs do."""


class RestoringOthers(Capability):
    """The tools that take back and mend what other programs changed, and what the person is told of it."""

    async def open(self) -> None:
        """Register the tools."""
        base, recorder = self.core.base, self.core.history.recorder
        restoring = Restoring(recorder, base.files)
        mender = LinkMender(VaultStorage(base.files, self.core.index), base.clock, recorder)
        base.parts.restoring.fill(restoring)
        base.parts.mender.fill(mender)
        await base.registry.add(RestoreProvider(restoring, mender))

    async def begin(self, calls: Calls) -> None:
        """Look at what there is, from before the index looks for new changes."""
        del calls
        base = self.core.base
        notices = Notices(
            self.core.history.recorder,
            base.parts.restoring.get(),
            base.clock,
            threshold=lambda: base.settings.latest.outside_notice_files,
            tell=lambda notice: base.hub.notify_person(notice_sent(notice)),
        )
        base.parts.notices.fill(notices)
        await asyncio.to_thread(notices.look)
        base.repeat(NOTICE_SECONDS, notices.look)
