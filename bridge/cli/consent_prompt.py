"""The terminal's consent prompt: shows one question after the other and sees each through to its end.

It is a command of its own, `vault-bridge approve`, or is there while another command goes on.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Final, TypeVar

import typer
from rich.text import Text

from bridge.cli.answer_keys import LABELS
from bridge.cli.consent_link import REVISED, ConsentLink, QuestionEnd, ScreenAnswer
from bridge.cli.family import CommandLine, command
from bridge.cli.keyboard import Dialog, Keyboard, PersonLeft, open_keyboard
from bridge.cli.layout import wrap
from bridge.cli.options import option
from bridge.cli.printer import FAILURE, Printer, fail
from bridge.cli.question_dialog import Decided, NextStep, QuestionDialog
from bridge.cli.question_screen import draw_question
from bridge.cli.sanitize import sanitize
from bridge.cli.stopping import TERMINATION, on_signals
from bridge.contract.consent import ConsentReply, ConsentRequest, Decision, Outcome

T = TypeVar("T")
E = TypeVar("E")

SETTLE_SECONDS = 0.5
"""The time for which a question that replaces a withdrawn one is shown before keys count: somebody who was typing for
the old one has seen by then that it is gone."""

_DONE: Final = {Decision.ALLOW_ONCE: "Allowed once.", Decision.DENY_ONCE: "Denied."}
_REMEMBERED: Final = {True: "Allowed, and remembered: ", False: "Denied, and remembered: "}
_ENDED: Final = {
    "timed_out": "Nobody answered in time, so it was refused.",
    "cancelled": "The question was withdrawn: nobody needs the answer any more.",
    "stale": "The files have changed since this was shown, so nothing was written. The agent has to ask again.",
    REVISED: "The proposal has changed. This is what would be written now:",
}


class ConsentPrompt:
    """The prompt that asks the person.

    Args:
        link: The waiting questions, and where answers go.
        keyboard: Where they come from; None allows everything once, without asking.
        printer: Where the questions are shown.
    """

    def __init__(self, link: ConsentLink, keyboard: Keyboard | None, printer: Printer) -> None:
        self._questions = link.questions
        self._link = link
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
        while self._keyboard is not None and self._questions.is_idle and self._questions.set_aside:
            await self._wait_with_some_aside(self._keyboard)
        self._say_ended_aside()
        request = await self._questions.next()
        decided = await self._unless(self._decide(request), self._questions.ended(request))
        if isinstance(decided, list):
            return await self._respond(decided)
        if decided is NextStep.LATER:
            self._questions.put_aside(request.request_id)
            self._say(Text("Set aside: it stays open."))
            return False
        end = decided if isinstance(decided, QuestionEnd) else QuestionEnd(REVISED)
        self._say(describe_end(end))
        self._withdrawn(request, end)
        self._interrupted = isinstance(decided, QuestionEnd)
        return False

    async def _wait_with_some_aside(self, keyboard: Keyboard) -> None:
        """Wait until the person takes up what was set aside, or something changes."""
        aside = self._questions.set_aside
        first = min(aside, key=lambda request: request.expires_at)
        said = "1 question is" if len(aside) == 1 else f"{len(aside)} questions are"
        conversation = Dialog(self._printer, keyboard, lambda: self._questions.current(first))

        async def take_up() -> None:
            await conversation.ask(lambda: f"{said} set aside ({conversation.remaining()}): Enter to answer now ")
            self._questions.take_up()

        self._say_ended_aside()
        await self._unless(take_up(), self._questions.changed())

    def _say_ended_aside(self) -> None:
        for request, end in self._questions.ended_aside():
            self._say(Text.assemble("Of those set aside: ", sanitize(request.summary), ". ", describe_end(end)))
            self._withdrawn(request, end)

    async def _unless(self, work: Awaitable[T], end: Awaitable[E]) -> T | E:
        """Return what `work` comes to, or `end` if that comes first. Nothing else is said meanwhile."""
        self._idle.clear()
        working, ending = asyncio.ensure_future(work), asyncio.ensure_future(end)
        try:
            await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else ending.result()
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)
            self._idle.set()

    async def _decide(self, request: ConsentRequest) -> Decided:
        if self._printer.as_json:
            self._printer.json({"event": "requested", "request": request.to_wire()}, compact=True)
        if self._keyboard is None:
            if not self._printer.as_json:
                self._printer.lines(draw_question(request, width=self._printer.readable).lines)
            return [ScreenAnswer(request, Decision.ALLOW_ONCE)]
        self._keyboard.discard()
        conversation = Dialog(self._printer, self._keyboard, lambda: self._questions.current(request))
        dialog = QuestionDialog(request, self._link, conversation)
        dialog.show()
        if self._interrupted:
            await asyncio.sleep(SETTLE_SECONDS)
            self._keyboard.discard()
            self._interrupted = False
        return await dialog.decide()

    async def _respond(self, answers: list[ScreenAnswer]) -> bool:
        """Send the answers, and say what became of each question."""
        replies = await self._link.respond(answers)
        accepted = 0
        for at, answer in enumerate(answers):
            reply = None if replies is None else replies[at]
            if reply is None or not (reply.accepted or _is_covered(answers, answer, reply)):
                self._not_taken(answer.request, reply, is_one_of_many=len(answers) > 1)
                continue
            accepted += 1
            self._questions.close(answer.request.request_id, QuestionEnd(answer.decision, "you"))
            if len(answers) == 1:
                self._say(_done(answer, reply))
            option = {"option": answer.option.option_id} if answer.option else {}
            self._event("answered", answer.request, decision=answer.decision.value, feedback=answer.feedback, **option)
        if len(answers) > 1:
            self._say(Text(f"{_DONE[answers[0].decision].rstrip('.')}: {accepted} of {len(answers)}.", "bold"))
        return accepted > 0

    def _not_taken(self, request: ConsentRequest, reply: ConsentReply | None, *, is_one_of_many: bool) -> None:
        about = Text.assemble(sanitize(request.summary), ": ") if is_one_of_many else Text()
        if reply is not None and reply.outcome is None:  # the question is still open: it comes again
            self._say(about.append_text(sanitize(reply.reason or "The bridge did not take this answer")))
            return
        end = QuestionEnd(None) if reply is None else QuestionEnd(reply.outcome, reply.by)
        self._questions.close(request.request_id, end)
        self._say(about.append_text(describe_end(end)))
        self._withdrawn(request, end)

    def _withdrawn(self, request: ConsentRequest, end: QuestionEnd) -> None:
        if end.how != REVISED:
            self._event("withdrawn", request, how=end.how, by=end.by)

    def _say(self, message: Text) -> None:
        if not self._printer.as_json:
            self._printer.lines(wrap(message, self._printer.readable))

    def _event(self, event: str, request: ConsentRequest, **facts: str | None) -> None:
        if self._printer.as_json:
            self._printer.json({"event": event, "requestId": request.request_id, **facts}, compact=True)


def describe_end(end: QuestionEnd) -> Text:
    """Return how a question ended elsewhere, as a sentence."""
    if end.how is None:
        return Text("The bridge has gone, and its question with it.")
    if end.how in _ENDED:
        return Text(_ENDED[end.how])
    label = LABELS[Decision(end.how)].lower() if end.how in LABELS else end.how
    sentence = Text("It was answered elsewhere: ").append_text(sanitize(label))
    if end.by:
        sentence.append(", by ").append_text(sanitize(end.by))
    return sentence.append(".")


def _is_covered(answers: list[ScreenAnswer], answer: ScreenAnswer, reply: ConsentReply) -> bool:
    """Return whether one of several answers has ended this question too, in the way that was wanted."""
    wanted = Outcome.ALLOWED if answer.decision.allows else Outcome.DENIED
    return len(answers) > 1 and reply.outcome is wanted


def _done(answer: ScreenAnswer, reply: ConsentReply) -> Text:
    """Return what an answer has brought about; of one for longer, what is remembered and how to take it back."""
    message = " The agent gets your message." if answer.feedback else ""
    if answer.option is None:
        part = " What you left out is not written." if answer.hunks is not None else ""
        return Text(f"{_DONE[answer.decision]}{part}{message}", "bold")
    sentence = reply.grant.sentence if reply.grant else answer.option.sentence
    back = f" `vault-bridge policy revoke {reply.grant.grant_id}` takes it back." if reply.grant else ""
    return Text.assemble((_REMEMBERED[answer.decision.allows], "bold"), sanitize(sentence), back, message)


@contextlib.asynccontextmanager
async def asking_here(cli: CommandLine, keyboard: Keyboard | None, left: Callable[[], object]) -> AsyncIterator[None]:
    """Show questions here until the block ends, where a person is there to answer them.

    Args:
        cli: Where they are shown.
        keyboard: Where they are answered; None where nobody is.
        left: Called when the person leaves a question unanswered.
    """
    if keyboard is None:
        yield
        return
    link = ConsentLink(cli.folder)
    prompt = ConsentPrompt(link, keyboard, cli)
    ready = asyncio.Event()

    async def connected(_message: str) -> None:
        ready.set()

    async def answer() -> None:
        try:
            while True:
                await prompt.next()
        except PersonLeft:
            left()

    tasks = [asyncio.create_task(link.run(connected)), asyncio.create_task(answer())]
    waiting = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait([tasks[0], waiting], return_when=asyncio.FIRST_COMPLETED)
        yield
    finally:
        for task in (*tasks, waiting):
            task.cancel()
        await asyncio.gather(*tasks, waiting, return_exceptions=True)


def attended_keyboard(printer: Printer) -> Keyboard | None:
    """Return where the person types; None where no person is at both ends of a terminal."""
    if printer.as_json or not printer.interactive or not sys.stdin.isatty():
        return None
    return open_keyboard()


async def ask_to_send(
    printer: Printer, keyboard: Keyboard | None, sentence: str, *, command: str, instead: str
) -> None:
    """Ask, and end the command where the person does not agree.

    Args:
        printer: For what they are asked.
        keyboard: Where they answer; None where they cannot.
        sentence: What would be sent, and where.
        command: Which command asks in a terminal.
        instead: What they can do where they do not agree.
    """
    printer.say(sentence)
    if keyboard is None:
        fail(f"Nobody has agreed to that yet: run `{command}` in a terminal, which asks once.")
    keyboard.discard()
    try:
        answer = (await keyboard.line(lambda: "Send it there? y or n: ")).strip().lower()
    except PersonLeft:
        answer = ""
    if answer not in {"y", "yes"}:
        fail(f"Nothing was sent. {instead}")


@command
def approve(
    cli: CommandLine,
    once: Annotated[bool, option("--once", "Exit after one answered question.")] = False,
    yes: Annotated[bool, option("--yes", "Allow everything once, without asking. For scripts.")] = False,
) -> None:
    """Answer the questions of agents, here.

    Every question is shown in full: who asks, what for, the parameters, and the exact diff. There is no default
    answer. A question that is answered elsewhere, in Obsidian for instance, disappears here; one whose text was edited
    is shown anew. What else waits (`vault-bridge inbox`) is said too. Where no bridge serves the vault yet, one is
    started if something waits for your answer; otherwise this waits for one.

    Keys, each followed by Enter, if the question offers them:
      y  allow once                       n  deny
      m  deny, with a message to the agent
      t  a message to the agent that goes with whatever you answer
      l  later: set aside, and go on to the next question
      s  allow for longer, as suggested   a  approve all operations of this kind, or always allow
      d  deny for longer                  x  never allow
      w  remember: all answers for longer, each with how far it reaches
      h  leave parts of the change out, by their numbers: h 2 5-7
      e  edit the text, in the editor that VISUAL or EDITOR names
      b  send a draft back, all or parts of it, with words about it, a file or a line
      g  choose which side to keep where a draft and other changes conflict
      c  all open questions of this client, to be answered together
      p  show everything of a question that was cut

    An answer for longer (s a d x w) counts only after you have seen the sentence that says whom it holds for, what
    for, where and until when, and have confirmed it with a second key.

    Examples:
      vault-bridge approve
      vault-bridge approve --once                  exit after one answer
      echo n | vault-bridge approve --once         answers can come through a pipe, one a line
      vault-bridge approve --yes                   for scripts: allows EVERYTHING that agents ask for
    """
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        answered = asyncio.run(_approve(cli, once=once, yes=yes))
        if once and not answered:
            raise typer.Exit(FAILURE)


async def _approve(cli: CommandLine, *, once: bool, yes: bool) -> int:
    """Show questions and take answers; returns how many were answered here."""
    link = ConsentLink(cli.folder)
    if yes:
        cli.say("--yes: everything that agents ask for is ALLOWED from here on, without asking you.", style="bold red")
    prompt = ConsentPrompt(link, None if yes else open_keyboard(), cli)
    task = asyncio.current_task()
    with on_signals(lambda: task and task.cancel(), *TERMINATION):  # asyncio does so for Ctrl-C
        return await _run(link, prompt, once=once)


async def _run(link: ConsentLink, prompt: ConsentPrompt, *, once: bool) -> int:
    """Run the prompt beside its connection, until either ends."""
    answered = 0

    async def answer() -> None:
        nonlocal answered
        with contextlib.suppress(PersonLeft):
            while not (once and answered):
                answered += await prompt.next()

    connection = asyncio.ensure_future(link.run(prompt.say))
    answering = asyncio.ensure_future(answer())
    try:
        await asyncio.wait({connection, answering}, return_when=asyncio.FIRST_COMPLETED)
        for task in (connection, answering):
            if task.done():
                task.result()
    finally:
        for task in (answering, connection):
            task.cancel()
        await asyncio.gather(answering, connection, return_exceptions=True)
    return answered
