"""A record that names no note, file or folder of the vault, and says all else that it said."""

from collections.abc import Callable, Iterator
from typing import Any

import re2

from bridge.audit.vault_names import HIDDEN_PATH, VaultNames

_OPEN = frozenset(
    (
        *(
            "seq",
            "timestamp",
            "kind",
            "executionId",
            "userId",
            "client",
            "clientId",
            "role",
            "by",
            "byId",
            "success",
            "elicited",
        ),
        *("duration", "outcome", "decision", "errorType", "code", "planDigest", "event", "retryAfter", "version"),
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
    return _Anonymous(_with_patterns_named(record), names).record()


class _Anonymous:
    """One record, as it is made anonymous."""

    def __init__(self, record: dict[str, Any], names: VaultNames) -> None:
        self._record = record
        tool = record.get("tool")
        self._names = names.hiding(_paths(record), but={tool} if isinstance(tool, str) else ())

    def record(self) -> dict[str, Any]:
        """Return the record, anonymous."""
        return {name: self._top(name, value) for name, value in self._record.items()}

    def _top(self, name: str, value: Any) -> Any:
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
            return {
                keys(name): self._member(name, inner, hide, self._key, named=named) for name, inner in value.items()
            }
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


def _with_patterns_named(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record, with a pattern of file names under a name that says so."""
    name, parameters = _OF_FILES.get(str(record.get("tool"))), record.get("parameters")
    if name is None or not isinstance(parameters, dict) or name not in parameters:
        return record
    return record | {"parameters": parameters | {name: HIDDEN_PATH}}


def _paths(value: Any, name: str = "") -> Iterator[str]:
    """Yield every text under a name that says it is a path."""
    if isinstance(value, dict):
        for inner, member in value.items():
            yield from _paths(member, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, name)
    elif isinstance(value, str) and len(value) > 1 and _holds_path(name) and _is_path(name, value):
        yield value


def _is_path(name: str, value: str) -> bool:
    """Return whether the value is a path; a target may also be `the whole vault`, or a tool."""
    return name != "targets" or not _SEPARATORS.isdisjoint(value)


def _holds_path(name: str) -> bool:
    plain = "".join(character for character in name.lower() if character.isalnum())
    return plain in _NAMES or plain.endswith(_PATH_NAMES)
