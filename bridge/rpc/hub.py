"""Every open connection: who it is, what can be asked of it, which events it is sent; and the events of the vault."""

import asyncio
import itertools
import logging
import secrets
import threading
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

import orjson

from bridge.consent.broker import Broker
from bridge.contract.base import Event, Wire
from bridge.contract.events import IndexProgress, VaultChanged, VaultMoved
from bridge.contract.identity import Capability
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.identity.caller import Caller, Client
from bridge.policy.redaction import hide_secrets
from bridge.rpc import frames
from bridge.rpc.frames import Id, Intake, Response
from bridge.toolkit.permitted import Denials
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.root import MOVED

logger = logging.getLogger(__name__)

_CHANGES = {
    ChangeKind.CREATE: "created",
    ChangeKind.MODIFY: "modified",
    ChangeKind.DELETE: "deleted",
    ChangeKind.MOVE: "deleted",
}
"""The effect of each kind of change on the file at its own path."""


class ClientTransport(Protocol):
    """The way to the other side of a socket."""

    async def send(self, data: bytes) -> None:
        """Send a message; waits while the other side is slow. A closed connection is not an error."""

    def post(self, data: bytes) -> None:
        """Send a message soon, without waiting; a connection too far behind is dropped."""

    def cut(self) -> None:
        """End the connection at once."""


class OutgoingQueue:
    """Requests from the bridge to one host that it has not answered yet.

    Args:
        post: Sends a message to the host.
    """

    def __init__(self, post: Callable[[bytes], None]) -> None:
        self._post = post
        self._open: dict[Id, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)

    async def request(self, method: str, params: dict[str, Any], within: float) -> Any:
        """Ask the host.

        Args:
            method: The method.
            params: Its parameters.
            within: Seconds to wait.

        Raises:
            DeadlineExceeded: It did not answer in time.
            ExecutionFailed: It answered with an error, or went away.
        """
        number = f"bridge-{next(self._numbers)}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        try:
            self._post(frames.request(number, method, params))
            async with asyncio.timeout(within):
                return await answer
        except TimeoutError:
            raise DeadlineExceeded(f"The host did not answer {method!r} within {within:g} s; try again") from None
        finally:
            del self._open[number]

    def settle(self, response: Response) -> None:
        """Hand an answer to whoever waits for it; an answer nobody waits for is dropped."""
        waiting = self._open.get(response.id)
        if waiting is None or waiting.done():
            return
        if response.error is None:
            waiting.set_result(response.result)
        else:
            waiting.set_exception(ExecutionFailed("The host could not do it; look at the host's own messages"))

    def close(self) -> None:
        """Fail what the host has not answered: it is gone, and nobody will."""
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(ExecutionFailed("The host went away before it answered; try again"))


