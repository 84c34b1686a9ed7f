"""A bridge without tools, journal or socket behind it: what the methods reach, small enough to watch."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import orjson

from bridge.agents.connection import Connector
from bridge.agents.machine import Machine
from bridge.audit.sentences import ToolWords, Words
from bridge.audit.service import AuditService
from bridge.chat.chats import Chats, Conversations
from bridge.chat.endpoints import EMBEDDING, AgreedEndpoints
from bridge.chat.ollama import OllamaServer
from bridge.chat.turn import Surroundings
from bridge.clock import SystemClock
from bridge.consent.broker import Broker
from bridge.consent.grants import GrantStore
from bridge.consent.screens import Outbox, Screens
from bridge.consent.web_readers import WebReaders
from bridge.contract.base import Event, Params
from bridge.contract.consent import (
    ConsentClass,
    ConsentRequest,
    Coverage,
    Decision,
    Grant,
    Holder,
    Operation,
    RiskLevel,
    ToolFace,
    Until,
)
from bridge.contract.events import ToolProgress
from bridge.contract.session import IndexComparison, ObsidianFacts, SemanticStatus
from bridge.contract.tools import ToolResult
from bridge.contract.versions import VersionsStatus
from bridge.custom.custom_tools import CustomTools, KeptValues, tool_approvals
from bridge.custom.process import Processes
from bridge.custom.storage import ToolsFile
from bridge.drafts.store import Drafts
from bridge.errors import NotFound
from bridge.identity.caller import HOST, SHARED, SHARED_ID, Caller, Client
from bridge.identity.store import ClientStore
from bridge.index.knowledge import IndexStatus
from bridge.journal.ledger import Ledger
from bridge.keys.store import KeyStore, MasterKeys, SystemKeyring
from bridge.policy.targets import Rung
from bridge.rpc.dispatch import Dispatcher
from bridge.rpc.hosts import HostRuns
from bridge.rpc.hub import Hub
from bridge.rpc.methods import METHODS
from bridge.rpc.services import Parts, Services
from bridge.rpc.session import Session
from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import ServersFile
from bridge.servers.servers import Approvals, Servers
from bridge.settings.model import Settings, merge, warnings
from bridge.settings.store import SettingsStore
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.fairness import RateLimitStep
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.registry import StaticProvider, ToolRegistry
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, ToolSpec
from bridge.toolkit.tool_call import ToolCall
from bridge.tools.history import LinkMender
from bridge.tools.templates.templates import TemplateStore
from bridge.vault.plan import Change, ChangeKind, ChangePlan, HistoryEntry
from bridge.versions.allowed_edits import AllowedEdits
from bridge.versions.grouping import ObsidianWrite, Since
from bridge.versions.notices import Notice, Notices, Tally
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring
from bridge.versions.states import Entry, Version
from bridge.web.search import WebSearch
from bridge.web.search_services import search_services
from tests.identities import PrivateFiles
from tests.index.memory_knowledge import MemoryKnowledge
from tests.keys.machines import Ring
from tests.patience import PATIENCE
from tests.web_servers import LocalWeb, read_here, web_services

Who = Literal["agent", "host"] | Client
"""Who connects: a program without a name of its own, the person's own, or a client with a name."""
CLIENTS = {"agent": SHARED, "host": HOST}

PROGRESS = ToolProgress(execution_id="grep-1", tool="progress", client="Ada", done=1, total=2, message="half")


