"""The two models that come in packages: queries and what was just written here, all else in a worker process.

One is a table of vectors of tokens, of which a text's vector is the mean. The other compares what notes are about: a
small transformer, computed with numpy alone. Its file in the package holds whole numbers, which stay as they are,
mapped; those of one matrix at a time become floating-point numbers when texts go through it. So it takes hardly any
memory, and nothing is prepared or kept. What runs models for a living was left out: it reported to its maker
(docs/decisions/search-by-meaning.md).

The worker has the lowest priority that the system offers without stopping it. A request has `model`, the model's name,
and `sizes`, the lengths of the texts in bytes, and the texts one after the other; the answer has `dimensions`, and the
vectors as half-precision numbers. The process ends when its standard input does, or when it takes more memory than it
may.
"""

import json
import re
import struct
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from bridge.clock import Clock
from bridge.errors import ExecutionFailed
from bridge.index.vectors.embedder import (
    BETTER,
    EMBEDDING,
    MODEL,
    PACKAGED,
    QUICK,
    Embedder,
    ModelFiles,
    Packaged,
    unit,
)
from bridge.mapped_files import mapped, read_tensors
from bridge.policy.redaction import hide_secrets
from bridge.workers.frames import LAST, answer_requests, step_back, watch_resident_memory
from bridge.workers.pool import WorkerPool

Matrix = NDArray[np.float32]

EMBED_SECONDS: Final = 120.0
"""Seconds that a portion may take; it takes less than one where the machine has time."""
_TENSOR = "embedding.weight"
_LENGTH = struct.Struct("<Q")
_LONGEST_HEADER = 1 << 16
_LONGEST = 4096
"""Characters of a text that count. Passages are shorter."""
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")

DIMENSIONS: Final = 384
TOKENS: Final = 256
"""Tokens of a text that count: hardly a passage has more."""
BATCH: Final = 16
"""Texts that go through the model at once: with more, others wait longer, and it is not faster."""

_LONGEST_PASSAGE: Final = 1200
"""Characters of a text that are cut into tokens."""
_LAYERS: Final = 6
_HEADS: Final = 12
_WIDTH: Final = DIMENSIONS // _HEADS
_TINY: Final = 1e-12
_HIDDEN: Final = -1e9
"""Score that keeps a token from receiving attention."""
_QUERY, _KEY, _VALUE, _LOOKED, _WIDE, _NARROW = range(6)
"""A layer's steps, in the order of their weights."""
RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take; it takes about 80 MB."""


class StaticModel:
    """A model whose vectors of tokens are all there is to it. It has the members of `Embedder`; any thread may ask.

    Args:
        files: Its files. The weights are mapped, so processes share them.
    """

    model = PACKAGED

    def __init__(self, files: ModelFiles) -> None:
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._weights = _read_weights(files.weights)
        self.dimensions = int(self._weights.shape[1])

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of some texts; that of a text without words in Latin letters is all zeros."""
        shown = [known(text[:_LONGEST]) for text in texts]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, encoding in enumerate(self._tokenizer.encode_batch_fast(shown, add_special_tokens=False)):
            if encoding.ids:
                vectors[row] = self._weights[encoding.ids].sum(axis=0, dtype=np.float32)
        return unit(vectors)


class Transformer:
    """A transformer. It has the members of `Embedder`; any thread may ask.

    Args:
        files: The vocabulary, a token in each line, and the weights.
    """

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, files: ModelFiles) -> None:
        self._tokenizer = _tokenizer(files.tokenizer)
        self._weights = _Weights.of(read_tensors(files.weights))

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of some texts; that of a text without words in Latin letters is all zeros."""
        shown = [known(text[:_LONGEST_PASSAGE]) for text in texts]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(shown)]
        # Texts of like length go together: what is shorter than the longest of its batch is computed for nothing.
        order = sorted((at for at, text in enumerate(shown) if text.strip()), key=lambda at: len(tokens[at]))
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors[batch] = _mean(self._weights, [tokens[at] for at in batch])
        return unit(vectors)


class _Matrix(NamedTuple):
    """A matrix of whole numbers, and what the numbers of each column, or row, are worth."""

    numbers: NDArray[np.int8]
    scale: NDArray[np.float32]

    def times(self, given: Matrix) -> Matrix:
        """Return what it makes of some rows. There are fewer numbers to scale afterwards than in the matrix."""
        made: Matrix = given @ self.numbers.astype(given.dtype)
        made *= self.scale
        return made

    def rows(self, which: Any) -> Matrix:
        """Return some of its rows so."""
        made: Matrix = self.numbers[which] * self.scale[which]
        return made


class _Norm(NamedTuple):
    """The weights of a normalization layer."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


