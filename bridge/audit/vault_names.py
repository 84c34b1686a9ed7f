"""The names of a vault's notes, files and folders, and where a text says one of them."""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final
from urllib.parse import unquote

HIDDEN_PATH: Final = "[PATH]"

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u30ff\u3130-\u318f\u31a0-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese and Khmer; Chinese, Japanese and Korean: words follow each other, or take endings, unseparated."""
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)|“[^”\n]*”")
_ORDINARY: Final = re.compile(r"[a-z0-9_-]+")
"""A name that could as well be a word of ours, such as `read` or `create_note`."""
_PATTERN: Final = frozenset("*?")
_MOST_GONE: Final = 10_000
"""Names of files that are gone, besides as many as there are, that are still hidden."""


@cache
def _word() -> re.Pattern[str]:
    """Return what finds a mark left by hiding; a word, or a letter of scripts without spaces; any sign but of ASCII."""
    return re.compile(rf"\[PATH\]|[{_UNSPACED}]|[^\W_{_UNSPACED}]+|[^\w\s\x00-\x7f]")


class VaultNames:
    """The names as they are now. May be used from several threads.

    A name that went, for its file was moved or deleted, stays known until the bridge stops, or until there are too
    many of them.

    Args:
        paths: The paths of all files and folders; another object when they are others.
    """

    def __init__(self, paths: Callable[[], Sequence[str]] = tuple) -> None:
        self._paths = paths
        self._seen: Sequence[str] = ()
        self._known: set[str] = set()
        self._names = _Names()
        self._lock = threading.Lock()

    def hiding(self, own: Iterable[str] = (), but: Iterable[str] = ()) -> "NameHiding":
        """Return an object that hides these names, and some more.

        Args:
            own: Paths and names that belong to the vault, whether or not such files exist.
            but: Words that are not names in our own sentences, such as the name of the tool.
        """
        paths = self._paths()
        with self._lock:
            if paths is not self._seen:
                self._seen = paths
                self._learn(paths)
            return NameHiding(self._names, own, but)

    def _learn(self, paths: Sequence[str]) -> None:
        if len(self._known) > 2 * len(paths) + _MOST_GONE:
            self._known, self._names = set(), _Names()
        for path in paths:
            if path not in self._known:
                self._known.add(path)
                self._names.add(path)


class NameHiding:
    """A filter that hides names in texts: wherever one stands as whole words, whatever is between the words.

    Args:
        names: Of the vault.
        own: Paths and names besides.
        but: Words that are none in our own sentences.
    """

    def __init__(self, names: "_Names", own: Iterable[str], but: Iterable[str] = ()) -> None:
        besides = set(own)
        # Of a pattern, no part need be a name.
        self._names = (names, _Names(path for path in besides if _PATTERN.isdisjoint(path)))
        self._but = set(but)
        self._whole = {_key(_words(path)) for path in besides}

    def hide(self, text: str, *, of_ours: bool = False) -> str:
        """Return the text with `[PATH]` in place of every name.

        Args:
            text: Any text. What is written with `%20` and the like is read as it is meant, where it holds a name.
            of_ours: Whether the bridge wrote the text. Its sentences have words that notes may be named by, so a name
                counts where it is quoted, or written in just this way and no ordinary word.
        """
        text = unicodedata.normalize("NFC", text)
        if "%" in text:
            meant = unicodedata.normalize("NFC", unquote(text))
            hidden = self._hidden(meant, of_ours=of_ours)
            if hidden != meant:
                return hidden
        return self._hidden(text, of_ours=of_ours)

    def _hidden(self, text: str, *, of_ours: bool) -> str:
        words = [found.span() for found in _word().finditer(text)]
        keys = [text[start:end].casefold() for start, end in words]
        quoted = [found.span() for found in _QUOTED.finditer(text)] if of_ours else []
        shown, end, at = [], 0, 0
        while at < len(words):
            longest = max(names.longest(keys[at]) for names in self._names)
            for count in range(min(longest, len(keys) - at), 0, -1):
                start, stop = words[at][0], words[at + count - 1][1]
                key = " ".join(keys[at : at + count])
                if not self._is_name(key):
                    continue
                is_quoted = any(first < start and stop < last for first, last in quoted)
                is_part = "_" in {text[start - 1 : start], text[stop : stop + 1]}
                if not of_ours or (not is_part and self._is_meant(text[start:stop], key, is_quoted=is_quoted)):
                    shown += [text[end:start], HIDDEN_PATH]
                    end, at = stop, at + count
                    break
            else:
                at += 1
        return "".join((*shown, text[end:]))

    def _is_name(self, key: str) -> bool:
        return any(key in names for names in self._names)

    def _is_meant(self, said: str, key: str, *, is_quoted: bool) -> bool:
        """Return whether words in one of our sentences are meant as a name, and not there by chance."""
        if said in self._but:
            return False
        if is_quoted or key in self._whole:
            return True
        return _ORDINARY.fullmatch(said) is None and any(said in names.spellings for names in self._names)


class _Names:
    """Names by their words.

    Attributes:
        spellings: The names from their first word to their last, as they are written.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._keys: set[str] = set()
        self._longest: dict[str, int] = {}
        self.spellings: set[str] = set()
        for path in paths:
            self.add(path)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def longest(self, first: str) -> int:
        """Return the number of words in the longest name that begins with this one."""
        return self._longest.get(first, 0)

    def add(self, path: str) -> None:
        """Know a path, and the names of which it is made."""
        for name in _names_in(unicodedata.normalize("NFC", path)):
            words = [found.span() for found in _word().finditer(name)]
            self._add(name, words)
            if not name.isascii():
                # Somebody who speaks of it leaves its signs out.
                self._add(name, [(start, end) for start, end in words if name[start].isalnum()])

    def _add(self, name: str, words: Sequence[tuple[int, int]]) -> None:
        key = _key(name[start:end] for start, end in words)
        if len(key) == 0 or (len(key) == 1 and key.isascii()):
            return
        self.spellings.add(name[words[0][0] : words[-1][1]])
        self._keys.add(key)
        first = name[slice(*words[0])].casefold()
        self._longest[first] = max(self._longest.get(first, 0), len(words))


def _words(text: str) -> list[str]:
    found: list[str] = _word().findall(unicodedata.normalize("NFC", text))
    return found


def _key(words: Iterable[str]) -> str:
    return " ".join(word.casefold() for word in words)


def _names_in(path: str) -> Iterator[str]:
    """Yield the path, and the names of its file and folders, with and without what says their type."""
    yield path
    for part in path.replace("\\", "/").split("/"):
        yield part
        stem, dot, _type = part.rpartition(".")
        if dot and stem:
            yield stem