class Calls(CallRegistry):
    """Stands in for the calls: answers with what it was asked, except the tool `slow`, which waits for `release`."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.running: list[str] = []
        self.cancelled: list[str] = []
        self.stopped: list[str] = []
        self.release = asyncio.Event()
        self.started = asyncio.Condition()

    async def call(
        self,
        caller: Caller,
        name: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        wait: float | None = None,
        reason: str | None = None,
        notify: Callable[[Event], None] | None = None,
        size: int = 0,
        may_ask: bool = True,
        ticket_if_alone: bool = False,
    ) -> ToolResult:
        del size, may_ask, ticket_if_alone
        self.asked.append(
            {"caller": caller, "name": name, "arguments": arguments, "callId": call_id, "wait": wait, "reason": reason}
        )
        if notify is not None and name == "progress":
            await asyncio.to_thread(notify, PROGRESS)
        if name == "crash":
            raise ZeroDivisionError("/home/ada/secret")
        if name == "slow":
            await self._wait(str(arguments.get("tag", "")))
        return ToolResult(success=True, data=arguments, text="done")

    async def result(
        self, caller: Caller, call_id: str, wait: float | None = None, *, ticket_if_alone: bool = False
    ) -> ToolResult:
        del caller, ticket_if_alone
        if call_id == "slow":
            await self._wait("result")
        return ToolResult(success=True, data={"callId": call_id, "wait": wait})

    def cancel(self, caller: Caller, call_id: str) -> bool:
        del caller
        self.stopped.append(call_id)
        return call_id == "known"

    async def until_running(self, count: int) -> None:
        """Wait until so many calls wait."""
        async with self.started, asyncio.timeout(PATIENCE):
            await self.started.wait_for(lambda: len(self.running) >= count)

    async def until_cancelled(self, count: int) -> None:
        """Wait until so many calls were cancelled."""
        async with self.started, asyncio.timeout(PATIENCE):
            await self.started.wait_for(lambda: len(self.cancelled) >= count)

    async def _wait(self, tag: str) -> None:
        async with self.started:
            self.running.append(tag)
            self.started.notify_all()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.append(tag)
            async with self.started:
                self.started.notify_all()
            raise


class Planner(Pipeline):
    """Stands in for the pipeline."""

    def __init__(self) -> None:
        """It has no steps."""

    async def preview(self, tool_call: ToolCall) -> Any:
        if tool_call.tool == "missing":
            raise NotFound("There is no such note; look for it with `find`")
        return {"plan": {"tool": tool_call.tool, "targets": sorted(tool_call.arguments)}}

    async def explain(self, tool_call: ToolCall) -> Any:
        return {
            "outcome": "ask",
            "tool": tool_call.tool,
            "caller": tool_call.caller.name,
            "role": tool_call.caller.role,
        }


class NothingBroken(LinkMender):
    """Stands in for the links that other programs broke: one."""

    def __init__(self) -> None:
        """It looks at no vault."""

    def plan(self, entry_id: str) -> ChangePlan:
        change = Change(ChangeKind.MODIFY, "a.md", before="0" * 64, after="1" * 64)
        return ChangePlan(Operation.UPDATE, f"Mend 1 link in 1 note that {entry_id} broke", (change,), {})


class NothingRecorded(Recorder):
    """Stands in for what other programs changed: nothing yet."""

    def __init__(self) -> None:
        """It keeps nothing."""

    def entries(self, since: float = 0.0) -> list[Entry]:
        del since
        return []

    def entry(self, entry_id: str) -> Entry | None:
        del entry_id
        return None

    def end_entry(self) -> None:
        """There is none."""

    def told(self, writes: Iterable[ObsidianWrite]) -> None:
        del writes

    def versions(self, path: str) -> list[Version]:
        digest = bytes(32)
        return [Version(2.0, None, digest, 3), Version(1.0, 2.0, digest, 3)] if path == "a.md" else []

    def since(self, moment: float, *, typed: bool = False) -> Since:
        del moment, typed
        return Since((), {}, ())

    def paths(self) -> set[str]:
        return {"a.md"}

    def bytes_of(self, digest: bytes) -> bytes | None:
        del digest
        return b"one"

    def forget(self, path: str) -> bool:
        return path == "a.md"

    def forget_everything(self) -> None:
        """There is nothing."""

    def kept(self) -> VersionsStatus:
        return VersionsStatus(
            on=True,
            since="1970-01-01T00:00:01.000Z",
            files=1,
            whole=1,
            entries=0,
            oldest=None,
            bytes=9,
            budget=99,
            fault=None,
        )


class OneNotice(Notices):
    """Stands in for what the person is told: one thing, until it is answered."""

    def __init__(self) -> None:
        self.current = Notice((Tally(7, 1.0, 2.0, changed=17, deleted=3),))

    def answered(self) -> None:
        self.current = None

    def reviewed(self, entry_id: str) -> None:
        del entry_id


class MemorySettings(SettingsStore):
    """Stands in for the settings on disk."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._settings = Settings()

    @property
    def current(self) -> Settings:
        return self._settings

    def update(
        self, patch: dict[str, Any], *, by: str | None = None, confirms: bool = False
    ) -> tuple[Settings, list[str]]:
        del by, confirms
        values = merge(self._values, patch)
        self._settings = Settings.parse(values)
        self._values = values
        return self._settings, warnings(self._settings)

    def store_keys(self, keys: Mapping[str, str], *, by: str | None = None) -> None:
        self.update({"encryptedKeys": dict.fromkeys(self._settings.encrypted_keys) | dict(keys)}, by=by)

    def reset(self, section: str | None = None, *, by: str | None = None) -> Settings:
        del by
        if section is None:
            self._values, self._settings = {}, Settings()
        return self._settings


