"""A record that names no note, file or folder of the vault, and says all else that it said."""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

import re2

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
            counts = {count for names in self._names for count in names.counts(keys[at]) if count <= len(keys) - at}
            for count in sorted(counts, reverse=True):
                start, stop = words[at][0], words[at + count - 1][1]
                key = " ".join(keys[at : at + count])
                if not any(key in names for names in self._names):
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
        self._counts: dict[str, tuple[int, ...]] = {}
        self.spellings: set[str] = set()
        for path in paths:
            self.add(path)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def counts(self, first: str) -> tuple[int, ...]:
        """Return how many words names have that begin with this one."""
        return self._counts.get(first, ())

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
        if len(words) not in (known := self.counts(first)):
            self._counts[first] = (*known, len(words))


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


_OPEN = frozenset(
    (
        *("seq", "timestamp", "kind", "executionId", "userId", "client", "clientId", "role", "by", "byId", "success"),
        *("elicited", "duration", "outcome", "decision", "errorType", "code", "planDigest", "event", "retryAfter"),
        "version",
    )
)
"""Members of a record that are neither values nor paths."""
_IDENTIFIERS = frozenset({"tool", "callId"})
"""Members that programs choose, and that are kept unless they are no identifiers."""
_IDENTIFIER = re2.compile(r"[\pL\pN_.:-]*")

_PATH_NAMES = (
    *("path", "paths", "file", "files", "filename", "folder", "directory"),
    *("target", "targets", "note", "notename", "filepattern", "ignorepatterns", "source", "destination"),
)
"""Ends of the names of members that hold paths, without case and separators."""
_NAMES = frozenset({"name", "names", "title", "link", "links"})
"""Members of parameters and results that hold names of notes."""
_OF_FILES = {"find": "pattern", "list_files": "pattern"}
"""Tools, and which of their parameters is a pattern of file names."""
_OWN_WORDS = frozenset({"rule", "why", "message", "holds", "error", "summary", "changes"})
"""Members that hold the bridge's own words, in which only names are hidden."""
_OWN_KEY = re2.compile(r"[a-z][A-Za-z0-9_]*|…")
"""Names of members such as ours; others may be what somebody calls a parameter or a property."""
_CHANGED = frozenset({"from", "to"})
"""Members of a change: what a setting was and is."""
_SAID = " said: "
"""After this, our sentences have the words of a person."""
_SEPARATORS = frozenset("/\\.")
_Hide = Callable[[str], str]
_OPERATOR = re2.compile(r"(?i)\b(path|file):\s*(?:\"[^\"]*\"|\([^)]*\)|[^\s)]+)")
_LINK = re2.compile(r"\[\[[^\]\r\n]*\]\]")

_QUOTED_PATH = re2.compile(r"\"[^\"]*[/\\.][^\"]*\"|'[^']*[/\\.][^']*'|`[^`]*[/\\.][^`]*`")
_QUOTED_FILE = re2.compile(
    r"'[^']*[/\\][^']*'|\"[^\"]*[/\\][^\"]*\"|'[^']*\.(?i:md|canvas|base)'|\"[^\"]*\.(?i:md|canvas|base)\""
)
_PATH_LIKE = re2.compile(
    r"[^\s\"'`,;:()]*[/\\][^\s\"'`,;()]*|"
    r"[^\s\"'`,;:()]+\.(?i:md|canvas|base|pdf|txt|csv|json|ya?ml|html?|png|jpe?g|gif|svg|webp|mp[34]|docx?|js|ts|py)\b"
)


def without_paths(record: dict[str, Any], names: VaultNames) -> dict[str, Any]:
    """Return the record with every path, every name of the vault, and everything that looks like one, as `[PATH]`.

    Args:
        record: JSON.
        names: Of the vault's notes, files and folders.
    """
    name, parameters = _OF_FILES.get(str(record.get("tool"))), record.get("parameters")
    if name is not None and isinstance(parameters, dict) and name in parameters:
        record = {**record, "parameters": parameters | {name: HIDDEN_PATH}}
    anonymous = _Anonymous(record, names)
    return {name: anonymous.member(name, value) for name, value in record.items()}


class _Anonymous:
    """One record, as it is made anonymous."""

    def __init__(self, record: dict[str, Any], names: VaultNames) -> None:
        tool = record.get("tool")
        self._names = names.hiding(_paths(record), but={tool} if isinstance(tool, str) else ())

    def member(self, name: str, value: Any) -> Any:
        """Return a member of the record, anonymous."""
        if name in _OPEN or (name in _IDENTIFIERS and _IDENTIFIER.fullmatch(str(value))):
            return value
        if name == "parameters" and isinstance(value, dict):
            # An object that is given as a parameter may have any keys, such as the names of properties.
            return {self._key(each): self._member(each, inner, self._said, self._said) for each, inner in value.items()}
        return self._member(name, value, self._said, self._key)

    def _member(self, name: str, value: Any, hide: _Hide, keys: _Hide, *, named: bool = False) -> Any:
        is_named = _holds_path(name) or (named and name in _CHANGED)
        return self._value(value, self._ours if name in _OWN_WORDS else hide, keys, named=is_named)

    def _value(self, value: Any, hide: _Hide, keys: _Hide, *, named: bool) -> Any:
        if isinstance(value, dict):
            inside = ((name, self._member(name, inner, hide, self._key, named=named)) for name, inner in value.items())
            return {keys(name): inner for name, inner in inside}
        if isinstance(value, list):
            return [self._value(item, hide, self._key, named=named) for item in value]
        if isinstance(value, str):
            return HIDDEN_PATH if named else hide(value)
        return value

    def _key(self, name: str) -> str:
        return name if _OWN_KEY.fullmatch(name) else self._said(name)

    def _said(self, text: str) -> str:
        """Return text by others, with paths and names hidden."""
        text = str(_LINK.sub(HIDDEN_PATH, _OPERATOR.sub(rf"\1:{HIDDEN_PATH}", text)))
        text = str(_QUOTED_PATH.sub(HIDDEN_PATH, text))
        return str(_PATH_LIKE.sub(HIDDEN_PATH, self._names.hide(text)))

    def _ours(self, text: str) -> str:
        """Return our own text, with paths and names hidden."""
        ours, said, theirs = text.partition(_SAID)
        ours = str(_LINK.sub(HIDDEN_PATH, _QUOTED_FILE.sub(HIDDEN_PATH, ours)))
        ours = str(_PATH_LIKE.sub(HIDDEN_PATH, self._names.hide(ours, of_ours=True)))
        return ours + said + self._said(theirs)


def _paths(value: Any, name: str = "") -> Iterator[str]:
    """Yield every text under a name that says it is a path."""
    if isinstance(value, dict):
        for inner, member in value.items():
            yield from _paths(member, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, name)
    elif isinstance(value, str) and len(value) > 1 and _holds_path(name):
        # A target may also be `the whole vault`, or a tool.
        yield from () if name == "targets" and _SEPARATORS.isdisjoint(value) else (value,)


def _holds_path(name: str) -> bool:
    plain = "".join(character for character in name.lower() if character.isalnum())
    return plain in _NAMES or plain.endswith(_PATH_NAMES)
