"""Walking along the log's chain: to check it, naming every break, and to find where it goes on after a restart.

It goes on behind the last line that fits, or behind the head that was kept. When the kept head is not in the log, its
end was cut off. The chain then goes on from that head all the same, so that every later check finds the gap.
"""

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from bridge.audit.chain import ChainState, Gap, Head, LogChain, seq_of, split
from bridge.audit.files import MAX_LINE, NAME, AuditFiles, DamagedError, LogFile
from bridge.audit.records import number_of, parse

MAX_FAULTS: Final = 20
"""Faults that are listed one by one; the others are only counted."""


@dataclass(frozen=True, slots=True)
class ChainFault:
    """A place where the log is not as it was written.

    Attributes:
        kind: `altered`, `missing`, `out_of_order`, `foreign` or `unreadable`.
        file: The file.
        line: The line in that file, counted from 1; None if the whole file or its end is meant.
        seq: The number that the line says it has, or that is missing first.
        message: An explanation for people.
    """

    kind: str
    file: str
    line: int | None
    seq: int | None
    message: str


class ChainWalk:
    """The state of a walk.

    Args:
        chain: The codes.
        adopted: How many lines at the beginning nobody can vouch for.
        expected: The head that the log must reach; None: unknown.

    Attributes:
        head: The last record that fits.
        records: Lines seen that are records.
        unverified: Lines from before there was a key.
        lost: Numbers that were never written, as the chain itself says: a full disk.
        faults: The first faults.
        fault_count: All of them.
        began: The head that the sign-off at the beginning speaks of, if there is one.
        sign_off: That sign-off's line.
        gaps: Where records were taken out to make room, the first and the last.
        early: How many were.
        thinned: How many were, up to here, since there was a gap for the first time.
    """

    def __init__(self, chain: LogChain, adopted: int = 0, expected: Head | None = None) -> None:
        self.chain, self.adopted, self.expected = chain, adopted, expected
        self.head = chain.genesis
        self.records = self.unverified = self.lost = self.fault_count = 0
        self.faults: list[ChainFault] = []
        self.began: Head | None = None
        self.sign_off = b""
        self.gaps: list[Gap] = []
        self.early = self.thinned = 0
        self._claimed: Head | None = None
        self._last = 0
        # A chain that only begins has no line to be reached.
        self._reached = expected is None or expected.chain == self.head.chain

    def walk_file(self, source: LogFile, size: int | None = None) -> None:
        """Walk through one file.

        Args:
            source: The file.
            size: Only so many bytes of its beginning, up to the end of a line.
        """
        number = position = 0
        try:
            for number, line in enumerate(source.forwards(), 1):
                if size is not None and position >= size:
                    break
                self.walk_line(line, source.name, number)
                position += len(line) + 1
        except (DamagedError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            self._fault("unreadable", source.name, number + 1, None, f"cannot be read from line {number + 1}: {why}")

    @property
    def place(self) -> Head:
        """Return the head that the next line must follow; after a break, what the line before says of itself."""
        return self._claimed or self.head

    def go_on(self, gap: Gap) -> None:
        """Begin behind a gap, of which it is known that it stands there."""
        self._go_to(gap.head)
        self.thinned = gap.thinned

    def walk_line(self, line: bytes, file: str, number: int) -> None:
        """Walk over one line."""
        after = self.chain.follow(self.head, line)
        if after is None and self._claimed is not None:
            # Behind a break: what the line before says of itself is believed, or every line would be a break.
            after = self.chain.follow(self._claimed, line)
        elif after is not None and not (self.adopted and self.head.chain == self.chain.genesis.chain):
            self.lost += after.seq - self.head.seq - 1
        if after is not None:
            self._go_to(after)
            self.records += 1
        elif (signed := self.chain.signed_off(line)) is not None:
            self._begin(signed, line, file, number)
        elif (gap := self.chain.gap_of(line)) is not None and gap.after in {self.head, self._claimed}:
            self._pass(gap)
        elif (
            self.head.chain == self.chain.genesis.chain and self.head.total < self.adopted
        ):  # from before there was a key
            self.unverified += 1
            self.head = replace(self.head, total=self.head.total + 1)
        else:
            self._break(line, file, number)

    def end(self) -> None:
        """Check, after the last line, whether the end is there."""
        if self.expected is None or self._reached:
            return
        first, last = self._last + 1, self.expected.seq
        if first <= last:
            which = f"record {last} is" if first == last else f"records {first} to {last} are"
            self._fault("missing", "tools.log", None, first, f"{which} missing at the end")
        elif not self.fault_count:
            self._fault("altered", "tools.log", None, last, f"record {last} is not the one that was written")

    def report(self) -> dict[str, Any]:
        """Return the result of `audit.verify`."""
        return {
            "whole": self.fault_count == 0,
            "records": self.records,
            "lost": self.lost,
            "unverified": self.unverified,
            "faults": [asdict(fault) for fault in self.faults],
            "faultCount": self.fault_count,
            "droppedEarly": {"records": self.early, "since": self.gaps[0].since, "until": self.gaps[-1].until}
            if self.gaps
            else None,
            "begins": self.began.wire() if self.began else None,
            "head": self.head.wire(),
        }

    def _begin(self, signed: Head, line: bytes, file: str, number: int) -> None:
        """Follow a sign-off: everything before it was removed by the bridge, or is about to be."""
        if self._last > signed.seq or number > 1:
            message = f"an older beginning, for the records after {signed.seq}, stands where it does not belong"
            self._fault("out_of_order", file, number, signed.seq, message)
            return
        self.began, self.sign_off = signed, line
        self._claimed = None
        self._go_to(signed)
        thinned = (parse(line) or {}).get("thinned", 0)
        self.thinned = thinned if isinstance(thinned, int) else 0

    def _pass(self, gap: Gap) -> None:
        """Follow a gap, where records were taken out to make room."""
        self._claimed = None
        self._go_to(gap.head)
        self.early += gap.records
        self.lost += gap.head.seq - gap.after.seq - gap.records
        self.thinned = gap.thinned
        if gap.records:
            self.gaps = [*self.gaps[:1], gap]

    def _go_to(self, head: Head) -> None:
        self.head = head
        self._last = head.seq
        if self.expected is not None and (head.seq, head.chain) == (self.expected.seq, self.expected.chain):
            self._reached = True

    def _break(self, line: bytes, file: str, number: int) -> None:
        """Report a line that does not fit, with the reason as far as known, and go on after it."""
        seq, (_, code) = seq_of(line), split(line)
        before = self._last
        if seq is None or not code or len(line) > MAX_LINE:
            self._fault("foreign", file, number, None, "is a line that the bridge did not write, or not so")
            return
        if seq == before + 1:
            self._fault("altered", file, number, seq, f"record {seq} was altered")
        elif seq > before:
            which = f"record {before + 1} is" if seq == before + 2 else f"records {before + 1} to {seq - 1} are"
            self._fault("missing", file, number, before + 1, f"{which} missing before record {seq}")
        else:
            self._fault("out_of_order", file, number, seq, f"record {seq} stands after record {before}")
        self.records += 1
        self._claimed = Head(seq, code, self.head.total + 1)
        self._last = seq

    def _fault(self, kind: str, file: str, number: int | None, seq: int | None, message: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MAX_FAULTS:
            where = f"{file}, line {number}" if number else file
            self.faults.append(ChainFault(kind, file, number, seq, f"{where}: {message}"))


MAX_BEHIND: Final = 10_000
"""Lines the kept head is behind the log at most, mostly; with more, the whole log is walked."""


def find_head(files: AuditFiles, chain_state: ChainState) -> Head:
    """Return the head to go on from. What a crash left of a last line is removed.

    Raises:
        OSError: The log or the kept head cannot be read or written.
    """
    with files.sources() as found:
        if chain_state.is_new:
            return _adopt(chain_state, found)
        head = _catch_up(chain_state, found)
        live = found[-1] if found and found[-1].name == NAME else None
        torn = live is not None and not live.ends_whole() and split(live.last())[1] != head.chain
    if torn:
        with contextlib.suppress(OSError):
            files.cut_torn_end()
    return head


def is_head(chain: LogChain, head: Head, line: bytes) -> bool:
    """Return whether a line is the one that made `head`, or the sign-off that stands for it."""
    if seq_of(line) != head.seq:
        return False
    signed = chain.signed_off(line)
    return split(line)[1] == head.chain or (signed is not None and signed.chain == head.chain)


def _adopt(chain_state: ChainState, found: Sequence[LogFile]) -> Head:
    """Adopt a log from before there was a key: nobody can vouch for its lines."""
    count = last = 0
    for source in reversed(found):
        with contextlib.suppress(DamagedError):
            for line in source.backwards():
                count += 1
                last = last or number_of(parse(line) or {})
    chain_state.adopted = count
    head = Head(last, chain_state.chain.genesis.chain, count)
    chain_state.save(head)
    return head


def _catch_up(chain_state: ChainState, found: Sequence[LogFile]) -> Head:
    """Return the last line that fits behind the kept head."""
    head = chain_state.head
    if head is None or head.chain == chain_state.chain.genesis.chain:
        return _walked(chain_state, found)
    behind: list[bytes] = []
    try:
        for line in itertools.chain.from_iterable(source.backwards() for source in reversed(found)):
            if is_head(chain_state.chain, head, line):
                break
            behind.append(line)
            if len(behind) >= MAX_BEHIND:
                return _walked(chain_state, found)
    except DamagedError:
        return head
    for line in reversed(behind):
        signed = chain_state.chain.signed_off(line)
        if (gap := chain_state.chain.gap_of(line)) is not None:
            signed = gap.head
        # The kept head may be among the records that a sign-off stands for.
        head = chain_state.chain.follow(head, line) or (signed if signed and signed.seq >= head.seq else head)
    return head


def _walked(chain_state: ChainState, found: Sequence[LogFile]) -> Head:
    walk = ChainWalk(chain_state.chain, chain_state.adopted)
    for source in found:
        walk.walk_file(source)
    kept = chain_state.head
    return kept if kept is not None and kept.seq > walk.head.seq else walk.head