def grant(grant_id: str) -> Grant:
    """One that holds for everything."""
    return Grant(
        grant_id=grant_id,
        kind="session",
        decision=Decision.ALLOW_SESSION,
        who=Holder.CLIENT,
        what=Coverage.TOOL,
        tool="read",
        until=Until.STOP,
        sentence="Ada may use Read without asking, until the bridge stops.",
    )


class MemoryVectors:
    """Stands in for the vectors, and notes what it was asked."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._asked = asked
        self.said = SemanticStatus(state="ready", model="small", done=3, total=3, passages=9, size=4096)

    def changed(self) -> None:
        self._asked["looked again"] = True

    def status(self) -> SemanticStatus:
        return self.said

    def rebuild(self) -> None:
        self._asked["rebuild"] = True


class MemoryGrants(GrantStore):
    """Stands in for the remembered answers."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._asked = asked
        self._grants = [grant("g-1")]
        self.session: Any = self

    def list(self) -> list[Grant]:
        return list(self._grants)

    def bounded(self) -> tuple[Grant, ...]:
        return ()

    def sharing(self, what: Coverage) -> tuple[Grant, ...]:
        return tuple(held for held in self._grants if held.what is what)

    def revoke(self, grant_id: str, by: str | None = None) -> bool:
        del by
        known = [held for held in self._grants if held.grant_id == grant_id]
        for held in known:
            self._grants.remove(held)
        return bool(known)

    def end_all(self, *, by: str | None = None) -> tuple[Grant, ...]:
        del by
        ended, self._grants = tuple(self._grants), []
        return ended

    def allow_reading(self, caller: Caller, places: Sequence[Rung], *, by: str | None = None) -> Grant | None:
        del by
        self._asked |= {"reads": caller.name, "places": [place.key for place in places]}
        return grant("c-1") if places else None

    def auto_approve(
        self, operation: Operation, client: str | None, *, enabled: bool, name: str | None = None
    ) -> Grant | None:
        del name
        self._asked |= {"operation": operation, "client": client, "enabled": enabled}
        return grant("s-1") if enabled else None


class MemoryLedger(Ledger):
    """Stands in for the history."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._asked = asked

    def history(
        self, *, limit: int = 50, before: str | None = None, credential: str | None = None
    ) -> list[HistoryEntry]:
        self._asked |= {"limit": limit, "before": before, "credential": credential}
        entry = HistoryEntry("patch-1", "apply_patch", "Ada", "2025-01-01T00:00:00.000Z", "applied", ("a.md",), 2, 1)
        return [entry._replace(credential=SHARED_ID)]


class MemoryLog(AuditService):
    """Stands in for the log."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._asked = asked

    def query(self, words: Words = lambda _name: None, **wanted: Any) -> list[dict[str, Any]]:
        self._asked.update(wanted)
        return [{"kind": "execution", "tool": "grep", "sentence": (words("grep") or ToolWords.plain("?")).title}]


class Limits(RateLimitStep):
    """Stands in for the rate limits."""

    def __init__(self) -> None:
        """It has none."""

    def usage(self, session: str, _tools: Any, _settings: Settings) -> dict[str, Any]:
        return {"grep": {"limit": 100, "used": 1, "queued": 0}, "session": session}


class LookParams(Params):
    """What the sample tool takes."""

    pattern: str


class Look(ReadTool[LookParams]):
    """A tool to be listed."""

    spec = ToolSpec(
        name="grep",
        title="Grep",
        description="Look for text.",
        parameters=ModelParameters(LookParams),
        operation=Operation.READ,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.ALWAYS,
    )

    def prepare(self, params: LookParams, context: CallContext) -> ReadEffect:
        return ReadEffect((), f"Look for {params.pattern!r} as {context.caller.name}")

    def run(self, params: LookParams, context: CallContext) -> Output:
        return Output(params.pattern, context.caller.name)


