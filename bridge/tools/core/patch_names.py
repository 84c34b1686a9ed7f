"""The paths in a patch, with and without git's `a/` and `b/`."""

import re

NOWHERE = "/dev/null"

_PREFIXED = re.compile(r"[abciow12]/")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


def path_in(line: str) -> str:
    """Return the path in a `---` or `+++` line, unquoted where git quoted it."""
    name = line[len("--- ") :].partition("\t")[0].rstrip(" ")
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    quoted = name[1:-1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(lambda escape: _unescape(escape[1]), quoted).decode("utf-8", "replace")


def is_prefixed(source: str, target: str) -> bool:
    """Return whether two names are those of one file as git writes them: `a/x` and `b/x`."""
    prefixed = _PREFIXED.match(source) and _PREFIXED.match(target)
    return bool(prefixed) and source != target and source[2:] == target[2:]


def _unescape(code: bytes) -> bytes:
    """Return the byte that one of git's escapes stands for."""
    return bytes([int(code, 8) & 0xFF]) if len(code) > 1 else _LETTERS.get(code, code)
