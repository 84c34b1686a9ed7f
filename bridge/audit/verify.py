"""The chain over the log's lines, and walking along it: to check it, and to find where it goes on after a restart.

A line is `{"seq": 7, ..., "chain": "<32 hex digits>"}`. The digits are the first 128 bits of HMAC-SHA-256 over the
digits of the line before and the line's own bytes without its `chain` member. Whoever edits the log in the vault does
not have the key and cannot make them fit again.

Where the beginning of the log was taken away on purpose (the user cleared it, or it was too old), a *sign-off* stands
first: a record whose `head` says after which record it goes on, with a code of its own that only the bridge can make.

Where records were taken out of the middle, to make room, a *gap* stands for them: a record that says after which one it
comes and which was the last of those that went, with such a code too. The lines around it stay as they are.

The key and the last head are kept in the user's own state folder and not in the vault. The chain goes on behind the
last line that fits, or behind the head that was kept. When the kept head is not in the log, its end was cut off. The
chain then goes on from that head all the same, so that every later check finds the gap.
"""

import contextlib
import hashlib
import hmac
import itertools
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, NamedTuple

import orjson

from bridge.audit.files import MAX_LINE, NAME, AuditFiles, DamagedError, LogFile
from bridge.audit.records import number_of, parse, seq_of
from bridge.records.folder import RecordFolder

_DIGITS = 32
_BEFORE, _AFTER = b',"chain":"', b'"}'
_TAIL = len(_BEFORE) + _DIGITS + len(_AFTER)


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the log as it was at some moment.

    Attributes:
        seq: The number of the last record.
        chain: Its code.
        total: How many records were ever written up to it; fewer than `seq` when some were lost.
    """

    seq: int
    chain: str
    total: int

    def wire(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


class Gap(NamedTuple):
    """A place in the log where records were taken out to make room.

    Attributes:
        after: The record before them.
        head: The last of them.
        since: The time of the first of them.
        until: The time of the last of them.
        thinned: Number of records taken out by all gaps up to this one.
    """

    after: Head
    head: Head
    since: str
    until: str
    thinned: int

    @property
    def records(self) -> int:
        """Return the number of records that were taken out here."""
        return self.head.total - self.after.total


class LogChain:
    """The chain of codes, which makes and checks them.

    Args:
        key: Secret; with it, one can write a log that verifies.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.genesis = Head(0, self._code(b"genesis"), 0)

    def link(self, head: Head, seq: int, record: dict[str, Any]) -> tuple[bytes, Head]:
        """Return the line of a record after `head`, without its line break, and the head that it makes."""
        body = orjson.dumps({"seq": seq} | record)
        code = self._code(head.chain.encode(), body)
        return _line(body, code), Head(seq, code, head.total + 1)

    def follow(self, head: Head, line: bytes) -> Head | None:
        """Return the head after `line`, if it is what was written after `head`; numbers between them may be missing."""
        body, code = split(line)
        seq = seq_of(line)
        if seq is None or seq <= head.seq or not self._is_code(code, head.chain.encode(), body):
            return None
        return Head(seq, code, head.total + 1)

    def sign_off(self, head: Head, record: dict[str, Any]) -> bytes:
        """Return the line that stands for everything up to `head`."""
        body = orjson.dumps({"seq": head.seq} | record | {"head": head.wire()})
        return _line(body, self._code(b"sign-off:", body))

    def signed_off(self, line: bytes) -> Head | None:
        """Return the head a sign-off speaks of; None when the line is not one of ours."""
        body, code = split(line)
        if not self._is_code(code, b"sign-off:", body):
            return None
        return head_from(orjson.loads(body).get("head"))

    def gap(self, after: Head, head: Head, record: dict[str, Any]) -> bytes:
        """Return the line that stands for every record behind `after` up to `head`."""
        body = orjson.dumps({"seq": head.seq} | record | {"after": after.wire(), "head": head.wire()})
        return _line(body, self._code(b"gap:", body))

    def gap_of(self, line: bytes) -> Gap | None:
        """Return what a gap record says; None if the line is not one of ours."""
        body, code = split(line)
        if not self._is_code(code, b"gap:", body):
            return None
        record = orjson.loads(body)
        after, head = head_from(record.get("after")), head_from(record.get("head"))
        if after is None or head is None:
            return None
        return Gap(after, head, str(record.get("since")), str(record.get("timestamp")), int(record.get("thinned", 0)))

    def _is_code(self, code: str, *pieces: bytes) -> bool:
        return bool(code) and hmac.compare_digest(code, self._code(*pieces))

    def _code(self, *pieces: bytes) -> str:
        return hmac.digest(self._key, b"".join(pieces), hashlib.sha256).hex()[:_DIGITS]


def split(line: bytes) -> tuple[bytes, str]:
    """Return the bytes that a line's code covers, and the code; empty if it has none."""
    code = line[-_TAIL + len(_BEFORE) : -len(_AFTER)]
    if line[-_TAIL : -_TAIL + len(_BEFORE)] != _BEFORE or not line.endswith(_AFTER) or not code.isalnum():
        return line, ""
    return line[:-_TAIL] + b"}", code.decode("ascii")


def head_from(value: object) -> Head | None:
    """Return a head from what `wire` made of it."""
    match value:
        case {"seq": int() as seq, "chain": str() as chain, "total": int() as total}:
            return Head(seq, chain, total)
    return None


def _line(body: bytes, code: str) -> bytes:
    return b"".join((body[:-1], _BEFORE, code.encode(), _AFTER))


KEY_FILE: Final = "audit.key"
HEAD_FILE: Final = "audit.head"
_KEY_BYTES = 32


class ChainState:
    """The chain of one vault's log, and the last head that is known to be on the disk.

    Args:
        key_store: Where they are.

    Attributes:
        chain: Made with the key, which is made when there is none.
        head: As it was last kept; None when there is none, or it cannot be read.
        adopted: How many lines the log had when the key was made: nobody can vouch for those.
        is_new: Whether the key was made just now.

    Raises:
        OSError: The place cannot be read or written.
    """

    def __init__(self, key_store: RecordFolder) -> None:
        self._key_store = key_store
        key = key_store.read(KEY_FILE)
        self.is_new = key is None or len(key) != _KEY_BYTES
        if key is None or self.is_new:
            key = secrets.token_bytes(_KEY_BYTES)
            key_store.write(KEY_FILE, key)
        self.chain = LogChain(key)
        self.head: Head | None = None
        self.adopted = 0
        if not self.is_new:
            self._load()

    def save(self, head: Head) -> None:
        """Keep a head. Only for lines that are durable: the head may be behind the log but never ahead of it.

        Raises:
            OSError: It could not be kept.
        """
        self._key_store.write(HEAD_FILE, orjson.dumps(head.wire() | {"adopted": self.adopted}))
        self.head = head

    def _load(self) -> None:
        with contextlib.suppress(orjson.JSONDecodeError):
            kept = orjson.loads(self._key_store.read(HEAD_FILE) or b"null")
            self.head = head_from(kept)
            adopted = kept.get("adopted") if isinstance(kept, dict) else None
            self.adopted = adopted if isinstance(adopted, int) else 0


MAX_FAULTS: Final = 20
"""Faults that are listed one by one; the others are only counted."""


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
        faults: The first faults, as `bridge.contract.audit.AuditFault` describes them.
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
        self.faults: list[dict[str, Any]] = []
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
            "faults": self.faults,
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
            said = f"{where}: {message}"
            self.faults.append({"kind": kind, "file": file, "line": number, "seq": seq, "message": said})


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