class NoServers(ServersFile):
    """No server is entered."""

    def __init__(self) -> None:
        self.fault = None
        self.path = Path("mcp.json")

    def read(self) -> dict[str, Any]:
        return {}


class NoTools(ToolsFile):
    """No tool is stored."""

    def __init__(self) -> None:
        self.fault = None
        self.path = Path("tools.json")

    def read(self) -> dict[str, Any]:
        return {}


def no_streams(*_server: Any) -> Any:
    raise AssertionError("no server is entered")


class NoConversations(PrivateFiles):
    """The person has not talked with a model."""

    def names(self) -> list[str]:
        return []

    def remove(self, *names: str) -> None:
        raise AssertionError(names)


class NoDrafts(Drafts):
    """Nobody has a draft."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._drafts = {}
        self._inside = {}
        self._outside = set()
        self._beginning = {}
        self._beginning_chains = []
        self._told = {}
        self._lasting = set()
        self._entering = threading.Lock()


class FakeTransport:
    """The other end of a socket, in memory."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.news = asyncio.Event()
        self.was_cut = False

    async def send(self, data: bytes) -> None:
        self.post(data)

    def post(self, data: bytes) -> None:
        self.sent.append(orjson.loads(data))
        self.news.set()

    def cut(self) -> None:
        self.was_cut = True

    async def wait_for(self, count: int) -> list[Any]:
        """Everything that was sent, as soon as it is so much."""
        async with asyncio.timeout(PATIENCE):
            while len(self.sent) < count:
                self.news.clear()
                await self.news.wait()
        return self.sent


