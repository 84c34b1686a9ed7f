"""The packaged models as the vectors use them: queries and what was just written here, all else in a worker process.

The worker has the lowest priority that the system offers without stopping it. A request has `model`, the model's name,
and `sizes`, the lengths of the texts in bytes, and the texts one after the other; the answer has `dimensions`, and the
vectors as half-precision numbers. The process ends when its standard input does, or when it takes more memory than it
may.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.clock import Clock
from bridge.errors import ExecutionFailed
from bridge.index.vectors.embedder import (
    Embedder,
    ModelFiles,
    StaticModel,
    Transformer,
    load_numpy,
    packaged_model,
    transformer_files,
)
from bridge.policy.redaction import hide_secrets
from bridge.workers.frames import LAST, answer_requests, step_back, watch_resident_memory
from bridge.workers.pool import Job, WorkerPool

if TYPE_CHECKING:
    from bridge.index.vectors.embedder import Matrix


EMBED_SECONDS: Final = 120.0
"""Seconds that a portion may take; it takes less than one where the machine has time."""
EMBEDDING: Final = Job("bridge.index.vectors.packaged", "embedding", "it is tried again")


class Packaged(NamedTuple):
    """A model that comes in a package.

    Attributes:
        name: Its name.
        files: Finds its files; None if they are not installed.
        opened: Makes it of them.
        portion: Texts that are embedded at a time: they take less than a second.
        few: Texts that are sooner embedded here than a worker starts, in which others can run.
    """

    name: str
    files: Callable[[], ModelFiles | None]
    opened: Callable[[ModelFiles], Embedder]
    portion: int
    few: int


QUICK: Final = Packaged(StaticModel.model, packaged_model, StaticModel, portion=512, few=64)
"""The model that is done with all passages in seconds."""
BETTER: Final = Packaged(Transformer.model, transformer_files, Transformer, portion=32, few=2)
"""The better model: it understands more, and takes hundreds of times as long."""


class PackagedModel:
    """The embedding with a packaged model. It has the members of `Model`.

    Args:
        of: The model.
        files: Its files.
        clock: The time.
    """

    def __init__(self, of: Packaged, files: ModelFiles, clock: Clock) -> None:
        self.portion = of.portion
        self._of = of
        self._files = files
        self._clock = clock
        self._pool = self._workers()
        self._here: Embedder | None = None

    @classmethod
    def installed(cls, of: Packaged, clock: Clock) -> "PackagedModel | None":
        """Return a model; None if it is not installed."""
        files = of.files()
        return cls(of, files, clock) if files is not None else None

    def query(self) -> Embedder:
        """Return the embedder for queries, in this process: it takes a few milliseconds.

        Raises:
            ExecutionFailed: The model's files are damaged.
        """
        if self._here is None:
            self._here = self._of.opened(self._files)
        return self._here

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return the vectors of passages; of many, from the worker process.

        Raises:
            DeadlineExceeded: It did not answer in time.
            ExecutionFailed: It ended.
        """
        import numpy as np  # noqa: PLC0415 - an extra

        if len(texts) <= self._of.few:
            return self.query().embed(texts)
        encoded = [text.encode("utf-8", "replace") for text in texts]
        asked = {"model": self._of.name, "sizes": [len(text) for text in encoded]}
        with self._pool.lend(self._clock.monotonic() + EMBED_SECONDS) as worker:
            header, data = worker.ask(asked, b"".join(encoded))
        vectors = np.frombuffer(data, np.float16)
        if vectors.size != len(texts) * header["dimensions"]:
            raise ExecutionFailed("The process that embeds passages did not answer as it should")
        return vectors.reshape(len(texts), header["dimensions"]).astype(np.float32)

    def rest(self) -> None:
        """End the worker, which takes memory; the next passages start another."""
        self._pool.close()
        self._pool = self._workers()

    def close(self) -> None:
        """End the worker."""
        self._pool.close()

    def _workers(self) -> WorkerPool:
        return WorkerPool(self._clock, EMBEDDING, hide_secrets, workers=1)


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
