"""The tool `await_decision`: what a person has answered to a call that its client did not wait for."""

from collections.abc import Callable, Sequence

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.contract.tools import AWAIT_DECISION, PendingCall, TicketInfo
from bridge.identity.caller import Caller
from bridge.settings.model import LONGEST_WAIT
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, Relayed, ToolSpec
from bridge.tools.formatting import Page, counted_page
from bridge.tools.kinds import CountingCursor
from bridge.tools.services import CallsPort

SHOWN = 50
"""Calls with a ticket that are listed at once."""
SPARE_SECONDS = 15.0
"""The time that the tool may take beyond the longest wait."""


class AwaitDecisionParams(Params):
    """The call to wait for, and how long."""

    ticket: str | None = Field(default=None, min_length=1, max_length=200, description="Without one: list your tickets")
    wait: float | None = Field(default=None, ge=0, le=LONGEST_WAIT, description="Seconds")
    cursor: CountingCursor | None = None


class AwaitDecisionTool(ReadTool[AwaitDecisionParams]):
    """The tool that waits for a person's answer in the name of a call that goes on, and then answers as that call does.

    Args:
        calls: The calls that have a ticket.
        drafts: What a caller is told of its drafts that the user has decided about, or is to.
    """

    spec = ToolSpec(
        name=AWAIT_DECISION,
        action="wait/waited for your answer",
        description="Wait for the user's answer to a call with a ticket; returns its result.",
        icon="hourglass",
        parameters=ModelParameters(AwaitDecisionParams),
        operation=Operation.READ,
        risk=RiskLevel.SAFE,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.ALWAYS_ALLOW,
        covers=Covers.TOOL,
        timeout=LONGEST_WAIT + SPARE_SECONDS,
        own=True,
    )

    def __init__(self, calls: Callable[[], CallsPort], drafts: Callable[[Caller], str] = lambda _caller: "") -> None:
        self._calls = calls
        self._drafts = drafts

    def prepare(self, _params: AwaitDecisionParams, _context: CallContext) -> ReadEffect:
        """Return an effect that looks at nothing in the vault."""
        return ReadEffect((), "Wait for the user's answer")

    async def run(self, params: AwaitDecisionParams, context: CallContext) -> Output | Relayed:
        """Wait for the one, or list them all."""
        if params.ticket is None:
            tickets = self._calls().tickets(context.caller)
            return _listed(counted_page(tickets, params.cursor, SHOWN), self._drafts(context.caller))
        longest = float(context.settings.wait_seconds)
        wait = longest if params.wait is None else min(params.wait, longest)
        answer = await self._calls().result(context.caller, params.ticket, wait)
        if isinstance(answer, PendingCall):
            waiting = {"status": answer.state, "ticket": answer.call_id, "expiresAt": answer.expires_at}
            return Output(waiting, answer.text)
        return Relayed(answer, Output({"ticket": params.ticket, "success": answer.success}, ""))


def _listed(page: Page, drafts: str) -> Output:
    tickets: Sequence[TicketInfo] = page.items
    lines = [
        f"{one.ticket}: {one.state}: {one.tool}: {one.summary} (since {one.since}, until {one.expires_at})"
        for one in tickets
    ]
    if page.cursor is not None:
        lines.append(f"[{len(tickets)} of {page.total} shown; next: cursor={page.cursor}]")
    text = "\n".join(lines) or "No call of yours has a ticket."
    return Output([one.to_wire() for one in tickets], f"{text}\n{drafts}" if drafts else text, page.metadata)
