"""The tool `draft`: many changes, staged one after the other, that the person is asked about once."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Self

from pydantic import Field, model_validator

from bridge.clock import stamp
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.drafts.draft import Draft
from bridge.drafts.store import Drafts, sent_back, submission, summary
from bridge.errors import InvalidParameters, NotFound
from bridge.identity.caller import Caller
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import (
    AGENT,
    VAULT,
    Applied,
    CallContext,
    Output,
    ReadEffect,
    ReadTool,
    ToolSpec,
    Unchanged,
    WriteTool,
    in_vault,
)
from bridge.tools.formatting import NOTHING_THERE, counted, shortened
from bridge.tools.kinds import CountingCursor
from bridge.vault.plan import ChangePlan

Action = Literal["begin", "status", "submit", "discard", "join"]
_STATES = {"open": "", "handed_in": ", handed in: the user is to decide", "sent_back": ", sent back by the user"}
SHOWN = 40
"""Staged changes that the status lists in its text."""
_LATEST = slice(-3, None)
"""Those that other answers list."""
LONGEST = 120
"""Characters of what is said of one of them."""


class DraftParams(Params):
    """The action, and the draft that it is for."""

    action: Action = Field(description="join: one of yours")
    draft: str | None = Field(default=None, min_length=1, max_length=100, description="Default: the one you are in")
    reason: str | None = Field(default=None, max_length=2000)
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
        title="Draft",
        action="take/took a draft[ with {files}]",
        description="For many changes: begin stages them, submit asks the user once about all.",
        icon="git-pull-request-draft",
        parameters=ModelParameters(DraftParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.NEVER,
        default_mode=ConsentMode.ALWAYS_ASK,
        covers=Covers.TARGET,
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
        if not draft.steps:
            raise InvalidParameters(
                f"Nothing is staged in {draft.head.draft_id}; make your changes first, or discard it"
            )
        if context.caller.client.drafts:
            draft.expect_in_hand()
            if not draft.is_new:
                raise InvalidParameters(
                    f"{draft.head.draft_id} is as it was when the user sent it back; change it first, or discard it"
                )
            return ReadEffect((), "Hand a draft in", own=True)
        found = await asyncio.to_thread(submission, draft, context.caller.name)
        if found.plan is not None:
            return replace(found.plan, reason=params.reason or found.plan.reason)
        text = f"Nothing of {draft.head.draft_id} differs from the vault any more; discard it, or go on in it."
        looked_at = in_vault(*summary(draft).files)
        return Unchanged(looked_at, text, Output({"draft": draft.head.draft_id, "modified": False}, text))

    async def run(self, params: DraftParams, context: CallContext) -> Output:
        """Begin, join, hand in, discard, or say what there is."""
        caller = context.caller
        match params.action:
            case "begin":
                draft = await asyncio.to_thread(self._drafts.begin, caller)
                return _said(
                    draft, f"You are in {draft.head.draft_id}: changes are staged until you submit or discard it."
                )
            case "join":
                draft = self._drafts.join(caller, params.draft or "")
                return _said(draft, f"You are in {draft.head.draft_id} now.")
            case "submit":
                draft = self._draft(params, caller)
                await asyncio.to_thread(self._drafts.hand_in, draft, params.reason or context.reason)
                return _said(draft, handed_in(self._drafts, draft))
            case "discard":
                draft = self._draft(params, caller)
                await asyncio.to_thread(self._drafts.discard, draft.head.draft_id, caller)
                return Output(
                    {"draft": draft.head.draft_id}, f"{draft.head.draft_id} is discarded; nothing was written."
                )
            case _:
                return self._status(params, caller)

    def report(self, params: DraftParams, applied: Applied) -> Output:
        """Report what was taken of it."""
        del params
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
        others = [summary(one) for one in self._drafts.listed(caller) if one is not inside]
        lines = [
            f"{one.draft_id}: {counted(one.steps, 'change')} staged, {counted(len(one.files), 'file')}"
            f"{_STATES[one.state]}"
            for one in others
        ]
        if inside is None:
            text = "You are in no draft."
            if lines:
                text += " You can join:\n" + "\n".join(lines)
            return Output({"draft": None, "others": [one.draft_id for one in others]}, text)
        head = f"You are in {inside.head.draft_id}."
        if inside.head.state == "handed_in":
            head = handed_in(self._drafts, inside)
        elif inside.head.state == "sent_back":
            head = f"{head} {sent_back(inside)}"
        if lines:
            head = "\n".join([head, "Your others, which you can join:", *lines, f"In {inside.head.draft_id}:"])
        ids, total = [one.draft_id for one in others], len(inside.steps)
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
    shown, steps = summary(draft), draft.steps
    lines = [f"- {step.tool}: {shortened(step.summary, LONGEST)}" for step in steps[part]]
    if len(lines) < len(steps):
        first, end, _step = part.indices(len(steps))
        lines.append(f"[Changes {first + 1}-{end} of {len(steps)}{on}]")
    data = {
        "draft": shown.draft_id,
        "created": shown.created,
        "state": shown.state,
        "words": shown.words,
        "steps": [{"tool": step.tool, "summary": step.summary, "time": step.time} for step in steps],
        "files": list(shown.files),
        "others": list(also),
    }
    return Output(data, "\n".join([head, *lines]))
