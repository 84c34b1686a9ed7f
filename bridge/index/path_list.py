"""Many paths as one text, a line each, so that a glob is led over all of them in one search."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from bridge.index.globs import Glob
from bridge.vault.spelling import nfc

CHUNK = 1024 * 1024
"""Bytes of paths searched at once."""


class PathList:
    """Paths, made ready for globs. It never changes.

    Args:
        paths: Vault paths; no name holds a line break. Globs see them in NFC.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        lines = [nfc(path).encode() for path in paths]
        self._starts = array("q", accumulate((len(line) + 1 for line in lines), initial=0))
        self._text = b"\n".join([*lines, b""])

    def matching(self, glob: Glob) -> Sequence[int]:
        """Which of the paths a glob means, as places in the list, in order."""
        if glob.suffix is not None:
            return [place for place, path in enumerate(self.paths) if nfc(path).endswith(glob.suffix)]
        found: list[int] = []
        search, starts, text = glob.line_regex.search, self._starts, self._text
        for first in range(0, len(text), CHUNK):
            # Each part from the first line that begins in it to the last one.
            low = starts[bisect_left(starts, first)]
            end = starts[min(bisect_left(starts, first + CHUNK), len(self.paths))]
            while low < end:
                match = search(text, low, end)
                if match is None or match.start() == end:
                    break  # nothing behind the last line is a path
                place = bisect_right(starts, match.start()) - 1
                found.append(place)
                low = starts[place + 1]
        return found
