"""Files in JSON, JSONC or TOML, in which one value is put or taken away while everything else stays as it is.

The standard library's parser reads a JSON file and says where each member begins and ends. What it does not know,
comments and a comma after the last member, is first covered with blanks, so that all offsets stay true. In TOML, tables
are found by their headings; the parser says what the text means, before and after, and if the result does not mean
exactly what is wanted, nothing is changed.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from bridge.agents.machine import ConfigurationRefused

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n\r]*|/\*.*?\*/", re.DOTALL)
_TOKEN: Final = re.compile(rf"{_STRING}|\S", re.DOTALL)
_BLANK: Final = re.compile(r"\s*")
_NO_BREAK: Final = re.compile(r"[^\r\n]")
_BOM: Final = "\ufeff"
_USUAL_INDENT: Final = "  "

Path = Sequence[str]
"""The names of members, from the root."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object, or an item of a list, which has no name."""

    key: str | None
    start: int
    value_start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class _Holder:
    """The place of an object or a list: from its opening bracket to the offset of its closing one."""

    start: int
    close: int
    members: tuple[_Member, ...]

    def find(self, key: str) -> int | None:
        """Return the member that counts: the last of several with one name, as in every program."""
        return next((at for at in reversed(range(len(self.members))) if self.members[at].key == key), None)


