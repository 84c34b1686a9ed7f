"""The tool `demo_note`: proposes one new note that explains itself, so that a person sees a question and its effect."""

from itertools import count
from typing import Final

from bridge.clock import Clock
from bridge.contract.base import NoParams
from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.toolkit.tool import CallContext, Output, WriteTool
from bridge.tools.files.link_keeping import LinkKeeper
from bridge.tools.formatting import done
from bridge.tools.kinds import write_spec
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Applied, ChangePlan

NAME: Final = "Vault Bridge demo"
TEXT: Final = b"""# Vault Bridge demo

You allowed this note, so it was written: exactly the text that you were shown.

- The log of Vault Bridge has a line about the question and one about your answer.
- "Changes by agents" lists the note. Undo takes it away again.
"""


class DemoNoteTool(WriteTool[NoParams]):
    """The tool that makes one note with a fixed text. It is asked about every time.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="demo_note",
        action="create/created {files|a note} to show what a question looks like",
        description="Create a note that explains itself, to show how a question looks.",
        icon="file-plus",
        parameters=NoParams,
        id_prefix="demo",
        operation=Operation.CREATE,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.NEVER,
        listed=False,
        presets=frozenset(),
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._keeper = LinkKeeper(storage, clock)

    def prepare(self, _params: NoParams, context: CallContext) -> ChangePlan:
        """Plan the note, under a name that is free."""
        names = (f"{NAME}.md" if number == 1 else f"{NAME} {number}.md" for number in count(1))
        free = next(path for path in map(VaultPath.root().child, names) if not exists(self._storage, path))
        place = self._storage.resolve_new(free)
        return self._keeper.creation(place, TEXT, f'Create the demo note "{place}"', context)

    def report(self, _params: NoParams, applied: Applied) -> Output:
        """Report where the note is."""
        return Output({"path": applied.plan.targets[0]}, done(applied.plan.summary))