class Peer:
    """The other side of one connection: who it says it is, and how to reach it.

    Args:
        client: Whose token it showed.
        hub: Where it is registered.
        transport: The way to it; None for a POST, which cannot be sent anything unasked and so shows no questions.

    Attributes:
        can: What a host said it can do.
        kinds: The events it subscribed to.
        caller: Who calls, when it calls a tool.
    """

    def __init__(self, client: Client, hub: "Hub", transport: ClientTransport | None) -> None:
        self.id = f"connection-{secrets.token_hex(6)}"
        self.caller = Caller(client, self.id, brief=transport is None)
        self.can = frozenset({"consent"} if client.is_person and transport else ())
        self.kinds: frozenset[str] = frozenset()
        self.outgoing = OutgoingQueue(self.post)
        self._hub = hub
        self._transport = transport
        hub.join(self)

    @property
    def session_id(self) -> str:
        """Return the session this connection belongs to."""
        return self.caller.session_id

    @property
    def name(self) -> str:
        """Return the client, for people."""
        return self.caller.name

    def introduce(self, calls_itself: str, can: frozenset[str] | None, *, brief: bool = False) -> None:
        """Take the name the program gives itself, what a screen says it can do (None: as before), and if it stays.

        The name is shown and kept, so it is none of the program's secrets.
        """
        brief = brief or self._transport is None
        self.caller = self.caller._replace(calls_itself=hide_secrets(calls_itself), brief=brief)
        if can is not None and self._transport is not None:
            self.can = can
        self._hub.refresh(self)

    def notify(self, event: Event) -> None:
        """Send the client an event. May be called from any thread."""
        self._hub.notify([self], event)

    def post(self, data: bytes) -> None:
        """Send a message without waiting. Called on the loop."""
        if self._transport is not None:
            self._transport.post(data)

    def cut(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.cut()

    async def send(self, data: bytes | None) -> None:
        """Send a message, if there is one; waits while the other side is slow."""
        if data is not None and self._transport is not None:
            await self._transport.send(data)

    async def request(self, method: str, question: Wire, within: float) -> Any:
        """Ask the host something.

        Args:
            method: One of `host.*`.
            question: Its parameters.
            within: Seconds to wait.

        Returns:
            The host's answer, as it came.

        Raises:
            DeadlineExceeded: It did not answer in time.
            ExecutionFailed: It answered with an error, or went away.
        """
        return await self.outgoing.request(method, question.to_wire(), within)


class Hub:
    """All connections of one bridge. What notifies may be called from any thread; the rest on the loop.

    Args:
        broker: Is given the hosts that can show a consent question.

    Attributes:
        peers: The open connections. Replaced and never changed, as other threads read it.
        home: The event loop of the connections and its thread; None before the first one.
    """

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self.peers: tuple[Peer, ...] = ()
        self._screens: dict[str, Peer] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.intake = Intake()
        self.home: tuple[asyncio.AbstractEventLoop, int] | None = None

    def join(self, peer: Peer) -> None:
        """Add a connection that is open."""
        self.home = (asyncio.get_running_loop(), threading.get_ident())
        self.peers = (*self.peers, peer)
        self.refresh(peer)

    def leave(self, peer: Peer) -> None:
        """Remove a connection that is closed. Open questions stay open."""
        self.peers = tuple(other for other in self.peers if other is not peer)
        if self._screens.pop(peer.id, None) is not None:
            self._broker.detach(peer)

    def refresh(self, peer: Peer) -> None:
        """Update a client whose abilities may have changed: it becomes, or ceases to be, a consent screen."""
        if "consent" in peer.can and peer.id not in self._screens:
            self._screens[peer.id] = peer
            self._broker.attach(peer)
        elif "consent" not in peer.can and self._screens.pop(peer.id, None) is not None:
            self._broker.detach(peer)

    def cut(self, client_id: str) -> None:
        """End every connection of a client, because it was revoked. May be called from any thread."""
        if self.home is None:
            return
        loop, _ = self.home
        for peer in self.peers:
            if peer.caller.client.id == client_id and not loop.is_closed():
                loop.call_soon_threadsafe(peer.cut)

    def connected(self, client_id: str) -> int:
        """Return the number of open connections of a client."""
        return sum(peer.caller.client.id == client_id for peer in self.peers)

    def notify_hosts(self, event: Event) -> None:
        """Send an event to every client that administers."""
        self.notify([peer for peer in self.peers if peer.caller.can(Capability.ADMINISTER)], event)

    def notify_person(self, event: Event) -> None:
        """Send an event to the person's own programs, and to nobody else, whatever they may do."""
        self.notify([peer for peer in self.peers if peer.caller.client.is_person], event)

    def notify_everyone(self, event: Event) -> None:
        """Send an event to every client."""
        self.notify(self.peers, event)

    def notify_client(self, client_id: str, event: Event) -> None:
        """Send an event to every connection of one client."""
        self.notify([peer for peer in self.peers if peer.caller.client.id == client_id], event)

    def publish(self, event: Event, *, person: bool | None = None) -> None:
        """Send an event to every session that subscribed to its kind.

        Args:
            event: The event.
            person: Whether only to the person's own programs, or only to all others; None: to both.
        """
        self.notify(self.subscribers(event.event_name, person=person), event)

    def subscribers(self, kind: str, *, person: bool | None = None) -> list[Peer]:
        """Return the sessions that subscribed to a kind of event: the person's own programs, all others, or both."""
        subscribed = [peer for peer in self.peers if kind in peer.kinds]
        return [peer for peer in subscribed if person is None or peer.caller.client.is_person == person]

    def notify(self, peers: Iterable[Peer], event: Event) -> None:
        """Send an event to some connections."""
        peers = tuple(peers)
        if not peers or self.home is None:
            return
        try:
            data = frames.notification(event)
        except orjson.JSONEncodeError:  # a bug of ours, or a file name that is no text: no reason to fail a call
            logger.exception("The event %s is not JSON", event.event_name)
            return
        loop, thread = self.home
        for peer in peers:
            if threading.get_ident() == thread:
                peer.post(data)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(peer.post, data)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start something that may outlive its connection."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self) -> None:
        """Cancel what still runs, and wait for it."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.intake.close()


class VaultEvents:
    """The events of the vault's files, as they are published. Every method may be called from any thread.

    Args:
        hub: Knows who listens.
        denied: What the user has closed; agents hear nothing of it.
        entry_of: The entry of the history that another program's change to a file belongs to; agents never hear of it.
    """

    def __init__(self, hub: Hub, denied: Denials, entry_of: Callable[[str], str | None] = lambda _path: None) -> None:
        self._hub = hub
        self._denied = denied
        self._entry_of = entry_of

    def changed(self, path: str, change: str) -> None:
        """Tell subscribers of a file that another program has changed, and that the index knows.

        Args:
            path: The file, vault-relative.
            change: `created`, `modified` or `deleted`.
        """
        entry = self._entry_of(path) if self._hub.subscribers(VaultChanged.event_name, person=True) else None
        self._publish(path, change, entry)

    def applied(self, plan: ChangePlan) -> None:
        """Tell subscribers of files that we have changed, and that the index knows."""
        for change in plan.changes:
            if change.kind in _CHANGES:
                self._publish(change.path, _CHANGES[change.kind], None)
            if change.kind is ChangeKind.MOVE and change.new_path is not None:
                self._publish(change.new_path, "created", None)

    def _publish(self, path: str, change: str, entry: str | None) -> None:
        told = VaultChanged.model_validate({"path": path, "change": change})
        self._hub.publish(told if entry is None else told.model_copy(update={"entry": entry}), person=True)
        denial = self._denied()
        if denial is None or denial(path) is None:
            self._hub.publish(told, person=False)

    def progress(self, done: int, total: int) -> None:
        """Tell hosts that the index has read `done` of the `total` files that it is to read."""
        self._hub.notify_hosts(IndexProgress(done=done, total=total))


class PlaceWatch:
    """Notices when the vault's folder is moved or replaced, and when it is back.

    Args:
        in_place: Whether it is where it was opened.
        notify: Sends an event to the hosts; from any thread.
    """

    def __init__(self, in_place: Callable[[], bool], notify: Callable[[VaultMoved], None]) -> None:
        self._in_place = in_place
        self._notify = notify
        self._was = True

    def look(self) -> None:
        """Look once. Blocks for as long as the disk takes."""
        now = self._in_place()
        if now != self._was:
            self._was = now
            message = "The vault's folder is back in its place; changes can be written again" if now else MOVED
            self._notify(VaultMoved(in_place=now, message=message))
