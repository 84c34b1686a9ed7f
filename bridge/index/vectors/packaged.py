"""The packaged model as the vectors use it: queries and what was just written here, all else in a worker."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bridge.clock import Clock
from bridge.errors import ExecutionFailed
from bridge.index.vectors.embedder import ModelFiles, StaticModel
from bridge.policy.redaction import hide_secrets
from bridge.workers.pool import Job, WorkerPool

if TYPE_CHECKING:
    from bridge.index.vectors.embedder import Matrix

PORTION: Final = 512
"""Passages that are embedded at a time: about a quarter of a second."""
EMBED_SECONDS: Final = 120.0
"""Seconds that a portion may take; it takes less than one where the machine has time."""
EMBEDDING: Final = Job("bridge.index.vectors.embedding_worker", "embedding", "it is tried again")
FEW: Final = 64
"""Passages that are sooner embedded here than a worker starts: some milliseconds, in which others can run."""


class PackagedModel:
    """Embeds with the packaged model. It has the members of `Model`.

    Args:
        files: The model.
        clock: The time.
    """

    portion = PORTION

    def __init__(self, files: ModelFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._pool = self._workers()
        self._here: StaticModel | None = None

    def query(self) -> StaticModel:
        """What embeds queries, here: it takes less than a millisecond.

        Raises:
            ExecutionFailed: The model's files are damaged.
        """
        if self._here is None:
            self._here = StaticModel(self._files)
        return self._here

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """The vectors of passages; of many, from the worker process.

        Raises:
            DeadlineExceeded: It did not answer in time.
            ExecutionFailed: It ended.
        """
        import numpy as np  # noqa: PLC0415 - an extra

        if len(texts) <= FEW:
            return self.query().embed(texts)
        encoded = [text.encode("utf-8", "replace") for text in texts]
        with self._pool.lend(self._clock.monotonic() + EMBED_SECONDS) as worker:
            header, data = worker.ask({"sizes": [len(text) for text in encoded]}, b"".join(encoded))
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
