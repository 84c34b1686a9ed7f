"""Servers that other programs on this machine have in their configurations, as entries of ours."""

import re
from typing import Any, Final

from bridge.errors import InvalidParameters
from bridge.servers.configuration import ServerEntry, check_name, entry

_OTHER: Final = re.compile(r"[^A-Za-z0-9-]+")
_PLACEHOLDER: Final = re.compile(r"\$\{[^}]*\}|\{env:[^}]*\}")
_LONGEST: Final = 24


def fitting_name(name: str) -> str:
    """Return a name of ours for a server that is called otherwise elsewhere.

    Args:
        name: Its name there.

    Raises:
        InvalidParameters: Nothing of it can be used.
    """
    return check_name(_OTHER.sub("-", name).strip("-")[:_LONGEST].strip("-"))


def imported(name: str, member: Any) -> ServerEntry:
    """Return an entry of another program's as one of ours. It is not trusted, whatever it was there.

    Args:
        name: The server's name.
        member: The entry, in any of the forms that programs have.

    Raises:
        InvalidParameters: It cannot be used here; the message says why, without a value.
    """
    if not isinstance(member, dict):
        raise InvalidParameters(f"The entry of {name!r} is no object")
    command, args = member.get("command"), member.get("args") or []
    if isinstance(command, list):
        command, *args = command or [None]
    url = member.get("url") or member.get("httpUrl") or member.get("serverUrl")
    if member.get("type") == "sse":
        raise InvalidParameters(f"{name!r} is reached over SSE, which MCP has given up; look for its newer address")
    if isinstance(command, str):
        taken = {"command": command, "args": args, "env": member.get("env") or member.get("environment") or {}}
    else:
        taken = {"url": url, "headers": member.get("headers") or member.get("http_headers") or {}}
    if _PLACEHOLDER.search(repr(taken)):
        raise InvalidParameters(f"{name!r} has a placeholder for a value that its program asks for; enter it by hand")
    return entry(name, {key: value for key, value in taken.items() if value})
