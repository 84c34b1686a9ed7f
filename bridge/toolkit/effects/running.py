"""A running call: its tool and arguments, the services that its steps and effect need, and the kind of its effect."""

import asyncio
import contextlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar, cast
from weakref import ref

from bridge.clock import Clock
from bridge.contract.base import Event
from bridge.contract.events import ToolProgress
from bridge.contract.identity import Capability
from bridge.contract.tools import ToolResult
from bridge.drafts.store import Drafts
from bridge.errors import DeadlineExceeded, InvalidParameters, NotFound, PermissionDenied
from bridge.journal.ledger import Ledger
from bridge.policy.consent import ConsentCase, Verdict
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.consent_step import ConsentStep, PreparedCall
from bridge.toolkit.effects.approval import Approval
from bridge.toolkit.effects.chaining import Chaining
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.effects.tool_run import Answering, Reading, Requesting, WritingByCaller
from bridge.toolkit.effects.writing import Writing
from bridge.toolkit.fairness import FairThreads, RateLimitStep
from bridge.toolkit.outgoing import Outgoing
from bridge.toolkit.references import size_of
from bridge.toolkit.registry import LONGEST_NAME, EnabledTools, ToolRegistry, enabled_tools, refusal
from bridge.toolkit.tool import (
    CallContext,
    ChainEffect,
    Effect,
    ReadEffect,
    RequestEffect,
    Tool,
    Unchanged,
    WriteTool,
    in_vault,
)
from bridge.toolkit.tool_call import LARGE, Phase, TimeLimit, ToolCall, uncancelled
from bridge.vault.plan import ChangePlan
from bridge.vault.root import EVERYTHING

T = TypeVar("T")

GRACE = 1.0
"""Seconds in which a tool that watches its deadline says itself, and better, why it ended."""

_BEFORE_CONSENT = frozenset({Phase.QUEUED, Phase.PREPARING})


