r"""A pattern of RE2 said anew for hyperscan, so that it finds every line that RE2 finds.

Every token is said in the one way that both read alike: `\s`, `.` and negated classes as explicit classes of one line's
characters, groups without names, no lazy or greedy. What has no such way is not translated. Nothing that is said
matches a line break, so that a match never leaves its line.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\x09\x0c\x0d\x20"}
_POSIX_WITH_BREAK = {"[:space:]": r"\x09\x0b-\x0d\x20", "[:cntrl:]": r"\x00-\x09\x0b-\x1f\x7f"}
_CONTROLS = {"a": 7, "t": 9, "f": 12, "r": 13, "v": 11}
_GROUP = re.compile(r"\(\?(?:P?<\w+>|([imsU]*)(?:-([isU]+))?([:)]))|\((?!\?)")
_COUNT = re.compile(r"([*+?]|\{\d+(?:,\d*)?\})\??")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")
_SAID = {".": r"[^\x0a]", "^": "^", "$": "$", "|": "|", ")": ")"}
_BREAK = 0x0A


class _Untranslatable(Exception):
    """Some of the pattern has no way to be said."""


def to_hyperscan(pattern: str) -> str | None:
    """A pattern that RE2 takes, for hyperscan with its flags UTF8 and MULTILINE; None where that cannot be sure."""
    try:
        return _Translation(pattern).run()
    except _Untranslatable:
        return None


class _Translation:
    """One pattern on its way."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        # Which letters fold together beyond ASCII differs between versions of Unicode.
        self._ascii_only = "i" in "".join(flags[1] or "" for flags in _GROUP.finditer(pattern))
        self._at = 0
        self._starts: dict[str, Callable[[], str]] = {
            "(": self._group,
            "[": self._class,
            "\\": self._escape,
            **dict.fromkeys("*+?{", self._repetition),
        }

    def run(self) -> str:
        """All of it."""
        told: list[str] = []
        while self._at < len(self._pattern):
            told.append(self._token())
        return "".join(told)

    def _token(self) -> str:
        character = self._pattern[self._at]
        if character in self._starts:
            return self._starts[character]()
        if character in _SAID:
            self._at += 1
            return _SAID[character]
        return self._literal()

    def _repetition(self) -> str:
        """A lazy repetition finds the same lines as a greedy one."""
        count = _COUNT.match(self._pattern, self._at)
        if count is None:
            return self._literal()  # a brace that counts nothing
        self._at = count.end()
        return count[1]

    def _group(self) -> str:
        found = _GROUP.match(self._pattern, self._at)
        if found is None:
            raise _Untranslatable
        self._at = found.end()
        on, off, kind = found.groups()
        if kind is None:
            return "(?:"
        flags = ("i" if "i" in on else "") + ("-i" if "i" in (off or "") else "")
        if kind == ":":
            return f"(?{flags}:"
        if self._pattern[self._at : self._at + 1] in {"*", "+", "?", "{"}:
            raise _Untranslatable  # RE2 repeats what stands before the flags
        return f"(?{flags})" if flags else ""

    def _literal(self) -> str:
        self._at += 1
        return self._said(ord(self._pattern[self._at - 1]))

    def _said(self, code: int) -> str:
        """One character by itself."""
        if code == _BREAK or (code > 127 and self._ascii_only):  # noqa: PLR2004 - the end of ASCII
            raise _Untranslatable
        character = chr(code)
        return character if character.isalnum() and character.isascii() else f"\\x{{{code:x}}}"

    def _escape(self) -> str:
        letter = self._pattern[self._at + 1]
        if letter in "dws":
            self._at += 2
            return f"[{_CLASSES[letter]}]"
        if letter in "DWS":
            self._at += 2
            return f"[^{_CLASSES[letter.lower()]}\\x0a]"
        if letter == "b":
            self._at += 2
            return r"\b"
        return self._said(self._escaped())

    def _escaped(self) -> int:
        """The character that an escape stands for."""
        letter = self._pattern[self._at + 1]
        code = _HEX.match(self._pattern, self._at + 1)
        if code is not None:
            self._at = code.end()
            return int(code[1] or code[2], 16)
        self._at += 2
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter.isascii() and not letter.isalnum():
            return ord(letter)
        raise _Untranslatable

    def _class(self) -> str:
        """A class in brackets."""
        self._at += 1
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        told: list[str] = []
        first = True
        while first or not self._pattern.startswith("]", self._at):
            told.append(self._class_item())
            first = False
        self._at += 1
        return f"[^{''.join(told)}\\x0a]" if negated else f"[{''.join(told)}]"

    def _class_item(self) -> str:
        """A character, a range, or a class inside of a class."""
        posix = _POSIX.match(self._pattern, self._at)
        if posix is not None:
            if "^" in posix[0]:
                raise _Untranslatable
            self._at = posix.end()
            return _POSIX_WITH_BREAK.get(posix[0], posix[0])
        if self._pattern[self._at] == "[" and self._pattern[self._at + 1 : self._at + 2] in {":", ".", "="}:
            raise _Untranslatable
        if self._pattern[self._at] == "\\" and self._pattern[self._at + 1] in _CLASSES:
            self._at += 2
            return _CLASSES[self._pattern[self._at - 1]]
        low = self._class_character()
        if self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at):
            self._at += 1
            return self._range(low, self._class_character())
        return self._said(low)

    def _class_character(self) -> int:
        if self._pattern[self._at] == "\\":
            return self._escaped()
        self._at += 1
        return ord(self._pattern[self._at - 1])

    def _range(self, low: int, high: int) -> str:
        """All characters from one to another but the line break."""
        parts = [(low, high)] if not low <= _BREAK <= high else [(low, _BREAK - 1), (_BREAK + 1, high)]
        return "".join(f"{self._said_in_range(a)}-{self._said_in_range(b)}" for a, b in parts if a <= b)

    def _said_in_range(self, code: int) -> str:
        if code > 127 and self._ascii_only:  # noqa: PLR2004 - the end of ASCII
            raise _Untranslatable
        return f"\\x{{{code:x}}}"
