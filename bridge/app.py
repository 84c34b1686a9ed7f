"""The composition root: every service of one vault, built by constructor, started and stopped in order.

Nothing else in the project builds a service. Where a lower room calls a higher one (the ledger the index, the
index the hosts), the callback is plugged in here.
"""

import asyncio
import contextlib
import gc
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, AsyncExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from bridge import __version__
from bridge.agents.connection import Connector
from bridge.agents.machine import this_machine
from bridge.audit.log import AuditLog
from bridge.audit.maintenance import LogMaintenance
from bridge.audit.service import AuditService
from bridge.chat.chats import Chats
from bridge.chat.conversations import Conversations
from bridge.chat.embedding import OllamaEmbeddings
from bridge.chat.endpoints import EMBEDDING, AgreedEndpoints
from bridge.chat.ollama import OllamaServer
from bridge.chat.turn import Surroundings
from bridge.client.token_storage import config_folder
from bridge.clock import Clock, SystemClock
from bridge.consent.agents_addresses import AgentsAddresses
from bridge.consent.broker import Broker
from bridge.consent.client_grants import ClientGrants
from bridge.consent.grant_expiry import GrantExpiry
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.consent.web_readers import WebReaders
from bridge.contract.discovery import STATE_FOLDER, Discovery
from bridge.contract.events import DraftsChanged, LimitHit, ToolsChanged
from bridge.contract.result import ToolResult
from bridge.custom.approvals import ToolApprovals
from bridge.custom.custom_tools import CustomTools
from bridge.custom.kept_values import KeptValues
from bridge.custom.process import Processes
from bridge.custom.storage import ToolsFile
from bridge.drafts.draft import Base
from bridge.drafts.store import Drafts
from bridge.errors import BridgeError
from bridge.identity.caller import Caller
from bridge.identity.store import ClientStore
from bridge.index.carried_text import CarriedText
from bridge.index.comparison import compare
from bridge.index.index_thread import Watcher
from bridge.index.lost_parts import lost_parts
from bridge.index.lost_properties import lost_properties
from bridge.index.search.nearest import NearestNames
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.packaged import BETTER, QUICK, PackagedModel
from bridge.index.vectors.served import ServedModel
from bridge.index.vectors.vector_index import Mode, Model
from bridge.index.vectors.vectors import Vectors
from bridge.journal.editors import refuse_unsaved
from bridge.journal.ledger import Ledger
from bridge.journal.record import Recovery
from bridge.keys.master_keys import MasterKeys
from bridge.keys.store import KeyStore
from bridge.keys.system_keyring import SystemKeyring
from bridge.notes.additions import judge
from bridge.plugin.command_line import command_line
from bridge.plugin.protector import vault_protector
from bridge.policy.limits import RateLimits
from bridge.policy.redaction import Secrets
from bridge.records.folder import RunFolder, UserFolder, cache_folder, state_folder
from bridge.rpc.editors import HostEditors
from bridge.rpc.host_runs import HostRuns
from bridge.rpc.hub import Hub, VaultEvents
from bridge.rpc.methods.outside_notices import notice_sent
from bridge.rpc.place_watch import PlaceWatch
from bridge.rpc.services import Services
from bridge.sandbox.probing import probe
from bridge.sandbox.programs import Programs
from bridge.server.lock import VaultLock
from bridge.server.private_files import make_private
from bridge.server.server import Server
from bridge.server.tool_lists import ToolLists
from bridge.servers.approvals import Approvals
from bridge.servers.configuration import ServersFile
from bridge.servers.opening import HOMES, Opener
from bridge.servers.servers import Servers
from bridge.settings.changes import SettingsChange
from bridge.settings.confirmations import Confirmations
from bridge.settings.model import Settings, requires_sandbox
from bridge.settings.store import SettingsStore
from bridge.toolkit.audit_step import AuditStep
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.console import log_call, redacted_console
from bridge.toolkit.outgoing import Outgoing
from bridge.toolkit.permitted import Denials, SessionFiles
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tickets import Tickets
from bridge.toolkit.tool_call import ToolCall
from bridge.tools import draft_provider, providers, specs, terminal_provider, web_provider
from bridge.tools.custom.provider import CustomProvider
from bridge.tools.drafts.drafted import DraftedTools
from bridge.tools.edits.allow_edit import edits_provider
from bridge.tools.history.mending import LinkMender
from bridge.tools.history.restore import RestoreProvider
from bridge.tools.servers.provider import ServersProvider
from bridge.tools.services import ToolServices
from bridge.tools.templates.template_store import TemplateStore
from bridge.tools.vault_storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.folder import Folder
from bridge.vault.paths import known_path
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import MOVED, VaultRoot
from bridge.vault.unprotected import read_only_warnings
from bridge.versions.allowed_edits import AllowedEdits
from bridge.versions.notices import Notices
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring
from bridge.versions.states import KeepRules
from bridge.web.answer import LateExchanger
from bridge.web.cache import WebCache
from bridge.web.credentials import WebCredentials
from bridge.web.door import Exchanged, WebDoor
from bridge.web.extraction.reader import PageReader
from bridge.web.last_used import LastUsed
from bridge.web.resolver import SystemResolver
from bridge.web.robots import RobotsRules
from bridge.web.search.search import WebSearch, search_services
from bridge.web.services import WebServices

