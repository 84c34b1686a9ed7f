"""The consent desk of the terminal: shows one question after the other and takes the answers."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from rich.text import Text

from bridge.cli.keyboard import Keyboard
from bridge.cli.line_wrapping import wrap
from bridge.cli.output import READABLE, Output
from bridge.cli.pager import show_pages
from bridge.cli.questions import Ending, Questions
from bridge.cli.sanitize import sanitize
from bridge.cli.screen import KEYS, LABELS, Screen, choice_lines, draw_question, remaining
from bridge.contract.consent import ConsentReply, ConsentRequest, Decision

SETTLE_SECONDS = 0.5
"""How long a question that comes in the place of a withdrawn one stands before keys count: somebody who was typing for
the old one has seen by then that it is gone."""

_ANSWERS = {**KEYS, **{decision.value: decision for decision in Decision}, "yes": Decision.ALLOW_ONCE} | {
    "no": Decision.DENY_ONCE
}
_DONE = {
    Decision.ALLOW_ONCE: "Allowed once.",
    Decision.ALLOW_SESSION: "Allowed for this session.",
    Decision.ALLOW_ALWAYS: "Always allowed from now on.",
    Decision.DENY_ONCE: "Denied.",
    Decision.DENY_SESSION: "Denied for this session.",
    Decision.DENY_ALWAYS: "Never allowed from now on.",
}
_ENDED = {
    "timed_out": "Nobody answered in time, so it was refused.",
    "cancelled": "The question was withdrawn: nobody needs the answer any more.",
    "stale": "The files have changed since this was shown, so nothing was written. The agent has to ask anew.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person decided, and what they want the agent to know."""

    decision: Decision
    feedback: str | None = None


class Responder(Protocol):
    """Carries an answer to the bridge."""

    async def respond(self, request: ConsentRequest, answer: Answer) -> ConsentReply | None:
        """What the bridge says to it; None when the bridge is gone."""
        ...


class Desk:
    """Asks the person.

    Args:
        questions: What waits.
        responder: Where answers go.
        keyboard: Where they come from; None allows everything once, without asking.
        output: Where the questions are shown.
    """

    def __init__(self, questions: Questions, responder: Responder, keyboard: Keyboard | None, output: Output) -> None:
        self._questions = questions
        self._responder = responder
        self._keyboard = keyboard
        self._output = output
        self._interrupted = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def say(self, message: str) -> None:
        """Tell the person something, not in the middle of a question."""
        await self._idle.wait()
        self._output.say(message)

    async def next(self) -> bool:
        """Wait for a question, show it and see it through. True when it was answered here.

        Raises:
            Leaving: The person left; the question stays open.
        """
        request = await self._questions.next()
        decided = await self._unless_ended(request)
        if isinstance(decided, Answer):
            return await self._respond(request, decided)
        self._tell(describe_ending(decided))
        self._event("withdrawn", request, how=decided.how, by=decided.by)
        self._interrupted = True
        return False

    async def _unless_ended(self, request: ConsentRequest) -> Answer | Ending:
        """The person's decision, or the question's end elsewhere if that comes first."""
        self._idle.clear()
        deciding = asyncio.ensure_future(self._decide(request))
        ended = asyncio.ensure_future(self._questions.ended(request.request_id))
        try:
            await asyncio.wait({deciding, ended}, return_when=asyncio.FIRST_COMPLETED)
            return deciding.result() if deciding.done() else ended.result()
        finally:
            for task in (deciding, ended):
                task.cancel()
            await asyncio.gather(deciding, ended, return_exceptions=True)
            self._idle.set()

    async def _decide(self, request: ConsentRequest) -> Answer:
        if self._keyboard is None:
            self._show(request)
            return Answer(Decision.ALLOW_ONCE)
        self._keyboard.discard()
        cut = self._show(request)
        if self._interrupted:
            await asyncio.sleep(SETTLE_SECONDS)
            self._keyboard.discard()
            self._interrupted = False
        self._show_choices(request, cut=cut)
        while True:
            word = (await self._keyboard.line(lambda: self._prompt(request))).strip().lower()
            if word == "p":
                await show_pages(self._draw(request, full=True).lines, self._output, self._keyboard)
                self._show_choices(request, cut=False)
            elif word == "m" and Decision.DENY_ONCE in request.choices:
                said = (await self._keyboard.line(lambda: "Message to the agent (empty: back): ")).strip()
                if said:
                    return Answer(Decision.DENY_ONCE, said)
            elif _ANSWERS.get(word) in request.choices:
                return Answer(_ANSWERS[word])
            else:
                keys = [key for key, decision in KEYS.items() if decision in request.choices]
                self._tell(Text(f"Type one of these, then Enter: {' '.join([*keys, 'm', 'p'])}"))

    def _show(self, request: ConsentRequest) -> bool:
        """Show a question; returns whether something was left out."""
        if self._output.as_json:
            self._output.json({"event": "requested", "request": request.to_wire()}, compact=True)
            return False
        self._output.bell()
        screen = self._draw(request)
        self._output.lines([Text(), *screen.lines])
        return screen.cut

    def _draw(self, request: ConsentRequest, *, full: bool = False) -> Screen:
        width = min(self._output.width, READABLE)
        return draw_question(request, width=width, now=datetime.now(UTC), full=full)

    def _show_choices(self, request: ConsentRequest, *, cut: bool) -> None:
        if not self._output.as_json:
            self._output.lines(choice_lines(request, min(self._output.width, READABLE), cut=cut))

    def _prompt(self, request: ConsentRequest) -> str:
        if self._output.as_json:
            return ""
        others = self._questions.others(request.request_id)
        waiting = f", {others} more waiting" if others else ""
        return f"Your answer ({remaining(request, datetime.now(UTC))}{waiting}): "

    async def _respond(self, request: ConsentRequest, answer: Answer) -> bool:
        reply = await self._responder.respond(request, answer)
        if reply is not None and reply.accepted:
            self._questions.end(request.request_id, Ending(answer.decision, "you"))
            told = " The agent gets your message." if answer.feedback else ""
            self._tell(Text(_DONE[answer.decision] + told, "bold"))
            self._event("answered", request, decision=answer.decision.value, feedback=answer.feedback)
            return True
        ending = Ending(None) if reply is None else Ending(reply.outcome, reply.by)
        if reply is not None and reply.outcome is None:  # the question is still open: it comes again
            self._tell(sanitize(reply.reason or "The bridge did not take this answer"))
            return False
        self._questions.end(request.request_id, ending)
        self._tell(describe_ending(ending))
        self._event("withdrawn", request, how=ending.how, by=ending.by)
        return False

    def _tell(self, message: Text) -> None:
        if not self._output.as_json:
            self._output.lines(wrap(message, self._output.width))

    def _event(self, event: str, request: ConsentRequest, **facts: str | None) -> None:
        if self._output.as_json:
            self._output.json({"event": event, "requestId": request.request_id, **facts}, compact=True)


def describe_ending(ending: Ending) -> Text:
    """How a question ended elsewhere, as a sentence."""
    if ending.how is None:
        return Text("The bridge has gone, and its question with it.")
    if ending.how in _ENDED:
        return Text(_ENDED[ending.how])
    label = LABELS[Decision(ending.how)] if ending.how in LABELS else ending.how
    sentence = Text("It was answered elsewhere: ").append_text(sanitize(label))
    if ending.by:
        sentence.append(", by ").append_text(sanitize(ending.by))
    return sentence.append(".")
