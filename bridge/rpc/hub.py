"""Every open connection: which of them are consent screens, and who is told what."""

import asyncio
import hashlib
import hmac
import logging
import secrets
import threading
from collections.abc import Coroutine
from typing import Any, Protocol

import orjson

from bridge.consent.broker import ConsentHost
from bridge.rpc import replies
from bridge.toolkit.tool_call import Role

logger = logging.getLogger(__name__)


class Member(ConsentHost, Protocol):
    """A connection, as the hub sees it."""

    @property
    def role(self) -> Role:
        """Whose token it showed."""
        ...

    @property
    def can(self) -> frozenset[str]:
        """What a host said it can do."""
        ...

    @property
    def kinds(self) -> frozenset[str]:
        """The events it asked for."""
        ...

    def post(self, data: bytes) -> None:
        """Send a message without waiting. Called on the loop."""
        ...

    async def request(self, method: str, params: dict[str, Any], within: float) -> Any:
        """Ask a host something; raises DeadlineExceeded or ExecutionFailed when it does not answer."""
        ...


class ScreenDesk(Protocol):
    """Where consent screens report: the broker."""

    def attach(self, host: ConsentHost) -> None:
        """One is there."""
        ...

    def detach(self, host: ConsentHost) -> None:
        """One is gone."""
        ...


class Hub:
    """All connections of one bridge. What tells may be called from any thread; the rest on the loop.

    Args:
        screens: Told of hosts that can show a consent question.

    Attributes:
        members: The open connections. Replaced and never changed, as other threads read it.
    """

    def __init__(self, screens: ScreenDesk) -> None:
        self._screens = screens
        self.members: tuple[Member, ...] = ()
        self._attached: dict[str, Member] = {}
        self._secret = secrets.token_bytes(32)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._home: tuple[asyncio.AbstractEventLoop, int] | None = None

    @property
    def home(self) -> tuple[asyncio.AbstractEventLoop, int] | None:
        """The event loop of the connections and its thread; None before the first one."""
        return self._home

    def join(self, member: Member) -> None:
        """A connection is open."""
        self._home = (asyncio.get_running_loop(), threading.get_ident())
        self.members = (*self.members, member)
        self.refresh(member)

    def leave(self, member: Member) -> None:
        """A connection is closed. Open questions stay open."""
        self.members = tuple(other for other in self.members if other is not member)
        if self._attached.pop(member.id, None) is not None:
            self._screens.detach(member)

    def refresh(self, member: Member) -> None:
        """What a member can do may have changed: it becomes, or ceases to be, a consent screen."""
        if "consent" in member.can and member.id not in self._attached:
            self._attached[member.id] = member
            self._screens.attach(member)
        elif "consent" not in member.can and self._attached.pop(member.id, None) is not None:
            self._screens.detach(member)

    def session_id(self, role: Role, client: str) -> str:
        """The name of a session: one client until the bridge stops, however often it connects."""
        digest = hmac.digest(self._secret, f"{role}:{client}".encode(), hashlib.sha256)
        return f"{role}-{digest.hex()[:12]}"

    def notify_hosts(self, method: str, params: dict[str, Any]) -> None:
        """Notify every host."""
        self._tell([member for member in self.members if member.role == "host"], method, params)

    def publish(self, kind: str, params: dict[str, Any], *, hosts_only: bool = False) -> None:
        """Notify every session that subscribed to this kind of event; or only those of hosts."""
        told = [member for member in self.members if kind in member.kinds]
        self._tell([member for member in told if not hosts_only or member.role == "host"], kind, params)

    def tell(self, member: Member, method: str, params: dict[str, Any]) -> None:
        """Notify one session."""
        self._tell([member], method, params)

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

    def _tell(self, members: list[Member], method: str, params: dict[str, Any]) -> None:
        if not members or self._home is None:
            return
        try:
            data = replies.notification(method, params)
        except orjson.JSONEncodeError:  # a bug of ours, or a file name that is no text: no reason to fail a call
            logger.exception("The notification %s cannot be told as JSON", method)
            return
        loop, thread = self._home
        for member in members:
            if threading.get_ident() == thread:
                member.post(data)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(member.post, data)
