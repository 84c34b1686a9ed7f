"""A whole pipeline with two small tools, everything else real."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge.audit.log import AuditLog
from bridge.clock import Clock, SystemClock
from bridge.consent.broker import Broker
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.base import Event, Params
from bridge.contract.consent import ConsentClass, ConsentMode, ConsentRequest, Decision, Operation, RiskLevel
from bridge.errors import InvalidParameters
from bridge.identity.caller import HOST, PERSON, Caller
from bridge.journal.ledger import Ledger
from bridge.settings.store import SettingsStore
from bridge.toolkit.audit_step import AuditStep
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.fairness import FairThreads, RateLimitStep
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.registry import StaticProvider, ToolRegistry
from bridge.toolkit.tickets import Tickets
from bridge.toolkit.tool import (
    CallContext,
    Output,
    ReadEffect,
    ReadTool,
    Tool,
    ToolSpec,
    Unchanged,
    WriteTool,
    in_vault,
)
from bridge.toolkit.tool_call import ToolCall
from bridge.tools.core.await_decision import AwaitDecisionTool
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.plan import Applied, ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot
from tests.identities import PrivateFiles, answer_to, caller, client_grants
from tests.patience import PATIENCE


class PathParams(Params):
    path: str


class TextParams(PathParams):
    text: str


class Look(ReadTool[PathParams]):
    """Reads a file; `crash` crashes, `hold` waits until the test lets it go."""

    spec = ToolSpec(
        name="read",
        title="Look",
        description="Looks.",
        parameters=ModelParameters(PathParams),
        operation=Operation.READ,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.SESSION_ALLOW,
        default_rate=50,
    )

    def __init__(self, files: VaultFiles) -> None:
        self.files = files
        self.entered = threading.Event()
        self.release = threading.Event()

    def prepare(self, params: PathParams, context: CallContext) -> ReadEffect:
        return ReadEffect(in_vault(params.path), f"Read {params.path} for {context.caller.name}")

    def run(self, params: PathParams, context: CallContext) -> Output:
        context.progress(1, 2, "half")
        if params.path == "crash":
            raise RuntimeError("token=hunter2")
        if params.path == "hold":
            self.entered.set()
            self.release.wait(PATIENCE)
            return Output(None, "held")
        data, _ = self.files.read(parse_path(params.path))
        return Output({"content": data.decode()}, data.decode())


class Overwrite(WriteTool[TextParams]):
    """Gives a file a new text."""

    spec = ToolSpec(
        name="overwrite",
        title="Overwrite",
        description="Overwrites.",
        parameters=ModelParameters(TextParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.HIGH,
        consent_class=ConsentClass.NEVER,
        id_prefix="over",
    )

    def __init__(self, files: VaultFiles) -> None:
        self.files = files

    def prepare(self, params: TextParams, context: CallContext) -> ChangePlan | Unchanged:
        path = self.files.root.resolve(parse_path(params.path))
        old, _ = self.files.read(path)
        context.progress(1, 2, f"Looking at {path}")
        if params.text == "guess":
            raise InvalidParameters(f"{path} holds {len(old.split())} words")
        if old == params.text.encode():
            return Unchanged(in_vault(str(path)), f"See what {path} says", Output(None, f"{path} says so already"))
        builder = PlanBuilder(self.files.root)
        builder.modify(path, old, params.text.encode())
        return builder.build(Operation.UPDATE, f"Overwrite {path} for {context.caller.name}")

    def report(self, params: TextParams, applied: Applied) -> Output:
        return Output({"modified": True, "backupPath": applied.backup}, f"Overwrote {params.path}")


class Append(WriteTool[TextParams]):
    """Adds a line to a file: done twice, it is there twice."""

    spec = ToolSpec(
        name="extend",
        title="Extend",
        action="add/added a line to {path}",
        description="Appends.",
        parameters=ModelParameters(TextParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.NEVER,
    )

    def __init__(self, files: VaultFiles) -> None:
        self.files = files

    def prepare(self, params: TextParams, context: CallContext) -> ChangePlan:
        del context
        path = self.files.root.resolve(parse_path(params.path))
        old, _ = self.files.read(path)
        builder = PlanBuilder(self.files.root)
        builder.modify(path, old, old + params.text.encode())
        return builder.build(Operation.UPDATE, f"Append to {path}, which says {old.decode()!r}")

    def report(self, params: TextParams, applied: Applied) -> Output:
        return Output({"backupPath": applied.backup}, f"Appended to {params.path}")


@dataclass
class Screen:
    """A person at a consent screen, who answers as the test says."""

    broker: Broker
    answers: list[Decision] = field(default_factory=list)
    id: str = "screen-1"
    name: str = "Screen"
    caller: Caller = PERSON
    asked: list[dict[str, Any]] = field(default_factory=list)
    resolved: list[dict[str, Any]] = field(default_factory=list)

    def notify(self, event: Event) -> None:
        (self.asked if isinstance(event, ConsentRequest) else self.resolved).append(event.to_wire())

    async def answer(self, decision: Decision, **more: Any) -> Any:
        """Answer the last question that was asked and is open; if none is, the last, too late."""
        still_open = (asked for asked in reversed(self.asked) if self.broker.expires_at(asked["requestId"]))
        question = next(still_open, self.asked[-1])
        return await self.broker.respond(
            answer_to(
                question["requestId"],
                decision,
                more.get("plan_digest", question["planDigest"]),
                feedback=more.get("feedback"),
            ),
            Caller(HOST, self.id, self.name),
        )


@dataclass
class Rig:
    """Everything a pipeline test needs to hold."""

    vault: Path
    pipeline: Pipeline
    calls: CallRegistry
    broker: Broker
    audit: AuditLog
    auditing: AuditStep
    ledger: Ledger
    settings: SettingsStore
    look: Look
    events: list[tuple[str, dict[str, Any]]]
    screen: Screen
    tickets: PrivateFiles
    caller: Caller = field(default_factory=lambda: caller("agent-1", "Robot"))

    def tool_call(self, tool: str, *, role: Any = "agent", wait_for_host: bool = False, **arguments: Any) -> ToolCall:
        who = self.caller if role == "agent" else Caller(HOST, "host-1", "Robot")
        return ToolCall(who, tool, arguments, wait_for_host=wait_for_host)

    def person(self) -> Screen:
        self.broker.attach(self.screen)
        return self.screen

    def tools(self) -> list[Any]:
        """Every tool there is."""
        return [tool for tool, _ in self.pipeline.registry.with_providers(PERSON)]

    def restarted(self, on_delivered: Any = None) -> None:
        """As after a restart: nothing in memory of the calls, but what is on the disk."""
        clock, deliver = self.pipeline.clock, on_delivered or self.calls._on_delivered
        self.calls = CallRegistry(self.pipeline, deliver, Tickets(self.tickets, clock))

    async def until(self, condition: Callable[[], Any]) -> None:
        """Let everything else run until something is true."""
        async with asyncio.timeout(PATIENCE):
            for _ in itertools.count():
                if condition():
                    return
                await asyncio.sleep(0)

    async def asked(self) -> None:
        """Wait until a question is open."""
        await self.until(self.broker.pending)

    def records(self, kind: str) -> list[dict[str, Any]]:
        return self.audit.query(kind=kind)


@contextmanager
def rigged(vault: Path, *, clock: Clock | None = None, tickets: PrivateFiles | None = None) -> Iterator[Rig]:
    """A pipeline over a vault, and what an earlier one has left."""
    clock, tickets = clock or SystemClock(), tickets or PrivateFiles()
    root = VaultRoot(vault)
    files = VaultFiles(root)
    state = root.state()
    settings = SettingsStore(state)
    settings.update({"enabledTools": ["*"]})
    broker = Broker(clock=clock)
    grants = GrantStore(
        PermissionFile(state, clock=clock),
        clock=clock,
        modes=lambda: settings.current.consent_mode,
        set_mode=settings.set_mode,
        clients=client_grants(clock=clock),
    )
    ledger = Ledger(root, clock=clock, keep_backups=lambda: settings.current.patch_backup_enabled)
    ledger.recover()
    registry = ToolRegistry()
    look, waiting = Look(files), AwaitDecisionTool(lambda: made.calls)
    tools: list[Tool[Any]] = [look, Overwrite(files), Append(files), waiting]
    with suppress(StopIteration):
        registry.add(StaticProvider(id="t", tools=tools)).send(None)
    audit = AuditLog(state, clock=clock, settings=lambda: settings.current)
    auditing = AuditStep(audit, registry, clock)
    events: list[tuple[str, dict[str, Any]]] = []

    def heard(event: Event) -> None:
        events.append((event.event_name, event.to_wire()))

    workers, person_workers = ThreadPoolExecutor(4), ThreadPoolExecutor(2)
    pipeline = Pipeline(
        registry=registry,
        rate_limit=RateLimitStep(clock, heard),
        consent=ConsentStep(
            broker=broker,
            grants=grants,
            clock=clock,
            audit=auditing,
            settings=lambda: settings.current,
            tools=registry.tools,
        ),
        ledger=ledger,
        settings=lambda: settings.current,
        clock=clock,
        workers=FairThreads(workers, 4),
        person_workers=person_workers,
        on_event=heard,
        on_finished=auditing.finished,
    )
    calls = CallRegistry(pipeline, auditing.delivered, Tickets(tickets, clock))
    made = Rig(vault, pipeline, calls, broker, audit, auditing, ledger, settings, look, events, Screen(broker), tickets)
    yield made
    look.release.set()
    workers.shutdown()
    person_workers.shutdown()
    auditing.close()
    ledger.close()
    state.close()
    root.close()


@pytest.fixture
def rig(vault: Path) -> Iterator[Rig]:
    """A pipeline over a small vault."""
    with rigged(vault) as rig:
        yield rig
