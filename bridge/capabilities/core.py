"""The core that every bridge has, the calls that are made with it, and what a capability is that can be left out."""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from bridge.capabilities.base import Base
from bridge.capabilities.history import History
from bridge.capabilities.network import Network
from bridge.capabilities.tools import VaultTools
from bridge.capabilities.trust import Trust
from bridge.contract.events import LimitHit
from bridge.contract.tools import ToolResult
from bridge.errors import BridgeError
from bridge.index.carried_text import CarriedText
from bridge.index.losses import ChangedBases, lost_parts, lost_properties
from bridge.index.search.fuzzy import NearestNames
from bridge.index.vault_index import PermittedKnowledge, VaultIndex
from bridge.sandbox.sandbox import Programs
from bridge.toolkit.audit_step import AuditStep, log_call
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.fairness import FairThreads, RateLimitStep
from bridge.toolkit.handing_in import AwayNotice, HandingIn
from bridge.toolkit.outgoing import Outgoing
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.tickets import Tickets
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.paths import known_path
from bridge.vault.person_edits import read_only_warnings
from bridge.vault.plan import ChangePlan


@dataclass(frozen=True)
class Core:
    """The core of every bridge.

    Attributes:
        base: The foundation of everything.
        trust: The callers, and the answers that allow them something.
        history: The history of changes.
        index: The index of the vault.
        log: The audit log.
        network: The door to the network, and the keys.
        programs: Starts programs.
        tools: The tools that look at the vault.
    """

    base: Base
    trust: Trust
    history: History
    index: VaultIndex
    log: AuditStep
    network: Network
    programs: Programs
    tools: VaultTools


PERSON_WORKERS: Final = 2
"""Threads for the person's own calls and answers, whatever keeps the others busy."""

WORKERS: Final = 8
"""Threads for tools, of which one client holds half at most. More would not be faster; fewer would let slow calls hold
up quick ones."""


class Calls(NamedTuple):
    """The calls.

    Attributes:
        pipeline: Previews, explains and makes one.
        registry: All of them, by id.
        handing_in: Puts drafts that are handed in to the person, once it is started.
    """

    pipeline: Pipeline
    registry: CallRegistry
    handing_in: HandingIn


def open_calls(core: Core, *, consent: Literal["ask", "deny"]) -> Calls:
    """Build them. Those that waited for a person when the bridge stopped go on with `resume`."""
    base, trust, history, index, log, tools = core.base, core.trust, core.history, core.index, core.log, core.tools
    hub, settings, clock = base.hub, base.settings, base.clock

    def limited(hit: LimitHit) -> None:
        """Announce and log that somebody has to wait."""
        hub.notify_hosts(hit)
        log.limited(hit)

    async def finished(tool_call: ToolCall, result: ToolResult, seconds: float) -> None:
        """Log the end of a call; in developer mode on the console too."""
        if settings.latest.developer_mode:
            log_call(tool_call, result, seconds)
        await log.finished(tool_call, result, seconds)

    def losses(plan: ChangePlan) -> Sequence[str]:
        return (*lost_parts(plan, index), *lost_properties(plan, index), *bases.of(plan))

    bases = ChangedBases(PermittedKnowledge(index, trust.grants.closed), clock)

    def large(path: str) -> bytes | None:
        try:
            return base.files.read(known_path(path))[0]
        except (BridgeError, OSError):
            return None

    pipeline = Pipeline(
        registry=base.registry,
        rate_limit=RateLimitStep(clock, limited),
        consent=ConsentStep(
            broker=base.broker,
            grants=trust.grants,
            clock=clock,
            audit=log,
            settings=lambda: settings.current,
            deny_all=consent == "deny",
            on_event=hub.notify_hosts,
            tools=base.registry.tools,
            web_readers=trust.web_readers,
        ),
        ledger=history.ledger,
        settings=lambda: settings.current,
        clock=clock,
        workers=FairThreads(base.threads(WORKERS, "tool"), WORKERS // 2),
        person_workers=base.threads(PERSON_WORKERS, "person"),
        on_event=hub.notify_hosts,
        on_finished=finished,
        session_files=base.session_files,
        losses=losses,
        read_only=lambda plan: read_only_warnings(base.root, plan),
        nearest_names=NearestNames(tools.services.storage.knowledge),
        incomplete_answers=lambda: index.incomplete_answers,
        is_indexing=lambda: index.status().indexing,
        drafts=tools.drafts,
        outgoing=Outgoing(CarriedText(index, trust.grants.closed, large, base.file_texts), trust.agents_addresses),
    )
    settings.on_change(lambda change: base.on_loop(lambda: base.broker.follow_rules(by=change.by or "settings.json")))
    registry = CallRegistry(pipeline, log.delivered, Tickets(base.kept("tickets"), clock))
    base.stack.push_async_callback(registry.stop)

    clients = trust.clients
    handing_in = HandingIn(
        tools.drafts, base.broker, call=pipeline.call, client=clients.by_id, connections=hub.connected, clock=clock
    )
    base.touched.on(handing_in.changed)
    base.applied.on(lambda plan: handing_in.changed(plan.targets))
    base.stack.push_async_callback(handing_in.stop)
    notice = AwayNotice(
        tools.drafts, base.broker, client_name=clients.name_of, is_on=lambda: settings.current.notify_away, clock=clock
    )
    if not base.brief:
        base.started.on(notice.start)
        base.stack.push_async_callback(notice.stop)
    return Calls(pipeline, registry, handing_in)


class Capability(ABC):  # noqa: B024 - each has one of the two, or both
    """Something that a bridge can be without. It builds its services, and starts and stops them.

    It registers its tools, fills its parts of `base.parts`, and pushes on `base.stack` what is to be let go.

    Args:
        core: The core it is built from. No capability knows another one.
    """

    def __init__(self, core: Core) -> None:
        self.core = core

    async def open(self) -> None:
        """Build it, before there are calls. It is let go after the last call."""
        return

    async def begin(self, calls: Calls) -> None:
        """Begin, now that calls can be made. What is pushed here is let go before the calls."""
        del calls
