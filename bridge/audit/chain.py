"""The chain over the log's lines: each carries a code over itself and the line before, made with a key kept elsewhere.

A line is `{"seq": 7, ..., "chain": "<32 hex digits>"}`. The digits are the first 128 bits of HMAC-SHA-256 over the
digits of the line before and the line's own bytes without its `chain` member. Whoever edits the log in the vault does
not have the key and cannot make them fit again.

Where the beginning of the log was taken away on purpose (the user cleared it, or it was too old), a *sign-off* stands
first: a record whose `head` says after which record it goes on, with a code of its own that only the bridge can make.

Where records were taken out of the middle, to make room, a *gap* stands for them: a record that says after which one it
comes and which was the last of those that went, with such a code too. The lines around it stay as they are.

The key and the last head are kept in the user's own state folder and not in the vault.
"""

import contextlib
import hashlib
import hmac
import re
import secrets
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import orjson

from bridge.records.folder import RecordFolder

_DIGITS = 32
_BEFORE, _AFTER = b',"chain":"', b'"}'
_TAIL = len(_BEFORE) + _DIGITS + len(_AFTER)
_SEQ = re.compile(rb'\{"seq":(\d{1,18}),')


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


def seq_of(line: bytes) -> int | None:
    """Return the number a line says it has, without reading all of it."""
    found = _SEQ.match(line)
    return int(found[1]) if found else None


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
