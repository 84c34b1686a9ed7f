"""The form of `.vault-bridge/settings.json`: an object of settings, and of keys that another version may know."""

import difflib
from typing import Any

import orjson

from bridge.errors import InvalidParameters
from bridge.settings.model import LONGEST_NAME, Settings

MAX_BYTES = 1024 * 1024
"""A file larger than this was not written for us."""
NAMES = tuple(field.alias or name for name, field in Settings.model_fields.items())


class SettingsFault(ValueError):
    """The file cannot be used; the text says where and why."""


def parse(data: bytes) -> dict[str, Any]:
    """Return everything in the file. What is known in it is valid.

    Raises:
        SettingsFault: Naming the line, or the key.
    """
    if len(data) > MAX_BYTES:
        raise SettingsFault(f"it is larger than {MAX_BYTES:,} bytes")
    try:
        values = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise SettingsFault(f"line {error.lineno}: {error.msg} (column {error.colno})") from None
    if not isinstance(values, dict):
        raise SettingsFault("line 1: it must hold one JSON object")
    try:
        Settings.parse(known(values))
    except InvalidParameters as error:
        raise SettingsFault(error.message) from None
    return values


def write(values: dict[str, Any]) -> bytes:
    """Return the bytes of a file with these values."""
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def known(values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings among the values."""
    return {key: value for key, value in values.items() if key in NAMES}


def unknown(values: dict[str, Any]) -> list[str]:
    """Return the keys that are no settings, each with the nearest one that is, for people."""
    described = []
    for key in values:
        if key in NAMES:
            continue
        near = difflib.get_close_matches(key[:LONGEST_NAME], NAMES, n=1)
        described.append(f"{key[:LONGEST_NAME]!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    return described
