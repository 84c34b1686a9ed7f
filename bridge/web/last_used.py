"""The time of the last fetch from each site, since the bridge started."""

from collections import OrderedDict
from datetime import datetime

from bridge.clock import Clock
from bridge.web.door import Exchanged

_MOST = 1_000


class LastUsed:
    """The memory of when sites were used.

    Args:
        clock: Time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._hosts: OrderedDict[str, datetime] = OrderedDict()

    def note(self, exchanged: Exchanged) -> None:
        """Note that a request was made."""
        if exchanged.service is None:
            self._hosts[exchanged.url.netloc] = self._clock.now()
            self._hosts.move_to_end(exchanged.url.netloc)
            while len(self._hosts) > _MOST:
                self._hosts.popitem(last=False)

    def of(self, name: str) -> datetime | None:
        """Return when a host was used last: one such as `example.org`, `example.org:8080` or `*.example.org`."""
        if not name.startswith("*."):
            return self._hosts.get(name)
        return max((at for host, at in self._hosts.items() if host.endswith(name[1:])), default=None)
