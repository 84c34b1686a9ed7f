"""The filter of changes: since when, by which client, with which tool, under which answer; and their authors."""

from datetime import datetime
from typing import Protocol

from bridge.audit.records import read_time
from bridge.audit.sentences import caller_words
from bridge.identity.caller import HOST_ID
from bridge.identity.store import ClientStore
from bridge.journal.journal import HistoryEntry


class Wanted(Protocol):
    """A caller's conditions; None: any."""

    @property
    def since(self) -> str | None:
        """Return the ISO 8601 time from which on changes are meant."""
        ...

    @property
    def client(self) -> str | None:
        """Return the name or id of the client whose changes are meant."""
        ...

    @property
    def tool(self) -> str | None:
        """Return the tool whose changes are meant."""
        ...

    @property
    def grant(self) -> str | None:
        """Return the id of the answer that allowed the changes that are meant."""
        ...


class HistoryFilter:
    """The filter for the changes that are meant.

    Args:
        wanted: What is asked for.
        clients: The clients that have a name of their own.

    Raises:
        InvalidParameters: `since` is no time.
    """

    def __init__(self, wanted: Wanted, clients: ClientStore) -> None:
        self._wanted = wanted
        self._since = None if wanted.since is None else read_time(wanted.since, "since")
        known = None if wanted.client is None else clients.find(wanted.client)
        self._client_id = wanted.client if known is None else known.client_id

    @property
    def is_open(self) -> bool:
        """Return whether every change is meant."""
        wanted = self._wanted
        return all(value is None for value in (wanted.since, wanted.client, wanted.tool, wanted.grant))

    def fits(self, entry: HistoryEntry) -> bool:
        """Return whether a change is meant."""
        wanted = self._wanted
        return (
            (self._since is None or datetime.fromisoformat(entry.time) >= self._since)
            and wanted.tool in {None, entry.tool}
            and wanted.grant in {None, entry.grant}
            and (wanted.client is None or self._is_by(entry))
        )

    def _is_by(self, entry: HistoryEntry) -> bool:
        """Return whether it is the client's, also under a former name; the person's own programs name themselves."""
        return entry.credential == self._client_id or (
            entry.client == self._wanted.client and entry.credential != HOST_ID
        )


def who(entry: HistoryEntry) -> str:
    """Return who asked for a change, as the log says it."""
    return caller_words(entry.client, entry.credential)
