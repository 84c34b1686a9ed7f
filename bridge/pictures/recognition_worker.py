"""The worker process in which the text in one picture is recognised.

A request has the file's bytes and says whether somebody waits (`awaited`); it is answered with the text, or with
`failed`. Nothing that is imported opens a connection.
"""

import os
from math import sqrt
from typing import Any, Final

from bridge.pdf.pdf_worker import DAMAGED
from bridge.pictures.picture_worker import TOO_LARGE
from bridge.pictures.recognition import ENOUGH_PIXELS, Recogniser, recognition_files
from bridge.pictures.scaling import TooLarge, decoded, on_white
from bridge.workers.frames import answer_requests
from bridge.workers.memory import limit_address_space, watch_resident_memory
from bridge.workers.priority import LAST, LATER, step_back

ADDRESS_SPACE: Final = 4 << 30
RESIDENT: Final = 1536 << 20
"""Bytes that the process may take. The most pixels that are decoded take 400 MB, and as much while they are scaled."""


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LATER)
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    # One processor is enough for work that others should not notice.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    files = recognition_files()
    if files is None:
        raise ImportError("the extra `drawn-text` is not installed, or lacks something")
    recogniser = Recogniser(files)
    answer_requests(lambda header, data: answer(recogniser, header, data))


def answer(recogniser: Recogniser, header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the text in a picture, given its file."""
    import numpy as np  # noqa: PLC0415 - an extra, after the environment

    if not header["awaited"]:
        step_back(LAST)
    try:
        picture, _ = decoded(data, 2 * int(sqrt(ENOUGH_PIXELS)))
        if (scale := sqrt(ENOUGH_PIXELS / (picture.width * picture.height))) < 1:
            picture.thumbnail((max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)))
        return {}, recogniser.text(np.asarray(on_white(picture))).encode("utf-8", "replace")
    except TooLarge:
        return {"failed": TOO_LARGE}, b""
    except Exception:  # noqa: BLE001 - whatever a file does to a library is its own fault
        return {"failed": DAMAGED}, b""


if __name__ == "__main__":
    main()
