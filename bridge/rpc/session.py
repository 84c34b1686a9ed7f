"""One connection: who it is, what of it is in flight, what happens to that when it closes; and one without a socket."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from bridge.client.errors import ConnectionLost, ProtocolFailure
from bridge.identity.caller import Client
from bridge.rpc import frames
from bridge.rpc.dispatch import Dispatcher, Method, RequestContext
from bridge.rpc.frames import BUSY, FORBIDDEN, INVALID_REQUEST, STOPPED, Fault, Frame, Request, Response
from bridge.rpc.hub import ClientTransport, Hub, Peer
from bridge.rpc.services import Services

MAX_IN_FLIGHT: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class RunningRequest:
    """A request that is being answered."""

    request: Request
    method: Method
    context: RequestContext
    task: asyncio.Task[bytes | None]


_REVOKED: Final = frames.failure(
    None, FORBIDDEN, "Forbidden for this client", "The user has revoked this client; its token is not valid any more"
)

Work = bytes | RunningRequest | None
"""An answer that is ready, one that is being made, or none."""


class Session(Peer):
    """One connection of an agent or a host.

    Args:
        client: Whose token it showed.
        hub: Where it is registered.
        dispatcher: Answers its requests.
        services: What its requests reach.
        transport: The way back; None for a POST.
    """

    def __init__(
        self,
        client: Client,
        *,
        hub: Hub,
        dispatcher: Dispatcher,
        services: Services,
        transport: ClientTransport | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._services = services
        self._running: dict[asyncio.Task[bytes | None], RunningRequest] = {}
        self._delivering: set[asyncio.Task[None]] = set()
        self._has_left = False
        super().__init__(client, hub, transport)

    async def receive(self, data: bytes) -> bool:
        """Take a frame of a socket. Returns when what is immediate is answered; the rest is answered as it ends.

        Returns:
            Whether there is a rest.
        """
        if not self._is_current():
            await self.send(_REVOKED)
            self.cut()
            return False
        frame = await self._hub.intake.read(data, self.caller.client)
        work = await self._begin(frame, len(data), alone=not frame.batch)
        if not any(isinstance(part, RunningRequest) for part in work):
            await self.send(_join(work, batch=frame.batch))
            return False
        if frame.batch:
            delivering = asyncio.create_task(self._deliver(work))
            self._delivering.add(delivering)
            delivering.add_done_callback(self._delivering.discard)
        return True

    async def answer(self, data: bytes) -> bytes | None:
        """Take the body of a POST and return the answer; None when nothing in it wants one."""
        if not self._is_current():
            return _REVOKED
        frame = await self._hub.intake.read(data, self.caller.client)
        work = await self._begin(frame, len(data), alone=False)
        await _done(work)
        return _join(work, batch=frame.batch)

    def leave(self) -> None:
        """Cancel the calls of a client that has left, but those that carry a call id; no other is begun from now on.

        The person's own programs cancel nothing when they leave.
        """
        self._has_left = True
        for running in self._running.values():
            if running.method.waits or (not self.caller.client.is_person and not running.context.kept):
                running.task.cancel()

    def close(self) -> None:
        """Close the session whose connection is gone.

        What a program without a name of its own was allowed for its session ends here.
        """
        self._hub.leave(self)
        self._services.outbox.left(self.caller.client.id)
        self.outgoing.close()
        self.leave()
        if (left_behind := self._services.drafts.left(self.caller)) is not None:
            self._hub.spawn(asyncio.to_thread(self._services.drafts.taken, left_behind))
        if self.caller.client.is_shared:  # without a name, a session is one connection
            self._services.session_ended(self.caller.session_id)

    def cut(self) -> None:
        """End the connection at once, and what still runs for it."""
        super().cut()
        for running in self._running.values():
            running.task.cancel()

    def _is_current(self) -> bool:
        """Return whether the client is still known, and take on its present name and capabilities."""
        client = self.caller.client
        if client.is_person or client.is_shared:
            return True
        current = self._services.clients.current(client)
        if current is not None and current != client:
            self.caller = self.caller._replace(client=current)
        return current is not None

    async def _begin(self, frame: Frame, size: int, *, alone: bool) -> list[Work]:
        """Start everything in a frame, in order; what is immediate is done when this returns."""
        work: list[Work] = []
        room = MAX_IN_FLIGHT - len(self._running)
        for item in frame.items:
            if isinstance(item, Request):
                if self._ends_with_it(item):
                    continue
                work.append(await self._start(item, size, alone=alone) if room > 0 else _busy(item))
                room -= 1
            else:
                work.append(self._take(item))
            if frame.batch:  # what comes together does not begin in one turn of the loop
                await asyncio.sleep(0)
        return work

    def _ends_with_it(self, request: Request) -> bool:
        """Return whether a request would be cancelled as soon as it is begun, because its client has left."""
        if not self._has_left or self.caller.client.is_person:
            return False
        method = self._dispatcher.find(request.method)
        may_be_kept = isinstance(request.params, list) or request.params.get("callId") is not None
        return method is not None and not method.immediate and not may_be_kept

    async def _start(self, request: Request, size: int, *, alone: bool) -> Work:
        """Answer at once, or start a task; that of a request which came alone sends its answer itself."""
        method = self._dispatcher.find(request.method)
        context = RequestContext(self, self._services, size)
        answer = self._dispatcher.answer
        if method is None or method.immediate:
            return await answer(request, context)
        task = self._hub.spawn(self._answer_alone(request, context) if alone else answer(request, context))
        running = RunningRequest(request, method, context, task)
        self._running[task] = running
        if alone:
            task.add_done_callback(self._forget)
        return running

    async def _answer_alone(self, request: Request, context: RequestContext) -> None:
        try:
            answer = await self._dispatcher.answer(request, context)
        except asyncio.CancelledError:
            if (answer := _stopped(request)) is not None:
                self.post(answer)
            raise
        await self.send(answer)
        self._forget(asyncio.current_task())  # now, for the client may send its next request before callbacks run

    def _forget(self, task: asyncio.Task[Any] | None) -> None:
        """Forget a request that is answered and no longer in flight."""
        if task is not None:
            self._running.pop(task, None)

    def _take(self, item: Response | Fault) -> bytes | None:
        if isinstance(item, Fault):
            return frames.failure(*item)
        if self.caller.client.is_person:
            self.outgoing.settle(item)
            return None
        return frames.failure(
            item.id, INVALID_REQUEST, "Invalid Request", "Nothing was asked of you; `method` is missing"
        )

    async def _deliver(self, work: Sequence[Work]) -> None:
        """Answer a batch. Its requests count as in flight until a slow client has taken their answers."""
        try:
            await _done(work)
            await self.send(_join(work, batch=True))
        finally:
            for part in work:
                if isinstance(part, RunningRequest):
                    self._forget(part.task)


async def _done(work: Sequence[Work]) -> None:
    """Wait for every answer. Cancelling this does not cancel what it waits for."""
    tasks = [part.task for part in work if isinstance(part, RunningRequest)]
    if tasks:
        await asyncio.wait(tasks)


def _join(work: Sequence[Work], *, batch: bool) -> bytes | None:
    """Return the answer to a frame whose work is done."""
    answers = [answer for part in work if (answer := _finished(part)) is not None]
    if not answers:
        return None
    return frames.batch(answers) if batch else answers[0]


def _finished(part: Work) -> bytes | None:
    if not isinstance(part, RunningRequest):
        return part
    return _stopped(part.request) if part.task.cancelled() else part.task.result()


def _stopped(request: Request) -> bytes | None:
    hint = "The bridge stopped before this was done; connect again, and see `history.list` before you repeat a write"
    return None if request.notification else frames.failure(request.id, STOPPED, "Stopped", hint)


def _busy(request: Request) -> bytes | None:
    hint = f"At most {MAX_IN_FLIGHT} requests of one connection are in flight; wait for an answer, then send again"
    return None if request.notification else frames.failure(request.id, BUSY, "Busy", hint)


Listener = Callable[[str, dict[str, Any]], None]
"""Called with the name and the parameters of an event."""


class InProcess:
    """The requests of one client, as if they came over a connection of its own.

    Args:
        open_session: Opens a session of the client, given the way to send it messages.
        on_cut: Called when the session is ended from the other side, as when the client was revoked.
    """

    def __init__(self, open_session: "Callable[[InProcess], Session]", on_cut: Callable[[], object]) -> None:
        self._on_cut = on_cut
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._listeners: list[Listener] = []
        self._name: str | None = None
        self._naming: asyncio.Task[Any] | None = None
        self._closed = False
        self._session = open_session(self)

    @property
    def is_there(self) -> bool:
        """Return True: a request waits for no bridge to start."""
        return True

    async def request(self, method: str, /, **params: Any) -> Any:
        """Call a method, with its parameters spelled as on the wire.

        Raises:
            ProtocolFailure: The request was refused.
            ConnectionLost: The session has ended.
        """
        if self._closed:
            raise _ended()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        try:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            await self._session.receive(orjson.dumps(message))
            return await answer
        finally:
            del self._open[number]

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a function called with every event."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def introduce(self, name: str) -> None:
        """Say what the program calls itself; a name that cannot be shown is left out."""
        if name != self._name:
            self._name = name
            self._naming = asyncio.create_task(self._introduce(name))

    async def _introduce(self, name: str) -> None:
        with contextlib.suppress(ProtocolFailure, ConnectionLost):
            await self.request("session.name", client=name)

    def close(self) -> None:
        """End the session: calls that nobody has a ticket for end with it."""
        if self._closed:
            return
        self._closed = True
        self._session.close()
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(_ended())

    async def send(self, data: bytes) -> None:
        """Take a message of the session."""
        self.post(data)

    def post(self, data: bytes) -> None:
        """Take a message of the session."""
        message = orjson.loads(data)
        if "method" in message:
            for listener in list(self._listeners):
                listener(message["method"], message.get("params", {}))
            return
        waiting = self._open.get(message["id"])
        if waiting is None or waiting.done():
            return
        if "error" in message:
            error = message["error"]
            waiting.set_exception(
                ProtocolFailure(error["code"], error["message"], (error.get("data") or {}).get("hint"))
            )
        else:
            waiting.set_result(message["result"])

    def cut(self) -> None:
        """End the session: the client was revoked."""
        self.close()
        self._on_cut()


def _ended() -> ConnectionLost:
    return ConnectionLost("This client's session has ended; connect again")
