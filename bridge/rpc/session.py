"""One connection: who it is, what of it is in flight, and what happens to that when it closes."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bridge.rpc import replies
from bridge.rpc.codes import BUSY, INTERNAL_ERROR, INVALID_REQUEST
from bridge.rpc.dispatch import Dispatcher
from bridge.rpc.frames import Fault, Frame, Request, Response, parse
from bridge.rpc.hub import Hub
from bridge.rpc.method import Method, RequestContext
from bridge.rpc.outgoing import Outgoing
from bridge.rpc.services import Services
from bridge.toolkit.tool_call import Caller, Role

MAX_IN_FLIGHT: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A request that is being answered."""

    request: Request
    method: Method
    exchange: RequestContext
    task: asyncio.Task[bytes | None]


Work = bytes | Running | None
"""An answer that is ready, one that is being made, or none."""


class Link(Protocol):
    """The way to the other side of a socket."""

    async def send(self, data: bytes) -> None:
        """Send a message; waits while the other side is slow. A closed connection is not an error."""
        ...

    def post(self, data: bytes) -> None:
        """Send a message soon, without waiting; a connection too far behind is dropped."""
        ...


class Session:
    """One connection of an agent or a host.

    Args:
        role: Decided by the token it showed.
        hub: Where it reports.
        dispatcher: Answers its requests.
        services: What its requests reach.
        link: The way back; None for a POST, which can be told nothing and hence shows no questions.
    """

    def __init__(
        self, role: Role, *, hub: Hub, dispatcher: Dispatcher, services: Services, link: Link | None = None
    ) -> None:
        self.id = f"link-{secrets.token_hex(6)}"
        self.role = role
        self.name = f"unnamed {role}"
        self.can = frozenset({"consent"} if role == "host" and link else ())
        self.kinds: frozenset[str] = frozenset()
        self._hub = hub
        self._dispatcher = dispatcher
        self._services = services
        self._link = link
        self._running: dict[asyncio.Task[bytes | None], Running] = {}
        self._delivering: set[asyncio.Task[None]] = set()
        self._outgoing = Outgoing(self.post)
        self.caller = self._identify()
        hub.join(self)

    @property
    def session_id(self) -> str:
        """The session this connection belongs to."""
        return self.caller.session_id

    def agent(self, client: str) -> Caller:
        """Whoever calls itself this as an agent."""
        return Caller("agent", client, self._hub.session_id("agent", client))

    def introduce(self, client: str, can: frozenset[str] | None) -> None:
        """Take the name the client gives itself, and what a host says it can do (None: as before)."""
        self.name = client
        self.caller = self._identify()
        if can is not None and self._link is not None:
            self.can = can
        self._hub.refresh(self)

    async def receive(self, data: bytes) -> None:
        """Take a frame of a socket. Returns when what is immediate is answered; the rest is answered as it ends."""
        frame = parse(data)
        work = await self._begin(frame, alone=not frame.batch)
        if not any(isinstance(part, Running) for part in work):
            await self._send(_join(work, batch=frame.batch))
        elif frame.batch:
            delivering = asyncio.create_task(self._deliver(work))
            self._delivering.add(delivering)
            delivering.add_done_callback(self._delivering.discard)

    async def answer(self, data: bytes) -> bytes | None:
        """Take the body of a POST and return the answer; None when nothing in it wants one."""
        frame = parse(data)
        work = await self._begin(frame, alone=False)
        await _done(work)
        return _join(work, batch=frame.batch)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something. May be called from any thread."""
        self._hub.tell(self, method, params)

    def post(self, data: bytes) -> None:
        """Send a message without waiting."""
        if self._link is not None:
            self._link.post(data)

    async def request(self, method: str, params: dict[str, Any], within: float) -> Any:
        """Ask the host something; raises DeadlineExceeded or ExecutionFailed when it does not answer."""
        return await self._outgoing.request(method, params, within)

    def close(self) -> None:
        """The connection is gone: cancel an agent's calls that carry no call id. A host that leaves cancels nothing."""
        self._hub.leave(self)
        self._outgoing.close()
        for running in self._running.values():
            if running.method.waits or (self.role == "agent" and not running.exchange.kept):
                running.task.cancel()

    def _identify(self) -> Caller:
        return Caller(self.role, self.name, self._hub.session_id(self.role, self.name))

    async def _begin(self, frame: Frame, *, alone: bool) -> list[Work]:
        """Start everything in a frame, in order; what is immediate is done when this returns."""
        work: list[Work] = []
        room = MAX_IN_FLIGHT - len(self._running)
        for item in frame.items:
            if isinstance(item, Request):
                work.append(await self._start(item, alone=alone) if room > 0 else _busy(item))
                room -= 1
            else:
                work.append(self._take(item))
        return work

    async def _start(self, request: Request, *, alone: bool) -> Work:
        """Answer at once, or start a task; that of a request which came alone sends its answer itself."""
        method = self._dispatcher.find(request.method)
        exchange = RequestContext(self, self._services)
        answer = self._dispatcher.answer
        if method is None or method.immediate:
            return await answer(request, exchange)
        task = self._hub.spawn(self._answer_alone(request, exchange) if alone else answer(request, exchange))
        running = Running(request, method, exchange, task)
        self._running[task] = running
        if alone:
            task.add_done_callback(self._forget)
        return running

    async def _answer_alone(self, request: Request, exchange: RequestContext) -> None:
        try:
            answer = await self._dispatcher.answer(request, exchange)
        except asyncio.CancelledError:
            if (answer := _stopped(request)) is not None:
                self.post(answer)
            raise
        await self._send(answer)
        self._forget(asyncio.current_task())  # now, for the client may send its next request before callbacks run

    def _forget(self, task: asyncio.Task[Any] | None) -> None:
        """A request is answered and no longer in flight."""
        if task is not None:
            self._running.pop(task, None)

    def _take(self, item: Response | Fault) -> bytes | None:
        if isinstance(item, Fault):
            return replies.fault(item)
        if self.role == "host":
            self._outgoing.settle(item)
            return None
        return replies.failure(
            item.id, INVALID_REQUEST, "Invalid Request", "Nothing was asked of you; `method` is missing"
        )

    async def _deliver(self, work: Sequence[Work]) -> None:
        """Answer a batch. Its requests count as in flight until a slow client has taken their answers."""
        try:
            await _done(work)
            await self._send(_join(work, batch=True))
        finally:
            for part in work:
                if isinstance(part, Running):
                    self._forget(part.task)

    async def _send(self, answer: bytes | None) -> None:
        if answer is not None and self._link is not None:
            await self._link.send(answer)


async def _done(work: Sequence[Work]) -> None:
    """Wait for every answer. Cancelling this does not cancel what it waits for."""
    tasks = [part.task for part in work if isinstance(part, Running)]
    if tasks:
        await asyncio.wait(tasks)


def _join(work: Sequence[Work], *, batch: bool) -> bytes | None:
    """The answer to a frame whose work is done."""
    answers = [answer for part in work if (answer := _finished(part)) is not None]
    if not answers:
        return None
    return replies.batch(answers) if batch else answers[0]


def _finished(part: Work) -> bytes | None:
    if not isinstance(part, Running):
        return part
    return _stopped(part.request) if part.task.cancelled() else part.task.result()


def _stopped(request: Request) -> bytes | None:
    if request.notification:
        return None
    hint = (
        "The bridge stopped before this was done; connect again, and look at `history.list` before you repeat a write"
    )
    return replies.failure(request.id, INTERNAL_ERROR, "Internal error", hint)


def _busy(request: Request) -> bytes | None:
    if request.notification:
        return None
    hint = f"At most {MAX_IN_FLIGHT} requests of one connection are in flight; wait for an answer, then send again"
    return replies.failure(request.id, BUSY, "Busy", hint)
