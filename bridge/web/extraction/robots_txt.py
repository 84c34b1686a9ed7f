"""Reads one robots.txt. In a worker process alone: a hostile file takes as long as it likes."""

import re
from typing import Final

from protego import Protego

_AGENT: Final = re.compile(r"(\s*user[- ]?agent\s*[:\s]\s*)([^#]*)", re.IGNORECASE)
_OTHERS: Final = "others"


def allows(data: bytes, url: str, agent: str) -> bool:
    """Say whether a robots.txt lets a program read a page.

    The parser keeps every rule once for each program that it is for, so a short file of many of both would take
    gigabytes. All programs but ours become one before it sees them.

    Args:
        data: The file.
        url: The page.
        agent: The program's name for itself, without a version.
    """
    lines = (_without_others(line, agent.lower()) for line in data.decode("utf-8", "replace").splitlines())
    return bool(Protego.parse("\n".join(lines)).can_fetch(url, agent))


def _without_others(line: str, agent: str) -> str:
    found = _AGENT.match(line)
    if found is None:
        return line
    named = found[2].strip().lower()
    return line if named == "*" or (named and agent.startswith(named.replace("*", ""))) else f"User-agent: {_OTHERS}"
