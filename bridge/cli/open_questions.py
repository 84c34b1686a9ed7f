"""The questions that are open, as far as the terminal's consent screen knows, and what was answered to them."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Final

from bridge.contract.consent import AnswerOption, ConsentRequest, Decision, MergePlace

REVISED: Final = "revised"
"""The "end" of a question that goes on as another: somebody has edited what would be written."""


@dataclass(frozen=True, slots=True)
class ConsentAnswer:
    """The person's decision about a question.

    Attributes:
        request: The question, as it was shown.
        decision: One of the choices they had.
        option: Of an answer for longer, which one; None for an answer to this call alone.
        feedback: Their words to the agent.
        hunks: The hunks they want, by file; None for everything.
        comments: Their comments on files and lines of a draft, as the wire has them.
        send_back: Whether what they leave out of a draft goes back to the client.
    """

    request: ConsentRequest
    decision: Decision
    option: AnswerOption | None = None
    feedback: str | None = None
    hunks: dict[str, list[int]] | None = None
    comments: tuple[dict[str, str | int], ...] = ()
    send_back: bool = False

    def to_params(self) -> dict[str, Any]:
        """Return the answer as `consent.respond` takes it."""
        params: dict[str, Any] = {"requestId": self.request.request_id, "decision": self.decision.value}
        optional = {
            "planDigest": self.request.plan_digest,
            "option": self.option and self.option.option_id,
            "feedback": self.feedback,
            "hunks": self.hunks,
            "comments": list(self.comments) or None,
            "sendBack": self.send_back or None,
        }
        return params | {name: value for name, value in optional.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Edit:
    """The person's edit of one hunk.

    Attributes:
        path: The file, as the preview names it.
        hunk: The hunk of its diff, from 0.
        text: Its lines as they are to be, each with its line feed.
    """

    path: str
    hunk: int
    text: str


@dataclass(frozen=True, slots=True)
class QuestionEnd:
    """The end of a question that was not answered here.

    Attributes:
        how: The decision, or the outcome when nobody decided, or `REVISED`; None when the bridge went away.
        by: The name of the host that answered.
    """

    how: str | None
    by: str | None = None


@dataclass(slots=True)
class _Waiting:
    request: ConsentRequest
    aside: bool = False
    ended: asyncio.Future[QuestionEnd] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Questions:
    """The open questions in the order they came; those that the person has set aside wait until they are taken up."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}
        self._ended_aside: list[tuple[ConsentRequest, QuestionEnd]] = []
        self._changed = asyncio.Event()
        self._messages: dict[str, str] = {}

    def message(self, request: ConsentRequest) -> str | None:
        """Return what the person wants to tell the agent with the answer to that question."""
        return self._messages.get(request.request_id)

    def set_message(self, request: ConsentRequest, text: str) -> None:
        """Keep what the person wants to tell the agent until that question has ended; empty: nothing."""
        if text and request.request_id in self._waiting:
            self._messages[request.request_id] = text
        else:
            self._messages.pop(request.request_id, None)

    @property
    def set_aside(self) -> list[ConsentRequest]:
        """Return those that the person wants to answer later."""
        return [waiting.request for waiting in self._waiting.values() if waiting.aside]

    @property
    def is_idle(self) -> bool:
        """Return whether there is none to show: those that are open, if any, are set aside."""
        return all(waiting.aside for waiting in self._waiting.values())

    def add(self, request: ConsentRequest) -> None:
        """Note a question that was asked. One that is sent again changes nothing."""
        if request.request_id not in self._waiting:
            self._waiting[request.request_id] = _Waiting(request)
            self._changed.set()

    def revise(self, request: ConsentRequest) -> None:
        """Replace a question whose text was edited by `request`. Whoever showed it shows it anew."""
        waiting = self._waiting.get(request.request_id)
        if waiting is not None and not _is_same(waiting.request, request):
            self._waiting[request.request_id] = _Waiting(request, waiting.aside)
            _resolve(waiting, QuestionEnd(REVISED))

    def wait(self, request_id: str, expires_at: str) -> None:
        """Note that the call of a question has a ticket: the question can be answered until then."""
        waiting = self._waiting.get(request_id)
        if waiting is not None:
            waiting.request = waiting.request.model_copy(update={"waiting": True, "expires_at": expires_at})

    def current(self, request: ConsentRequest) -> ConsentRequest:
        """Return that question as it is now, or as it was when it has ended."""
        waiting = self._waiting.get(request.request_id)
        return waiting.request if waiting else request

    def end(self, request_id: str, how: QuestionEnd) -> None:
        """Note that a question ended, here or elsewhere."""
        waiting = self._waiting.pop(request_id, None)
        self._messages.pop(request_id, None)
        if waiting is not None:
            _resolve(waiting, how)
            if waiting.aside:
                self._ended_aside.append((waiting.request, how))
            self._changed.set()

    def close(self, request_id: str, how: QuestionEnd) -> None:
        """Note that the person ended a question here, and need not be told."""
        self.end(request_id, how)
        self._ended_aside = [ended for ended in self._ended_aside if ended[0].request_id != request_id]

    def end_all(self) -> None:
        """Drop all questions: the bridge went away, and none of them can be answered any more."""
        for request_id in list(self._waiting):
            self.end(request_id, QuestionEnd(None))

    def put_aside(self, request_id: str) -> None:
        """Set a question aside: the person wants to answer it later."""
        if request_id in self._waiting:
            self._waiting[request_id].aside = True

    def take_up(self) -> None:
        """Take up what was set aside: the person wants to answer it now."""
        for waiting in self._waiting.values():
            waiting.aside = False
        self._changed.set()

    def ended_aside(self) -> list[tuple[ConsentRequest, QuestionEnd]]:
        """Return how those ended that were set aside, since this was asked last."""
        ended, self._ended_aside = self._ended_aside, []
        return ended

    async def next(self) -> ConsentRequest:
        """Return the oldest open question that is not set aside, as soon as there is one."""
        while self.is_idle:
            await self.changed()
        return next(waiting.request for waiting in self._waiting.values() if not waiting.aside)

    def changed(self) -> Awaitable[object]:
        """Return an awaitable that ends when a question comes, ends, or is taken up again."""
        self._changed.clear()
        return self._changed.wait()

    async def ended(self, request: ConsentRequest) -> QuestionEnd:
        """Returns when that question has ended, or become another; at once when it is not open."""
        waiting = self._waiting.get(request.request_id)
        if waiting is None:
            return QuestionEnd(None)
        if not _is_same(waiting.request, request):
            return QuestionEnd(REVISED)
        return await asyncio.shield(waiting.ended)

    def others(self, request_id: str) -> int:
        """Return how many wait besides that one."""
        return len(self._waiting) - (request_id in self._waiting)

    def of_client(self, request: ConsentRequest) -> list[ConsentRequest]:
        """Return the open questions of the client that asks this one, this one included: of the same credential."""
        return [waiting.request for waiting in self._waiting.values() if waiting.request.client_id == request.client_id]


def _is_same(one: ConsentRequest, other: ConsentRequest) -> bool:
    """Return whether both questions show the same plan with the same choices."""
    return one.plan_digest == other.plan_digest and _conflicts(one) == _conflicts(other)


def _conflicts(request: ConsentRequest) -> tuple[MergePlace, ...]:
    return request.preview.conflicts if request.preview else ()


def _resolve(waiting: _Waiting, how: QuestionEnd) -> None:
    if not waiting.ended.done():
        waiting.ended.set_result(how)
