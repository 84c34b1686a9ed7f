"""The changes that a person let clients make with their own editors, and whether the clients made exactly those.

A client makes such a change itself, so it is recorded like that of any other program. Only here is it known that it was
asked about, and what was shown.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel

from bridge.clock import Clock
from bridge.records.folder import RecordFolder, RecordStore
from bridge.vault.plan import ChangePlan, content_hash
from bridge.versions.states import Entry, Side, Version

FILE: Final = "allowed-edits.json"
MOST: Final = 1000
"""Allowed changes of files that are kept."""

SECONDS: Final = 120.0
"""Seconds after an approval within which a change still belongs to it. Clients write at once."""

_EARLY: Final = 1.0
"""Seconds by which a change may seem to have come before the yes."""


class AllowedEdit(BaseModel):
    """One file that a client was allowed to change.

    Attributes:
        path: Its path.
        hashes: SHA-256 in hex of what was shown, with each kind of line endings; empty if the file was to go.
        client: The client, for people.
        time: When, in seconds since 1970.
    """

    path: str
    hashes: tuple[str, ...]
    client: str
    time: float


class Compared(NamedTuple):
    """The allowed changes that an entry contains.

    Attributes:
        clients: The clients whose allowed changes are in it.
        as_allowed: Files that they changed exactly as allowed.
        otherwise: Files that they were allowed to change, and that became something else.
    """

    clients: tuple[str, ...]
    as_allowed: tuple[str, ...]
    otherwise: tuple[str, ...]


class AllowedEdits:
    """The changes that were allowed. Any thread may use it.

    Args:
        folder: Where they are kept, for this user only.
        clock: The time.
    """

    def __init__(self, folder: RecordFolder, clock: Clock) -> None:
        fault = "What programs were allowed to change themselves is not known any more: {why}"
        self._file = RecordStore(folder, FILE, list[AllowedEdit], fault=fault, replace_damaged=True)
        self._clock = clock
        self._lock = threading.Lock()
        self._edits = self._file.load([])

    def note(self, plan: ChangePlan, client: str) -> None:
        """Record that a person has allowed a client to make a change itself.

        Args:
            plan: The change.
            client: The client, for people.

        Raises:
            OSError: It cannot be kept.
        """
        now = self._clock.now().timestamp()
        ends = dict(end for change in plan.changes for end in change.ends())
        edits = [
            AllowedEdit(path=path, hashes=_hashes(plan.blobs, end), client=client, time=now)
            for path, end in ends.items()
        ]
        with self._lock:
            kept = [*self._edits, *edits][-MOST:]
            self._file.save(kept)
            self._edits = kept

    def compare(self, entry: Entry, versions: Callable[[str], Sequence[Version]]) -> Compared | None:
        """Compare what other programs did with what was allowed; None if nothing in it was asked about.

        Args:
            entry: What they did.
            versions: The states that a file had.
        """
        paths = {place for effect in entry.effects for place in effect.places}
        with self._lock:
            edits = [
                edit
                for edit in self._edits
                if edit.path in paths and entry.began - SECONDS <= edit.time <= entry.ended + _EARLY
            ]
        if not edits:
            return None
        ends = {effect.path: None if effect.new_path else effect.after for effect in entry.effects}
        ends |= {effect.new_path: effect.after for effect in entry.effects if effect.new_path}
        as_allowed, otherwise = dict[str, None](), dict[str, None]()
        for edit in edits:
            states = {ends.get(edit.path)} if edit.path in ends else set()
            states |= {one.digest for one in versions(edit.path) if one.since >= edit.time - _EARLY}
            wanted: set[Side] = {bytes.fromhex(digest) for digest in edit.hashes} or {None}
            (otherwise if states.isdisjoint(wanted) else as_allowed)[edit.path] = None
        clients = tuple(dict.fromkeys(edit.client for edit in edits))
        return Compared(clients, tuple(path for path in as_allowed if path not in otherwise), tuple(otherwise))

    def forget(self, path: str | None = None) -> None:
        """Let go what was allowed of a file or folder; None: of all.

        Raises:
            OSError: It cannot be written.
        """
        with self._lock:
            kept = [
                edit
                for edit in self._edits
                if path is not None and edit.path != path and not edit.path.startswith(f"{path}/")
            ]
            if len(kept) != len(self._edits):
                self._file.save(kept)
                self._edits = kept


def comparison_words(compared: Compared | None, files: Sequence[str]) -> str:
    """Return how an entry compares with what was allowed, as the end of its sentence; empty if nothing is known.

    Args:
        compared: What was found.
        files: All that the entry is about.
    """
    if compared is None:
        return ""
    who = " and ".join(compared.clients)
    if compared.otherwise:
        return f", otherwise than you allowed {who}: {', '.join(compared.otherwise)}"
    if set(files) <= set(compared.as_allowed):
        return f", as you allowed {who}"
    return f", {', '.join(compared.as_allowed)} as you allowed {who}"


def _hashes(blobs: Mapping[str, bytes], end: str | None) -> tuple[str, ...]:
    """Return the hashes that allowed content may have: editors keep the line endings of a file or use their own."""
    if end is None:
        return ()
    data = blobs.get(end)
    if data is None:
        return (end,)
    plain = data.replace(b"\r\n", b"\n")
    return tuple(dict.fromkeys((end, content_hash(plain), content_hash(plain.replace(b"\n", b"\r\n")))))
