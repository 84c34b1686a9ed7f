"""Letting a tool do by itself what is not a change plan."""

import asyncio
import contextlib
import inspect
from functools import partial
from typing import TYPE_CHECKING, cast

from bridge.contract.consent import Operation
from bridge.contract.events import ToolOutput
from bridge.toolkit.effects.change import note_addresses
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.effects.outcome import take_over
from bridge.toolkit.tool import Outcome, Output, ReadTool, Relayed, RequestEffect
from bridge.toolkit.tool_call import Phase
from bridge.vault.plan import ChangePlan

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

    from bridge.toolkit.effects.running import Running


async def run_tool(
    running: "Running",
    effect: EffectKind,
    *,
    request: RequestEffect | None = None,
    approved: ChangePlan | None = None,
) -> Output | Relayed:
    """Call the tool's `run`, and return what it answers.

    Args:
        running: The call.
        effect: What was allowed.
        request: The same, where it is a request.
        approved: The same, where it is a change that the caller makes itself.

    Raises:
        ToolFailure: As the tool does.
    """
    tool, tool_call, consent = running.tool, running.tool_call, running.services.consent
    tool_call.phase = Phase.RUNNING
    tool_call.authorized.update(effect.targets)
    whole = tool_call.whole
    if whole is tool_call or not effect.only_reads:
        whole.phase = Phase.RUNNING
        if whole.before_run is not None:
            await whole.before_run()
    if not isinstance(tool, ReadTool):
        raise TypeError(f"{tool.name} is neither a ReadTool nor did it return a change plan")
    context = running.context()
    context.approved = approved
    if approved is not None:
        await note_addresses(running, approved)
    run = partial(tool.run, running.params, context)
    if inspect.isasyncgenfunction(tool.run):
        pieces = cast("Callable[[], AsyncIterator[str | Output | Outcome]]", run)
        answering = cast("Callable[[], Awaitable[Output | Relayed]]", partial(_gather, running, pieces))
    else:
        answering = cast("Callable[[], Awaitable[Output | Relayed]]", run)
    if tool.spec.operation is Operation.NETWORK or (request is not None and request.networked):
        return await _from_strangers(running, effect, request, answering)
    answer: Output | Relayed = await running.invoke(answering)
    if isinstance(answer, Output) and answer.strangers:
        await consent.read_web(tool_call.caller, answer.strangers)
    return answer


async def _from_strangers(
    running: "Running",
    effect: EffectKind,
    request: RequestEffect | None,
    answering: "Callable[[], Awaitable[Output | Relayed]]",
) -> Output | Relayed:
    """Return an answer of the network. What its client does from then on may be what it has read, and counts as that.

    A page may lead elsewhere, which is asked about first; whatever else answers may say something while it runs.
    """
    consent, tool_call = running.services.consent, running.tool_call
    if request is None or not request.address:
        await consent.read_web(tool_call.caller, effect.targets)
    try:
        answer: Output | Relayed = await running.invoke(answering)
    finally:  # a failure has the words of others, too
        await consent.read_web(tool_call.caller, tuple(tool_call.authorized))
    await _note_read(running, answer, request)
    return answer


async def _gather(running: "Running", run: "Callable[[], AsyncIterator[str | Output | Outcome]]") -> Output:
    """Send each piece of an answer as it comes, and return the whole, or what ends it."""
    texts: list[str] = []
    async with contextlib.aclosing(cast("AsyncGenerator[str | Output | Outcome, None]", run())) as pieces:
        async for piece in pieces:
            if isinstance(piece, Output):
                return piece
            if isinstance(piece, Outcome):
                return await take_over(running, piece)
            texts.append(piece)
            running.tool_call.notify(ToolOutput(**running.tool_call.event_members, text=piece))
    return Output(None, "".join(texts))


async def _note_read(running: "Running", answer: Output | Relayed, request: RequestEffect | None) -> None:
    """Keep the addresses in an answer from the network: they are what the caller has read."""
    if running.services.outgoing is not None:
        output = answer.output if isinstance(answer, Relayed) else answer
        # What came out of a command may be put together of notes.
        texts = () if request is not None and request.networked else (output.text,)
        await asyncio.to_thread(running.services.outgoing.read, running.tool_call.caller, request, texts)