class _Layer(NamedTuple):
    """One of the model's layers: how tokens look at each other, and what becomes of each."""

    matrices: Sequence[_Matrix]
    biases: Sequence[NDArray[np.float32]]
    looked: _Norm
    made: _Norm


class _Weights(NamedTuple):
    """All that the model has learned."""

    words: _Matrix
    places: _Matrix
    kind: NDArray[np.float32]
    norm: _Norm
    layers: Sequence[_Layer]

    @classmethod
    def of(cls, tensors: dict[str, NDArray[Any]]) -> "_Weights":
        """Return the weights in a file. Its matrices have numbers for names, and come in the order of their use."""

        def matrix(name: str) -> _Matrix:
            return _Matrix(tensors[f"{name}_q"], tensors[f"{name}_scale"])

        def norm(name: str) -> _Norm:
            return _Norm(tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"])

        names = [name.removesuffix("_q") for name in tensors if name.startswith("val_") and name.endswith("_q")]
        each = len(names) // _LAYERS
        layers = []
        for number in range(_LAYERS):
            layer = f"inner.encoder.layer.{number}."
            looking = [f"attention.self.{name}" for name in ("query", "key", "value")]
            steps = [*looking, "attention.output.dense", "intermediate.dense", "output.dense"]
            matrices = [matrix(name) for name in names[each * number : each * (number + 1)]]
            biases = [tensors[f"{layer}{step}.bias"] for step in steps]
            if [it.numbers.shape[1] for it in matrices] != [len(bias) for bias in biases]:
                raise ValueError("the weights are of another model")
            layers.append(_Layer(matrices, biases, norm(f"{layer}attention.output"), norm(f"{layer}output")))
        embeddings = "inner.embeddings"
        return cls(
            matrix(f"{embeddings}.word_embeddings.weight"),
            matrix(f"{embeddings}.position_embeddings.weight"),
            tensors[f"{embeddings}.token_type_embeddings.weight"][0],
            norm(embeddings),
            layers,
        )


def _tokenizer(vocabulary: Path) -> Any:
    """Return what cuts texts into the tokens that the model knows."""
    tokens = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer({token: number for number, token in enumerate(tokens)})
    tokenizer.enable_truncation(TOKENS)
    return tokenizer


def _mean(weights: _Weights, texts: Sequence[Sequence[int]]) -> Matrix:
    """Return the mean of what the model makes of each text's tokens, as it was trained to be used."""
    longest = max(map(len, texts))
    tokens = np.zeros((len(texts), longest), np.intp)
    there = np.zeros((len(texts), longest), np.float32)
    for row, text in enumerate(texts):
        tokens[row, : len(text)] = text
        there[row, : len(text)] = 1
    state = weights.words.rows(tokens) + weights.kind + weights.places.rows(slice(longest))
    state = _normed(state.reshape(-1, DIMENSIONS), weights.norm)
    hidden = ((1 - there) * _HIDDEN).astype(np.float32)[:, None, None, :]
    for layer in weights.layers:
        state = _through(layer, state, hidden)
    whole = state.reshape(*tokens.shape, DIMENSIONS)
    made: Matrix = (whole * there[:, :, None]).sum(axis=1) / there.sum(axis=1, keepdims=True)
    return made


def _through(layer: _Layer, state: Matrix, hidden: Matrix) -> Matrix:
    """Return what one layer makes of the tokens, a row each.

    Args:
        layer: The layer.
        state: What the one before made of them.
        hidden: For each text, the tokens that fill it up and are not looked at.
    """

    def linear(step: int, given: Matrix) -> Matrix:
        made = layer.matrices[step].times(given)
        made += layer.biases[step]
        return made

    def heads(step: int) -> Matrix:
        return linear(step, state).reshape(len(hidden), -1, _HEADS, _WIDTH).transpose(0, 2, 1, 3)

    likeness = heads(_QUERY) @ heads(_KEY).swapaxes(2, 3)
    likeness *= _WIDTH**-0.5
    likeness += hidden
    seen = (_shares(likeness) @ heads(_VALUE)).transpose(0, 2, 1, 3).reshape(-1, DIMENSIONS)
    looked = _normed(linear(_LOOKED, seen) + state, layer.looked)
    return _normed(linear(_NARROW, _gelu(linear(_WIDE, looked))) + looked, layer.made)


def _shares(numbers: Matrix) -> Matrix:
    """Return how much of the whole each number of a row is, the larger the more (softmax). The numbers are used up."""
    numbers -= numbers.max(axis=-1, keepdims=True)
    np.exp(numbers, out=numbers)
    numbers /= numbers.sum(axis=-1, keepdims=True)
    return numbers


def _normed(rows: Matrix, norm: _Norm) -> Matrix:
    """Return rows with the mean and the spread that the model wants. The rows are used up."""
    rows -= rows.mean(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[1] + _TINY)
    rows *= norm.weight
    rows += norm.bias
    return rows


def _gelu(numbers: Matrix) -> Matrix:
    """Return numbers of which those far below zero count nothing (GELU, by the hyperbolic tangent)."""
    made = numbers * numbers
    made *= 0.044715
    made += 1
    made *= numbers
    made *= (2 / np.pi) ** 0.5
    np.tanh(made, out=made)
    made += 1
    made *= numbers
    made *= 0.5
    return made


def known(text: str) -> str:
    """Return what of a text a packaged model reads: nothing of one that is mostly in other letters than Latin ones.

    The models have learned English. They make vectors of anything, but of other scripts these mean nothing.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
        if 2 * len(_LATIN.findall(text)) < len(_LETTER.findall(text)):
            return ""
    return text


def _read_weights(path: Path) -> NDArray[np.float16]:
    """Return the one matrix of a safetensors file: a length, a JSON header, and the numbers."""
    with path.open("rb") as file:
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        header = json.loads(file.read(min(length, _LONGEST_HEADER)))
    tensor = header[_TENSOR]
    if tensor["dtype"] != "F16":
        raise ValueError(tensor["dtype"])
    tokens, dimensions = tensor["shape"]
    start = _LENGTH.size + length + tensor["data_offsets"][0]
    return np.frombuffer(mapped(path), np.float16, tokens * dimensions, start).reshape(tokens, dimensions)


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

    def query(self) -> Embedder:
        """Return the embedder for queries, in this process: it takes a few milliseconds.

        Raises:
            ExecutionFailed: The model's files are damaged.
        """
        if self._here is None:
            self._here = opened(self._of, self._files)
        return self._here

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of passages; of many, from the worker process.

        Raises:
            DeadlineExceeded: It did not answer in time.
            ExecutionFailed: It ended.
        """
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


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LAST)
    watch_resident_memory(RESIDENT)
    answer_requests(partial(answer, {}))


def answer(models: dict[str, Embedder], header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return one request's answer.

    Args:
        models: Those that were asked before.
        header: The request's.
        data: The texts.
    """
    name = header["model"]
    if (model := models.get(name)) is None:
        of = next(each for each in (QUICK, BETTER) if each.name == name)
        if (files := of.files()) is None:
            raise LookupError(name)
        model = models[name] = opened(of, files)
    places = accumulate(header["sizes"], initial=0)
    texts = [data[start:end].decode("utf-8", "replace") for start, end in pairwise(places)]
    return {"dimensions": model.dimensions}, model.embed(texts).astype("float16").tobytes()


def opened(of: Packaged, files: ModelFiles) -> Embedder:
    """Return a model, ready. Raise ExecutionFailed if its files are not what they should be."""
    try:
        return StaticModel(files) if of is QUICK else Transformer(files)
    except Exception as error:  # the tokenizer's library raises bare `Exception`
        why = f"The packaged model cannot be read ({type(error).__name__}); install it anew"
        raise ExecutionFailed(why) from error


if __name__ == "__main__":
    main()
