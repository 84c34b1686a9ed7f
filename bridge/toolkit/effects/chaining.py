"""Chains: several calls as one, of which later ones use what earlier ones answered, and all changes are one question.

Each call goes through the pipeline like any other. What the calls change is staged, in a draft of the chain's own or in
the one that its client is in. A call that reaches beyond the vault is asked about and made when its turn comes.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

from bridge.contract.chains import ChainCall
from bridge.contract.tools import ResultPart, ToolResult
from bridge.drafts.net_plan import NetPlan
from bridge.drafts.store import Drafts, chain_submission
from bridge.errors import ErrorType, InvalidParameters, RateLimited, ToolFailure
from bridge.toolkit.effects.kind import EffectKind, PreparedEffect
from bridge.toolkit.effects.writing import Writing, not_in_chain
from bridge.toolkit.references import references, resolved, size_of
from bridge.toolkit.tool import ChainEffect, Output

if TYPE_CHECKING:
    from bridge.drafts.draft import Draft
    from bridge.toolkit.effects.running import Running


MOST_MADE: Final = 200
"""Calls that one chain may make, those for each item of a list counted singly."""
MOST_ANSWERED: Final = 16 << 20
"""Characters that all answers of one chain may have."""
BRIEF: Final = 120
"""Characters that are told of each call's answer where the chain changes something."""
MOST_BRIEF: Final = 600
"""Bytes of all of these."""

T = TypeVar("T")


class ChainFailed(ToolFailure):
    """A call of a chain failed, and with it the chain.

    Args:
        message: Which one, why, and what became of the others.
        error_type: Its kind of failure.
        data: Its data, and what the calls before it answered.
    """

    def __init__(self, message: str, error_type: ErrorType, data: dict[str, Any]) -> None:
        super().__init__(message, data=data)
        self.error_type = error_type


class _Made(NamedTuple):
    """One call that was made.

    Attributes:
        call: Which of the chain's.
        item: For which item of its list, counted from 0; None where it has none.
        result: What it answered.
    """

    call: ChainCall
    item: int | None
    result: ToolResult

    def to_wire(self) -> dict[str, Any]:
        place = {} if self.item is None else {"item": self.item}
        known = {"name": self.call.name, "tool": self.call.tool} | place
        return known | {"executionId": self.result.execution_id, "data": self.result.data}

    @property
    def said(self) -> str:
        return f"{_named(self.call, self.item)}: {self.result.text}"


