"""The worker process: searches that must be killable run here, asked over a pipe.

A frame is four bytes with the length of a JSON object, that object, and as many bytes as its `size` says. A request
has `pattern`, and to search also `limit` and `size`; the answer has `spans`, or `invalid` with `at`, or `refused`.
The process ends when its standard input does, so it never outlives the bridge.
"""

import json
import signal
import struct
import sys
from functools import lru_cache
from typing import IO, Any

from bridge.index.backtracking import PatternInvalid, TooManySteps, compile_backtracking
from bridge.index.linear import Compiled, compile_linear

LINEAR_MEMORY = 16 * 1024 * 1024
ADDRESS_SPACE = 2 * 1024 * 1024 * 1024
"""Bytes the process may ask the system for, where the system can be told."""

LENGTH = struct.Struct(">I")


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bridge, which then closes our input
    _limit_memory()
    while (request := read_frame(sys.stdin.buffer)) is not None:
        header, text = request
        write_frame(sys.stdout.buffer, answer(header, text))


def answer(header: dict[str, Any], text: bytes) -> dict[str, Any]:
    """One request's answer."""
    try:
        compiled = _compile(header["pattern"])
        spans = compiled.scan(compiled.regex, text, header.get("limit", 0)) if text else []
    except PatternInvalid as error:
        return {"invalid": error.reason, "at": error.position}
    except TooManySteps:
        return {"refused": True}
    return {"spans": spans}


def read_frame(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """The next frame, or None at the end."""
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    header: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(length)[0]))
    return header, stream.read(header.get("size", 0))


def write_frame(stream: IO[bytes], header: dict[str, Any], text: bytes = b"") -> None:
    """Send a frame."""
    encoded = json.dumps(header | {"size": len(text)}, separators=(",", ":")).encode()
    stream.write(LENGTH.pack(len(encoded)) + encoded)
    stream.write(text)
    stream.flush()


@lru_cache(maxsize=32)
def _compile(pattern: str) -> Compiled:
    return compile_linear(pattern, LINEAR_MEMORY) or compile_backtracking(pattern)


def _limit_memory() -> None:
    """A hostile pattern shall exhaust this process, not the machine."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = ADDRESS_SPACE if hard == resource.RLIM_INFINITY else min(ADDRESS_SPACE, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ValueError, OSError):
        return  # macOS has the name of the limit, not the limit


if __name__ == "__main__":
    main()
