"""The worker process in which passages are embedded with the packaged model, so that the bridge answers meanwhile.

It has the lowest priority that the system offers without stopping it. A request has `sizes`, the lengths of the texts
in bytes, and the texts one after the other; the answer has `dimensions`, and the vectors as half-precision numbers.
The process ends when its standard input does, or when it takes more memory than it may.
"""

import contextlib
import os
import sys
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Final

from bridge.workers.frames import answer_requests
from bridge.workers.memory import watch_resident_memory

RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take; it takes about 80 MB."""
_NICE: Final = 19


def main() -> None:
    """Answer requests until there are no more."""
    _step_back()
    watch_resident_memory(RESIDENT)
    # Read by the libraries when they are imported: one processor is enough for work that nobody waits for.
    os.environ |= {"TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    from bridge.index.vectors.embedder import StaticModel, packaged_model  # noqa: PLC0415 - after the environment

    files = packaged_model()
    if files is None:
        sys.exit("The packages of the extra `semantic` are not there")
    answer_requests(partial(answer, StaticModel(files)))


def answer(model: Any, header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """One request's answer."""
    places = accumulate(header["sizes"], initial=0)
    texts = [data[start:end].decode("utf-8", "replace") for start, end in pairwise(places)]
    return {"dimensions": model.dimensions}, model.embed(texts).astype("float16").tobytes()


def _step_back() -> None:
    """Let every other process go first."""
    import psutil  # noqa: PLC0415 - only here

    with contextlib.suppress(psutil.Error, OSError):
        psutil.Process().nice(_NICE if os.name != "nt" else psutil.IDLE_PRIORITY_CLASS)


if __name__ == "__main__":
    main()
