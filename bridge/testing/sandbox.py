"""A small vault with all that a call goes through: pipeline, consent, limits, log, ledger; and a person who answers."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from bridge.audit.log import AuditLog
from bridge.clock import SystemClock
from bridge.consent.broker import Broker
from bridge.consent.client_grants import ClientGrants
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.consent.web_readers import AgentsAddresses, WebReaders
from bridge.contract.base import Event
from bridge.contract.consent import ConsentRequest, Decision, RespondParams
from bridge.contract.identity import Capability
from bridge.contract.tools import CallPreview, ToolResult
from bridge.drafts.draft import Base
from bridge.drafts.store import Drafts
from bridge.identity.caller import PERSON, Caller, Client
from bridge.index.carried_text import CarriedText
from bridge.index.losses import ChangedBases, lost_parts, lost_properties
from bridge.index.search.fuzzy import NearestNames
from bridge.index.vault_index import VaultIndex
from bridge.journal.ledger import Ledger
from bridge.notes.additions import judge
from bridge.pictures.reader import PictureReader
from bridge.policy.redaction import hide_secrets
from bridge.records.folder import MemoryFolder
from bridge.settings.model import MAX_RATE
from bridge.settings.store import SettingsStore
from bridge.testing.memory import MemoryStorage
from bridge.testing.memory_ledger import MemoryLedger
from bridge.toolkit.audit_step import AuditStep
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.fairness import FairThreads, RateLimitStep
from bridge.toolkit.outgoing import Outgoing
from bridge.toolkit.permitted import Denials, SessionFiles
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.registry import StaticProvider, ToolProvider, ToolRegistry
from bridge.toolkit.tool import Tool
from bridge.toolkit.tool_call import ToolCall
from bridge.tools import agent_tools, core_tools, draft_provider, file_tools, note_tools, providers
from bridge.tools.drafts import DraftedTools
from bridge.tools.everyday import everyday_tools
from bridge.tools.history import RedoTool, UndoTool
from bridge.tools.services import ToolServices
from bridge.tools.storage import PlanningStorage
from bridge.tools.templates.templates import TemplateStore
from bridge.vault.files import VaultFiles
from bridge.vault.person_edits import read_only_warnings
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import STATE_FOLDER, VaultRoot

_PERMISSIONS = f"{STATE_FOLDER}/permissions.json"


class _Person:
    """The person, who answers the questions that are asked, at once."""

    id = "person"
    caller = PERSON

    def __init__(self, broker: Broker, sandbox: "Sandbox") -> None:
        self._broker = broker
        self._sandbox = sandbox
        self._answers: set[asyncio.Task[Any]] = set()

    def notify(self, event: Event) -> None:
        if not isinstance(event, ConsentRequest):
            return
        params = event.to_wire()
        self._sandbox.asked.append(params)
        self._sandbox.before_answer()
        hunks = None if self._sandbox.keep is None else dict(self._sandbox.keep)
        said = {"decision": self._sandbox.answer, "hunks": hunks, "option": self._sandbox.option}
        said |= {name: params[name] for name in ("requestId", "planDigest")}
        answer = asyncio.get_running_loop().create_task(
            self._broker.respond(RespondParams.model_validate(said), PERSON)
        )
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)


@dataclass
class Sandbox:
    """A vault whose tools are called as an agent does. Make it with `sandbox`.

    Attributes:
        folder: The vault's folder; of a vault in memory, one with nothing but the bridge's own state.
        storage: What tools are built with.
        settings: The vault's settings; every tool is enabled.
        session_files: What the user attached.
        ledger: Applies plans.
        registry: The tools.
        drafts: What clients have staged; None with the notes in memory.
        answer: What the person answers.
        option: Which of the question's options that is (`optionId`); None for the first.
        keep: With `allow_once`, the hunks that the person wants of each file; None for all.
        asked: The questions, as hosts receive them (`consent.requested`).
        before_answer: Called while the person thinks.
        web_readers: The clients that have read from the web.
        outgoing: What looks at what leaves; None with the notes in memory.
        grants: What the person has answered for longer.
    """

    folder: Path
    storage: PlanningStorage
    settings: SettingsStore
    grants: GrantStore
    session_files: SessionFiles
    ledger: Ledger
    registry: ToolRegistry
    drafts: Drafts | None = None
    answer: Decision = Decision.ALLOW_ONCE
    option: str | None = None
    keep: Mapping[str, list[int]] | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    before_answer: Callable[[], object] = lambda: None
    web_readers: WebReaders = field(default_factory=lambda: WebReaders(MemoryFolder(), SystemClock()))
    outgoing: Outgoing | None = None
    _pipeline: Pipeline = field(init=False, repr=False)

    async def add(self, tool: Tool[Any] | ToolProvider) -> None:
        """Add a tool of your own, or a provider of tools. Nothing happens when the bridge has the tool already.

        Args:
            tool: Made with this sandbox's `storage`.

        Raises:
            ValueError: The bridge has another tool of this name.
        """
        if isinstance(tool, ToolProvider):
            await self.registry.add(tool)
        elif type(self.registry.get(tool.name, PERSON)).__name__ != type(tool).__name__:
            await self.registry.add(StaticProvider(tool.name, [tool]))

    async def call(
        self, tool: str, /, *, role: Literal["agent", "host"] = "agent", session: str = "agent-1", **arguments: Any
    ) -> ToolResult:
        """Call a tool.

        Args:
            tool: Its name.
            role: Who calls: a client with a name of its own, or the person, who is not asked.
            session: The client's id.
            arguments: Its arguments, named as on the wire.

        Returns:
            The result as the caller receives it, of a success or a failure.
        """
        return await self._pipeline.call(ToolCall(_caller(role, session), tool, arguments))

    async def succeed(self, tool: str, /, **arguments: Any) -> ToolResult:
        """Call a tool that must succeed; see `call`.

        Raises:
            AssertionError: It fails; says why.
        """
        result = await self.call(tool, **arguments)
        if not result.success:
            raise AssertionError(result.text)
        return result

    async def preview(self, tool: str, /, **arguments: Any) -> CallPreview:
        """Return the effect of a call, without doing it. Raises ToolFailure where the call would fail."""
        return await self._pipeline.preview(ToolCall(_caller("agent", "agent-1"), tool, arguments))

    async def undo(self) -> None:
        """Take the last change back, as the person.

        Raises:
            AssertionError: It cannot be undone.
        """
        await self.succeed("history_undo", role="host")

    async def redo(self) -> None:
        """Make the change again that was undone last, as the person. Raises what `undo` raises."""
        await self.succeed("history_redo", role="host")

    def data(self, path: str) -> bytes:
        """Return the present bytes of a file.

        Raises:
            KeyError: There is no such file.
        """
        return self.files()[path]

    def text(self, path: str) -> str:
        """Return the present text of a file. Raises what `data` raises."""
        return self.data(path).decode()

    def files(self) -> dict[str, bytes]:
        """Return every file of the vault, but for the bridge's own."""
        if isinstance(self.storage, MemoryStorage):
            return dict(self.storage.tree.files)
        paths = (path for path in self.folder.rglob("*") if path.is_file())
        found = {path.relative_to(self.folder).as_posix(): path for path in paths}
        return {name: path.read_bytes() for name, path in found.items() if not name.startswith(STATE_FOLDER)}

    def folders(self) -> set[str]:
        """Return every folder of the vault, but for the bridge's own."""
        if isinstance(self.storage, MemoryStorage):
            return set(self.storage.tree.folders)
        found = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_dir())
        return {name for name in found if not name.startswith(STATE_FOLDER)}

    def write(self, path: str, content: bytes | str = b"", modified: float | None = None) -> None:
        """Write a file as another program does.

        Args:
            path: Where, vault-relative.
            content: Its bytes or text.
            modified: When it changed, in seconds since 1970; now when None.
        """
        data = content.encode() if isinstance(content, str) else content
        if isinstance(self.storage, MemoryStorage):
            self.storage.tree.put(path, data, modified)
            return
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        if modified is not None:
            os.utime(place, (modified, modified))

    def close_path(self, path: str) -> None:
        """Close a file, or a folder (`Private/`), for reading and writing, as the person."""
        (self.folder / _PERMISSIONS).write_text(json.dumps({path: "---"}), encoding="utf-8")