class Chain:
    """One chain on its way. Use it in `async with`: what it staged stays only where it was finished.

    Args:
        effect: What it does.
        running: The call that it is.
    """

    def __init__(self, effect: ChainEffect, running: "Running") -> None:
        self._effect = effect
        self._running = running
        self._tool_call = running.tool_call
        self._drafts = running.services.drafts
        self._progress = running.context().progress
        self._draft: Draft | None = None
        self._is_finished = False
        self._answers: dict[str, Any] = {}
        self._made: list[_Made] = []
        self._size = 0

    async def __aenter__(self) -> Self:
        """Take the draft that the client is in, where it is in one: it changes by no other call meanwhile."""
        if self._drafts is not None and (draft := self._drafts.of(self._tool_call.caller)) is not None:
            await self._running.to_end(partial(draft.begin_chain, self._tool_call.execution_id))
            self._draft = draft
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Take back what was staged, unless the chain was finished."""
        draft, drafts = self._draft, self._drafts
        if draft is None or drafts is None:
            return
        if draft.head.of_chain:
            await self._running.to_end(partial(drafts.taken, draft.head.draft_id))
        else:
            await self._running.to_end(partial(drafts.end_chain, draft, keep=self._is_finished))

    @property
    def in_draft(self) -> str | None:
        """Return the client's draft that it is staged in; None where it is put to the person itself."""
        return None if self._draft is None or self._draft.head.of_chain else self._draft.head.draft_id

    @property
    def warning(self) -> str:
        """Return the warning that its draft is nearly full, with a blank before it; empty: it is not."""
        return f" {self._draft.nearly_full}" if self._draft is not None and self._draft.nearly_full else ""

    async def make_calls(self) -> None:
        """Make all calls, up to the first that fails.

        Raises:
            ToolFailure: That one's, with its place in the chain.
        """
        for done, call in enumerate(self._effect.calls):
            self._progress(done, len(self._effect.calls), f"{call.name} ({call.tool})")
            if call.each is None:
                self._answers[call.name] = await self._make(call, None, {})
            else:
                items = self._resolving(call, partial(self._items, call))
                self._answers[call.name] = [
                    await self._make(call, place, {"item": item}) for place, item in enumerate(items)
                ]
        self._is_finished = True

    async def plan(self) -> NetPlan:
        """Return the net plan of the chain's own draft."""
        if self._draft is None or self.in_draft is not None:
            return NetPlan(None)
        _stop_if_cancelled()
        return await self._running.to_end(partial(chain_submission, self._draft, self._effect.summary))

    def in_answer(self, output: Output) -> Output:
        """Add to an answer what each call of the chain answered."""
        parts: tuple[ResultPart, ...] = tuple(part for made in self._made for part in made.result.parts)
        data = output.data | {"calls": [made.to_wire() for made in self._made]}
        text = "\n".join([output.text, *self._said()])
        return replace(output, data=data, text=text, parts=parts)

    async def _begun(self, drafts: Drafts) -> "Draft":
        """Begin to stage: in a draft of the chain's own, or in the client's where it works in drafts."""
        caller = self._tool_call.caller
        if not caller.client.drafts:
            return await self._running.to_end(partial(drafts.begin_for_chain, caller))
        draft = await self._running.to_end(partial(drafts.enter, caller))
        await self._running.to_end(partial(draft.begin_chain, self._tool_call.execution_id))
        return draft

    def _writes(self, call: ChainCall) -> bool:
        """Return whether a call of the chain changes the vault."""
        return self._running.lookup(call.tool).spec.writes

    def _said(self) -> list[str]:
        """Return the calls' answers for models; in a chain that writes, used and writing calls are cut to a line.

        What a call reads for a later one is in that one, and what is changed has been shown to the person.
        """
        used = {each.call for call in self._effect.calls for each in references([call.arguments, call.each])}
        brief = {id(made) for made in self._made if made.call.name in used or self._writes(made.call)}
        if not any(self._writes(made.call) for made in self._made):
            brief = set()
        said, room, left = list[str](), MOST_BRIEF, 0
        for made in self._made:
            line = made.said.replace(f" ({self._tool_call.execution_id})", "")  # of the whole, which is said once
            if id(made) in brief:
                line = line.partition("\n")[0]
                line = line if len(line) <= BRIEF else f"{line[:BRIEF]}..."
                room -= len(line.encode())
                if room < 0:
                    left += 1
                    continue
            said.append(line)
        return [*said, f"and {left:,} more calls"] if left else said

    async def _make(self, call: ChainCall, place: int | None, item: dict[str, Any]) -> Any:
        """Make one call. Returns its data."""
        _stop_if_cancelled()
        if len(self._made) >= MOST_MADE:
            raise self._failed(call, place, InvalidParameters(f"A chain makes at most {MOST_MADE} calls"))
        arguments = self._resolving(
            call, partial(resolved, call.arguments, self._answers, self._effect.params, **item), place
        )
        if self._draft is None and self._drafts is not None and self._writes(call):
            self._draft = await self._begun(self._drafts)
        whole = self._tool_call
        draft_id = None if self._draft is None else self._draft.head.draft_id
        made = await self._running.services.call(
            whole.part(
                call.tool,
                arguments,
                size_of(arguments),
                caller=whole.caller._replace(draft=draft_id, chain=whole.execution_id),
            )
        )
        if not made.success:
            raise self._failed(call, place, made)
        self._size += size_of(made.data)
        if self._size > MOST_ANSWERED:
            raise self._failed(
                call, place, InvalidParameters("The answers of the chain's calls are too large together")
            )
        self._made.append(_Made(call, place, made))
        return made.data

    def _items(self, call: ChainCall) -> list[Any]:
        items = resolved(call.each, self._answers, self._effect.params)
        if not isinstance(items, list):
            raise InvalidParameters(f"'each' needs a list, and what it refers to is none: {str(items)[:100]}")
        return items

    def _resolving(self, call: ChainCall, resolve: Callable[[], T], place: int | None = None) -> T:
        try:
            return resolve()
        except InvalidParameters as failure:
            raise self._failed(call, place, failure) from None

    def _failed(self, call: ChainCall, place: int | None, why: ToolFailure | ToolResult) -> ToolFailure:
        """Return the chain's failure: that of one of its calls, and what the calls before it answered."""
        result = ToolResult.failed(why) if isinstance(why, ToolFailure) else why
        number = self._effect.calls.index(call) + 1
        kept = "Nothing of the chain is in the draft" if self.in_draft else "Nothing was written"
        message = (
            f"Call {number} of {len(self._effect.calls)}, {_named(call, place)}, failed: "
            f"{(result.error or '').rstrip('.')}. {kept}"
        )
        data = result.data if isinstance(result.data, dict) else {}
        data = data | {"failed": call.name, "calls": [made.to_wire() for made in self._made]}
        retry = result.metadata.get("retryAfter")
        if retry is not None:
            limited = RateLimited(message, retry_after=retry)
            limited.data |= data
            return limited
        return ChainFailed(message, result.error_type or ErrorType.EXECUTION_FAILED, data)


def _stop_if_cancelled() -> None:
    """Raise CancelledError if the call was cancelled while something that blocks was being finished."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _named(call: ChainCall, item: int | None) -> str:
    return f"{call.name!r} ({call.tool}{'' if item is None else f', item {item}'})"


class Chaining(PreparedEffect[ChainEffect]):
    """A chain of calls."""

    async def ask(self, running: "Running") -> EffectKind:
        """Refuse what no chain can hold. The person is asked once it is known what would change."""
        if running.tool_call.within is not None:
            raise not_in_chain(running.tool)
        _ = running.write_tool
        running.refuse_denied(self)
        for name in dict.fromkeys(call.tool for call in self.effect.calls):
            part = running.lookup(name)
            if part.spec.own or not part.spec.stages:
                raise not_in_chain(part)
        return self

    async def carry_out(self, running: "Running") -> Output:
        """Make the calls, and then ask about all that they would change and apply it."""
        async with Chain(self.effect, running) as chain:
            await chain.make_calls()
            if chain.in_draft is not None:
                text = f"Staged in {chain.in_draft}; nothing is written until the user takes the draft.{chain.warning}"
                metadata = {"staged": True, "draft": chain.in_draft}
                return chain.in_answer(Output({"modified": False}, text, metadata=metadata))
            plan = (await chain.plan()).plan
            if plan is None:
                nothing = Output({"modified": False, "files": []}, "All calls were made; no file was changed.")
                return chain.in_answer(nothing)
            change = await (await Writing(plan).examine(running, run=True)).approved(running)
            return chain.in_answer(await change.carry_out(running))
