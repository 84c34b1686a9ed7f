"""Aging of the log: it is packed, shifted, thinned, and shortened from the beginning.

Thinning removes records of calls that changed and decided nothing; a gap stays in their place. Records older than the
user wants are all removed, and a sign-off stays at the beginning.

Every step leaves a log that verifies, so a crash between any two costs nothing and the next run goes on. Only one of
these may run at a time; records can be appended meanwhile.
"""

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from bridge.audit.files import (
    GENERATIONS,
    KEPT,
    MAX_LINE,
    NAME,
    ROTATED,
    AuditFiles,
    DamagedError,
    LogFile,
    pack,
    pack_file,
    pack_pieces,
)
from bridge.audit.records import gap_record, matters, parse, seq_of, sign_off_record, stamp_of
from bridge.audit.verify import ChainWalk, Head, LogChain
from bridge.vault.folder import Folder

TEMPORARY: Final = f".{NAME}.tmp"


class LogRotation(NamedTuple):
    """The background work on one log.

    Attributes:
        files: The files.
        chain: Signs what is dropped.
        adopted: Lines at the very beginning that nobody can vouch for.
        now: The time of a sign-off, as it is written.
    """

    files: AuditFiles
    chain: LogChain
    adopted: int
    now: Callable[[], str]

    def tidy(self) -> None:
        """Finish what a crash interrupted, and pack what was rotated.

        Raises:
            OSError: The disk is full or failed; what is there stays.
        """
        with self.files.folder() as folder:
            self._finish(folder)
            names = set(folder.names())
            if ROTATED not in names:
                return
            if names.issuperset(GENERATIONS):
                with self.files.sources() as found:
                    kept = found.pop(0) if found[0].name == KEPT else None
                    self._thin(folder, kept, found[0])
            self._shift(folder)
            with folder.open(ROTATED) as file:
                folder.create(TEMPORARY, pack_file(file), sync=True)
            self._take_place(folder, GENERATIONS[0])
            with self.files.lock:
                folder.unlink(ROTATED)

    def retain(self, oldest: str, newest: str) -> int:
        """Drop generations that are too old as a whole, and then too old lines of the live file.

        Args:
            oldest: The stamp before which records are too old.
            newest: The stamp after which a record's time cannot be right.

        Returns:
            How many records were dropped.

        Raises:
            OSError: The disk is full or failed; what is there stays.
        """
        with self.files.folder() as folder, self.files.sources() as found:
            if any(source.name == ROTATED for source in found):
                return 0  # it is packed first
            packed = (source for source in found if source.packed)
            old = list(itertools.takewhile(lambda source: stamp_of(source.last()) < oldest, packed))
            rest = found[len(old)] if len(old) < len(found) else None
            try:
                cut = self._old_bytes(rest, oldest, newest) if rest else 0
                return self._drop(folder, old, rest, cut, "retention") if old or cut else 0
            except DamagedError:
                return self._drop(folder, old, rest, 0, "retention") if old else 0

    def clear(self, head: Head, facts: dict[str, Any]) -> int:
        """Drop everything. To be called with the files' lock held.

        Args:
            head: The last record that was written.
            facts: Who does it.

        Returns:
            How many records were dropped.

        Raises:
            OSError: The disk is full or failed; the log is as it was, or already cleared.
        """
        with self.files.folder() as folder:
            with self.files.sources() as found:
                names = [source.name for source in found]
                before = found[0].first() if found else b""
                taken_out = thinned(self.chain, found[0], before) if found else 0
            began = self.chain.signed_off(before)
            records = head.total - (began.total if began else 0) - taken_out
            line = self._sign_off(head, "cleared", facts | {"records": records}, before)
            self._create(folder, [memoryview(line)])
            self._take_place(folder, NAME)
            for name in reversed(names):
                if name != NAME:
                    folder.unlink(name)
            folder.sync()
            return records

    def _drop(self, folder: Folder, old: Sequence[LogFile], rest: LogFile | None, cut: int, why: str) -> int:
        """Take `old` and the first `cut` bytes of `rest` away; the sign-off stands at the beginning of `rest` first."""
        walk = ChainWalk(self.chain, self.adopted)
        for source in old:
            walk.walk_file(source)
        if rest is not None and cut:
            walk.walk_file(rest, cut)
        dropped = walk.records + walk.unverified
        facts = {"records": dropped} | ({"thinned": walk.thinned} if walk.thinned else {})
        line = self._sign_off(walk.head, why, facts, walk.sign_off)
        if rest is not None and rest.packed:
            whole = pack_pieces(rest.text_from(cut)) if cut else rest.bytes_from(0)
            self._create(folder, itertools.chain([memoryview(pack(line))], whole))
            rest.close()
            self._take_place(folder, rest.name)
        elif not self._replace_live(folder, line, rest, cut):
            return 0  # rotated meanwhile: the next time is soon enough
        self._remove(folder, old)
        return dropped

    def _thin(self, folder: Folder, kept: LogFile | None, oldest: LogFile) -> None:
        """Put what must not be lost of the oldest generation behind what was kept before, and take it away.

        One in which something is not as it was written is kept as it is, so that this can still be seen.
        """
        before = self._behind(kept)
        walk = self._behind(kept)
        walk.walk_file(oldest)
        lines = oldest.forwards() if walk.fault_count > before.fault_count else self._thinned(before, oldest)
        self._create(folder, itertools.chain(kept.bytes_from(0) if kept else (), pack_pieces(_ended(lines))))
        if kept is not None:
            kept.close()
        self._take_place(folder, KEPT)
        self._remove(folder, [oldest])

    def _behind(self, kept: LogFile | None) -> ChainWalk:
        """Return a walk that has read to the end of what was kept."""
        walk = ChainWalk(self.chain, self.adopted)
        if kept is None:
            return walk
        gap = self.chain.gap_of(kept.last())
        if gap is None:
            walk.walk_file(kept)
        else:
            walk.go_on(gap)
        return walk

    def _thinned(self, walk: ChainWalk, source: LogFile) -> Iterator[bytes]:
        """Yield the lines to keep, a gap for each run of others, and one at the end, however short.

        Args:
            walk: At the beginning of the generation, which has no fault.
            source: The generation.
        """
        after, since, until, taken = walk.head, "", "", 0
        for number, line in enumerate(source.forwards(), 1):
            head, seen = walk.head, walk.records
            walk.walk_line(line, source.name, number)
            if walk.records > seen and not matters(line):
                until = stamp_of(line)
                since = since or until
                continue
            if head != after:
                taken += head.total - after.total
                yield self._gap(after, head, since, until, walk.thinned + taken)
            yield line
            after, since = walk.head, ""
        last = stamp_of(source.last())
        taken += walk.head.total - after.total
        yield self._gap(after, walk.head, since or last, last, walk.thinned + taken)

    def _gap(self, after: Head, head: Head, since: str, until: str, thinned: int) -> bytes:
        return self.chain.gap(after, head, gap_record(until, since, head.total - after.total, thinned))

    def _replace_live(self, folder: Folder, line: bytes, rest: LogFile | None, cut: int) -> bool:
        """Remove the live file's beginning and keep lines appended since; return False if it is another file now."""
        kept = rest.bytes_from(cut) if rest else ()
        self._create(folder, itertools.chain([memoryview(line)], kept))
        with self.files.lock:
            if rest is not None:
                with LogFile(NAME, folder.open(NAME)) as live:
                    if not live.is_same(rest):
                        return False
                    _append(folder, live.bytes_from(rest.size))
                rest.close()
            elif folder.exists(NAME):
                return False
            self._take_place(folder, NAME)
            return True

    def _create(self, folder: Folder, pieces: Iterable[memoryview]) -> None:
        with contextlib.suppress(FileNotFoundError):
            folder.unlink(TEMPORARY)
        folder.create(TEMPORARY, pieces, sync=True)

    def _take_place(self, folder: Folder, name: str) -> None:
        """Give the finished file its name."""
        with self.files.lock:
            folder.replace(TEMPORARY, folder, name)
        folder.sync()

    def _finish(self, folder: Folder) -> None:
        """Take away what a crash left: half a file, and what a sign-off or a packed generation already stands for."""
        with contextlib.suppress(FileNotFoundError):
            folder.unlink(TEMPORARY)
        with self.files.lock, self.files.sources() as found:
            shown = {source.name for source in found}
            for name in (ROTATED, GENERATIONS[-1]):  # the log is read without them: see `sources`
                if folder.exists(name) and name not in shown:
                    folder.unlink(name)
            beginnings = [self.chain.signed_off(source.first()) for source in found]
            at = max((at for at, head in enumerate(beginnings) if head), default=0)
            head = beginnings[at] if beginnings else None
            if head is not None:
                self._remove(folder, [source for source in found[:at] if (seq_of(source.last()) or 0) <= head.seq])

    def _remove(self, folder: Folder, old: Sequence[LogFile]) -> None:
        """Remove files, newest first, so that what a crash leaves of them is in order."""
        for source in reversed(old):
            source.close()
            with self.files.lock:
                folder.unlink(source.name)
        folder.sync()

    def _old_bytes(self, live: LogFile, oldest: str, newest: str) -> int:
        """Return the number of bytes at the beginning that are too old, up to a whole line.

        A line from the future does not end the count when older ones follow: the clock was wrong when it was written.
        """
        position = old = 0
        for number, line in enumerate(live.forwards()):
            time = stamp_of(line)
            if len(line) > MAX_LINE or oldest <= time <= newest:
                break
            position += len(line) + 1
            if time < oldest and (number or self.chain.signed_off(line) is None):
                old = position
        return old if live.packed else min(old, live.size)

    def _shift(self, folder: Folder) -> None:
        """Make the newest place free: the generations before the first free place move by one."""
        with self.files.lock:
            names = set(folder.names())
            free = next(at for at, name in enumerate(GENERATIONS) if name not in names)
            for at in range(free, 0, -1):
                folder.replace(GENERATIONS[at - 1], folder, GENERATIONS[at])

    def _sign_off(self, head: Head, why: str, facts: dict[str, Any], before: bytes) -> bytes:
        return self.chain.sign_off(head, sign_off_record(self.now(), why, facts, before)) + b"\n"


def _ended(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines with their breaks; of a damaged generation those that can be read."""
    with contextlib.suppress(DamagedError):
        for line in lines:
            yield line + b"\n"


def _append(folder: Folder, pieces: Iterator[memoryview]) -> None:
    with folder.open_to_append(TEMPORARY) as fd:
        for piece in pieces:
            rest = piece
            while rest:
                rest = rest[folder.disk.write(fd, rest) :]


def thinned(chain: LogChain, first: LogFile, beginning: bytes) -> int:
    """Return how many records were taken out of the existing log, without reading it.

    Args:
        chain: Made with the key.
        first: The oldest file.
        beginning: Its first line.
    """
    gap = chain.gap_of(first.last()) if first.name == KEPT else None
    if gap is None:
        return 0
    signed = chain.signed_off(beginning)
    before = (parse(beginning) or {}).get("thinned", 0) if signed else 0
    return gap.thinned - (before if isinstance(before, int) else 0)
