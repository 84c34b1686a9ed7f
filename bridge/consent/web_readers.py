"""The clients that have read from the web or another server, and the addresses that agents have put together.

What such a client does next may be what it was told there. It is marked before it gets what it fetched, and stays so
until the person clears it: not by reconnecting, not by a restart, not by an answer to a question. While it is marked,
what could carry something out or bring something in is asked about whatever was said before.

An address that an agent put together and wrote into a note does not count as the person's afterwards; it is kept as a
hash. Those that an agent had read and wrote down unchanged are not here. Both lists lie beside the list of clients.
"""

import hashlib
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from bridge.clock import Clock, stamp
from bridge.contract.consent import Reach, TargetKind
from bridge.identity.caller import Caller
from bridge.policy.targets import Target
from bridge.records.folder import RecordFolder, RecordStore
from bridge.vault.plan import Hazard

_FILE: Final = "web_readers.json"
MOST_SITES: Final = 200
"""Sites that are remembered of one client; beyond that the oldest is new again, and asked about."""
_FOREIGN: Final = {
    TargetKind.COMMAND: "a command",
    TargetKind.SERVER_TOOL: "a tool of another server",
    TargetKind.CUSTOM_TOOL: "a custom tool",
}
_HAZARDS: Final = {
    Hazard.LOADS: "loads something from the network",
    Hazard.RUNS: "runs as a program",
    Hazard.LEADS_OUT: "leads out of the vault",
}


@dataclass(frozen=True, slots=True)
class WebReader:
    """A client that has read from the web.

    Attributes:
        client: The id of its credential.
        name: Its name at the time.
        since: When it read first, as every time is written.
        sites: The sites and servers that it has read from, the latest last.
    """

    client: str
    name: str
    since: str
    sites: tuple[str, ...]


class WebReaders:
    """All such clients. May be asked from any thread; marking and clearing write a file.

    Args:
        folder: Where the list is kept.
        clock: Time.

    Attributes:
        file: The list. While it has a fault, every client counts as marked.
    """

    def __init__(self, folder: RecordFolder, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        fault = "The list of clients that have read from the web cannot be used ({why})"
        self.file = RecordStore(folder, _FILE, list[WebReader], member="readers", fault=fault)
        self._readers = {reader.client: reader for reader in self.file.load([])}

    def list(self) -> Sequence[WebReader]:
        """Return every client that is marked."""
        return tuple(self._readers.values())

    def is_marked(self, caller: Caller, targets: Sequence[Target]) -> bool:
        """Return whether marking a client for some targets would change nothing."""
        if caller.client.is_person:
            return True
        before = self._readers.get(caller.subject)
        return before is not None and all(site is None or site in before.sites for site in map(_site, targets))

    def mark(self, caller: Caller, targets: Sequence[Target]) -> None:
        """Mark a client that is about to get something from the web. Blocks.

        Args:
            caller: The client. The person's own programs are never marked.
            targets: Where it comes from.

        Raises:
            ExecutionFailed: The mark cannot be written; the client must not get it.
        """
        if self.is_marked(caller, targets):
            return
        sites = [site for target in targets if (site := _site(target)) is not None]
        with self._lock:
            new = WebReader(caller.subject, caller.name, stamp(self._clock.now()), ())
            before = self._readers.get(caller.subject, new)
            kept = (*(site for site in before.sites if site not in sites), *dict.fromkeys(sites))[-MOST_SITES:]
            self._save({**self._readers, caller.subject: replace(new, since=before.since, sites=kept)})

    def clear(self, client: str) -> bool:
        """Clear a client for the person; return whether it was marked. Blocks.

        Args:
            client: The id of its credential.

        Raises:
            ExecutionFailed: It cannot be written; the client stays marked.
        """
        with self._lock:
            if client not in self._readers:
                return False
            self._save({key: reader for key, reader in self._readers.items() if key != client})
            return True

    def insists(
        self, caller: Caller, targets: Sequence[Target], hazards: Sequence[Hazard] = (), *, sends_new: bool = False
    ) -> str:
        """Return why a call must be asked about as its client has read from the web; empty if it need not be.

        Args:
            caller: The caller.
            targets: The things that the call touches.
            hazards: What its new text would do.
            sends_new: Whether it sends anything but what the client has read as it is.
        """
        if caller.client.is_person:
            return ""
        reader = self._readers.get(caller.subject)
        if reader is None and self.file.fault is None:
            return ""
        known = reader.sites if reader is not None else ()
        reasons = [_why(target, known, sends_new=sends_new) for target in targets]
        reasons += [f"text that {_HAZARDS[hazard]}" for hazard in hazards if hazard in _HAZARDS]
        what = next(filter(None, reasons), None)
        if what is None:
            return ""
        return f"{caller.name} has read from {_source(known)}, which may have told it to do this: {what}"

    def _save(self, readers: Mapping[str, WebReader]) -> None:
        self.file.save([*readers.values()])
        self._readers = dict(readers)


def _why(target: Target, known: Sequence[str], *, sends_new: bool) -> str | None:
    site = _site(target)
    if target.kind is TargetKind.URL and site in known:
        return f"a request that it has put together itself ({site})" if sends_new else None
    if target.kind is TargetKind.URL:
        return f"a site that it has not read before ({site})"
    if site is not None and site in known and not sends_new:
        return None  # nothing is sent to that server
    return _FOREIGN.get(target.kind)


def _site(target: Target) -> str | None:
    """Return the site of a page, or the server of a tool, as its key."""
    return next((rung.key for rung in target.rungs() if rung.reach in {Reach.SITE, Reach.SERVER}), None)


def _source(known: Sequence[str]) -> str:
    """Return where a client has read last, for a sentence."""
    if not known:
        return "the web"
    scheme, _, rest = known[-1].partition("://")
    name = rest.rstrip("/")
    return f"the server {name}" if scheme == "mcp" else f"the web ({name})"


_ADDRESSES: Final = "agents_addresses.json"
MOST: Final = 10_000
"""Addresses that are kept. Beyond that every address counts as an agent's, so that a flood makes none the person's."""


@dataclass(frozen=True, slots=True)
class _Record:
    """One address as the file holds it."""

    hash: str


class AgentsAddresses:
    """All such addresses. May be asked from any thread; adding writes a file.

    Args:
        folder: Where the list is kept.

    Attributes:
        file: The list. While it has a fault, every address counts as an agent's.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._lock = threading.Lock()
        fault = "The list of addresses that agents wrote cannot be used ({why})"
        self.file = RecordStore(folder, _ADDRESSES, list[_Record], member="addresses", fault=fault)
        self._kept = dict.fromkeys(record.hash for record in self.file.load([]))

    def has(self, key: str) -> bool:
        """Return whether an address counts as an agent's.

        Args:
            key: The address as `address_key` has it.
        """
        return self.file.fault is not None or len(self._kept) >= MOST or _hash(key) in self._kept

    def add(self, keys: Collection[str]) -> None:
        """Remember addresses that an agent is about to write. Blocks.

        Args:
            keys: The addresses.

        Raises:
            ExecutionFailed: The list cannot be written; the agent must not write them.
        """
        with self._lock:
            kept = dict.fromkeys(islice(dict.fromkeys((*self._kept, *map(_hash, keys))), MOST))
            if len(kept) > len(self._kept):
                self.file.save([_Record(value) for value in kept])
                self._kept = kept


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:24]
