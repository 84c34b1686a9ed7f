"""Many paths, made ready for globs."""

from collections.abc import Sequence

from bridge.index.globs import Glob
from bridge.index.text_lines import TextLines
from bridge.vault.name_folding import nfc


class PathList:
    """Paths, as globs see them: in NFC. It never changes; any number of threads may ask.

    Args:
        paths: Vault paths.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._lines = TextLines([nfc(path) for path in paths])

    def matching(self, glob: Glob) -> list[int]:
        """Which of the paths a glob means, as places in the list, in order."""
        return self._lines.matching(glob.lines_regex)
