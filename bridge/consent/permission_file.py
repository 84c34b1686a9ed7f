"""The form of `.vault-bridge/permissions.json` (seed O): an object of keys and three characters of `rwx`, `-` and `?`.

It may be edited by hand, so what is wrong is told with its line; and it decides what agents may do, so a file with
one fault is refused whole.
"""

import json
from collections import Counter
from typing import Any

from bridge.consent.permission_keys import canonical
from bridge.consent.permission_table import DENIED, LETTERS, NOT_ASKED

MAX_BYTES = 4 * 1024 * 1024
"""A file larger than this was not written for us."""


class PermissionFileFault(ValueError):
    """The file cannot be used; the text says where and why."""


class _Members(list[tuple[str, Any]]):
    """The members of a JSON object, duplicates included."""


def parse(data: bytes) -> dict[str, str]:
    """The entries of the file, in its order.

    Raises:
        PermissionFileFault: With the line and the key.
    """
    if len(data) > MAX_BYTES:
        raise PermissionFileFault(f"it is larger than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
        members = json.loads(text, object_pairs_hook=_Members)
    except UnicodeDecodeError as error:
        raise PermissionFileFault(f"it is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise PermissionFileFault(f"line {error.lineno}: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise PermissionFileFault("it is nested too deeply") from None
    if not isinstance(members, _Members):
        raise PermissionFileFault("line 1: it must hold one JSON object")
    counts = Counter(key for key, _ in members)
    for key, code in members:
        fault = "it is there twice" if counts[key] > 1 else _fault(key, code)
        if fault is not None:
            raise PermissionFileFault(f"line {_line(text, key)}, key {key!r}: {fault}")
    return dict(members)


def write(codes: dict[str, str]) -> bytes:
    """The bytes of a file with these entries."""
    return (json.dumps(codes, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _fault(key: str, code: Any) -> str | None:
    """What is wrong with one entry."""
    if not isinstance(code, str) or len(code) != len(LETTERS):
        return "the value must be three characters, such as 'rw-'"
    for letter, character in zip(LETTERS, code, strict=True):
        if character not in {letter, DENIED, NOT_ASKED}:
            return f"in {code!r}, {character!r} must be {letter!r} (allowed), '-' (denied) or '?' (not asked)"
    try:
        canonical(key)
        key.encode("utf-8")
    except ValueError as error:
        return "it is not valid Unicode" if isinstance(error, UnicodeError) else str(error)
    return None


def _line(text: str, key: str) -> int:
    """The line a key is last in, from 1."""
    spellings = (json.dumps(key), json.dumps(key, ensure_ascii=False))
    place = max(text.rfind(spelling) for spelling in spellings)
    return text.count("\n", 0, max(place, 0)) + 1
