"""The questions of programs before they change the vault with editors of their own."""

from bridge.capabilities.capability import Capability
from bridge.identity.caller import Caller
from bridge.journal.editors import refuse_unsaved
from bridge.tools.edits.allow_edit import edits_provider
from bridge.vault.plan import ChangePlan
from bridge.versions.allowed_edits import AllowedEdits


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