class JsonDocument:
    """A JSON file whose root is an object.

    Args:
        text: The file's text; an empty file is an empty object.
        comments: Whether comments are allowed.
        commas: Whether a comma after the last member is.

    Raises:
        ConfigurationRefused: The text is not valid, or holds no object; says where.
    """

    def __init__(self, text: str, *, comments: bool = False, commas: bool = False) -> None:
        self._comments, self._commas = comments, commas
        self.text = text if text.strip(f"{_BOM} \t\r\n") else f"{text}{{}}\n"
        self._bare = _without_comments(self.text) if comments else self.text
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
        self._root = self._holder(start)

    def get(self, path: Path) -> Any:
        """Return the value there; None if there is none.

        Raises:
            ConfigurationRefused: Something on the way is no object.
        """
        member = self._find(path)
        return None if member is None else member.value

    def put(self, path: Path, value: Any) -> "JsonDocument":
        """Return the document with a value there: new and last, or in the place of the one with its name.

        Raises:
            ConfigurationRefused: Something on the way is no object.
        """
        holder, depth = self._deepest(path)
        newline = self._newline
        at = holder.find(path[depth])
        if at is None:
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            return self._with(self._insert(holder, path[depth], value, newline))
        member = holder.members[at]
        written = _indented(value, self._indent(), self._line_indent(member.start), newline)
        return self._with(self.text[: member.value_start] + written + self.text[member.end :])

    def append(self, path: Path, item: Any) -> "JsonDocument":
        """Return the document with one more item at the end of a list, which is made if there is none.

        Raises:
            ConfigurationRefused: What is there is no list.
        """
        member = self._find(path)
        if member is None:
            return self.put(path, [item])
        if not isinstance(member.value, list):
            raise self._refused(member, path[-1], "list")
        return self._with(self._insert(self._holder(member.value_start), None, item, self._newline))

    def remove(self, path: Path, index: int | None = None) -> "JsonDocument":
        """Return the document without a member and its comma, or without one item of the list there.

        Args:
            path: Which member, or which list.
            index: Which item.

        Raises:
            ConfigurationRefused: Something on the way is no object.
        """
        if index is not None:
            member = self._find(path)
            is_list = member is not None and isinstance(member.value, list)
            return self._with(self._take(self._holder(member.value_start), index)) if member and is_list else self
        holder, depth = self._deepest(path)
        at = holder.find(path[depth])
        return self if at is None or depth < len(path) - 1 else self._with(self._take(holder, at))

    def _with(self, text: str) -> "JsonDocument":
        return JsonDocument(text, comments=self._comments, commas=self._commas)

    def _find(self, path: Path) -> _Member | None:
        holder, depth = self._deepest(path)
        at = holder.find(path[depth]) if depth == len(path) - 1 else None
        return None if at is None else holder.members[at]

    def _deepest(self, path: Path) -> tuple[_Holder, int]:
        """Return the last existing object on the way, and how many steps down it is."""
        holder = self._root
        for depth, key in enumerate(path[:-1]):
            at = holder.find(key)
            if at is None:
                return holder, depth
            member = holder.members[at]
            if not isinstance(member.value, dict):
                raise self._refused(member, key, "object")
            holder = self._holder(member.value_start)
        return holder, len(path) - 1

    def _refused(self, member: _Member, key: str, kind: str) -> ConfigurationRefused:
        line = self.text.count("\n", 0, member.value_start) + 1
        return ConfigurationRefused(f"line {line}: {key!r} is no {kind}")

    def _take(self, holder: _Holder, at: int) -> str:
        """Return the file without a member."""
        member = holder.members[at]
        start, end = member.start, member.end
        comma = self._after_blank(end, self._bare)
        cuts: list[tuple[int, int]] = []
        if self._bare[comma] == ",":
            if self.text[end:comma].strip():
                cuts.append((comma, comma + 1))
            else:
                end = comma + 1
        elif at > 0:
            comma = self._after_blank(holder.members[at - 1].end)
            cuts.append((comma, comma + 1))
        before = len(self.text[:start].rstrip())
        rest = self.text[end:].lstrip(" \t")
        if rest.startswith(("\r", "\n")) or not self._in_line_comment(before - 1):
            start = before
        else:  # what follows must not become a part of the comment
            end = len(self.text) - len(rest)
        around = self.text[holder.start + 1 : start] + self.text[end : holder.close]
        if len(holder.members) == 1 and not around.strip():  # nothing is left but blanks
            start, end = holder.start + 1, holder.close
        cuts.append((start, end))
        text = self.text
        for first, last in sorted(cuts, reverse=True):
            text = text[:first] + text[last:]
        return text

    def _holder(self, start: int) -> _Holder:
        """Return an object or a list, from text that is known to be valid."""
        decoder = json.JSONDecoder()
        named = self._strict[start] == "{"
        members: list[_Member] = []
        at = self._after_blank(start + 1)
        while self._strict[at] not in "}]":
            key, value_start = None, at
            if named:
                key, end = decoder.raw_decode(self._strict, at)
                value_start = self._after_blank(self._after_blank(end) + 1)
            value, end = decoder.raw_decode(self._strict, value_start)
            members.append(_Member(key, at, value_start, end, value))
            at = self._after_blank(end)
            if self._strict[at] == ",":
                at = self._after_blank(at + 1)
        return _Holder(start, at, tuple(members))

    def _insert(self, into: _Holder, key: str | None, value: Any, newline: str) -> str:
        """Return a new last member. Comments that belong to the one before stay with it."""
        text, name = self.text, "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        stop = into.start + len(text[into.start : into.close].rstrip())
        if not into.members and not text[into.start + 1 : into.close].strip():
            stop = into.start + 1
        body = text[into.start : into.close]
        if into.members and "\n" not in body:
            written = f" {name}{json.dumps(value, ensure_ascii=False)}"
        else:
            indent = self._line_indent(into.start)
            inner = self._line_indent(into.members[-1].start) if into.members else indent + self._indent()
            written = f"{newline}{inner}{name}{_indented(value, self._indent(), inner, newline)}"
            if not into.members and "\n" not in text[stop : into.close]:
                written += f"{newline}{indent}"
        if not into.members:
            return text[:stop] + written + text[stop:]
        last = into.members[-1].end
        comma = self._after_blank(last, self._bare)
        if self._bare[comma] == ",":  # the last one has a comma here: so has the new one
            return text[:stop] + written + "," + text[stop:]
        return text[:last] + "," + text[last:stop] + written + text[stop:]

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _indent(self) -> str:
        """Return the file's indentation."""
        members = self._root.members
        return (self._line_indent(members[0].start) if members else "") or _USUAL_INDENT

    def _line_indent(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at].lstrip(_BOM)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _in_line_comment(self, at: int) -> bool:
        """Return whether the character there belongs to a comment that goes to the end of its line."""
        if self._bare[at] == self.text[at]:
            return False
        comments = _COMMENT.finditer(self.text, self.text.rfind("\n", 0, at) + 1, at + 1)
        return any(found[0].startswith("//") and found.start() <= at for found in comments)

    def _after_blank(self, at: int, text: str | None = None) -> int:
        found = _BLANK.match(self._strict if text is None else text, at)
        return found.end() if found else at


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else _NO_BREAK.sub(" ", found[0]), text)


def _without_commas(text: str) -> str:
    """Return the text without commas after last members; one that follows no member stays, and is a mistake."""
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
        self._key = key
        self._document = JsonDocument(text, comments=comments, commas=commas)
        self._document.get((key, ""))

    def read(self) -> dict[str, Any]:
        """Return the entries by name."""
        entries: dict[str, Any] | None = self._document.get((self._key,))
        return {} if entries is None else entries

    def put(self, name: str, entry: dict[str, Any]) -> str:
        """Return the file with an entry, after the others, or in the place of the one with its name."""
        return self._document.put((self._key, name), entry).text

    def take(self, name: str) -> str:
        """Return the file without an entry, with the comma that went with it."""
        return self._document.remove((self._key, name)).text


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
        fields = [f"{_name(field)} = {_value(value)}" for field, value in plain.items()]
        table = newline.join([f"[{self._key}.{_name(name)}]", *fields])
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
