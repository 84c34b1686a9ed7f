"""The tool `draft`, which stages many changes for one question; and each draft's tools, which look at its files."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from bridge.clock import stamp
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.drafts.draft import Draft
from bridge.drafts.store import Drafts, sent_back, submission
from bridge.errors import InvalidParameters, NotFound
from bridge.identity.caller import Caller
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import (
    AGENT,
    VAULT,
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
from bridge.tools.formatting import NOTHING_THERE, shortened
from bridge.tools.kinds import CountingCursor
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import counted

_STATES = {"open": "", "handed_in": ", handed in: the user is to decide", "sent_back": ", sent back by the user"}
SHOWN = 40
"""Staged changes that the status lists in its text."""
_LATEST = slice(-3, None)
"""Those that other answers list."""
LONGEST = 120
"""Characters of what is said of one of them."""


class DraftParams(Params):
    """The action, and the draft that it is for."""

    action: Literal["begin", "status", "submit", "discard", "join"] = Field(description="join: one of yours")
    draft: str | None = Field(None, min_length=1, max_length=100, description="Default: the one you are in")
    reason: str | None = Field(None, max_length=2000)
    cursor: CountingCursor | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.action == "join" and self.draft is None:
            raise ValueError("join needs the id of the draft, as `status` lists them")
        if self.cursor is not None and self.action != "status":
            raise ValueError("cursor goes with status")
        return self


class DraftTool(ReadTool[DraftParams], WriteTool[DraftParams]):
    """The tool that begins a draft, says what is in it, and puts it to the person as one change.

    Args:
        drafts: All drafts of the vault.
    """

    spec = ToolSpec(
        name="draft",
        action="take/took a draft[ with {files}]",
        description="For many changes: begin stages them, submit asks the user once about all.",
        icon="git-pull-request-draft",
        parameters=ModelParameters(DraftParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.NEVER,
        default_mode=ConsentMode.ALWAYS_ASK,
        presets=frozenset({AGENT, VAULT}),
        stages=False,
        default_rate=20,  # one that begins copies the whole index
    )

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts

    async def prepare(self, params: DraftParams, context: CallContext) -> ChangePlan | ReadEffect | Unchanged:  # type: ignore[override] # it is both kinds
        """Return the whole change, where it is to be submitted; else nothing but what is the caller's own."""
        if params.action != "submit":
            return ReadEffect((), "Look after a draft", own=True)
        draft = self._draft(params, context.caller)
        draft_id = draft.head.draft_id
        if not draft.steps:
            raise InvalidParameters(f"Nothing is staged in {draft_id}; make your changes first, or discard it")
        if context.caller.client.drafts:
            draft.expect_in_hand()
            if not draft.is_new:
                why = "is as it was when the user sent it back; change it first, or discard it"
                raise InvalidParameters(f"{draft_id} {why}")
            return ReadEffect((), "Hand a draft in", own=True)
        found = await asyncio.to_thread(submission, draft, context.caller.name)
        if found.plan is not None:
            return replace(found.plan, reason=params.reason or found.plan.reason)
        text = f"Nothing of {draft_id} differs from the vault any more; discard it, or go on in it."
        return Unchanged(in_vault(*draft.paths), text, Output({"draft": draft_id, "modified": False}, text))

    async def run(self, params: DraftParams, context: CallContext) -> Output:
        """Begin, join, hand in, discard, or say what there is."""
        caller = context.caller
        if params.action == "status":
            return self._status(params, caller)
        if params.action == "begin":
            draft = await asyncio.to_thread(self._drafts.begin, caller)
            return _said(draft, f"You are in {draft.head.draft_id}: changes are staged until you submit or discard it.")
        if params.action == "join":
            draft = self._drafts.join(caller, params.draft or "")
            return _said(draft, f"You are in {draft.head.draft_id} now.")
        draft = self._draft(params, caller)
        if params.action == "submit":
            await asyncio.to_thread(self._drafts.hand_in, draft, params.reason or context.reason)
            return _said(draft, handed_in(self._drafts, draft))
        await asyncio.to_thread(self._drafts.discard, draft.head.draft_id, caller)
        return Output({"draft": draft.head.draft_id}, f"{draft.head.draft_id} is discarded; nothing was written.")

    def report(self, _params: DraftParams, applied: Applied) -> Output:
        """Report what was taken of it."""
        plan = applied.plan
        return Output(
            {"draft": plan.draft, "modified": True, "files": list(plan.targets), "count": plan.files},
            f"The user took the draft {plan.draft}, {plan.counted_files}. It has ended.",
        )

    def _draft(self, params: DraftParams, caller: Caller) -> Draft:
        """Return the draft that a call is about."""
        draft = self._drafts.get(params.draft, caller) if params.draft is not None else self._drafts.of(caller)
        if draft is None:
            raise NotFound("You are in no draft; begin one, or join one of yours")
        return draft

    def _status(self, params: DraftParams, caller: Caller) -> Output:
        inside = self._draft(params, caller) if params.draft is not None else self._drafts.of(caller)
        others = [one for one in self._drafts.listed(caller) if one is not inside]
        lines = [
            f"{one.head.draft_id}: {counted(len(one.steps), 'change')} staged, {counted(len(one.paths), 'file')}"
            f"{_STATES[one.head.state]}"
            for one in others
        ]
        ids = [one.head.draft_id for one in others]
        if inside is None:
            text = "\n".join(["You are in no draft. You can join:", *lines]) if lines else "You are in no draft."
            return Output({"draft": None, "others": ids}, text)
        head = f"You are in {inside.head.draft_id}."
        if inside.head.state == "handed_in":
            head = handed_in(self._drafts, inside)
        elif inside.head.state == "sent_back":
            head = f"{head} {sent_back(inside)}"
        if lines:
            head = "\n".join([head, "Your others, which you can join:", *lines, f"In {inside.head.draft_id}:"])
        total = len(inside.steps)
        end = int(params.cursor or total)
        if params.cursor is not None and not 0 < end <= total:
            raise InvalidParameters(NOTHING_THERE)
        first = max(end - SHOWN, 0)
        said = _said(inside, head, slice(first, end), f"; those before: cursor={first}" if first else "", also=ids)
        more = {"cursor": str(first)} if first else {}
        return replace(said, metadata={"total": total, "truncated": first > 0} | more)


