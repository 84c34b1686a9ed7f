"""The plan of a new file: with it, other notes keep linking to what they link to (rule 88)."""

from collections.abc import Sequence

from bridge.contract.consent import Operation
from bridge.toolkit.tool import CallContext
from bridge.tools.files.link_keeping import LinkKeeper
from bridge.tools.services import ToolServices
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan, PlanBuilder


class Creation:
    """Plans new files.

    Args:
        services: What the tools are built from.
    """

    def __init__(self, services: ToolServices) -> None:
        self._root = services.files.root
        self._everything = services.everything
        self._keeper = LinkKeeper(services)

    def plan(
        self, place: VaultPath, new: bytes, summary: str, context: CallContext, warnings: Sequence[str] = ()
    ) -> ChangePlan:
        """The plan that makes a file and, where its name makes a link of another note ambiguous, writes that anew.

        It is a creation when nothing else is touched, else an update: who lets an agent create notes has not said
        that it may change others.

        Args:
            place: Where it will lie, as `resolve_new` gives it.
            new: Its bytes.
            summary: The sentence for the person.
            context: The call.
            warnings: What else they should know.

        Raises:
            PermissionDenied: A note that the user has closed would have to change.
        """
        builder = PlanBuilder(self._root)
        builder.create(place, new)
        if self._everything.status().indexing:
            self._keeper.settle()
        kept = self._keeper.keep_for_new(builder, [str(place)], context)
        operation = Operation.UPDATE if kept.links else Operation.CREATE
        return builder.build(operation, summary + kept.sentence, [*warnings, *kept.warnings])
