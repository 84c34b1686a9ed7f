"""Many paths, made ready for globs."""

from collections.abc import Sequence

from bridge.index.globs import Glob
from bridge.index.text_lines import TextLines
from bridge.vault.spelling import nfc


class PathList:
    """Paths, as globs see them: in NFC. It never changes; any number of threads may ask.

    Args:
        paths: Vault paths.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = [nfc(path) for path in paths]
        self._lines = TextLines(self._paths)

    def matching(self, glob: Glob) -> Sequence[int]:
        """Which of the paths a glob means, as places in the list, in order."""
        if glob.suffix is not None:
            return [place for place, path in enumerate(self._paths) if path.endswith(glob.suffix)]
        return self._lines.matching(glob.line_regex)
