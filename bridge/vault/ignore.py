"""Which files searches skip: what the user excluded in Obsidian, and the globs of `ignorePatterns`.

This is a view, not a permission: a file that is skipped can still be read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import re2

from bridge.errors import InvalidParameters
from bridge.vault.app_settings import read_app_settings
from bridge.vault.files import VaultFiles
from bridge.vault.name_folding import fold, nfc
from bridge.vault.paths import VaultPath

PathRule = Callable[[str], bool]


@dataclass(frozen=True, slots=True, eq=False)
class IgnoreRules:
    """Decides whether a file is skipped.

    Attributes:
        rules: Each says whether a path, in NFC, is skipped.
    """

    rules: tuple[PathRule, ...]

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __call__(self, path: VaultPath | str) -> bool:
        """Whether a file is skipped."""
        text = nfc(str(path))
        return any(rule(text) for rule in self.rules)


def ignore_rules(files: VaultFiles, patterns: Sequence[str]) -> IgnoreRules:
    """The rules by which files are skipped, as they are now.

    Args:
        files: The vault.
        patterns: Globs over vault paths. One without a `/` before its end fits at any depth; one that ends with
            `/` fits everything in such a folder.

    Returns:
        The same object for the same rules, so that what they said of a path can be remembered.

    Raises:
        InvalidParameters: A glob is none.
    """
    return make_rules(read_app_settings(files.root).user_ignore_filters, tuple(patterns))


@lru_cache(maxsize=16)
def make_rules(filters: tuple[str, ...], patterns: tuple[str, ...]) -> IgnoreRules:
    """The rules of Obsidian's excluded files and of some globs; see `ignore_rules`.

    Args:
        filters: Obsidian's setting `userIgnoreFilters`.
        patterns: The globs.
    """
    rules = [rule for text in filters if (rule := _user_rule(text))]
    if patterns:
        rules.append(_glob_rule(patterns))
    return IgnoreRules(tuple(rules))


def _user_rule(text: str) -> PathRule | None:
    """One of Obsidian's filters: `/regex/`, else the beginning of a path.

    Whether Obsidian minds case in prefixes is not known; here it does not, as nowhere else in names. A pattern that
    RE2 refuses (look-around, back-references) is left out: it cannot be matched in a time that is sure to be short.
    """
    if len(text) > 1 and text.startswith("/") and text.endswith("/"):
        options = re2.Options()
        options.log_errors = False
        try:
            pattern = re2.compile(text[1:-1], options)
        except re2.error:
            return None
        return lambda path: pattern.search(path) is not None
    prefix = fold(text.lstrip("/"))
    return lambda path: fold(path).startswith(prefix)


def _glob_rule(patterns: Sequence[str]) -> PathRule:
    """The globs of `ignorePatterns`, as one rule."""
    from wcmatch import glob  # noqa: PLC0415 - slow to import, and few vaults have such patterns

    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.BRACE | glob.FORCEUNIX
    deep = [pattern if "/" in pattern.rstrip("/") else f"**/{pattern}" for pattern in map(nfc, patterns)]
    wide = [pattern + "**" if pattern.endswith("/") else pattern for pattern in deep]
    try:
        matcher = glob.compile(wide, flags=flags)
    except Exception as error:  # noqa: BLE001 (wcmatch keeps the exception for too many braces to itself)
        raise InvalidParameters(f"ignorePatterns holds a pattern that is no glob: {error}; correct it") from None
    return lambda path: bool(matcher.match(path))
