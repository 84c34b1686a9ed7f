"""A model that a server runs, such as Ollama: passages in the background, queries while somebody waits.

How long a vector is, is read from the first answer. Which version of a model it is, the server says, so that vectors of
an older one are never compared with a newer one's.
"""

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bridge.clock import Clock
from bridge.errors import ExecutionFailed, ToolFailure
from bridge.index.vectors.embedder import ModelChanged, unit

Matrix = NDArray[np.float32]
logger = logging.getLogger(__name__)

BATCH: Final = 16
"""Passages of one request: a question that comes meanwhile waits no longer than these take."""
BATCH_SECONDS: Final = 300.0
"""Seconds that they may take: the first ones load the model."""
QUERY_SECONDS: Final = 3.0
"""Seconds that somebody waits for a question's vector; then words alone decide."""
AWAY_SECONDS: Final = 15.0
"""Seconds for which a server that has failed gets no questions, so that they do not all wait."""
KEPT_QUERIES: Final = 64
"""Questions whose vectors are remembered: the pages of one answer ask for the same."""


_PROBE: Final = "What is this?"


class EmbeddingServer(Protocol):
    """The server, as it is asked from threads. Every method blocks and raises ToolFailure."""

    def embed(self, model: str, texts: Sequence[str], seconds: float) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts, all equally long and finite, within so many seconds."""

    def version(self, model: str) -> str:
        """Return which version of a model it has; empty if it does not say."""

    def close(self) -> None:
        """End what is being asked; whoever waits gets a ToolFailure."""


class Prefixes(NamedTuple):
    """The prefixes that a model wants before texts.

    Attributes:
        query: The prefix of a question.
        passage: The prefix of a possible answer.
    """

    query: str = ""
    passage: str = ""


_SENTENCE: Final = Prefixes("Represent this sentence for searching relevant passages: ")
_PREFIXES: Final = {
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
    "qwen3-embedding": Prefixes(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
    ),
    "snowflake-arctic-embed2": Prefixes("query: "),
    "snowflake-arctic-embed": _SENTENCE,
    "mxbai-embed-large": _SENTENCE,
    "bge-large": _SENTENCE,
    "multilingual-e5": Prefixes("query: ", "passage: "),
}
"""By the beginning of a model's name, as the models' own descriptions ask for it; longer names first."""


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes that a model wants; empty if it is not known.

    Args:
        model: Its name, such as `someone/nomic-embed-text:v1.5`.
    """
    family = model.rpartition("/")[2].partition(":")[0].lower()
    return next((found for name, found in _PREFIXES.items() if family.startswith(name)), Prefixes())


class ServedModel:
    """The embedding with a server's model. It has the members of `Model`.

    Args:
        name: The model.
        server: Runs it.
        clock: The time.
    """

    portion = 4 * BATCH

    def __init__(self, name: str, server: EmbeddingServer, clock: Clock) -> None:
        self._name = name
        self._server = server
        self._clock = clock
        self._prefixes = prefixes_of(name)
        self._version = ""
        self._dimensions = 0

    def query(self) -> "ServedQueries":
        """Return the embedder for queries; asks the server for its version and the length of its vectors.

        Raises:
            ToolFailure: It does not say.
        """
        self._version = self._server.version(self._name)
        (vector,) = self._server.embed(self._name, [_PROBE], BATCH_SECONDS)
        self._dimensions = len(vector)
        known = f"{self._name}@{self._version}" if self._version else self._name
        return ServedQueries(self._name, known, self._dimensions, self._server, self._clock)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of passages; that of one which the model cannot take is all zeros.

        Raises:
            ModelChanged: The server has another version of the model by now.
            ToolFailure: There are none.
        """
        if self._server.version(self._name) != self._version:
            raise ModelChanged("The model is another one by now")
        shown = [f"{self._prefixes.passage}{text}" for text in texts]
        found = [row for at in range(0, len(shown), BATCH) for row in self._batch(shown[at : at + BATCH])]
        made = np.zeros((len(texts), self._dimensions))
        for at, row in enumerate(found):
            if row is not None:
                made[at] = _fitting(row, self._dimensions)
        return _unit(made)

    def rest(self) -> None:
        """Do nothing: nothing is held here, and the server lets go of a model by itself."""

    def close(self) -> None:
        """End what is being asked."""
        self._server.close()

    def _batch(self, texts: Sequence[str]) -> list[Sequence[float] | None]:
        """Return vectors; None for a text on which the model itself fails, as some do on odd ones."""
        try:
            return list(self._server.embed(self._name, texts, BATCH_SECONDS))
        except ToolFailure as failure:
            if failure.code != "server":
                raise
        if len(texts) > 1:
            middle = len(texts) // 2
            return self._batch(texts[:middle]) + self._batch(texts[middle:])
        self._server.embed(self._name, [_PROBE], BATCH_SECONDS)  # fails too, where it is not for the text
        logger.info("The model %s cannot take a passage of %d characters", self._name, len(texts[0]))
        return [None]


class ServedQueries:
    """The embedding of questions. It has the members of `Embedder`; any thread may ask.

    Args:
        name: The model.
        model: The same with its version.
        dimensions: How many numbers its vectors have.
        server: Runs it.
        clock: The time.
    """

    def __init__(self, name: str, model: str, dimensions: int, server: EmbeddingServer, clock: Clock) -> None:
        self.model = model
        self.dimensions = dimensions
        self._name = name
        self._prefix = prefixes_of(name).query
        self._server = server
        self._clock = clock
        self._one = lru_cache(KEPT_QUERIES)(self._vector)
        self._away_until = 0.0

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of some questions, within seconds.

        Raises:
            ToolFailure: The server does not answer in time, or has not just before.
        """
        return np.concatenate([self._one(text) for text in texts])

    def _vector(self, text: str) -> Matrix:
        if self._clock.monotonic() < self._away_until:
            raise ExecutionFailed("The model has just failed to answer")
        try:
            (row,) = self._server.embed(self._name, [f"{self._prefix}{text}"], QUERY_SECONDS)
            return _unit(np.array([_fitting(row, self.dimensions)], np.float64))
        except ToolFailure:
            self._away_until = self._clock.monotonic() + AWAY_SECONDS
            raise


def _fitting(row: Sequence[float], dimensions: int) -> Sequence[float]:
    if len(row) != dimensions:
        raise ModelChanged("The model answers with vectors of another length by now")
    return row


def _unit(vectors: NDArray[np.float64]) -> Matrix:
    """Return vectors with the length 1, whatever their numbers are; one that is all zeros stays so."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    return unit(scaled.astype(np.float32))
