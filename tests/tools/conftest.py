"""The tools over a real vault, called as the pipeline calls them, without consent and ledger."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.contract.tools import ChangeDiff
from bridge.errors import NotFound
from bridge.identity.caller import PERSON
from bridge.index.file_text_index import PDF_FILES, FileTextIndex
from bridge.index.vault_index import VaultIndex
from bridge.pdf.reader import PdfReader
from bridge.pictures.reader import PictureReader
from bridge.policy.redaction import hide_secrets
from bridge.settings.model import Settings
from bridge.testing.memory import MemoryStorage, MemoryTree
from bridge.toolkit.tool import CallContext, Effect, Output, ReadTool, Tool, WriteTool
from bridge.tools import core_tools, providers
from bridge.tools.history import RedoTool, UndoTool
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.plan import Applied, ChangePlan, HistoryEntry
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE


@dataclass
class PlannedHistory:
    """A history with one plan to give."""

    plan: ChangePlan | None = None
    asked: list[tuple[str, str | None, str | None]] = field(default_factory=list)

    def undo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        self.asked.append(("undo", execution_id, credential))
        assert self.plan is not None
        return self.plan.reverses or "", self.plan

    def undo_several_plan(self, execution_ids: Collection[str], credential: str | None = None) -> ChangePlan:
        assert self.plan is not None
        self.asked += [("undo", execution_id, credential) for execution_id in execution_ids]
        return self.plan

    def history(
        self, *, limit: int = 50, before: str | None = None, credential: str | None = None
    ) -> list[HistoryEntry]:
        del limit, before, credential
        return []

    def diff(self, execution_id: str) -> ChangeDiff:
        raise NotFound(execution_id)

    def redo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        self.asked.append(("redo", execution_id, credential))
        assert self.plan is not None
        return self.plan.reverses or "", self.plan


@dataclass
class Bench:
    """Calls tools.

    Attributes:
        folder: The vault.
        history: What undo and redo are given.
        settings: Of the calls.
        seconds: How long a call may take.
    """

    folder: Path
    tools: dict[str, Tool[Any]]
    history: PlannedHistory
    clock: SystemClock
    settings: Settings = field(default_factory=Settings)
    seconds: float = PATIENCE
    progress: list[str] = field(default_factory=list)
    tree: MemoryTree | None = None

    def write(self, name: str, data: bytes) -> None:
        """Put a file into the vault."""
        if self.tree is not None:
            self.tree.put(name, data)
            return
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def prepare(self, name: str, **arguments: Any) -> Effect:
        """What a call would do."""
        return self._begin(name, arguments)[2]

    def read(self, name: str, **arguments: Any) -> Output:
        """A read tool's answer."""
        tool, params, _effect = self._begin(name, arguments)
        assert isinstance(tool, ReadTool)
        output = tool.run(params, self._context())
        assert isinstance(output, Output)
        return output

    def plan(self, name: str, **arguments: Any) -> ChangePlan:
        """A write tool's plan."""
        plan = self.prepare(name, **arguments)
        assert isinstance(plan, ChangePlan)
        return plan

    def report(self, name: str, *, backup: str | None, **arguments: Any) -> Output:
        """What a write tool tells once its plan is applied."""
        tool, params, plan = self._begin(name, arguments)
        assert isinstance(tool, WriteTool)
        assert isinstance(plan, ChangePlan)
        return tool.report(params, Applied("patch-1f0c9a", backup, plan))

    def result(self, file: str, /, **arguments: Any) -> bytes:
        """The bytes that apply_patch would write into a file."""
        plan = self.plan("apply_patch", **arguments)
        (after,) = [change.after for change in plan.changes if change.path == file]
        assert after is not None
        return plan.blobs[after]

    def _begin(self, name: str, arguments: dict[str, Any]) -> tuple[Tool[Any], Any, Effect]:
        tool = self.tools[name]
        params = tool.spec.parameters.parse(arguments)
        effect = tool.prepare(params, self._context())
        assert isinstance(effect, Effect)
        return tool, params, effect

    def _context(self) -> CallContext:
        return CallContext(
            PERSON,
            self.settings,
            self.clock.monotonic() + self.seconds,
            lambda _done, _total, message: self.progress.append(message),
        )


@pytest.fixture(params=["folder", "memory"])
def bench(request: pytest.FixtureRequest, vault: Path, indexed: Callable[[Path], VaultIndex]) -> Iterator[Bench]:
    """The tools over a vault. Every test that asks for it runs with both storages."""
    if request.param == "folder":
        with _on_disk(vault, indexed) as made:
            yield made
        return
    clock, history = SystemClock(), PlannedHistory()
    storage = MemoryStorage({path.relative_to(vault).as_posix(): path.read_bytes() for path in vault.rglob("*.md")})
    tools = [*core_tools(storage, clock), UndoTool(history), RedoTool(history)]
    yield Bench(vault, {tool.name: tool for tool in tools}, history, clock, tree=storage.tree)


@pytest.fixture
def disk_bench(vault: Path, indexed: Callable[[Path], VaultIndex]) -> Iterator[Bench]:
    """All the tools over a vault in a folder: for what only a disk has, and for text search."""
    with _on_disk(vault, indexed) as made:
        yield made


@contextmanager
def _on_disk(vault: Path, indexed: Callable[[Path], VaultIndex]) -> Iterator[Bench]:
    clock, history = SystemClock(), PlannedHistory()
    with VaultRoot(vault) as root:
        files, index = VaultFiles(root), indexed(vault)
        reader = PdfReader(clock, hide_secrets)
        pdfs = FileTextIndex(
            PDF_FILES, index, files, lambda: None, clock=clock, reader=reader, folder=None, wanted=lambda: True
        )
        pictures = PictureReader(clock, hide_secrets)
        services = ToolServices(
            files=files, everything=index, history=history, clock=clock, file_texts=pdfs, pictures=pictures
        )
        made = providers(services)
        yield Bench(vault, {tool.name: tool for provider in made for tool in provider.tools(PERSON)}, history, clock)
        for provider in made:
            asyncio.run(provider.stop())
        pdfs.close()
        pictures.close()


@pytest.fixture
def modified(vault: Path) -> Callable[[str], str]:
    """When a file was changed, as results tell it."""

    def modified(name: str) -> str:
        moment = datetime.fromtimestamp((vault / name).stat().st_mtime_ns / 1e9, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    return modified
