"""The classes of globs: `[a-z]`, `[!a]`, `[[:alpha:]]`, as wcmatch reads them."""

import re

_POSIX = re.compile(r"\[:(\w+):]")
_POSIX_CLASSES: dict[str, tuple[tuple[int, int], ...]] = {
    name: tuple((ord(bounds[0]), ord(bounds[1])) for bounds in ranges)
    for name, ranges in {
        "alnum": ("09", "AZ", "az"),
        "alpha": ("AZ", "az"),
        "ascii": ("\x00\x7f",),
        "blank": ("\t\t", "  "),
        "cntrl": ("\x00\x1f", "\x7f\x7f"),
        "digit": ("09",),
        "graph": ("!~",),
        "lower": ("az",),
        "print": (" ~",),
        "punct": ("!/", ":@", "[`", "{~"),
        "space": ("\t\r", "  "),
        "upper": ("AZ",),
        "word": ("09", "AZ", "__", "az"),
        "xdigit": ("09", "AF", "af"),
    }.items()
}
_NEVER = (ord("\n"), ord("/"))
"""What no name holds."""
_NOTHING = r"[^\x00-\x{10FFFF}]"


def parse_class(pattern: str, start: int) -> tuple[str, int] | None:
    """A class as a regular expression for RE2.

    Args:
        pattern: The glob.
        start: Where in it the `[` stands.

    Returns:
        The expression and where the class ends; None when it is no class, because it is not closed or holds a slash:
        then the `[` means itself.
    """
    position = start + 1
    negated = pattern[position : position + 1] in {"!", "^"}
    position += negated
    first = position
    ranges: list[tuple[int, int]] = []
    while True:
        character = pattern[position : position + 1]
        if character in {"", "/"}:
            return None
        if character == "]" and position > first:
            return _render(ranges, negated=negated), position + 1
        posix = _posix(pattern, position)
        if posix:
            name, position = posix
            ranges += _POSIX_CLASSES[name]
            continue
        low, position = _character(pattern, position)
        high = low
        if pattern[position : position + 1] == "-" and _continues(pattern, position + 1):
            high, position = _character(pattern, position + 1)
        ranges.append((low, high))


def _posix(pattern: str, position: int) -> tuple[str, int] | None:
    """The named class at a position and where it ends, if there is one."""
    named = _POSIX.match(pattern, position)
    return (named[1], named.end()) if named and named[1] in _POSIX_CLASSES else None


def _continues(pattern: str, position: int) -> bool:
    """Whether a range ends with the character at this position, rather than that the hyphen before it means itself."""
    return pattern[position : position + 1] not in {"", "]", "/"} and not _posix(pattern, position)


def _character(pattern: str, position: int) -> tuple[int, int]:
    """The character at a position, which a backslash may precede, and where the next one stands."""
    if pattern[position] == "\\":
        position += 1
    return ord(pattern[position]), position + 1


def _render(ranges: list[tuple[int, int]], *, negated: bool) -> str:
    """The class, without ranges that go backwards, and never matching what no name holds."""
    forward = [(low, high) for low, high in ranges if low <= high]
    if negated:
        forward += [(code, code) for code in _NEVER]
        return f"[^{''.join(map(_range, forward))}]"
    for code in _NEVER:
        forward = [
            part
            for low, high in forward
            for part in ([(low, code - 1), (code + 1, high)] if low <= code <= high else [(low, high)])
            if part[0] <= part[1]
        ]
    return f"[{''.join(map(_range, forward))}]" if forward else _NOTHING


def _range(bounds: tuple[int, int]) -> str:
    return rf"\x{{{bounds[0]:x}}}-\x{{{bounds[1]:x}}}"