def handed_in(drafts: Drafts, draft: Draft) -> str:
    """Return the message to a client whose draft is handed in."""
    return (
        f"{draft.head.draft_id} is handed in. Nothing of it is written until the user takes it, which they can until "
        f"{stamp(drafts.kept_until(draft))}; do not wait for that. What you write from now on goes into another draft."
    )


def _said(
    draft: Draft, head: str, part: slice = _LATEST, on: str = "; status lists them", *, also: Sequence[str] = ()
) -> Output:
    """Return a draft as its client is told of it: what it staged itself.

    Args:
        draft: The draft.
        head: The sentence above.
        part: The changes that the text lists, the latest last.
        on: How the text says to go on where these are not all.
        also: The ids of the client's other drafts.
    """
    steps = draft.steps
    lines = [f"- {step.tool}: {shortened(step.summary, LONGEST)}" for step in steps[part]]
    if len(lines) < len(steps):
        first, end, _step = part.indices(len(steps))
        lines.append(f"[Changes {first + 1}-{end} of {len(steps)}{on}]")
    data = {
        "draft": draft.head.draft_id,
        "created": draft.head.created,
        "state": draft.head.state,
        "words": draft.head.words,
        "steps": [{"tool": step.tool, "summary": step.summary, "time": step.time} for step in steps],
        "files": list(draft.paths),
        "others": list(also),
    }
    return Output(data, "\n".join([head, *lines]))


logger = logging.getLogger(__name__)

MakeProviders = Callable[[Draft], Sequence[ToolProvider]]
"""The providers of tools that look at a draft; they need no start."""


class DraftedTools:
    """The sets of tools: a caller has that of the draft it is in, or that of the vault.

    Args:
        drafts: All drafts.
        make: Makes a draft's set, when it is first asked for.

    Attributes:
        drafts: As given.
    """

    def __init__(self, drafts: Drafts, make: MakeProviders) -> None:
        self.drafts = drafts
        self._make = make
        self._lock = threading.Lock()
        self._sets: dict[str, Mapping[str, ToolProvider]] = {}

    def wrapped(self, providers: Sequence[ToolProvider]) -> list[ToolProvider]:
        """Return the vault's providers; for a caller in a draft, each has the draft's tools in place of its own."""
        return [DraftedProvider(provider, self) for provider in providers]

    def provider(self, provider_id: str, caller: Caller) -> ToolProvider | None:
        """Return the provider of this name for a caller's draft; None outside, and where the draft has none.

        A caller that names a draft that is not there is in none. The pipeline refuses its call.
        """
        try:
            draft = self.drafts.of(caller)
        except NotFound:
            return None
        if draft is None:
            return None
        with self._lock:
            made = self._sets.get(draft.head.draft_id)
            if made is None:
                made = self._sets[draft.head.draft_id] = {each.id: each for each in self._make(draft)}
        return made.get(provider_id)

    async def end(self, draft_id: str) -> None:
        """End a draft: let go what its tools hold."""
        with self._lock:
            made = self._sets.pop(draft_id, {})
        for provider in made.values():
            try:
                await provider.stop()
            except Exception:
                logger.exception("the provider %s of %s did not stop as it should", provider.id, draft_id)

    async def stop(self) -> None:
        """Let go what the tools of all drafts hold."""
        await asyncio.gather(*(self.end(draft_id) for draft_id in list(self._sets)))


class DraftedProvider(ToolProvider):
    """A provider of the vault's tools, or of a draft's.

    Args:
        provider: The vault's.
        drafted: Knows the drafts'.
    """

    def __init__(self, provider: ToolProvider, drafted: DraftedTools) -> None:
        self.id = provider.id
        self._provider = provider
        self._drafted = drafted

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return those that look at what the caller sees."""
        return (self._drafted.provider(self.id, caller) or self._provider).tools(caller)

    def why_missing(self, name: str, caller: Caller) -> str | None:
        """Return what the vault's knows of it."""
        return self._provider.why_missing(name, caller)

    async def start(self, changed: Callable[[], None]) -> None:
        """Start the vault's."""
        await self._provider.start(changed)

    async def stop(self) -> None:
        """Stop the vault's."""
        await self._provider.stop()