@asynccontextmanager
async def sandbox(
    files: Mapping[str, bytes | str] | None = None, *, folder: Path | None = None, memory: bool = False
) -> AsyncIterator[Sandbox]:
    """Yield a vault to call tools in, which ends with the `async with`.

    Args:
        files: Bytes or text by path.
        folder: A folder to be the vault; a temporary one when None.
        memory: Whether the notes are in memory rather than in the folder.
    """
    async with AsyncExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vault-bridge-")))
        place = folder or temporary / "Vault"
        place.mkdir(exist_ok=True)
        clock = SystemClock()
        root = stack.enter_context(VaultRoot(place, portable=lambda: settings.current.portable_names))
        state = stack.enter_context(root.state())
        settings = SettingsStore(state)
        settings.update({"enabledTools": ["*"], "globalRateLimit": MAX_RATE})
        broker, registry = Broker(clock=clock), ToolRegistry()
        grants = GrantStore(
            PermissionFile(state, clock=clock),
            clock=clock,
            modes=lambda: settings.current.consent_mode,
            set_mode=settings.set_mode,
            clients=ClientGrants(MemoryFolder(), clock=clock, days=lambda: None),
            title_of=registry.title_of,
            always_allowed=registry.always_allowed,
        )
        session_files = SessionFiles()
        stack.push_async_callback(registry.stop)
        workers = stack.enter_context(ThreadPoolExecutor(4))
        drafts: Drafts | None = None
        if memory:
            storage, ledger, made = _in_memory(files or {}, clock, grants.closed, session_files)
        else:
            storage, ledger, made, drafts = _in_folder(
                root, clock, grants, session_files, settings=settings, stack=stack
            )
        for provider in made:
            await registry.add(provider)
        auditing = AuditStep(AuditLog(state, clock=clock, settings=lambda: settings.current), registry, clock)
        stack.callback(auditing.close)
        vault = Sandbox(place, storage, settings, grants, session_files, ledger, registry, drafts)
        knowledge = storage.everything.knowledge
        if isinstance(knowledge, VaultIndex):
            vault.outgoing = Outgoing(CarriedText(knowledge, grants.closed), AgentsAddresses(MemoryFolder()))
        broker.attach(_Person(broker, vault))
        if not memory:
            for path, content in (files or {}).items():
                vault.write(path, content)

        base_warnings = ChangedBases(storage.knowledge, clock)

        vault._pipeline = Pipeline(  # noqa: SLF001 - the sandbox and its pipeline are made together, here
            registry=registry,
            rate_limit=RateLimitStep(clock, lambda _waiting: None),
            consent=ConsentStep(
                broker=broker,
                grants=grants,
                clock=clock,
                audit=auditing,
                settings=lambda: settings.current,
                tools=registry.tools,
                web_readers=vault.web_readers,
            ),
            ledger=ledger,
            settings=lambda: settings.current,
            clock=clock,
            workers=FairThreads(workers, 4),
            person_workers=workers,
            on_event=lambda _event: None,
            on_finished=auditing.finished,
            session_files=session_files,
            losses=lambda plan: (
                *lost_parts(plan, storage.everything.knowledge),
                *lost_properties(plan, storage.everything.knowledge),
                *base_warnings.of(plan),
            ),
            read_only=lambda plan: read_only_warnings(root, plan),
            nearest_names=NearestNames(storage.knowledge),
            drafts=drafts,
            outgoing=vault.outgoing,
        )
        yield vault


