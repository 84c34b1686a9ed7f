"""Records that come in floods: the first of a kind stand in the log whole, the others as one count."""

from collections import Counter
from typing import Any, Final

from bridge.audit.records import COUNT, AuditRecord

WHOLE: Final = 5
"""Records of one client and reason that are logged whole, until the next `drain`."""
MOST_WHOLE: Final = 100
"""Records of all clients and reasons that are, however many names there are."""
MOST_COUNTS: Final = 200
"""Counts that are kept apart by client and tool; beyond, they are apart by reason alone."""

_NAMED: Final = ("client", "clientId", "role")
_Key = tuple[Any, ...]


class Folding:
    """The records of a flood: the first are logged whole, the others only counted. For one thread."""

    def __init__(self) -> None:
        self._whole: Counter[_Key] = Counter()
        self._counts: dict[_Key, AuditRecord] = {}

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has come since the last `drain`."""
        return not self._whole

    def takes(self, record: AuditRecord) -> bool:
        """Return whether a record is only counted; otherwise it is to be logged whole.

        Args:
            record: With its `timestamp`, `kind`, `tool`, `client`, and what it has of `clientId`, `errorType`, `code`.
        """
        kind, client = record["kind"], record.get("clientId") or record.get("client")
        reason = (kind, record.get("errorType"), record.get("code"))
        if self._whole[client, reason] < WHOLE and self._whole.total() < MOST_WHOLE:
            self._whole[client, reason] += 1
            return False
        key: _Key = (client, record["tool"], reason)
        named = {name: record[name] for name in ("tool", *_NAMED) if name in record}
        if key not in self._counts and len(self._counts) >= MOST_COUNTS:
            key, named = (None, None, reason), {"tool": None, "client": None}
        count = self._counts.get(key)
        if count is None:
            why = {name: record[name] for name in ("success", "errorType", "code") if record.get(name) is not None}
            of = {"kind": COUNT, "of": kind, "count": 0, "since": record["timestamp"]}
            count = self._counts[key] = of | named | why
        count["count"] += 1
        return True

    def drain(self) -> list[AuditRecord]:
        """Return a counting record for each client, tool and reason since the last time."""
        found = list(self._counts.values())
        self._whole.clear()
        self._counts.clear()
        return found
