"""The worker process that turns a model's file into one that can be mapped: it takes much memory, for a second.

A request names the `model`, and where `to` write what was made of it; the answer is empty. The process ends when its
standard input does, or when it takes more memory than it may.
"""

from pathlib import Path
from typing import Any, Final

from bridge.workers.frames import answer_requests
from bridge.workers.memory import watch_resident_memory

RESIDENT: Final = 1024 * 1024 * 1024
"""Bytes that the process may take; it takes about 250 MB."""


def main() -> None:
    """Answer requests until there are no more."""
    watch_resident_memory(RESIDENT)
    import onnxruntime  # noqa: F401, PLC0415 - after the watch, and before it says that it is ready

    from bridge.index.vectors.opening_model import open_session  # noqa: PLC0415 - after the watch

    def answer(header: dict[str, Any], _data: bytes) -> tuple[dict[str, Any], bytes]:
        open_session(Path(header["model"]), optimized=Path(header["to"]))
        return {}, b""

    answer_requests(answer)


if __name__ == "__main__":
    main()