def _caller(role: Literal["agent", "host"], session: str) -> Caller:
    if role == "host":
        return PERSON
    return Caller(Client(session, "Robot", frozenset({Capability.CALL})), f"connection-{session}")


def _in_folder(
    root: VaultRoot,
    clock: SystemClock,
    grants: GrantStore,
    session_files: SessionFiles,
    *,
    settings: SettingsStore,
    stack: AsyncExitStack,
) -> tuple[PlanningStorage, Ledger, list[ToolProvider], Drafts]:
    """Return the bridge's own storage and ledger, and all its tools. The system's trash is a temporary folder."""
    index = VaultIndex(VaultFiles(root), clock, stale=0)
    stack.callback(index.close)
    index.unwatched()  # so it compares the disk before each answer, and a test need not wait
    trash = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vault-bridge-trash-")))

    def put_away(path: str) -> None:
        shutil.move(path, tempfile.mkdtemp(dir=trash))

    def applied(plan: ChangePlan) -> None:
        drafts.changed(plan.targets)
        if plan.draft is not None:
            drafts.taken(plan.draft, plan.rest)

    ledger = Ledger(
        root,
        clock=clock,
        keep_backups=lambda: settings.current.patch_backup_enabled,
        on_applied=applied,
        trash=put_away,
    )
    ledger.recover()
    stack.callback(ledger.close)
    pictures = PictureReader(clock, hide_secrets)
    stack.callback(pictures.close)
    services = ToolServices(
        files=VaultFiles(root),
        everything=index,
        history=ledger,
        clock=clock,
        denied=grants.closed,
        handed=session_files.handed,
        pictures=pictures,
    )
    loop, ending = asyncio.get_running_loop(), set[asyncio.Future[None]]()

    def end(draft_id: str) -> None:
        def start() -> None:
            task = asyncio.ensure_future(drafted.end(draft_id))
            ending.add(task)
            task.add_done_callback(ending.discard)

        loop.call_soon_threadsafe(start)

    base = Base(services.files, index, lambda: PlanBuilder(root, judge))
    kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vault-bridge-drafts-")))
    drafts = Drafts(kept, base, clock=clock, days=lambda: settings.current.draft_days, on_end=end)
    drafted = DraftedTools(
        drafts, lambda draft: providers(replace(services, files=draft.files, everything=draft.index))
    )
    stack.callback(drafts.stop)
    stack.push_async_callback(drafted.stop)
    made = [*drafted.wrapped(providers(services)), draft_provider(drafts, TemplateStore(MemoryFolder()), clock)]
    return services.storage, ledger, made, drafts


def _in_memory(
    files: Mapping[str, bytes | str], clock: SystemClock, closed: Denials, session_files: SessionFiles
) -> tuple[PlanningStorage, Ledger, list[ToolProvider]]:
    """Return a storage and a ledger in memory, and the tools that search no texts."""
    storage = MemoryStorage(files, closed)
    ledger = MemoryLedger(storage.tree)
    tools = [
        *core_tools(storage, clock),
        *file_tools(storage, clock, session_files.handed),
        *note_tools(storage, clock),
        *everyday_tools(storage, clock),
        *agent_tools(storage, clock),
        UndoTool(ledger),
        RedoTool(ledger),
    ]
    # The pipeline takes the ledger of a folder; it calls nothing of it that this one has not.
    return storage, cast("Ledger", ledger), [StaticProvider("memory", tools)]
