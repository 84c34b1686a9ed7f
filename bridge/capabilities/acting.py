"""Capabilities that act: the terminal, the user's own tools, other programs' editors, taking back what others did."""

import asyncio
from typing import Final

from bridge.capabilities.core import Calls, Capability
from bridge.client.token_storage import config_folder
from bridge.custom.custom_tools import CustomTools, KeptValues, tool_approvals
from bridge.custom.process import Processes
from bridge.custom.storage import ToolsFile
from bridge.identity.caller import Caller
from bridge.journal.plan_executor import refuse_unsaved
from bridge.records.folder import UserFolder
from bridge.rpc.hosts import HostRuns
from bridge.rpc.methods.outside_changes import notice_sent
from bridge.tools import specs, terminal_provider
from bridge.tools.allow_edit import edits_provider
from bridge.tools.custom import CustomProvider
from bridge.tools.history import LinkMender, restore_provider
from bridge.tools.storage import VaultStorage
from bridge.vault.plan import ChangePlan
from bridge.versions.allowed_edits import AllowedEdits
from bridge.versions.notices import Notices
from bridge.versions.restoring import Restoring


class OwnTools(Capability):
    """The user's tools. None of them is run until it is called."""

    async def open(self) -> None:
        """Register them."""
        base = self.core.base
        host_runs = HostRuns(base.hub)
        custom = await asyncio.to_thread(self._build, host_runs)
        base.faults.look_at(custom.file)
        base.parts.host_runs.fill(host_runs)
        base.parts.custom.fill(custom)
        await base.registry.add(CustomProvider(custom))
        base.tools_follow("allow_custom_tools")

    def _build(self, host_runs: HostRuns) -> CustomTools:
        base = self.core.base
        folder = UserFolder(config_folder(), durable=True, above=False)
        return CustomTools(
            ToolsFile(folder, lambda: [spec.name for spec in specs()]),
            tool_approvals(folder),
            Processes(self.core.programs, base.root.path),
            host_runs,
            KeptValues(base.kept("tool-storage")),
            clock=base.clock,
            allowed=lambda: base.settings.latest.allow_custom_tools,
        )


class Terminal(Capability):
    """The tool that runs commands."""

    async def open(self) -> None:
        """Register it."""
        core, settings = self.core, self.core.base.settings
        storage, drafts = core.tools.services.storage, core.tools.drafts
        provider = terminal_provider(storage, core.programs, drafts, lambda: settings.latest.allow_terminal)
        await core.base.registry.add(provider)
        core.base.tools_follow("allow_terminal")


class OwnEditors(Capability):
    """The tool with which programs ask about what their own editors are about to do."""

    async def open(self) -> None:
        """Register it."""
        base, editors = self.core.base, self.core.history.ledger.editors
        allowed_edits = AllowedEdits(base.kept("allowed-edits"), base.clock)

        def allow(plan: ChangePlan, caller: Caller) -> None:
            refuse_unsaved(plan, editors)
            allowed_edits.note(plan, caller.name)

        base.parts.allowed_edits.fill(allowed_edits)
        await base.registry.add(edits_provider(self.core.tools.services.storage, allow))


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
        await base.registry.add(restore_provider(restoring, mender))

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
