"""The frames between the bridge and a worker process: four bytes with a length, a JSON object, and bytes."""

import json
import struct
import sys
from collections.abc import Callable
from typing import IO, Any

LENGTH = struct.Struct(">I")
ANSWERED = b"\0"
"""The mark on a worker's standard error before each answer: text before it is not why the worker ends."""


def read_frame(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next frame, or None at the end."""
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    header: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(length)[0]))
    return header, stream.read(header.get("size", 0))


def write_frame(stream: IO[bytes], header: dict[str, Any], text: bytes = b"") -> None:
    """Send a frame.

    Args:
        stream: Where.
        header: The JSON object; it gets `size`, the length of the text.
        text: The bytes.
    """
    encoded = json.dumps(header | {"size": len(text)}, separators=(",", ":")).encode()
    stream.write(LENGTH.pack(len(encoded)) + encoded)
    stream.write(text)
    stream.flush()


def answer_requests(answer: Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]]) -> None:
    """In a worker process: say that it is ready, and answer requests until there are no more.

    Args:
        answer: One request's answer, a JSON object and bytes; it gets the same.
    """
    write_frame(sys.stdout.buffer, {})
    while (request := read_frame(sys.stdin.buffer)) is not None:
        answered = answer(*request)
        sys.stderr.write(ANSWERED.decode())
        sys.stderr.flush()
        write_frame(sys.stdout.buffer, *answered)
