"""A worker that says what it is told on its standard error, and ends or answers."""

import sys
from typing import Any

from bridge.workers.frames import answer_requests


def main() -> None:
    """Answer requests until there are no more."""
    answer_requests(answer)


def answer(header: dict[str, Any], _data: bytes) -> tuple[dict[str, Any], bytes]:
    """Say it."""
    sys.stderr.write(header["say"] * header.get("times", 1))
    sys.stderr.flush()
    if header.get("fail"):
        raise ValueError(header["fail"])
    return {}, b""
