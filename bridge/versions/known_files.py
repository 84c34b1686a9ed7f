"""The list of all files as they were last seen, in memory and in the database."""

import contextlib
from collections.abc import Iterator

from bridge.versions.database import Database
from bridge.versions.states import Known


class KnownFiles:
    """Every file with what is known of it. One thread at a time changes it; any may ask."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._changed: dict[str, Known | None] | None = None

    def load(self, database: Database | None) -> None:
        """Take the list up that a database has; None: an empty one."""
        self._known = {} if database is None else database.files()

    def get(self, path: str) -> Known | None:
        """Return what is known of a file, without the changes of an unfinished transaction."""
        return self._known.get(path)

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def __len__(self) -> int:
        return len(self._known)

    def all(self) -> dict[str, Known]:
        """Return everything known, as it is now."""
        return self._known.copy()

    def leave_out(self, paths: list[str]) -> None:
        """Know nothing of some files any more; the database knows it already."""
        for path in paths:
            del self._known[path]

    # -- in a transaction ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Keep changes to oneself during a transaction: they count for others once it has ended well."""
        changed: dict[str, Known | None] = {}
        self._changed = changed
        try:
            yield
        finally:
            self._changed = None
        for path, known in changed.items():
            if known is None:
                self._known.pop(path, None)
            else:
                self._known[path] = known

    def latest(self, path: str) -> Known | None:
        """Return what is known of a file, with the changes of the current transaction."""
        if self._changed is not None and path in self._changed:
            return self._changed[path]
        return self._known.get(path)

    def put(self, database: Database, path: str, known: Known) -> None:
        """Record the state of a file."""
        database.put_file(path, known)
        if self._changed is not None:
            self._changed[path] = known

    def drop(self, database: Database, path: str) -> None:
        """Record that a file is gone."""
        database.drop_file(path)
        if self._changed is not None:
            self._changed[path] = None
