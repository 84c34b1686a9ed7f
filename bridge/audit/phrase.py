"""Wording of a tool's use: `search/searched the vault[ for {pattern}][: {count:hit}]`.

Before the first blank are the verb and its past. `{name}` is a value in quotation marks, `{name|a note}` has words for
when it is not known, `{count:hit}` is a number with its noun. A part in brackets is left out when something in it is
not known.
"""

import re
from collections.abc import Callable
from typing import Any, Final

LONGEST_VALUE: Final = 80
"""Characters of a value that a sentence quotes."""
MOST_NAMED: Final = 3
"""Items of a list that a sentence names."""

_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_VALUE = re.compile(r"\{(\w+)(?:([|:])([^{}]*))?\}")


def phrase(action: str, value: Callable[[str], Any], *, past: bool) -> str:
    """Return the words for one use of a tool.

    Args:
        action: As above.
        value: Returns what a name stands for; None if that is not known.
        past: Whether it was done.
    """
    verb, _, rest = action.partition(" ")
    now, _, then = verb.partition("/")
    parts = (_fill(optional or always, value, optional=bool(optional)) for optional, always in _PART.findall(rest))
    said = "".join(parts).strip()
    return f"{then if past and then else now} {said}".strip()


def quoted(value: Any) -> str:
    """Return a value from outside as one short line in quotation marks that it cannot end itself.

    Args:
        value: A text, or a list of texts; anything else is shown as it is written in Python.
    """
    if isinstance(value, list):
        named = ", ".join(quoted(item) for item in value[:MOST_NAMED])
        return f"{named} and {len(value) - MOST_NAMED} more" if len(value) > MOST_NAMED else named
    text = " ".join(str(value).translate(_NO_QUOTES).split())
    return f"“{text if len(text) <= LONGEST_VALUE else f'{text[: LONGEST_VALUE - 1]}…'}”"


_NO_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 note` or `1,200 notes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _fill(text: str, value: Callable[[str], Any], *, optional: bool) -> str:
    """Return the text with its values; empty if it may be left out and one is not known."""
    missing = False

    def known(found: re.Match[str]) -> str:
        nonlocal missing
        name, kind, words = found.groups()
        held = value(name)
        if held in (None, "", []):
            missing = missing or kind != "|"
            return words if kind == "|" else ""
        return counted(held, words) if kind == ":" else quoted(held)

    filled = _VALUE.sub(known, text)
    return "" if missing and optional else filled
