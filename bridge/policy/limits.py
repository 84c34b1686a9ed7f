"""Rate limits: a sliding window of 60 seconds.

One window for each client and tool, one over all tools of all clients, and a short queue for calls that come too early.
No client can use up the last one for the others: each that has used less than its equal share of it passes.

Pure: time comes in as an argument. For callers on one event loop; a step of a pipeline uses it like this, with no
`await` between `waits` and `record`:

    ticket = None
    while (wait := max(limits.waits(client, tool, now(), limit, global_limit, ticket=ticket))) > 0:
        ticket = ticket or limits.enqueue(client, tool)     # None: the queue is full, refuse the call
        await asyncio.sleep(wait)
    limits.record(client, tool, now())
    limits.dequeue(ticket)                                  # in a `finally`
"""

import contextlib
import itertools
import math
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import NamedTuple

from bridge.contract.session import LimitUse

WINDOW = 60.0
"""Seconds that a limit is over."""

QUEUE = 10
"""Calls of one client to one tool that may wait at once; any more are refused."""

REFUSALS = 60
"""Calls of one client a minute that may be refused as they stand, before it is told to wait."""

_ALL = ("", "")
_ANY = "*"
"""Stands for all tools of one client."""
_REFUSED = "*refused"
"""Stands for what was refused of one client's calls."""

SHORTEST_WAIT = 0.001
"""Seconds; a wait that rounds to nothing would spin."""


class QueuedCall(NamedTuple):
    """A place in the queue of one client and tool."""

    client: str
    tool: str
    number: int


