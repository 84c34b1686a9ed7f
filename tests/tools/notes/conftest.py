"""The note tools over two storages, and in a whole pipeline."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.identity.caller import PERSON
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.settings.model import Settings
from bridge.testing.memory import MemoryStorage
from bridge.testing.memory_ledger import MemoryLedger
from bridge.toolkit.tool import CallContext, Effect, Output, ReadTool, Tool, Unchanged, WriteTool
from bridge.tools import note_tools
from bridge.tools.storage import PlanningStorage, VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

NOTES = {
    "Home.md": b"---\ntags: [hub]\naliases: [Start]\n---\n# Home\n\nSee [[Plan]] and [[Tea#Green]] and [[Nowhere]].\n",
    "projects/Plan.md": (
        b"---\nstatus: draft\npriority: 4\ndue: 2024-07-21\ntags:\n  - work/urgent\n  - rare\n---\n"
        b"# Plan\n\n## Steps\n\n1. one ^step-1\n2. two\n\n## Notes\n\n```\n## Steps\n```\n\ntext #inline\n\n"
        b"# Plan B\n\n## Steps\n\nother\n"
    ),
    "projects/old/Plan.md": b"---\nstatus: Done\npriority: 2\ndue:\nlist: [a, b]\n---\nOld #work #Rare\n",
    "Tea.md": b"---\naliases:\n  - Cha\n---\n# Tea\r\n\r\n## Green\r\n\r\nHot. #work/later\r\n",
    "Empty.md": b"",
    "Broken.md": b"---\n<%* tR %>\n---\nBroken [[Home]] #hub\n",
}


@dataclass
class Notes:
    """Calls the note tools of one storage, as the pipeline does, with no one who is asked."""

    storage: PlanningStorage
    tools: dict[str, Tool[Any]]
    apply: Callable[[ChangePlan], None]
    text_of: Callable[[str], bytes]
    settings: Settings = field(default_factory=Settings)

    def prepare(self, tool_name: str, /, **arguments: Any) -> Effect:
        """What a call would do."""
        tool, params = self._begin(tool_name, arguments)
        effect = tool.prepare(params, self._context())
        assert isinstance(effect, Effect)
        return effect

    def read(self, tool_name: str, /, **arguments: Any) -> Output:
        """A read tool's answer."""
        tool, params = self._begin(tool_name, arguments)
        assert isinstance(tool, ReadTool)
        tool.prepare(params, self._context())
        output = tool.run(params, self._context())
        assert isinstance(output, Output)
        return output

    def plan(self, tool_name: str, /, **arguments: Any) -> ChangePlan:
        """A write tool's plan."""
        plan = self.prepare(tool_name, **arguments)
        assert isinstance(plan, ChangePlan)
        return plan

    def unchanged(self, tool_name: str, /, **arguments: Any) -> Output:
        """What a write tool tells that has nothing to do."""
        effect = self.prepare(tool_name, **arguments)
        assert isinstance(effect, Unchanged)
        return effect.output

    def write(self, tool_name: str, /, **arguments: Any) -> Output:
        """A write tool's answer, after its plan was applied."""
        tool, params = self._begin(tool_name, arguments)
        assert isinstance(tool, WriteTool)
        plan = tool.prepare(params, self._context())
        assert isinstance(plan, ChangePlan)
        self.apply(plan)
        return tool.report(params, Applied("note-1f0c9a", ".vault-bridge/backups/note-1f0c9a/", plan))

    def _begin(self, name: str, arguments: dict[str, Any]) -> tuple[Tool[Any], Any]:
        tool = self.tools[name]
        return tool, tool.spec.parameters.parse(arguments)

    def _context(self) -> CallContext:
        return CallContext(PERSON, self.settings, SystemClock().monotonic() + PATIENCE)


def put(folder: Path, notes: dict[str, bytes]) -> None:
    """Write notes to the disk."""
    for name, data in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.fixture(params=["a vault", "memory"])
def notes(
    request: pytest.FixtureRequest, tmp_path: Path, indexed: Callable[[Path], VaultIndex]
) -> Iterator[Callable[[dict[str, bytes]], Notes]]:
    """Makes some notes, in a vault and in memory: every test is run with both."""
    folder = tmp_path / "Notes"
    folder.mkdir()

    def in_memory(texts: dict[str, bytes]) -> Notes:
        storage = MemoryStorage(texts)
        tools = {tool.name: tool for tool in note_tools(storage, SystemClock())}
        ledger = MemoryLedger(storage.tree)

        def apply(plan: ChangePlan) -> None:
            ledger.apply(plan, Cause("note-1f0c9a", "", "Ada", "session"))

        return Notes(storage, tools, apply, lambda name: storage.tree.files[name])

    with VaultRoot(folder) as root:

        def in_a_vault(texts: dict[str, bytes]) -> Notes:
            put(folder, texts)
            storage = VaultStorage(VaultFiles(root), indexed(folder))
            tools = {tool.name: tool for tool in note_tools(storage, SystemClock())}

            def apply(plan: ChangePlan) -> None:
                for change in plan.changes:
                    (folder / change.path).write_bytes(plan.blobs[change.after or ""])

            return Notes(storage, tools, apply, lambda name: (folder / name).read_bytes())

        yield in_memory if request.param == "memory" else in_a_vault


@pytest.fixture
def world(notes: Callable[[dict[str, bytes]], Notes]) -> Notes:
    """The notes that most tests are about."""
    return notes(NOTES)
