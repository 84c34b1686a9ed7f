"""One member of an object in JSON or JSONC: read, put and taken away, while every other byte stays as it is.

The standard library's parser reads the file and says where each member begins and ends. What it does not know, comments
and a comma after the last member, is first covered with blanks, so that all offsets stay true.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from bridge.agents.errors import ConfigurationRefused

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n\r]*|/\*.*?\*/", re.DOTALL)
_TOKEN: Final = re.compile(rf"{_STRING}|\S", re.DOTALL)
_BLANK: Final = re.compile(r"\s*")
_NO_BREAK: Final = re.compile(r"[^\r\n]")
_BOM: Final = "\ufeff"
_USUAL_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    start: int
    value_start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class _Object:
    """An object's place: from its opening brace to the offset of its closing one."""

    start: int
    close: int
    members: tuple[_Member, ...]

    def find(self, key: str) -> int | None:
        """Which member counts: of several with one name it is the last, as for every program."""
        return next((at for at in reversed(range(len(self.members))) if self.members[at].key == key), None)


class JsonEntries:
    """A JSON file whose root has an object of entries.

    Args:
        text: The file's text; an empty file is an empty object.
        key: The root's member that holds the entries.
        comments: Whether comments are allowed.
        commas: Whether a comma after the last member is.

    Raises:
        ConfigurationRefused: The text is not valid, or has something else in the place of an object; says where.
    """

    def __init__(self, text: str, key: str, *, comments: bool = False, commas: bool = False) -> None:
        self._text = text if text.strip(f"{_BOM} \t\r\n") else f"{text}{{}}\n"
        self._key = key
        self._bare = _without_comments(self._text) if comments else self._text
        self._strict = _without_commas(self._bare) if commas else self._bare
        if self._strict.startswith(_BOM):
            self._strict = " " + self._strict[1:]
        try:
            json.loads(self._strict, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            raise ConfigurationRefused(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise ConfigurationRefused(str(error)) from None
        start = self._after_blank(0)
        if self._strict[start] != "{":
            raise ConfigurationRefused("it holds no object")
        self._root = self._object(start)
        self._entries = self._held()

    def read(self) -> dict[str, Any]:
        """The entries by name."""
        return {member.key: member.value for member in self._entries.members} if self._entries else {}

    def put(self, name: str, entry: dict[str, Any]) -> str:
        """The file with an entry, after the others, or in the place of the one with its name."""
        newline = "\r\n" if "\r\n" in self._text else "\n"
        if self._entries is None:
            return self._insert(self._root, self._key, {name: entry}, newline)
        at = self._entries.find(name)
        if at is None:
            return self._insert(self._entries, name, entry, newline)
        member = self._entries.members[at]
        written = _indented(entry, self._indent(), self._line_indent(member.start), newline)
        return self._text[: member.value_start] + written + self._text[member.end :]

    def take(self, name: str) -> str:
        """The file without an entry, with the comma that went with it."""
        entries = self._entries
        at = None if entries is None else entries.find(name)
        if entries is None or at is None:
            return self._text
        member = entries.members[at]
        start, end = member.start, member.end
        comma = self._after_blank(end, self._bare)
        cuts: list[tuple[int, int]] = []
        if self._bare[comma] == ",":
            if self._text[end:comma].strip():
                cuts.append((comma, comma + 1))
            else:
                end = comma + 1
        elif at > 0:
            comma = self._after_blank(entries.members[at - 1].end)
            cuts.append((comma, comma + 1))
        before = len(self._text[:start].rstrip())
        rest = self._text[end:].lstrip(" \t")
        if rest.startswith(("\r", "\n")) or not self._in_line_comment(before - 1):
            start = before
        else:  # what follows must not become a part of the comment
            end = len(self._text) - len(rest)
        if (
            len(entries.members) == 1
            and not (self._text[entries.start + 1 : start] + self._text[end : entries.close]).strip()
        ):
            start, end = entries.start + 1, entries.close  # nothing is left but blanks
        cuts.append((start, end))
        text = self._text
        for first, last in sorted(cuts, reverse=True):
            text = text[:first] + text[last:]
        return text

    def _held(self) -> _Object | None:
        at = self._root.find(self._key)
        if at is None:
            return None
        member = self._root.members[at]
        if not isinstance(member.value, dict):
            line = self._text.count("\n", 0, member.value_start) + 1
            raise ConfigurationRefused(f"line {line}: {self._key!r} is no object")
        return self._object(member.value_start)

    def _object(self, start: int) -> _Object:
        """An object of text that is known to be valid."""
        decoder = json.JSONDecoder()
        members: list[_Member] = []
        at = self._after_blank(start + 1)
        while self._strict[at] != "}":
            key, end = decoder.raw_decode(self._strict, at)
            value_start = self._after_blank(self._after_blank(end) + 1)
            value, end = decoder.raw_decode(self._strict, value_start)
            members.append(_Member(key, at, value_start, end, value))
            at = self._after_blank(end)
            if self._strict[at] == ",":
                at = self._after_blank(at + 1)
        return _Object(start, at, tuple(members))

    def _insert(self, into: _Object, key: str, value: Any, newline: str) -> str:
        """A new last member. Comments that belong to the one before stay with it."""
        text, name = self._text, json.dumps(key, ensure_ascii=False)
        stop = into.start + len(text[into.start : into.close].rstrip())
        if not into.members:
            stop = into.start + 1 if not text[into.start + 1 : into.close].strip() else stop
        body = text[into.start : into.close]
        if into.members and "\n" not in body:
            written = f" {name}: {json.dumps(value, ensure_ascii=False)}"
        else:
            indent = self._line_indent(into.start)
            inner = self._line_indent(into.members[-1].start) if into.members else indent + self._indent()
            written = f"{newline}{inner}{name}: {_indented(value, self._indent(), inner, newline)}"
            if not into.members and "\n" not in text[stop : into.close]:
                written += f"{newline}{indent}"
        if not into.members:
            return text[:stop] + written + text[stop:]
        last = into.members[-1].end
        comma = self._after_blank(last, self._bare)
        if self._bare[comma] == ",":  # the last one has a comma here: so has the new one
            return text[:stop] + written + "," + text[stop:]
        return text[:last] + "," + text[last:stop] + written + text[stop:]

    def _indent(self) -> str:
        """What the file indents by."""
        if not self._root.members:
            return _USUAL_INDENT
        return self._line_indent(self._root.members[0].start) or _USUAL_INDENT

    def _line_indent(self, at: int) -> str:
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at].lstrip(_BOM)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _in_line_comment(self, at: int) -> bool:
        """Whether the character there belongs to a comment that goes to the end of its line."""
        if self._bare[at] == self._text[at]:
            return False
        line = self._text.rfind("\n", 0, at) + 1
        return any(
            found[0].startswith("//") and found.start() <= at for found in _COMMENT.finditer(self._text, line, at + 1)
        )

    def _after_blank(self, at: int, text: str | None = None) -> int:
        found = _BLANK.match(self._strict if text is None else text, at)
        return found.end() if found else at


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else _NO_BREAK.sub(" ", found[0]), text)


def _without_commas(text: str) -> str:
    """Without the commas after last members; one that follows no member stays, and is a mistake."""
    cover: list[int] = []
    last, before, at = "", "", 0
    for token in _TOKEN.finditer(text):
        if token[0] in {"}", "]"} and last == "," and before not in {"", "{", "[", ",", ":"}:
            cover.append(at)
        last, before, at = token[0], last, token.start()
    for at in cover:
        text = f"{text[:at]} {text[at + 1 :]}"
    return text


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value in JSON")


def _indented(value: Any, indent: str, at: str, newline: str) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline + at)
