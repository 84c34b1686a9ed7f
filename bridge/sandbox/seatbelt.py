"""The sandbox of macOS, by `sandbox-exec` and its profiles.

The last rule that fits decides, so what is hidden or kept comes last. Everything is denied that is not named.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Final

from bridge.sandbox.profile import Profile
from bridge.sandbox.system import devices, real_places

PROGRAM: Final = "/usr/bin/sandbox-exec"
_SYSTEM: Final = ("/System", "/Library", "/private/var/db/dyld", "/private/var/db/timezone", "/private/etc", "/dev/fd")
_BASE: Final = """(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow mach-lookup (global-name "com.apple.system.logger"))
"""


@cache
def is_there() -> bool:
    """Return whether this system has it."""
    return sys.platform == "darwin" and Path(PROGRAM).exists()


def wrapper(profile: Profile) -> list[str]:
    """Return the command that runs a program as a profile says, without the program.

    Args:
        profile: With real paths.
    """
    return [PROGRAM, "-p", rules(profile)]


def rules(profile: Profile) -> str:
    """Return a profile in the language of the sandbox."""
    read = [*_SYSTEM, *real_places(), *map(str, (*profile.read, *profile.write))]
    lines = [_rule("allow file-read*", [*read, *devices()]), _rule("allow file-write*", [*map(str, profile.write)])]
    lines.append(_rule("allow file-write-data", [*devices()]))
    if profile.network:
        lines.append("(allow network-outbound (remote ip))\n(allow network-inbound (local ip))\n(allow system-socket)")
        lines.append('(allow mach-lookup (global-name "com.apple.mDNSResponder"))')
        lines.append('(allow network-outbound (literal "/private/var/run/mDNSResponder"))')
    lines.append(_rule("deny file-write*", [*map(str, profile.kept)]))
    lines.append(_rule("deny file-read* file-write*", [*map(str, profile.shut_within)]))
    return _BASE + "\n".join(line for line in lines if line)


def _rule(what: str, places: list[str]) -> str:
    """Return one rule for some places and everything below them; nothing for none."""
    return f"({what} {' '.join(f'(subpath {_quoted(place)})' for place in places)})" if places else ""


def _quoted(text: str) -> str:
    """Return a text in the language of the profiles. Raises ValueError for what cannot be written there."""
    if any(ord(character) < ord(" ") for character in text):
        raise ValueError("a place with a control character in its name cannot be given to a program")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
