r"""Translations of patterns for an engine that finds the same lines faster, or at least all lines that may match.

For hyperscan, a pattern of RE2 is translated so that it finds every line that RE2 finds. Only what both read alike is
translated, which is most of what is searched for: `\s`, `.` and negated classes become explicit classes of one line's
characters, groups lose their names, and lazy repetitions find the same lines as greedy ones. Every other pattern is
left to RE2. Nothing of a translation matches a line break, so a match never leaves its line.

For RE2, a pattern that only PCRE2 takes is relaxed so that it matches at least every line the other does. Look-around
and back-references only narrow what the rest of a pattern matches: what is ahead or behind is left out, or said where
it must stand anyway; a back-reference may be any text. So RE2 finds the few lines that PCRE2 must look at. What is not
known to read alike in both is not relaxed.
"""

import re

_ESCAPE = re.compile(r"\\(?:[dDwWsSbaftr]|x\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|[^A-Za-z0-9\x80-\U0010ffff])")
_REFERENCE = re.compile(r"\\(?:[1-9](?!\d)|k<\w+>|k\{\w+\}|g\{\w+\})")
_GROUP = re.compile(r"\((?:\?(?::|P?<[A-Za-z_]\w*>|>))?(?!\?|\*)")
_AROUND = re.compile(r"\(\?(<?)([=!])")
_CLASS = re.compile(r"\[\^?(?:[^\\\[\]]|\\(?:[dDwWsaftr]|x[0-9A-Fa-f]{2}|[^A-Za-z0-9\x80-\U0010ffff]))+\]")
_COUNT = re.compile(r"([*+?]|\{\d+(?:,\d*)?\})([?+]?)")
_PLAIN = re.compile(r"[^\\()\[\]{}*+?\n]")
_ANY = ".*"
_DEEPEST = 100
_CLASSES = {r"\d": "0-9", r"\w": "0-9A-Za-z_", r"\s": r"\x09\x0c\x0d\x20"}
_TOKENS = {
    ".": r"[^\x0a]",
    **{name: f"[{members}]" for name, members in _CLASSES.items()},
    **{name.upper(): rf"[^{members}\x0a]" for name, members in _CLASSES.items()},
}
_IGNORE_CASE = "(?i)"
_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_TOKEN = re.compile(
    rf"""
      (?P<named> \\[dDwWsS] | \. )
    | (?P<group> \( (?: \?: | \?P?<[A-Za-z_]\w*> )? (?! [?*] ) )
    | (?P<class> \[ \^? (?: \\[dws] | \\{_PUNCTUATION} | [^\x00-\x1f\x7f\\\[\]] )+ \] )
    | (?P<count> [*+?] | \{{\d+(?:,\d*)?\}} ) \??
    | (?P<same> \\b | \\{_PUNCTUATION} | [^\x00-\x1f\x7f\\\[\](){{}}*+?.] | \) )
    """,
    re.VERBOSE,
)


class _Unknown(Exception):
    """Something that is not known to read alike in both engines."""


def relax(pattern: str) -> str | None:
    """Return a wider pattern without look-around and back-references; None if none is sure, or it would be no help."""
    flag = "(?i)" if pattern.startswith("(?i)") else ""
    if flag and not pattern.isascii():
        return None  # which letters fold together differs between versions of Unicode
    try:
        reader = _Reader(pattern, len(flag))
        parts = reader.alternatives(0)
    except (_Unknown, IndexError):
        return None
    if reader.at != len(pattern) or not reader.relaxed:
        return None
    return flag + parts


class _Reader:
    """A reader that goes through a pattern from left to right and rewrites it."""

    def __init__(self, pattern: str, start: int) -> None:
        self._pattern = pattern
        self.at = start
        self.relaxed = False

    def alternatives(self, depth: int) -> str:
        """Return what stands before a closing parenthesis or the end."""
        if depth > _DEEPEST:
            raise _Unknown
        parts: list[str] = []
        while self.at < len(self._pattern) and self._pattern[self.at] != ")":
            parts.append(self._item(depth, last=bool(not parts or parts[-1] == "|")))
        return "".join(parts)

    def _item(self, depth: int, *, last: bool) -> str:
        """Return one item with its repetition. `last`: whether nothing stands before it in its alternative."""
        around = _AROUND.match(self._pattern, self.at)
        if around is not None:
            self.at = around.end()
            return self._around(depth, behind=bool(around[1]), wanted=around[2] == "=", first=last)
        part = self._thing(depth)
        count = _COUNT.match(self._pattern, self.at)
        if count is None:
            return part
        self.at = count.end()
        self.relaxed |= count[2] == "+"
        return part + count[1]

    def _around(self, depth: int, *, behind: bool, wanted: bool, first: bool) -> str:
        """Return a look-around: said where it stands at an edge of the whole pattern, else left out."""
        self.relaxed = True
        inner = self.alternatives(depth + 1)
        self._close()
        if _COUNT.match(self._pattern, self.at):
            raise _Unknown
        at_end = depth == 0 and (self.at == len(self._pattern) or self._pattern[self.at] == "|")
        if wanted and depth == 0 and ((behind and first) or (not behind and at_end)):
            return f"(?:{inner})"
        return "(?:)"

    def _thing(self, depth: int) -> str:
        for known in (_ESCAPE, _CLASS, _PLAIN):
            found = known.match(self._pattern, self.at)
            if found is not None:
                self.at = found.end()
                return _with_vertical_tab(found[0])
        found = _REFERENCE.match(self._pattern, self.at)
        if found is not None:
            self.at = found.end()
            self.relaxed = True
            return f"(?:{_ANY})"
        found = _GROUP.match(self._pattern, self.at)
        if found is None:
            raise _Unknown
        self.at = found.end()
        self.relaxed |= found[0] == "(?>"
        inner = self.alternatives(depth + 1)
        self._close()
        return f"(?:{inner})"

    def _close(self) -> None:
        if self._pattern[self.at] != ")":
            raise _Unknown
        self.at += 1


def _with_vertical_tab(thing: str) -> str:
    r"""Return the class with the one character that PCRE2's `\s` has and RE2's lacks."""
    if thing == r"\s":
        return r"[\s\x0b]"
    return thing.replace(r"\s", r"\s\x0b") if thing.startswith("[") and not thing.startswith("[^") else thing


def to_hyperscan(pattern: str) -> str | None:
    """Return a pattern for hyperscan with its flags UTF8 and MULTILINE.

    Args:
        pattern: One that RE2 takes.

    Returns:
        None if it is not sure that both would find the same lines.
    """
    flag = _IGNORE_CASE if pattern.startswith(_IGNORE_CASE) else ""
    if flag and not pattern.isascii():
        return None  # which letters fold together beyond ASCII differs between versions of Unicode
    translated = [flag]
    at = len(flag)
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        at = token.end()
        translated.append(_translate(token))
    return "".join(translated)


def _translate(token: re.Match[str]) -> str:
    """Translate one token."""
    if token["named"]:
        return _TOKENS[token["named"]]
    if token["group"]:
        return "(?:"
    if token["class"]:
        members = re.sub(r"\\[dws]|\\.", lambda member: _CLASSES.get(member[0], member[0]), token["class"])
        return rf"{members[:-1]}\x0a]" if members.startswith("[^") else members
    return token["count"] or token["same"]