class World:
    """Everything of one bridge that tests of connections need."""

    def __init__(self) -> None:
        self.calls = Calls()
        self.asked: dict[str, Any] = {}
        self.settings = MemorySettings()
        self.broker = Broker(clock=SystemClock())
        self.hub = Hub(self.broker)
        self.clients = ClientStore(PrivateFiles(), clock=SystemClock())
        self.ring = Ring()
        self.learned: list[str] = []
        self.noted: list[tuple[str, dict[str, Any]]] = []
        self.ended: list[str] = []
        masters = MasterKeys(PrivateFiles, SystemKeyring(lambda: self.ring))
        self.keys = KeyStore(self.settings, masters, learned=self.learned.append)
        self.web = web_services(LocalWeb(), Path("/nowhere"), lambda: self.settings.current)
        self.search = WebSearch(self.web.door, self.keys, search_services(SystemClock().now), read_here)
        self.host_runs = HostRuns(self.hub)
        registry = ToolRegistry()
        provider = StaticProvider(id="core", tools=[Look()])
        with contextlib.suppress(StopIteration):
            registry.add(provider).send(None)  # it has nothing to wait for
        self.vectors = MemoryVectors(self.asked)
        parts = Parts()
        parts.vectors.fill(cast("Any", self.vectors))
        parts.embedding_servers.fill(AgreedEndpoints(PrivateFiles(), SystemClock(), EMBEDDING))
        parts.web.fill(self.web)
        parts.search.fill(self.search)
        parts.servers.fill(Servers(NoServers(), Approvals(PrivateFiles()), no_streams, hide=lambda _value: None))
        parts.custom.fill(self._custom())
        parts.host_runs.fill(self.host_runs)
        parts.restoring.fill(Restoring(NothingRecorded(), None))  # type: ignore[arg-type]
        parts.mender.fill(NothingBroken())
        parts.notices.fill(OneNotice())
        parts.allowed_edits.fill(AllowedEdits(PrivateFiles(), SystemClock()))
        parts.chats.fill(self._chats(registry))
        parts.audit.fill(MemoryLog(self.asked))
        parts.agents.fill(
            Connector(Machine("linux", Path("/home"), {}), Path("/vault"), lambda: ("vault-bridge",), PrivateFiles())
        )
        grants = MemoryGrants(self.asked)
        screens = Screens(
            grants,
            clock=SystemClock(),
            settings=lambda: self.settings.current,
            is_open=lambda _connection: True,
            client=lambda _client_id: None,
            notify=self.hub.notify_client,
            present=lambda _told: False,
            is_unsaved=lambda _path: False,
        )
        self.services = Services(
            vault="Notes",
            version="1.2.3",
            registry=registry,
            calls=self.calls,
            pipeline=Planner(),
            settings=self.settings,
            keys=self.keys,
            web_readers=WebReaders(PrivateFiles(), SystemClock()),
            recorder=NothingRecorded(),
            broker=self.broker,
            grants=grants,
            screens=screens,
            outbox=Outbox(
                screens,
                check=lambda _path: None,
                client=lambda _client_id: None,
                connected=self.hub.connected,
                told=self.hub.notify_person,
                note=lambda kind, facts: self.noted.append((kind, facts)),
            ),
            ledger=MemoryLedger(self.asked),
            limits=Limits(),
            status=lambda: IndexStatus(notes=3, files=4, indexed=3, indexing=False, last_sweep=None),
            in_place=lambda: True,
            by_name_only=lambda: ["Deep.md"],
            compare=self._compare,
            knowledge=lambda _role: MemoryKnowledge(["a.md", "b/Note.md"]),
            closed=lambda: None,
            faults=lambda: ["the settings are broken"],
            unprotected=lambda: ["Claude Code may edit this vault without asking"],
            attached={},
            hub=self.hub,
            clock=SystemClock(),
            clients=self.clients,
            note=lambda kind, facts: self.noted.append((kind, facts)),
            session_ended=self.ended.append,
            drafts=NoDrafts(),
            templates=TemplateStore(PrivateFiles()),
            parts=parts,
        )
        self.dispatcher = Dispatcher(METHODS)

    def _chats(self, registry: ToolRegistry) -> Chats:
        agreed = AgreedEndpoints(PrivateFiles(), SystemClock())
        around = Surroundings(
            vault="Notes",
            server=OllamaServer(self.web.door, self.keys, agreed),
            calls=self.calls,
            registry=registry,
            settings=lambda: self.settings.current,
            clock=SystemClock(),
            notify=self.hub.notify_person,
        )
        return Chats(around, Conversations(NoConversations()), agreed)

    def _compare(self, _knowledge: Any, files: Mapping[str, ObsidianFacts], **wanted: Any) -> IndexComparison:
        self.asked |= {"files": files} | wanted
        return IndexComparison(compared=len(files), links=2, tags=3, differences=(), more=0, uncompared=())

    def _custom(self) -> CustomTools:
        """No tools of the person's own, and no way to run one."""
        programs = Programs([], Path("/nowhere"), required=lambda: True)
        return CustomTools(
            NoTools(),
            tool_approvals(PrivateFiles()),
            Processes(programs, Path("/vault")),
            self.host_runs,
            KeptValues(PrivateFiles()),
            clock=SystemClock(),
            allowed=lambda: False,
        )

    def open(self, who: Who = "agent", transport: FakeTransport | None = None) -> Session:
        """A new connection; without a transport a POST."""
        client = who if isinstance(who, Client) else CLIENTS[who]
        return Session(client, hub=self.hub, dispatcher=self.dispatcher, services=self.services, transport=transport)

    async def ask(self, who: Who, method: str, params: Any = None, *, session: Session | None = None) -> Any:
        """One request over a connection of its own, or over one that is open."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method}
        if params is not None:
            message["params"] = params
        answer = await (session or self.open(who)).answer(orjson.dumps(message))
        assert answer is not None
        return orjson.loads(answer)

    async def question(self, request_id: str) -> asyncio.Task[Any]:
        """An open question."""
        request = ConsentRequest(
            request_id=request_id,
            client="Ada",
            session_id="agent-1",
            tool=ToolFace(name="apply_patch", title="Apply Patch", description="", icon="wrench"),
            risk_level=RiskLevel.HIGH,
            operation=Operation.UPDATE,
            summary="Edit a.md: 1 line changed",
            parameters={},
            targets=("a.md",),
            can_bypass=False,
            choices=(Decision.ALLOW_ONCE, Decision.DENY_ONCE),
            plan_digest="sha256:1",
            created_at="2025-01-01T00:00:00.000Z",
            expires_at="2025-01-01T00:05:00.000Z",
        )
        asking = self.hub.spawn(self.broker.ask(request, timeout=60, wait_for_host=True))
        await asyncio.sleep(0)
        return asking


def frame(*requests: tuple[Any, ...], first: int = 1) -> bytes:
    """A batch of requests, numbered."""
    return orjson.dumps(
        [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params[0] if params else {}}
            for number, (method, *params) in enumerate(requests, first)
        ]
    )
