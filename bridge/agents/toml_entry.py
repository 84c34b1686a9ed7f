"""One table `[KEY.NAME]` in TOML: read, put and taken away, while every other line stays as it is.

What the text means is said by the standard library's parser, before and after: lines are found by their headings, and
if the result does not mean exactly what is wanted, nothing is changed.
"""

import json
import re
import tomllib
from typing import Any, Final

from bridge.agents.machine import ConfigurationRefused

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_NEXT: Final = re.compile(r"[ \t]*\[")


class TomlEntries:
    """A TOML file with a table of entries, each a table of its own.

    Args:
        text: The file's text.
        key: The table that holds the entries.

    Raises:
        ConfigurationRefused: The text is not valid, or has something else in the place of a table; says where.
    """

    def __init__(self, text: str, key: str) -> None:
        self._text, self._key = text, key
        self._whole = _parse(text)
        entries = self._whole.get(key, {})
        if not isinstance(entries, dict):
            raise ConfigurationRefused(f"{key!r} is no table")
        self._entries: dict[str, Any] = entries

    def read(self) -> dict[str, Any]:
        """Return the entries by name."""
        return dict(self._entries)

    def put(self, name: str, entry: dict[str, Any]) -> str:
        """Return the file with an entry, at its end, or in the place of the one with its name."""
        newline = "\r\n" if "\r\n" in self._text else "\n"
        plain = {field: value for field, value in entry.items() if not isinstance(value, dict)}
        table = newline.join([self._heading(name), *(f"{_name(field)} = {_value(plain[field])}" for field in plain)])
        lines = self._text.splitlines(keepends=True)
        spans = self._spans(lines, name)
        if spans:
            start, end = spans[0]
            ending = newline if lines[end - 1].endswith("\n") else ""
            text = "".join([*lines[:start], table + ending, *lines[end:]])
        else:
            gap = "" if not self._text else newline if self._text.endswith("\n") else newline * 2
            text = f"{self._text}{gap}{table}{newline}"
        self._require(text, {**self._entries, name: entry})
        return text

    def take(self, name: str) -> str:
        """Return the file without an entry and the tables in it, and without the blank line before it."""
        if name not in self._entries:
            return self._text
        lines = self._text.splitlines(keepends=True)
        for start, end in reversed(self._spans(lines, name, inner=True)):
            first = start - 1 if start and not lines[start - 1].strip() else start
            lines[first:end] = []
        text = "".join(lines)
        self._require(text, {other: entry for other, entry in self._entries.items() if other != name})
        return text

    def _spans(self, lines: list[str], name: str, *, inner: bool = False) -> list[tuple[int, int]]:
        """Return the lines of the entry's table, and with `inner` of each table in it."""
        quoted = {re.escape(form) for form in (json.dumps(name), f"'{name}'", _name(name))}
        dot = r"[ \t]*\.[ \t]*"
        more = rf"(?:{dot}[^\]]+)?" if inner else ""
        heading = re.compile(rf"[ \t]*\[[ \t]*{re.escape(self._key)}{dot}(?:{'|'.join(sorted(quoted))}){more}[ \t]*\]")
        starts = [at for at, line in enumerate(lines) if _NEXT.match(line)]
        spans = zip(starts, [*starts, len(lines)][1:], strict=True)
        return [(at, _content_end(lines, at, end)) for at, end in spans if heading.match(lines[at])]

    def _heading(self, name: str) -> str:
        return f"[{self._key}.{_name(name)}]"

    def _require(self, text: str, entries: dict[str, Any]) -> None:
        """Check that the new text means this, and else what it meant before."""
        found = _parse(text)
        held = found.pop(self._key, {})
        rest = {key: value for key, value in self._whole.items() if key != self._key}
        if held != entries or found != rest:
            raise ConfigurationRefused(f"{self._key!r} is written in a form that this command does not change")


def _content_end(lines: list[str], start: int, end: int) -> int:
    """Return where a table ends, without blank lines and comments, which belong to the table that follows."""
    while end > start + 1 and lines[end - 1].lstrip()[:1] in {"", "#"}:
        end -= 1
    return end


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationRefused(str(error)) from None


def _name(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Return a text, a number, a truth value or a list of them, which JSON and TOML write in the same way."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
