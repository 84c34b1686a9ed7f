"""Keys that are divided over several lines, as a narrow window or a mail program breaks them.

A line's end is part of no key, so the rest of one would stay readable. What follows on the next line is taken for the
rest only if it is as mixed as keys are: words and numbers that happen to stand below a key are left alone.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import re2

_PART: Final = r"[A-Za-z0-9._~+/=-]"
_BREAK: Final = r"[ \t]*\\?\r?\n[ \t>|]*"
BEGINNINGS: Final = (
    r"sk-|(?:sk|rk|pk|whsec)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AIza|hf_|npm_|pypi-|A[KSBC][IC]A|SG\.|eyJ|"
    r"vb_[0-9a-f]"
)
_DIVIDED: Final = re2.compile(rf"((?:^|[^A-Za-z0-9_-])(?:{BEGINNINGS}){_PART}*)((?:{_BREAK}{_PART}{{4,}})+)")
_PAIR: Final = re2.compile(
    rf"(^|[^A-Za-z0-9/+=_.-])([A-Za-z0-9/+]{{8,36}})({_BREAK})([A-Za-z0-9/+]{{4,32}})([^A-Za-z0-9/+=_-]|$)"
)
_LINE: Final = re2.compile(rf"({_BREAK})({_PART}+)")
_LEAST_CHANGES: Final = 3
"""Changes between small letters, capitals and digits in what may be the rest of a key; ordinary words have fewer."""


def hide_divided_keys(text: str, hide: Callable[[str], str], replacement: str) -> str:
    """Return the text with a replacement for each key that goes on in the lines after.

    Args:
        text: Any text.
        hide: Replaces the keys that are in one piece.
        replacement: What stands for a key.
    """

    def joined(found: Any) -> str:
        head, rest = found[1], found[2]
        whole, used = head, 0
        for line in _LINE.finditer(rest):
            if not is_mixed(line[2]):
                break
            whole, used = whole + line[2], line.end()
        hidden = hide(whole)
        is_one = used and hidden != whole and hidden.endswith(replacement)
        return f"{hidden}{rest[used:]}" if is_one else str(found[0])

    def paired(found: Any) -> str:
        before, first, _break, second, after = found.groups()
        is_one = is_mixed(first) and is_mixed(second) and hide(first + second) == replacement
        return f"{before}{replacement}{after}" if is_one else str(found[0])

    return str(_PAIR.sub(paired, _DIVIDED.sub(joined, text)))


def is_mixed(word: str) -> bool:
    """Return whether letters of both cases and digits change in a word as often as they do in what is random."""
    kinds = [(one.isdigit(), one.isupper(), one.islower()) for one in word]
    return sum(first != second for first, second in pairwise(kinds)) >= _LEAST_CHANGES
