"""The person of the replay: how they answer, by rule, and what they were asked."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bridge.client import Connection

Question = dict[str, Any]
Answer = dict[str, Any]
READ = "read"


class Policy(NamedTuple):
    """The way a person answers.

    Attributes:
        name: For the command line.
        rule: The same as a sentence.
        answer: The answer to a question, as parameters of `consent.respond`.
        together: Whether questions that are open at the same time are answered as one list, which counts once.
    """

    name: str
    rule: str
    answer: Callable[[Question], Answer]
    together: bool = False


def answer_narrowly(question: Question) -> Answer:
    """Reading is allowed for the session, which holds for one tool; everything else once."""
    longer = question["operation"] == READ and "allow_session" in question["choices"]
    return {"decision": "allow_session" if longer else "allow_once"}


def answer_widely(question: Question) -> Answer:
    """Reading is allowed for the whole vault, additions in advance as widely as is offered; everything else once.

    A bridge that offers no such answers gets the narrow ones.
    """
    what = "reading" if question["operation"] == READ else "adding"
    offered = [option for option in question.get("options", ()) if _allows(option) and option["what"] == what]
    if not offered:
        return answer_narrowly(question) if question["operation"] == READ else {"decision": "allow_once"}
    widest = max(offered, key=_width)  # of equals the first, which holds for the shortest
    return {"decision": widest["decision"], "option": widest["optionId"]}


def answer_reading_widely(question: Question) -> Answer:
    """Reading is allowed for the whole vault; everything else once."""
    return answer_widely(question) if question["operation"] == READ else {"decision": "allow_once"}


def _allows(option: Mapping[str, Any]) -> bool:
    return str(option["decision"]).startswith("allow")


def _width(option: Mapping[str, Any]) -> tuple[bool, int, int]:
    """Return how wide an answer is: everywhere, or by the place nearest to the top; then by its kinds of additions."""
    depth = max((key.count("/") for key in option["where"]), default=0)
    return not option["where"], -depth, len(option["additions"])


POLICIES = (
    Policy(
        "narrow",
        "a question about reading is answered for the session, which holds for one tool; all others once",
        answer_narrowly,
    ),
    Policy(
        "wide",
        "reading is allowed for the whole vault, additions for the widest place offered; all else once; what is open "
        "at the same time is answered as one list",
        answer_widely,
        together=True,
    ),
    Policy(
        "reading",
        "reading is allowed for the whole vault; everything else once",
        answer_reading_widely,
        together=True,
    ),
)


@dataclass(slots=True)
class Asked:
    """One question that was put to the person.

    Attributes:
        operation: What the call does.
        tool: What is called.
        counts: Whether it took an answer of its own. Of a list that is answered as one, the first counts.
    """

    operation: str
    tool: str
    counts: bool = True

    @property
    def reads(self) -> bool:
        """Return whether it was about reading."""
        return self.operation == READ


class Person:
    """Looks up when nothing moves any more, and answers every question that is open then.

    Calls that are made at the same time ask at the same time; that a fast answer to one could come before the question
    of the next is left out, so that each run counts the same.

    Args:
        policy: How.
        host: The connection over which questions come and answers go.

    Attributes:
        asked: The questions, in order.
        unaccepted: Answers that the bridge did not accept, with its reasons.
    """

    def __init__(self, policy: Policy, host: Connection) -> None:
        self.asked: list[Asked] = []
        self.unaccepted: list[str] = []
        self._policy = policy
        self._host = host
        self._open: list[Question] = []
        self._under_way = 0
        self._answering: set[asyncio.Task[None]] = set()
        host.on("consent.requested", self._see)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """To be entered for as long as a call is under way."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._look_up()

    def _see(self, question: Question) -> None:
        self._open.append(question)
        self._look_up()

    def _look_up(self) -> None:
        """Answer what is open, if every call that is under way waits for an answer."""
        if not self._open or len(self._open) < self._under_way:
            return
        questions, self._open = self._open, []
        answering = asyncio.create_task(self._answer(questions))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)

    async def _answer(self, questions: Sequence[Question]) -> None:
        """Answer some questions, in their order. Those that an answer before has ended need none, and do not count."""
        answers = [
            {"requestId": question["requestId"], "planDigest": question["planDigest"], **self._policy.answer(question)}
            for question in questions
        ]
        asked = [Asked(question["operation"], question["tool"]["name"]) for question in questions]
        self.asked += asked
        if self._policy.together and "options" in questions[0]:
            replies = await self._host.request("consent.respondAll", answers=answers)
        else:
            replies = [await self._host.request("consent.respond", **answer) for answer in answers]
        for number, (one, reply) in enumerate(zip(asked, replies, strict=True)):
            one.counts = reply["accepted"] and not (number and self._policy.together)
            if not reply["accepted"] and reply["outcome"] != "allowed":
                self.unaccepted.append(reply["reason"])
