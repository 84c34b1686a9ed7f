"""The log as it was at one moment: what queries, exports and checks read, while records go on being appended."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridge.audit.chain import Chain, Head
from bridge.audit.gzip_blocks import DamagedError
from bridge.audit.log_file import LogFile


@dataclass(frozen=True, slots=True)
class LogSnapshot:
    """The log at one moment.

    Attributes:
        sources: Its files, oldest first.
        chain: What its lines are checked with.
        adopted: Lines at its very beginning that nobody can vouch for.
        head: The last record written.
        lost: Records that could not be written in this run.
    """

    sources: Sequence[LogFile]
    chain: Chain
    adopted: int
    head: Head
    lost: int

    def oldest_first(self) -> Iterator[bytes]:
        """Every line; of a damaged file those that can be read."""
        for source in self.sources:
            try:
                yield from source.forwards()
            except DamagedError:
                continue

    def newest_first(self, needle: bytes = b"") -> Iterator[bytes]:
        """Every line from the end, at least of those parts that have the needle; of a damaged file what can be read."""
        for source in reversed(self.sources):
            try:
                yield from source.backwards(needle)
            except DamagedError:
                continue
