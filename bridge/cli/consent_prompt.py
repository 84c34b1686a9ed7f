"""The terminal's consent prompt: shows one question after the other and takes the answers."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from rich.text import Text

from bridge.cli.consent_link import ConsentAnswer, QuestionEnd, Questions
from bridge.cli.keyboard import Keyboard
from bridge.cli.layout import wrap
from bridge.cli.printer import READABLE, Printer
from bridge.cli.question_screen import (
    KEYS,
    LABELS,
    REMEMBERED,
    DrawnQuestion,
    can_choose,
    choice_lines,
    draw_question,
    holders,
    offered_keys,
    reaches,
    remaining,
)
from bridge.cli.sanitize import sanitize
from bridge.contract.consent import ConsentReply, ConsentRequest, Decision

T = TypeVar("T")

SETTLE_SECONDS = 0.5
"""How long a question that comes in the place of a withdrawn one stands before keys count: somebody who was typing for
the old one has seen by then that it is gone."""

FREE_ROWS = 2
"""Rows of a page for the line that asks, and one of the page before."""

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
    "stale": "The files have changed since this was shown, so nothing was written. The agent has to ask again.",
}


class Responder(Protocol):
    """Takes answers to the bridge."""

    async def respond(self, request: ConsentRequest, answer: ConsentAnswer) -> ConsentReply | None:
        """What the bridge says to an answer; None when the bridge has stopped."""
        ...


class ConsentPrompt:
    """Asks the person.

    Args:
        questions: What waits.
        responder: Where answers go.
        keyboard: Where they come from; None allows everything once, without asking.
        printer: Where the questions are shown.
    """

    def __init__(self, questions: Questions, responder: Responder, keyboard: Keyboard | None, printer: Printer) -> None:
        self._questions = questions
        self._responder = responder
        self._keyboard = keyboard
        self._printer = printer
        self._interrupted = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def say(self, message: str) -> None:
        """Tell the person something, not in the middle of a question."""
        await self._idle.wait()
        self._printer.say(message)

    async def next(self) -> bool:
        """Wait for a question, show it and see it through. True when it was answered here.

        Raises:
            PersonLeft: The person left; the question stays open.
        """
        request = await self._questions.next()
        decided = await self._unless_ended(request)
        if isinstance(decided, ConsentAnswer):
            return await self._respond(request, decided)
        self._say(describe_end(decided))
        self._event("withdrawn", request, how=decided.how, by=decided.by)
        self._interrupted = True
        return False

    async def _unless_ended(self, request: ConsentRequest) -> ConsentAnswer | QuestionEnd:
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

    async def _decide(self, request: ConsentRequest) -> ConsentAnswer:
        if self._keyboard is None:
            self._show(request)
            return ConsentAnswer(Decision.ALLOW_ONCE)
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
                await show_pages(self._draw(request, full=True).lines, self._printer, self._keyboard)
                cut = False
                self._show_choices(request, cut=cut)
            elif word == "m" and Decision.DENY_ONCE in request.choices:
                said = (await self._keyboard.line(lambda: "Message to the agent (empty: back): ")).strip()
                if said:
                    return ConsentAnswer(Decision.DENY_ONCE, said)
            elif word == "w" and can_choose(request):
                if (chosen := await self._choose(request)) is not None:
                    return chosen
                self._show_choices(request, cut=cut)
            elif _ANSWERS.get(word) in request.choices:
                return ConsentAnswer(_ANSWERS[word])
            else:
                self._say(Text(f"Type one of these, then Enter: {' '.join(offered_keys(request, cut=cut))}"))

    async def _choose(self, request: ConsentRequest) -> ConsentAnswer | None:
        """An answer for longer, with how far it reaches and for whom it holds; None when the person goes back."""
        longer = [decision for decision in request.choices if decision in REMEMBERED]
        decision = await self._pick("Which answer", {decision: LABELS[decision] for decision in longer})
        if decision is None:
            return None
        rungs = reaches(request)
        place = await self._pick("How far", dict(enumerate(rungs.values())))
        if place is None:
            return None
        everyone = await self._pick("For whom", holders(request, decision))
        if everyone is None:
            return None
        for_good = decision in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}
        return ConsentAnswer(decision, reach=list(rungs)[place], everyone=everyone if for_good else None)

    async def _pick(self, what: str, options: Mapping[T, str]) -> T | None:
        """One of some options by its number; None when the person types none. Of one option there is no choice."""
        keys = list(options)
        if len(keys) == 1:
            return keys[0]
        width = min(self._printer.width, READABLE)
        for number, label in enumerate(options.values(), 1):
            line = Text.assemble((f" {number} ", "bold reverse"), " ", sanitize(label))
            if not self._printer.as_json:
                self._printer.lines(wrap(line, width, rest="    "))
        while True:
            word = (await self._keyboard_line(f"{what}? A number (empty: back): ")).strip()
            if not word:
                return None
            if word.isascii() and word.isdecimal() and 1 <= int(word[:3]) <= len(keys):
                return keys[int(word[:3]) - 1]

    async def _keyboard_line(self, prompt: str) -> str:
        """What the person types; nothing where there is no keyboard."""
        if self._keyboard is None:
            return ""
        return await self._keyboard.line(lambda: "" if self._printer.as_json else prompt)

    def _show(self, request: ConsentRequest) -> bool:
        """Show a question; returns whether something was left out."""
        if self._printer.as_json:
            self._printer.json({"event": "requested", "request": request.to_wire()}, compact=True)
            return False
        self._printer.bell()
        screen = self._draw(request)
        self._printer.lines([Text(), *screen.lines])
        return screen.cut

    def _draw(self, request: ConsentRequest, *, full: bool = False) -> DrawnQuestion:
        width = min(self._printer.width, READABLE)
        return draw_question(request, width=width, now=datetime.now(UTC), full=full)

    def _show_choices(self, request: ConsentRequest, *, cut: bool) -> None:
        if not self._printer.as_json:
            self._printer.lines(choice_lines(request, min(self._printer.width, READABLE), cut=cut))

    def _prompt(self, request: ConsentRequest) -> str:
        if self._printer.as_json:
            return ""
        others = self._questions.others(request.request_id)
        waiting = f", {others} more waiting" if others else ""
        return f"Your answer ({remaining(request, datetime.now(UTC))}{waiting}): "

    async def _respond(self, request: ConsentRequest, answer: ConsentAnswer) -> bool:
        reply = await self._responder.respond(request, answer)
        if reply is not None and reply.accepted:
            self._questions.end(request.request_id, QuestionEnd(answer.decision, "you"))
            more = " The agent gets your message." if answer.feedback else ""
            self._say(Text.assemble((_DONE[answer.decision], "bold"), _extent(request, answer), (more, "bold")))
            chosen = {} if answer.reach is None else {"reach": answer.reach.value}
            chosen |= {} if answer.everyone is None else {"for": "everyone" if answer.everyone else "client"}
            self._event("answered", request, decision=answer.decision.value, feedback=answer.feedback, **chosen)
            return True
        end = QuestionEnd(None) if reply is None else QuestionEnd(reply.outcome, reply.by)
        if reply is not None and reply.outcome is None:  # the question is still open: it comes again
            self._say(sanitize(reply.reason or "The bridge did not take this answer"))
            return False
        self._questions.end(request.request_id, end)
        self._say(describe_end(end))
        self._event("withdrawn", request, how=end.how, by=end.by)
        return False

    def _say(self, message: Text) -> None:
        if not self._printer.as_json:
            self._printer.lines(wrap(message, self._printer.width))

    def _event(self, event: str, request: ConsentRequest, **facts: str | None) -> None:
        if self._printer.as_json:
            self._printer.json({"event": event, "requestId": request.request_id, **facts}, compact=True)


def _extent(request: ConsentRequest, answer: ConsentAnswer) -> Text:
    """How far an answer reaches and for whom it holds, where the person has chosen that."""
    if answer.reach is None and answer.everyone is None:
        return Text()
    far = sanitize(reaches(request)[answer.reach])
    if answer.everyone is None:
        return Text.assemble(" It reaches ", far, ".")
    whom = sanitize(holders(request, answer.decision)[answer.everyone])
    return Text.assemble(" It reaches ", far, " and holds for ", whom, ".")


def describe_end(end: QuestionEnd) -> Text:
    """How a question ended elsewhere, as a sentence."""
    if end.how is None:
        return Text("The bridge has gone, and its question with it.")
    if end.how in _ENDED:
        return Text(_ENDED[end.how])
    label = LABELS[Decision(end.how)] if end.how in LABELS else end.how
    sentence = Text("It was answered elsewhere: ").append_text(sanitize(label))
    if end.by:
        sentence.append(", by ").append_text(sanitize(end.by))
    return sentence.append(".")


async def show_pages(lines: Sequence[Text], printer: Printer, keyboard: Keyboard) -> None:
    """Print `lines`; on a terminal stop after each screenful."""
    page = max(1, printer.height - FREE_ROWS) if printer.interactive else len(lines)
    for start in range(0, len(lines), page):
        printer.lines(lines[start : start + page])
        seen = start + page
        if seen >= len(lines) or not await _wants_more(keyboard, f"{seen} of {len(lines)} lines"):
            return


async def _wants_more(keyboard: Keyboard, seen: str) -> bool:
    word = await keyboard.line(lambda: f"-- {seen}: Enter for more, q to stop -- ")
    return word.strip().lower() != "q"