if TYPE_CHECKING:
    from bridge.web.transport import Transport

PERSON_WORKERS = 2
"""Threads for the person's own calls and answers, whatever keeps the others busy."""

WORKERS = 8
"""Threads for tools. More would not be faster; fewer would let slow calls hold up quick ones."""

SWITCH_SECONDS = 0.0005
"""How long a busy thread may keep the interpreter from the event loop; Python's own default is ten times that."""

PLACE_SECONDS = 5.0
"""How often it is looked whether the vault's folder is still in its place."""

TOOL_SWITCHES = ("allow_terminal", "allow_mcp_servers", "allow_custom_tools")
"""The settings by which tools come and go."""

SWEEP_SECONDS = 60.0
"""How often grants that nobody uses are ended, and the use of the others is written down."""

NOTICE_SECONDS = 1.0
"""How often it is looked whether the person should be told of what other programs do."""

KEEP_SECONDS = 5.0
"""How often what was recorded of other programs' changes is made durable."""

RETAIN_SECONDS = 24 * 60 * 60.0
"""How often old backups are looked for."""


def tune_process() -> None:
    """Make the event loop quick to answer, in a process that does nothing but serve. Call it after the start.

    Busy worker threads hand the interpreter over sooner, and what was made until now, which lives as long as the
    process, is never again looked through for garbage: that took up to 30 ms at a time.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()


class Bridge:
    """One vault, served. Use it in `async with`, or `start` and `stop` it.

    Args:
        vault: The vault's folder.
        port: Where to listen on 127.0.0.1; 0 takes a free port.
        consent: `deny` refuses whatever would be asked.
        clock: Time.
        brief: Whether it lives only as long as one command.

    Attributes:
        discovery: Where the bridge listens, once it has started.
        index: What is known of the vault's notes.
        recovery: What the start found half done, and what became of it.
        services: What the protocol's methods reach.
        settings: The settings.
        drafts: The drafts of the vault's clients.
        vectors: The vectors of notes, for search by meaning.
        web: The way to the web.
        web_readers: The clients that have read from the web.
        agents_addresses: The addresses that agents put together and wrote.
    """

    discovery: Discovery
    drafts: Drafts
    index: VaultIndex
    recovery: Recovery
    services: Services
    settings: SettingsStore
    vectors: Vectors
    web: WebServices
    web_readers: WebReaders
    agents_addresses: AgentsAddresses

    def __init__(
        self,
        vault: Path,
        *,
        port: int = 0,
        consent: Literal["ask", "deny"] = "ask",
        clock: Clock | None = None,
        brief: bool = False,
    ) -> None:
        self._vault = vault
        self._port = port
        self._deny_all = consent == "deny"
        self._clock = clock or SystemClock()
        self._brief = brief
        self._stack = AsyncExitStack()
        self._session_files = SessionFiles()

    async def start(self) -> None:
        """Start serving.

        Raises:
            StartError: The vault cannot be opened, or another process serves it.
        """
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise

    async def stop(self) -> None:
        """Stop serving: finish what is being written, cancel the rest, let everything go."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _start(self) -> None:
        stack = self._stack
        stack.enter_context(redacted_console(secrets := Secrets()))
        root = VaultRoot(self._vault, portable=lambda: self.settings.current.portable_names)
        stack.callback(root.close)
        run = RunFolder(root.path)
        state = stack.enter_context(root.state())
        stack.enter_context(VaultLock(run, state))
        workers, person_workers = self._threads(WORKERS, "tool"), self._threads(PERSON_WORKERS, "person")

        files = VaultFiles(root)
        self.settings = SettingsStore(
            state, confirmations=Confirmations(RunFolder(root.path, kind="settings", durable=True)), clock=self._clock
        )
        broker = Broker(clock=self._clock)
        hub = Hub(broker)
        permissions = PermissionFile(state, clock=self._clock)
        kept = RunFolder(root.path, kind="clients", durable=True)
        clients, answers = self._clients(kept, lambda: tool_lists.keep())  # noqa: PLW0108 - it is made later
        registry = ToolRegistry(on_change=lambda: hub.notify_everyone(ToolsChanged()))
        grants = self._grants(permissions, state, answers, registry)
        stack.callback(grants.sweep)
        await asyncio.to_thread(grants.sweep)
        self._repeat(SWEEP_SECONDS, grants.sweep, at_once=False)
        events = VaultEvents(hub, grants.closed, self._entry_of)
        await asyncio.to_thread(self._open_index, files, events)
        self.vectors = self._open_vectors(files, grants.closed)
        ledger = await self._open_ledger(files, hub, events)
        stack.push_async_callback(registry.stop)
        tool_services = ToolServices(
            files=files,
            everything=self.index,
            history=ledger,
            clock=self._clock,
            denied=grants.closed,
            meaning=self.vectors,
            handed=self._session_files.handed,
            calls=lambda: self.services.calls,
        )
        self.web = self._way_to_the_web(
            files, secrets, lambda exchanged: audit_step.note("network", self._told(exchanged))
        )
        keys, search = await self._add_tools(tool_services, registry, hub, secrets)

        audit = AuditLog(
            state,
            clock=self._clock,
            settings=lambda: self.settings.latest,
            secrets=secrets,
            key_store=RunFolder(root.path, kind="audit", durable=True),
            paths=self.index.paths,
        )
        maintenance = LogMaintenance(audit, lambda: self.settings.current, self._clock.monotonic)
        maintenance.start()
        stack.callback(maintenance.close)
        audit_step = AuditStep(audit, registry, self._clock, on_appended=hub.notify_hosts)
        stack.callback(audit_step.close)
        self._note_life(audit_step)
        await asyncio.to_thread(_keep_private, root.path, audit_step.note)
        limits = RateLimitStep(RateLimits(), self._clock, lambda hit: _limited(hit, audit_step, hub))
        pipeline = Pipeline(
            registry=registry,
            rate_limit=limits,
            consent=ConsentStep(
                broker,
                grants,
                self._clock,
                audit_step.decided,
                deny_all=self._deny_all,
                on_event=hub.notify_hosts,
                tools=registry.tools,
                web_readers=self.web_readers,
            ),
            ledger=ledger,
            settings=lambda: self.settings.current,
            clock=self._clock,
            workers=workers,
            person_workers=person_workers,
            on_event=hub.notify_hosts,
            on_finished=lambda *ended: self._finished(audit_step, *ended),
            losses=lambda plan: (*lost_parts(plan, self.index), *lost_properties(plan, self.index)),
            read_only=lambda plan: read_only_warnings(root, plan),
            nearest_names=NearestNames(tool_services.index),
            incomplete_answers=lambda: self.index.incomplete_answers,
            is_indexing=lambda: self.index.status().indexing,
            drafts=self.drafts,
            outgoing=self._outgoing(files, grants.closed),
        )
        restoring, mender = await self._add_restoring(files, registry)
        allowed_edits = await self._ask_about_edits(tool_services, registry, ledger)
        calls = await self._calls(root, pipeline, audit_step, clients)
        chats, agreed, embedding_servers = self._chat(root, keys, calls, registry, hub)
        self.services = Services(
            vault=root.name,
            version=__version__,
            registry=registry,
            calls=calls,
            pipeline=pipeline,
            settings=self.settings,
            keys=keys,
            search=search,
            broker=broker,
            grants=grants,
            ledger=ledger,
            audit=AuditService(audit, state),
            limits=limits,
            status=self.index.status,
            vectors=self.vectors,
            embedding_servers=embedding_servers,
            in_place=root.in_place,
            by_name_only=self.index.by_name_only,
            compare=partial(compare, self.index),
            knowledge=lambda person: self.index if person else tool_services.index,
            closed=grants.closed,
            faults=lambda: [
                *(() if root.in_place() else (MOVED,)),
                *self.settings.faults,
                *((fault,) if (fault := self._recorder.fault) is not None else ()),
                *(
                    file.fault
                    for file in (
                        *(permissions, clients, answers, self._templates),
                        *(
                            self.web.credentials,
                            self.web_readers,
                            self.agents_addresses,
                            agreed,
                            embedding_servers,
                            self._custom.file,
                        ),
                    )
                    if file.fault is not None
                ),
            ],
            unprotected=vault_protector(root.path, this_machine(), kept).all_faults,
            attached=self._session_files.attached,
            hub=hub,
            clock=self._clock,
            clients=clients,
            agents=Connector(this_machine(), root.path, command_line, kept),
            seen=lambda caller: clients.seen(caller.client, caller.calls_itself),
            session_ended=lambda session: _session_ended(session, grants, self._session_files, self._servers),
            note=audit_step.note,
            drafts=self.drafts,
            templates=self._templates,
            web=self.web,
            web_readers=self.web_readers,
            servers=self._servers,
            recorder=self._recorder,
            restoring=restoring,
            allowed_edits=allowed_edits,
            mender=mender,
            notices=await self._notices(restoring, hub),
            chats=chats,
            custom=self._custom,
            host_runs=self._host_runs,
        )
        self._watch(root, hub)
        tool_lists = await self._tool_lists(root, clients, registry)
        server = Server(self.services, hub, run=run, state=state)
        for token in server.tokens.values():
            secrets.add(token)
        stack.push_async_callback(server.stop)
        self.discovery = await server.start(self._port)
        self._follow_the_vault()

    async def _tool_lists(self, root: VaultRoot, clients: ClientStore, registry: ToolRegistry) -> ToolLists:
        """The tools that each client is listed, kept for when no bridge runs."""
        lists = ToolLists(root.path, clients, registry, self.settings)
        self.settings.on_change(lambda _change: lists.keep())
        self._stack.callback(lists.keep)
        await asyncio.to_thread(lists.keep)
        return lists

    def _way_to_the_web(self, files: VaultFiles, secrets: Secrets, log: Callable[[Exchanged], None]) -> WebServices:
        """The way to the web. Nothing is connected to until a tool asks for it."""
        place = cache_folder(files.root.path)

        def current() -> Settings:
            return self.settings.current

        last_used = LastUsed(self._clock)

        def told(exchanged: Exchanged) -> None:
            last_used.note(exchanged)
            log(exchanged)

        reader = PageReader(self._clock)
        self._stack.callback(reader.close)
        door = WebDoor(current, LateExchanger(_transport), self._clock, own_ports=self._own_ports, log=told)
        return WebServices(
            door=door,
            cache=WebCache(place / "web" if place is not None else None, current, self._clock),
            credentials=WebCredentials(config_folder(), secrets.add),
            reader=reader,
            robots=RobotsRules(door, reader, self._clock),
            clock=self._clock,
            last_used=last_used,
        )

    def _outgoing(self, files: VaultFiles, closed: Denials) -> Outgoing:
        """What looks at all that leaves."""

        def large(path: str) -> bytes | None:
            try:
                return files.read(known_path(path))[0]
            except (BridgeError, OSError):
                return None

        return Outgoing(CarriedText(self.index, closed, large), self.agents_addresses)

    def _told(self, exchanged: Exchanged) -> dict[str, Any]:
        """A request as the log has it; its query only where the values of parameters are logged."""
        return exchanged.for_log(with_query=self.settings.current.log_parameter_values)

    def _threads(self, count: int, name: str) -> ThreadPoolExecutor:
        """So many threads, until the bridge stops."""
        threads = ThreadPoolExecutor(count, thread_name_prefix=name)
        self._stack.callback(threads.shutdown, cancel_futures=True)
        return threads

    def _open_index(self, files: VaultFiles, events: VaultEvents) -> None:
        """What was known at the last stop. Blocks."""
        place = cache_folder(files.root.path)

        def changed(path: str, change: str) -> None:
            self.vectors.changed()
            events.changed(path, change)

        self.index = VaultIndex(files, self._clock, folder=place, on_change=changed, on_progress=events.progress)
        self._stack.push_async_callback(asyncio.to_thread, self.index.close)

    def _follow_the_vault(self) -> None:
        """Keep what is known of the vault up to date from now on."""
        self.index.start()
        if not self._brief:
            self.vectors.start()

    def _open_vectors(self, files: VaultFiles, closed: Denials) -> Vectors:
        """The vectors of notes, as they were at the last stop. Nothing is loaded before the bridge has started."""
        place = cache_folder(files.root.path)

        loop = asyncio.get_running_loop()

        def model() -> Model | None:
            if find_spec("numpy") is None:
                return None
            if name := self.settings.current.semantic_model:
                server = OllamaServer(self.web.door, self.services.keys, self.services.embedding_servers)
                return ServedModel(name, OllamaEmbeddings(server, lambda: self.settings.current, loop), self._clock)
            return PackagedModel.installed(QUICK, self._clock)

        def chosen() -> tuple[str, str]:
            settings = self.settings.current
            return settings.semantic_model, settings.chat_endpoint if settings.semantic_model else ""

        def better_mode() -> Mode:
            settings = self.settings.current
            return "off" if settings.semantic_model else settings.semantic_search  # the person has chosen another

        vectors = Vectors(
            self.index,
            files,
            closed,
            self._clock,
            folder=place,
            mode=lambda: self.settings.current.semantic_search,
            model=model,
            better_mode=better_mode,
            better_model=lambda: PackagedModel.installed(BETTER, self._clock),
            chosen=chosen,
        )
        self.settings.on_change(lambda _change: vectors.changed())
        self._stack.push_async_callback(asyncio.to_thread, vectors.close)
        return vectors

    async def _open_ledger(self, files: VaultFiles, hub: Hub, events: VaultEvents) -> Ledger:
        """The ledger, with what was interrupted dealt with; and who records what is none of its changes."""
        ledger = Ledger(
            files.root,
            clock=self._clock,
            keep_backups=lambda: self.settings.current.patch_backup_enabled,
            on_applied=lambda plan: _applied(
                plan,
                recorder=self._recorder,
                index=self.index,
                vectors=self.vectors,
                drafts=self.drafts,
                events=events,
            ),
            editors=HostEditors(hub, self._clock),
            writing=self._announce,
        )
        self._stack.callback(ledger.close)
        self.recovery = await asyncio.to_thread(ledger.recover)
        self._recorder = await asyncio.to_thread(self._open_recorder, files, ledger)
        self._stack.callback(self._recorder.close)
        self._repeat(KEEP_SECONDS, self._recorder.maintain, at_once=False)
        self._repeat(RETAIN_SECONDS, partial(_retain, ledger, self.settings), at_once=True)
        return ledger

    def _open_recorder(self, files: VaultFiles, ledger: Ledger) -> Recorder:
        """What other programs changed before. From its start on the index shows it all that it reads. Blocks."""

        def rules() -> KeepRules:
            current = self.settings.latest
            return KeepRules(
                days=current.outside_versions_days,
                megabytes=current.outside_versions_megabytes,
                left_out=tuple(folder.strip("/") for folder in current.outside_versions_excluded),
                on=current.outside_versions,
            )

        folder = RunFolder(files.root.path, kind="versions", durable=True)
        recorder = Recorder(folder.path, files, self._clock, rules=rules, own=ledger)
        self.index.record_with(recorder)
        return recorder

    async def _notices(self, restoring: Restoring, hub: Hub) -> Notices:
        """What the person is told of other programs' changes, from before the index looks for new ones."""
        notices = Notices(
            self._recorder,
            restoring,
            self._clock,
            threshold=lambda: self.settings.latest.outside_notice_files,
            tell=lambda notice: hub.notify_person(notice_sent(notice)),
        )
        await asyncio.to_thread(notices.look)
        self._repeat(NOTICE_SECONDS, notices.look, at_once=False)
        return notices

    def _entry_of(self, path: str) -> str | None:
        """The entry of the history that another program's change to a file belongs to."""
        return self._recorder.entry_of(path)

    def _announce(self, plan: ChangePlan, execution_id: str) -> AbstractContextManager[None]:
        """A change of ours is about to be made: whoever records those of others knows it."""
        return self._recorder.writing(plan, execution_id)

    def _watch(self, root: VaultRoot, hub: Hub) -> None:
        """Watch for what other programs change, for the index, and whether the vault is still in its place."""
        self._repeat(PLACE_SECONDS, PlaceWatch(root.in_place, hub.notify_hosts).look, at_once=False)

        def changed(paths: set[str]) -> None:
            self.index.changed(paths)
            self.drafts.changed(paths)

        watcher = Watcher(root.path, changed, self.index.unwatched, self.index.watched)
        watcher.start()
        self._stack.push_async_callback(asyncio.to_thread, watcher.stop)

    async def _add_tools(
        self, services: ToolServices, registry: ToolRegistry, hub: Hub, secrets: Secrets
    ) -> tuple[KeyStore, WebSearch]:
        """Add all tools, those of the drafts that there are too; returns the API keys and what searches with them."""
        root = services.files.root
        loop = asyncio.get_running_loop()

        def on_loop(call: Callable[[], object]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it whoever would hear of it
                loop.call_soon_threadsafe(call)

        base = Base(services.files, services.everything, lambda: PlanBuilder(root, judge))
        self.drafts = Drafts(
            RunFolder(root.path, kind="drafts", durable=True).path,
            base,
            clock=self._clock,
            days=lambda: self.settings.current.draft_days,
            on_change=lambda: on_loop(lambda: hub.notify_hosts(DraftsChanged())),
            on_end=lambda draft_id: on_loop(lambda: hub.spawn(drafted.end(draft_id))),
        )
        drafted = DraftedTools(self.drafts, lambda draft: providers(services.over(draft.files, draft.index)))
        self._stack.push_async_callback(asyncio.to_thread, self.drafts.stop)
        self._stack.push_async_callback(drafted.stop)
        await asyncio.to_thread(self.drafts.load)
        hub.spawn(asyncio.to_thread(self.drafts.prepare))
        self._repeat(RETAIN_SECONDS, self.drafts.sweep, at_once=False)
        keys, search = self._search(secrets)
        self._templates = TemplateStore(RunFolder(root.path, kind="templates", durable=True))
        programs = await asyncio.to_thread(self._programs, root)
        self._servers = await asyncio.to_thread(self._other_servers, root, programs, secrets)
        self._host_runs = HostRuns(hub)
        self._custom = await asyncio.to_thread(self._own_tools, root, programs)
        for provider in [
            *drafted.wrapped(providers(services)),
            draft_provider(self.drafts, self._templates, self._clock),
            web_provider(self.web, search),
            terminal_provider(services.storage, programs, self.drafts, lambda: self.settings.latest.allow_terminal),
            ServersProvider(self._servers, lambda: self.settings.current.allow_mcp_servers),
            CustomProvider(self._custom),
        ]:
            await registry.add(provider)

        def switched(change: SettingsChange) -> None:
            if any(getattr(change.before, name) != getattr(change.after, name) for name in TOOL_SWITCHES):
                on_loop(lambda: hub.notify_everyone(ToolsChanged()))

        self.settings.on_change(switched)
        return keys, search

    async def _add_restoring(self, files: VaultFiles, registry: ToolRegistry) -> tuple[Restoring, LinkMender]:
        """What takes back, and what mends, what other programs changed."""
        restoring = Restoring(self._recorder, files)
        mender = LinkMender(VaultStorage(files, self.index), self._clock, self._recorder)
        await registry.add(RestoreProvider(restoring, mender))
        return restoring, mender

    async def _ask_about_edits(self, services: ToolServices, registry: ToolRegistry, ledger: Ledger) -> AllowedEdits:
        """Add the tool with which programs ask about what their own editors are about to do."""
        folder = RunFolder(services.files.root.path, kind="allowed-edits", durable=True)
        allowed_edits = AllowedEdits(folder, self._clock)

        def allow(plan: ChangePlan, caller: Caller) -> None:
            refuse_unsaved(plan, ledger.editors)
            allowed_edits.note(plan, caller.name)

        await registry.add(edits_provider(services.storage, allow))
        return allowed_edits

    def _programs(self, root: VaultRoot) -> Programs:
        """What starts programs. Whatever a bridge that was killed has left of their places is thrown away. Blocks."""
        scratch = RunFolder(root.path, kind="programs").path
        for left in scratch.iterdir():
            if left.name != HOMES:  # servers keep theirs
                shutil.rmtree(left, ignore_errors=True)
        hidden = (state_folder(), cache_folder(root.path), config_folder(), root.path / STATE_FOLDER)
        configuration = [path for path in root.path.glob(".*") if (path / "app.json").exists()]
        return Programs(
            [path for path in (*hidden, *configuration) if path is not None],
            scratch,
            required=lambda: requires_sandbox(self.settings.current),
            find=probe,
            on_end=lambda: _keep_private(root.path, self.services.note),
        )

    def _other_servers(self, root: VaultRoot, programs: Programs, secrets: Secrets) -> Servers:
        """The other MCP servers that the user has entered. None of them is started. Blocks."""
        place = config_folder()
        folder = UserFolder(place, durable=True, above=False)
        opener = Opener(programs, _transport, self.web.door.passage, root.path)
        return Servers(ServersFile(folder), Approvals(folder), opener, hide=secrets.add)

    def _own_tools(self, root: VaultRoot, programs: Programs) -> CustomTools:
        """The tools that the user has written. None of them is run. Blocks."""
        folder = UserFolder(config_folder(), durable=True, above=False)
        return CustomTools(
            ToolsFile(folder, lambda: [spec.name for spec in specs()]),
            ToolApprovals(folder),
            Processes(programs, root.path),
            self._host_runs,
            KeptValues(RunFolder(root.path, kind="tool-storage", durable=True)),
            clock=self._clock,
            allowed=lambda: self.settings.latest.allow_custom_tools,
        )

    def _own_ports(self) -> frozenset[int]:
        """Where the bridge itself listens."""
        discovery = getattr(self, "discovery", None)
        return frozenset() if discovery is None else frozenset({urlsplit(discovery.http).port or 0})

    async def _calls(
        self, root: VaultRoot, pipeline: Pipeline, audit_step: AuditStep, clients: ClientStore
    ) -> CallRegistry:
        """The calls; those that waited for a person when the bridge stopped go on before anybody can ask for them."""
        tickets = Tickets(RunFolder(root.path, kind="tickets", durable=True), self._clock)
        calls = CallRegistry(pipeline, pipeline.ledger, self._clock, audit_step.delivered, tickets)
        self._stack.push_async_callback(calls.stop)
        await calls.resume(clients.current, run=not self._brief)
        return calls

    def _chat(
        self, root: VaultRoot, keys: KeyStore, calls: CallRegistry, registry: ToolRegistry, hub: Hub
    ) -> tuple[Chats, AgreedEndpoints, AgreedEndpoints]:
        """The chat with a model; the addresses that the person has agreed to for it, and for search by meaning."""
        folder = RunFolder(root.path, kind="chats", durable=True)
        agreed = AgreedEndpoints(folder, self._clock)
        around = Surroundings(
            vault=root.name,
            server=OllamaServer(self.web.door, keys, agreed),
            calls=calls,
            registry=registry,
            settings=lambda: self.settings.current,
            clock=self._clock,
            notify=hub.notify_person,
        )
        chats = Chats(around, Conversations(folder), agreed)
        self._stack.push_async_callback(chats.stop)
        return chats, agreed, AgreedEndpoints(folder, self._clock, EMBEDDING)

    async def _finished(
        self, audit_step: AuditStep, tool_call: ToolCall, result: ToolResult, plan: ChangePlan | None, seconds: float
    ) -> None:
        """A call has ended: remember what it wrote, and log it, in developer mode on the console too."""
        if plan is not None:
            self._session_files.applied(tool_call.caller.session_id, plan)
        if self.settings.latest.developer_mode:
            log_call(tool_call, result, seconds)
        await audit_step.finished(tool_call, result, plan, seconds)

    def _note_life(self, audit_step: AuditStep) -> None:
        """Log the start, what it found half done, every change of the settings, and the end.

        A bridge that lives as long as one command is not worth a record, unless it recovered something.
        """

        def note_settings(change: SettingsChange) -> None:
            audit_step.note("settings", {"by": change.by, "changes": change.differences()})

        self.settings.on_change(note_settings)
        recovered = {"rolledBack": list(self.recovery.rolled_back), "completed": list(self.recovery.completed)}
        recovered |= {"conflicted": list(self.recovery.conflicted)}
        if self._brief and not any(recovered.values()):
            return
        life = {"version": __version__, "pid": os.getpid()}
        audit_step.note("bridge", {"event": "started"} | life | {"recovered": recovered})
        self._stack.callback(audit_step.note, "bridge", {"event": "stopped"} | life)

    def _clients(self, folder: RunFolder, changed: Callable[[], None]) -> tuple[ClientStore, ClientGrants]:
        """The clients with a name of their own, and what they were allowed for good; and who has read from the web."""
        self.web_readers = WebReaders(folder, self._clock)
        self.agents_addresses = AgentsAddresses(folder)
        clients = ClientStore(folder, clock=self._clock, on_change=changed)
        answers = ClientGrants(
            folder, clock=self._clock, days=lambda: self.settings.current.grant_expiry_days, name_of=clients.name_of
        )
        return clients, answers

    def _search(self, secrets: Secrets) -> tuple[KeyStore, WebSearch]:
        """The API keys and what searches the web with them. No key is opened before somebody needs it."""
        masters = MasterKeys(lambda: UserFolder(config_folder() / "keys", durable=True), SystemKeyring())
        keys = KeyStore(self.settings, masters, learned=secrets.add, changed=self.web.cache.clear)
        return keys, WebSearch(self.web.door, keys, search_services(self._clock.now), self.web.reader.hits)

    def _grants(
        self, permissions: PermissionFile, state: Folder, answers: ClientGrants, registry: ToolRegistry
    ) -> GrantStore:
        """The remembered answers, bound to the settings both ways."""
        grants = GrantStore(
            permissions,
            clock=self._clock,
            modes=lambda: self.settings.current.consent_mode,
            set_mode=self.settings.set_mode,
            clients=answers,
            expiry=GrantExpiry(
                permissions, state, clock=self._clock, days=lambda: self.settings.current.grant_expiry_days
            ),
            title_of=registry.title_of,
            days=lambda: self.settings.current.grant_expiry_days,
        )

        def modes_changed(change: SettingsChange) -> None:
            for tool, mode in change.modes().items():
                grants.mode_set(tool, mode)

        self.settings.on_change(modes_changed)
        return grants

    def _repeat(self, seconds: float, work: Callable[[], object], *, at_once: bool) -> None:
        """Do something in a thread, now and then, until the bridge stops."""

        async def repeat() -> None:
            if at_once:
                await asyncio.to_thread(work)
            while True:
                await asyncio.sleep(seconds)
                await asyncio.to_thread(work)

        self._stack.callback(asyncio.create_task(repeat()).cancel)


def _transport() -> "Transport":
    """What makes requests."""
    from bridge.web.transport import Transport  # noqa: PLC0415 - slow to import, and most bridges never need it

    return Transport(SystemResolver())


def _retain(ledger: Ledger, settings: SettingsStore) -> None:
    """Remove backups that are older than the user wants to keep them."""
    ledger.prune(settings.current.backup_retention_days)


def _session_ended(session_id: str, grants: GrantStore, session_files: SessionFiles, servers: Servers) -> None:
    """Nobody can go on with a session: what was remembered for it goes."""
    grants.end_session(session_id)
    servers.session_ended(session_id)
    session_files.forget(session_id)


def _keep_private(vault: Path, note: Callable[[str, dict[str, Any]], None]) -> None:
    """Close our own files to others again where something has opened them, and log that. Blocks."""
    if changed := make_private(vault):
        note("bridge", {"event": "made_private", "of": ", ".join(changed)})


def _limited(hit: LimitHit, audit_step: AuditStep, hub: Hub) -> None:
    """Announce and log that somebody has to wait."""
    hub.notify_hosts(hit)
    audit_step.limited(hit)


def _applied(
    plan: ChangePlan,
    *,
    recorder: Recorder,
    index: VaultIndex,
    vectors: Vectors,
    drafts: Drafts,
    events: VaultEvents,
) -> None:
    """The ledger has made a change: first the index knows it, then the hosts. Called from a worker thread."""
    try:
        recorder.wrote(plan)
        index.applied(plan)
    finally:
        vectors.changed()
        drafts.changed(plan.targets)
        if plan.draft is not None:
            drafts.taken(plan.draft)
        events.applied(plan)
