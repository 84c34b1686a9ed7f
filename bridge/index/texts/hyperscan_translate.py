r"""A pattern of RE2 in hyperscan's words, so that it finds every line that RE2 finds.

Only what both read alike is translated, which is most of what is searched for: `\s`, `.` and negated classes become
explicit classes of one line's characters, groups lose their names, and lazy repetitions find the same lines as greedy
ones. Every other pattern is left to RE2. Nothing of a translation matches a line break, so a match never leaves its
line.
"""

import re

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
