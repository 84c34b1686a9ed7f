"""The bridge's own writes, which are never recorded as another program's."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Protocol

from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.versions.states import Side


class Ledger(Protocol):
    """A record of what the bridge has written, including writes that nobody was told about."""

    def written_since(self, execution_id: str | None, /) -> Mapping[str, set[str | None]]:
        """Return what may have been written after a change: hashes by path, with None if the file may be gone."""
        ...

    def last_id(self) -> str | None:
        """Return the last change that was begun; None if there never was one."""
        ...


class BridgeWrites:
    """The file states that the bridge itself has made.

    Args:
        ledger: What it has written.

    Attributes:
        last: The name of the change that is being made or was made last; None if none was heard of.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._expected: dict[str, set[bytes | None]] = {}
        self._unheard: dict[str, set[bytes | None]] = {}
        self.last: str | None = None

    def begin(self, heard: str | None) -> None:
        """Find out what was written after the last change that was heard of."""
        self._unheard = {
            path: {None if one is None else bytes.fromhex(one) for one in hashes}
            for path, hashes in self._ledger.written_since(heard).items()
        }

    def last_begun(self) -> str | None:
        """Return the last change of all, whether it was heard of or not."""
        return self._ledger.last_id()

    @contextlib.contextmanager
    def expecting(self, plan: ChangePlan, execution_id: str) -> Iterator[None]:
        """Expect each of a plan's files as it was, as it becomes, or missing, while it is carried out."""
        expected: dict[str, set[bytes | None]] = {}
        for change in plan.changes:
            for path in (change.path, change.new_path):
                if path is not None and not change.of_folder:
                    hashes = {bytes.fromhex(digest) for digest in (change.before, change.after) if digest}
                    expected.setdefault(path, {None}).update(hashes)
        self._expected = expected
        self.last = execution_id
        try:
            yield
        finally:
            self._expected = {}

    def miss(self, ends: Mapping[str, bytes | None]) -> None:
        """Remember the results of a plan that could not be recorded."""
        for path, end in ends.items():
            self._unheard.setdefault(path, set()).add(end)

    def all_seen(self) -> None:
        """Forget the missed writes: every file was looked at, so they are known now."""
        self._unheard = {}

    def concern(self, path: str) -> bool:
        """Return whether the bridge may have written a file."""
        return path in self._expected or path in self._unheard

    def wrote(self, path: str, digest: Side) -> bool:
        """Return whether the bridge has given a file this content."""
        return digest is not None and digest in self._expected.get(path, set()) | self._unheard.get(path, set())

    def is_taking_away(self, path: str) -> bool:
        """Return whether a file may be missing because a plan is being carried out."""
        return None in self._expected.get(path, set())

    def took_away(self, path: str) -> bool:
        """Return whether the bridge may have removed a file without having announced it."""
        return None in self._unheard.get(path, set())


def sides(plan: ChangePlan) -> tuple[dict[str, bytes | None], dict[str, bytes | None]]:
    """Return the hash of each file before and after a plan."""
    starts: dict[str, bytes | None] = {}
    ends: dict[str, bytes | None] = {}
    for change in plan.changes:
        if not change.of_folder:
            before, after = (bytes.fromhex(digest) if digest else None for digest in (change.before, change.after))
            starts.setdefault(change.path, before)
            ends[change.path] = None if change.kind in {ChangeKind.MOVE, ChangeKind.DELETE} else after
            if change.kind is ChangeKind.MOVE and change.new_path is not None:
                starts.setdefault(change.new_path, None)
                ends[change.new_path] = after
    return starts, ends