@dataclass(frozen=True, kw_only=True)
class CallServices(ABC):
    """The services that calls need.

    Attributes:
        registry: The tools.
        rate_limit: The limit step.
        consent: The consent step.
        ledger: Applies change plans.
        settings: The settings as they are now.
        clock: For durations and deadlines.
        workers: Threads for tools written as plain functions, divided among the clients.
        person_workers: Threads for the person's own calls and answers, which wait for no agent's.
        on_event: Called when a call starts, goes on and ends, for the hosts. From any thread.
        losses: A sentence for each thing that a change would take away although its diff does not say so: headings and
            blocks that links name, and properties.
        read_only: A sentence for each file that a change touches although it is marked read-only.
        nearest_names: The files that a name which nothing has was probably meant for, without closed ones. Blocking.
        drafts: The drafts, of which a caller may be in one; None where there are none.
        is_indexing: Whether the index is being built just now.
        outgoing: Looks at what leaves; None where nothing can.
    """

    registry: ToolRegistry
    rate_limit: RateLimitStep
    consent: ConsentStep
    ledger: Ledger
    settings: Callable[[], Settings]
    clock: Clock
    workers: FairThreads
    person_workers: Executor
    on_event: Callable[[Event], None]
    losses: Callable[[ChangePlan], Iterable[str]] = lambda _plan: ()
    read_only: Callable[[ChangePlan], Iterable[str]] = lambda _plan: ()
    nearest_names: Callable[[str], Iterable[str]] = lambda _wanted: ()
    drafts: Drafts | None = None
    is_indexing: Callable[[], bool] = lambda: False
    outgoing: Outgoing | None = None

    @abstractmethod
    async def call(self, tool_call: ToolCall) -> ToolResult:
        """Run one call to its end."""

    async def call_within(self, whole: ToolCall, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Make a call as a part of another: by the same caller, with no more rights, and logged as such a part.

        Args:
            whole: The call that makes it, or the chain that this one is a part of.
            name: The tool.
            arguments: Its arguments.
        """
        other = self.registry.get(name, whole.caller)
        if other is not None and other.spec.calls_others:
            return ToolResult.failed(
                PermissionDenied(f"{name!r} calls other tools itself, and cannot be called by one", code="no_nesting")
            )
        return await self.call(whole.part(name, arguments, size_of(arguments)))

    def threads(self, tool_call: ToolCall) -> Executor:
        """Return the threads for what a call does that blocks."""
        caller = tool_call.caller
        if caller.client.is_person:
            return self.person_workers
        return self.workers.of(caller.subject, large=tool_call.size > LARGE)

    def enabled(self, tool_call: ToolCall, settings: Settings) -> EnabledTools:
        """Return which tools the caller of a call may use."""
        return enabled_tools(self.registry, tool_call.caller, settings)

    def lookup(self, tool_call: ToolCall, name: str, enabled: EnabledTools) -> Tool[Any]:
        """Return a tool by its name.

        Args:
            tool_call: The call in which it is called.
            name: The name.
            enabled: The tools that the caller may use.

        Raises:
            InvalidParameters: The caller of the call has no such tool; says which names are near.
            PermissionDenied: It is not enabled.
        """
        tool = self.registry.get(name, tool_call.caller)
        if tool is None:
            hint, near = self.registry.advice(name, tool_call.caller)
            raise InvalidParameters(f"Unknown tool {name[:LONGEST_NAME]!r}. {hint}", data={"nearest": near})
        if not enabled.calls(tool.spec):
            raise refusal(tool.name, enabled, tool_call.caller)
        return tool


@dataclass(frozen=True)
class Running(PreparedCall):
    """One call whose arguments are known to fit.

    Attributes:
        params: Its arguments.
        services: The services that calls need.
    """

    params: Any
    services: CallServices

    @property
    def write_tool(self) -> WriteTool[Any]:
        """Return the tool, which has prepared something that only a `WriteTool` may.

        Raises:
            TypeError: It is none.
        """
        if not isinstance(self.tool, WriteTool):
            raise TypeError(f"{self.tool.name} is no WriteTool, but returned a change plan or a chain")
        return self.tool

    def lookup(self, name: str) -> Tool[Any]:
        """Return another tool of the same caller. Raises what `CallServices.lookup` raises."""
        return self.services.lookup(self.tool_call, name, self.services.enabled(self.tool_call, self.settings))

    def verdict(self, effect: EffectKind) -> tuple[ConsentCase, Verdict]:
        """Return what the rules say of an effect of the call, without asking anyone."""
        return self.services.consent.verdict(self, effect)

    def refuse_denied(self, effect: EffectKind) -> None:
        """Raise PermissionDenied where the rules deny an effect, and ask nobody."""
        self.services.consent.refuse_denied(self, effect)
        self.tool_call.decided = True

    async def ask(self, effect: EffectKind, approval: Approval | None = None) -> None:
        """Return when an effect is allowed. Raises what `ConsentStep.ask` raises."""
        await self.services.consent.ask(self, effect, approval)
        self.tool_call.decided = True

    async def ask_to_tell(self, targets: tuple[Target, ...], summary: str) -> None:
        """Return when the caller may be told what was found in the vault. The person's own programs may always be.

        Raises:
            PermissionDenied: It may not be told.
        """
        if not self.tool_call.caller.client.is_person:
            found = Reading(ReadEffect(targets, summary))
            await self.services.consent.ask_to_tell(self, self._reader(), found)
        self.tool_call.decided = True

    def may_read(self, path: str) -> bool:
        """Return whether the caller may read a file, or the whole vault, without being asked."""
        if (reader := self._reader()) is None:
            return False
        verdict = replace(self, tool=reader).verdict(Reading(ReadEffect(in_vault(path), "")))[1]
        return verdict.outcome == "allow"

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do what blocks in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.services.threads(self.tool_call), work)

    async def to_end(self, work: Callable[[], T]) -> T:
        """Do what blocks in a thread, to its end, also when the caller goes away."""
        threads = self.services.threads(self.tool_call)
        return await uncancelled(asyncio.get_running_loop().run_in_executor(threads, work))

    @contextlib.contextmanager
    def time_paused(self) -> Iterator[None]:
        """Let no time pass for the tool's method that runs now."""
        limit = self.tool_call.time_limit
        with limit.paused() if limit is not None else contextlib.nullcontext():
            yield

    async def invoke(self, function: Callable[[], T | Awaitable[T]]) -> T:
        """Call a tool's method: a coroutine function on the loop, a plain one in a worker thread; then what it returns.

        A plain function cannot be stopped from outside; it watches the deadline in its context by itself. What we
        stop here is the waiting for it.

        Raises:
            DeadlineExceeded: It took longer than its tool may take.
        """
        seconds = self.tool.spec.seconds(self.params)
        try:
            async with asyncio.timeout(seconds + GRACE) as bound:
                self.tool_call.time_limit = TimeLimit(bound)
                if inspect.iscoroutinefunction(getattr(function, "func", function)):
                    return await cast("Awaitable[T]", function())
                context = copy_context()
                result = await self.in_thread(lambda: context.run(cast("Callable[[], T]", function)))
                return await result if inspect.isawaitable(result) else result
        except NotFound as failure:
            if failure.wanted is None:
                raise
            raise await self._with_nearest(failure, failure.wanted) from None
        except TimeoutError:
            remedy = (
                "the index of the vault is being built, so try again in a minute"
                if self.services.is_indexing()
                else "ask for less, for example with a narrower pattern"
            )
            raise DeadlineExceeded(
                f"The call took longer than {seconds:.0f} seconds and was stopped; {remedy}"
            ) from None
        finally:
            self.tool_call.time_limit = None

    def context(self, *, looking: bool = False) -> CallContext:
        """Return what the tool knows of the call; with a new deadline each time, as the person takes time.

        Args:
            looking: Whether the call is only looked at: nobody is told of its progress.
        """
        services, tool_call = self.services, self.tool_call

        def progress(done: int, total: int | None, message: str) -> None:
            if looking:
                return
            event = ToolProgress(**tool_call.event_members, done=done, total=total, message=message)
            services.on_event(event)
            is_host = tool_call.caller.can(Capability.ADMINISTER)  # those hear of every call anyway
            if not is_host and (tool_call.phase not in _BEFORE_CONSENT or self.may_read(EVERYTHING)):
                tool_call.notify(event)

        async def authorize(target: Target, summary: str) -> None:
            if target in tool_call.authorized:
                return
            await review(RequestEffect((target,), summary, exact=target.label))
            tool_call.authorized.add(target)

        async def review(effect: RequestEffect) -> None:
            with self.time_paused(), postponed():
                await self.ask(Requesting(effect))

        async def call(name: str, arguments: dict[str, Any]) -> ToolResult:
            with self.time_paused(), postponed():
                return await services.call_within(tool_call, name, arguments)

        @contextlib.contextmanager
        def postponed() -> Iterator[None]:
            began = services.clock.monotonic()
            try:
                yield
            finally:
                if (waiting := known()) is not None:
                    waiting.deadline += services.clock.monotonic() - began

        context = CallContext(
            tool_call.caller,
            self.settings,
            services.clock.monotonic() + self.tool.spec.seconds(self.params),
            progress,
            authorize,
            review,
            call,
            asked=tool_call.asked,
            looking=looking,
            reason=tool_call.reason,
        )
        known = ref(context)  # or it would hold itself, and all of the call, until garbage is looked for
        return context

    def _reader(self) -> Tool[Any] | None:
        """Return the tool by whose answers reading is judged."""
        return self.services.registry.get("read", self.tool_call.caller)

    async def _with_nearest(self, failure: NotFound, wanted: str) -> NotFound:
        """Return the failure with the names that were probably meant, as far as the caller may read them."""
        near = await self.in_thread(lambda: self.services.nearest_names(wanted))
        person, now = self.tool_call.caller.client.is_person, replace(self, settings=self.services.settings())
        names = [name for name in near if person or now.may_read(name)]
        if not names:
            return failure
        message = f"{failure.message.rstrip('.')}. Nearest: {', '.join(map(repr, names))}"
        return NotFound(message, data=failure.data | {"nearest": names})


_KINDS: Final[Mapping[type, Callable[[Any], EffectKind]]] = {
    ReadEffect: Reading,
    RequestEffect: Requesting,
    Unchanged: Answering,
    ChainEffect: Chaining,
}


def kind_of(tool: Tool[Any], effect: Effect) -> EffectKind:
    """Return what a tool has prepared as the pipeline handles it.

    Args:
        tool: The tool. A change plan of a tool that is no `WriteTool` is made by its caller.
        effect: What `prepare` has returned. An `EffectKind` stays what it is.
    """
    if isinstance(effect, EffectKind):
        return effect
    if isinstance(effect, ChangePlan):
        return Writing(effect) if isinstance(tool, WriteTool) else WritingByCaller(effect)
    return _KINDS[type(effect)](effect)
