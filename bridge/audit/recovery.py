"""Where the log goes on after a restart: behind the last line that fits, or behind the head that was kept.

When the kept head is not in the log, its end was cut off. The chain then goes on from that head all the same, so that
the gap is found by every later check.
"""

import contextlib
import itertools
from collections.abc import Sequence
from typing import Final

from bridge.audit.chain import Chain, Head, seq_of, split
from bridge.audit.chain_state import Anchor
from bridge.audit.files import NAME, AuditFiles
from bridge.audit.gzip_blocks import DamagedError
from bridge.audit.records import number_of, parse
from bridge.audit.source import Source
from bridge.audit.verify import Walk

MAX_BEHIND: Final = 10_000
"""Lines the kept head is behind the log at most, mostly; with more, the whole log is walked."""


def find_head(files: AuditFiles, anchor: Anchor) -> Head:
    """The head to go on from. What a crash left of a last line is removed.

    Raises:
        OSError: The log or the kept head cannot be read or written.
    """
    with files.sources() as found:
        if anchor.is_new:
            return _adopt(anchor, found)
        head = _catch_up(anchor, found)
        live = found[-1] if found and found[-1].name == NAME else None
        torn = live is not None and not live.ends_whole() and split(live.last())[1] != head.chain
    if torn:
        with contextlib.suppress(OSError):
            files.cut_torn_end()
    return head


def is_head(chain: Chain, head: Head, line: bytes) -> bool:
    """Whether a line is the one that made `head`, or the sign-off that stands for it."""
    if seq_of(line) != head.seq:
        return False
    signed = chain.signed_off(line)
    return split(line)[1] == head.chain or (signed is not None and signed.chain == head.chain)


def _adopt(anchor: Anchor, found: Sequence[Source]) -> Head:
    """There was no key: nobody can vouch for the lines there are."""
    count = last = 0
    for source in reversed(found):
        with contextlib.suppress(DamagedError):
            for line in source.backwards():
                count += 1
                last = last or number_of(parse(line) or {})
    anchor.adopted = count
    head = Head(last, anchor.chain.genesis.chain, count)
    anchor.save(head)
    return head


def _catch_up(anchor: Anchor, found: Sequence[Source]) -> Head:
    """The last line that fits behind the kept head."""
    head = anchor.head
    if head is None or head.chain == anchor.chain.genesis.chain:
        return _walked(anchor, found)
    behind: list[bytes] = []
    try:
        for line in itertools.chain.from_iterable(source.backwards() for source in reversed(found)):
            if is_head(anchor.chain, head, line):
                break
            behind.append(line)
            if len(behind) >= MAX_BEHIND:
                return _walked(anchor, found)
    except DamagedError:
        return head
    for line in reversed(behind):
        signed = anchor.chain.signed_off(line)
        # The kept head may be among the records that a sign-off stands for.
        head = anchor.chain.follow(head, line) or (signed if signed and signed.seq >= head.seq else head)
    return head


def _walked(anchor: Anchor, found: Sequence[Source]) -> Head:
    walk = Walk(anchor.chain, anchor.adopted)
    for source in found:
        walk.through(source)
    kept = anchor.head
    return kept if kept is not None and kept.seq > walk.head.seq else walk.head
