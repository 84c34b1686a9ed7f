"""The worker process in which notes are embedded with a packaged model, so that the bridge answers meanwhile.

It has the lowest priority that the system offers without stopping it. A request has `model`, the model's name, and
`sizes`, the lengths of the texts in bytes, and the texts one after the other; the answer has `dimensions`, and the
vectors as half-precision numbers. The process ends when its standard input does, or when it takes more memory than it
may.
"""

import os
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final

from bridge.index.vectors.embedder import load_numpy
from bridge.workers.frames import answer_requests
from bridge.workers.memory import watch_resident_memory
from bridge.workers.priority import LAST, step_back

if TYPE_CHECKING:
    from bridge.index.vectors.embedder import Embedder

RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take; it takes about 80 MB."""


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LAST)
    watch_resident_memory(RESIDENT)
    # One processor is enough for work that nobody waits for.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    load_numpy()
    import numpy as np  # noqa: F401, PLC0415 - after that; what cannot be imported says so before any request
    import tokenizers  # noqa: F401, PLC0415 - the same

    answer_requests(partial(answer, {}))


def answer(opened: "dict[str, Embedder]", header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return one request's answer.

    Args:
        opened: The models that were asked before.
        header: The request's.
        data: The texts.
    """
    name = header["model"]
    model = opened.get(name) or opened.setdefault(name, _open(name))
    places = accumulate(header["sizes"], initial=0)
    texts = [data[start:end].decode("utf-8", "replace") for start, end in pairwise(places)]
    return {"dimensions": model.dimensions}, model.embed(texts).astype("float16").tobytes()


def _open(name: str) -> "Embedder":
    """Return a model by its name."""
    from bridge.index.vectors.packaged import BETTER, QUICK  # noqa: PLC0415 - after the environment

    for of in (QUICK, BETTER):
        if of.name == name and (files := of.files()) is not None:
            return of.opened(files)
    raise LookupError(name)


if __name__ == "__main__":
    main()
