"""The names of the vault's files, made ready for finding, and kept until they change."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property

from bridge.index.knowledge import IndexedFile
from bridge.index.search.fuzzy import Check, FuzzyPaths
from bridge.index.texts.globs import Glob
from bridge.index.texts.text_lines import TextLines
from bridge.vault.paths import nfc

Ignored = Callable[[str], bool]
"""Returns whether to skip a path. The same object always answers the same."""


class Listing:
    """Some files, by path. It never changes.

    Args:
        files: All there are.
        ignored: Rules for what to leave out.
        before: An older listing, from which what is the same is taken over.
    """

    def __init__(self, files: Sequence[IndexedFile], ignored: Ignored | None, before: "Listing | None" = None) -> None:
        self._all = files
        self._ignored = ignored
        known = before.verdicts if before is not None and before.is_under(ignored) else {}
        self.verdicts: dict[str, bool] = {}
        if ignored is not None:
            for file in files:
                verdict = known.get(file.path)
                self.verdicts[file.path] = ignored(file.path) if verdict is None else verdict
            files = [file for file in files if not self.verdicts[file.path]]
        self.files = sorted(files)
        self._paths = [file.path for file in self.files]
        self._before = before.fuzzy_if_asked if before is not None else None

    def is_under(self, ignored: Ignored | None) -> bool:
        """Return whether it was made with these rules."""
        return self._ignored is ignored

    def is_of(self, files: Sequence[IndexedFile], ignored: Ignored | None) -> bool:
        """Return whether it was made from these files and rules."""
        return self._all is files and self.is_under(ignored)

    def matching(self, glob: Glob) -> list[IndexedFile]:
        """Return the files that a glob means, by path.

        Args:
            glob: From `compile_glob`.
        """
        return [self.files[place] for place in self._lines.matching(glob.lines_regex)]

    def ranked(self, query: str, check: Check) -> list[IndexedFile]:
        """Return the files that a few words may mean, the likeliest first.

        Args:
            query: Words, parts of words, or a name with typing errors.
            check: Called often; what it raises ends the search.
        """
        return [self.files[place] for place in self._fuzzy.rank(query, check)]

    @property
    def fuzzy_if_asked(self) -> FuzzyPaths | None:
        """Return what is ready for fuzzy search, if that was ever asked for."""
        return self.__dict__.get("_fuzzy", self._before)

    @cached_property
    def _lines(self) -> TextLines:
        return TextLines(list(map(nfc, self._paths)))

    @cached_property
    def _fuzzy(self) -> FuzzyPaths:
        made = FuzzyPaths(self._paths, self._before)
        self._before = None
        return made


class Listings:
    """The listing made last. Any number of threads may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Listing | None = None

    def of(self, files: Sequence[IndexedFile], ignored: Ignored | None) -> Listing:
        """Return the listing of some files, rebuilt when they or the rules are others than last time.

        Args:
            files: A snapshot that never changes.
            ignored: Rules for what to leave out.
        """
        with self._lock:
            last = self._last
            if last is None or not last.is_of(files, ignored):
                last = self._last = Listing(files, ignored, last)
            return last