class RateLimits:
    """The calls of the last 60 seconds, by client and tool, and those that wait.

    Limits are arguments, not state, so that a change of the settings holds for the next question. Only the distance
    between two moments counts, and only forwards: a clock that jumps back stands still for that one step, which
    neither forgets calls that were made nor keeps the gate shut for longer.
    """

    def __init__(self) -> None:
        self._passed: dict[tuple[str, str], deque[float]] = defaultdict(deque)
        """The moments when calls passed, oldest first; under `_ALL` those of all tools and clients together."""
        self._waiting: dict[tuple[str, str], deque[QueuedCall]] = {}
        self._numbers = itertools.count()
        self._heard = -math.inf
        self._elapsed = 0.0
        self._swept = 0.0

    def waits(
        self, client: str, tool: str, now: float, limit: int, global_limit: int, *, ticket: QueuedCall | None
    ) -> tuple[float, float]:
        """Return how long a call must wait for the tool's limit, and for the limit over all tools.

        Args:
            client: The caller; all connections of one client share its limits.
            tool: The tool that it calls.
            now: Monotonic seconds.
            limit: Calls of this tool a minute.
            global_limit: Calls of all tools and clients a minute.
            ticket: The call's place in the queue; None for a call that has just come, which goes behind the queue.

        Returns:
            0 for a limit that lets the call pass now, else the seconds after which asking again makes sense.
        """
        moment = self._advance(now)
        queue = self._waiting.get((client, tool), ())
        ahead = len(queue) if ticket is None else sum(1 for other in queue if other.number < ticket.number)
        own = self._recent(client, _ANY, moment)
        active = sum(1 for who, what in list(self._passed) if what == _ANY and self._recent(who, what, moment))
        share = global_limit // max(1, active + (not own))
        everyone = _wait(self._recent(*_ALL, moment), moment, global_limit, 0)
        if share:
            everyone = min(everyone, _wait(own, moment, share, 0))
        return _at_least(_wait(self._recent(client, tool, moment), moment, limit, ahead)), _at_least(everyone)

    def record(self, client: str, tool: str, now: float) -> float:
        """Count a call that has passed.

        Args:
            client: Whose call it was.
            tool: What it called.
            now: Monotonic seconds.

        Returns:
            What names the call for `give_back`.
        """
        moment = self._advance(now)
        for window in ((client, tool), (client, _ANY), _ALL):
            self._passed[window].append(moment)
        self._sweep(moment)
        return moment

    def give_back(self, client: str, tool: str, passed: float) -> None:
        """Forget a call that has passed, as if it had not been made. One that is long past needs no forgetting.

        Args:
            client: Whose call it was.
            tool: What it called.
            passed: What `record` returned.
        """
        for window in ((client, tool), (client, _ANY), _ALL):
            with contextlib.suppress(ValueError):
                self._passed[window].remove(passed)

    def refused(self, client: str, now: float) -> None:
        """Count a call that was refused as it stood, and has passed no gate.

        Args:
            client: Whose call it was.
            now: Monotonic seconds.
        """
        moment = self._advance(now)
        self._passed[client, _REFUSED].append(moment)
        self._sweep(moment)

    def refusals_wait(self, client: str, now: float) -> float:
        """Return the seconds until a client that had too many calls refused is listened to again; 0 for now.

        Args:
            client: The client.
            now: Monotonic seconds.
        """
        moment = self._advance(now)
        return _at_least(_wait(self._recent(client, _REFUSED, moment), moment, REFUSALS, 0))

    def _sweep(self, moment: float) -> None:
        """Forget, now and then, who has made no calls lately."""
        if moment - self._swept >= WINDOW:
            self._swept = moment
            for of in [of for of in self._passed if not self._recent(*of, moment)]:
                del self._passed[of]

    def enqueue(self, client: str, tool: str) -> QueuedCall | None:
        """Take a place in the queue. Give it back with `dequeue`, whatever happens.

        Args:
            client: Whose call it is.
            tool: The tool that it calls.

        Returns:
            None when the queue is full.
        """
        queue = self._waiting.setdefault((client, tool), deque())
        if len(queue) >= QUEUE:
            return None
        ticket = QueuedCall(client, tool, next(self._numbers))
        queue.append(ticket)
        return ticket

    def dequeue(self, ticket: QueuedCall | None) -> None:
        """Leave the queue. Twice, or with no place in it, does nothing.

        Args:
            ticket: What `enqueue` returned.
        """
        if ticket is None:
            return
        queue = self._waiting.get((ticket.client, ticket.tool))
        if queue is not None and ticket in queue:
            queue.remove(ticket)
            if not queue:
                del self._waiting[ticket.client, ticket.tool]

    def status(self, client: str, now: float, limits: Mapping[str, int]) -> dict[str, LimitUse]:
        """Return how much of each limit one client uses.

        Args:
            client: The client.
            now: Monotonic seconds.
            limits: Calls a minute of every tool that is asked about, as they are now.
        """
        moment = self._advance(now)
        return {
            tool: LimitUse(
                limit=limit,
                used=len(self._recent(client, tool, moment)),
                queued=len(self._waiting.get((client, tool), ())),
            )
            for tool, limit in limits.items()
        }

    def total(self, now: float, global_limit: int) -> LimitUse:
        """Return how much of the limit over all tools and clients is used.

        Args:
            now: Monotonic seconds.
            global_limit: Calls of all tools and clients a minute.
        """
        queued = sum(len(queue) for queue in self._waiting.values())
        used = len(self._recent(*_ALL, self._advance(now)))
        return LimitUse(limit=global_limit, used=used, queued=queued)

    def _advance(self, now: float) -> float:
        """Return the moment in our own time, which never runs backwards."""
        if math.isfinite(now):
            if self._heard < now and math.isfinite(self._heard):
                self._elapsed += now - self._heard
            self._heard = now
        return self._elapsed

    def _recent(self, client: str, tool: str, moment: float) -> deque[float]:
        """Return the passes still in the window, oldest first."""
        times = self._passed.get((client, tool), deque())
        while times and times[0] + WINDOW <= moment:
            times.popleft()
        return times


def _at_least(wait: float) -> float:
    return 0.0 if wait <= 0 else max(wait, SHORTEST_WAIT)


def _wait(passed: deque[float], moment: float, limit: int, ahead: int) -> float:
    """Return the seconds until a call with `ahead` calls before it fits into the window.

    The next call opens 60 seconds after the one `limit` passes before it: a pass that was made, or one that a call
    ahead in the queue will make.
    """
    moments = list(passed)
    for _ in range(ahead + 1):
        makes_room = len(moments) - limit
        moments.append(max(moment, moments[makes_room] + WINDOW) if makes_room >= 0 else moment)
    return moments[-1] - moment
