"""Embedding of texts as vectors, and the location of the packaged model."""

import importlib.util
import json
import os
import re
import struct
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from bridge.errors import ExecutionFailed
from bridge.mapped_files import mapped, packaged_files

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
        ...

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return the vectors of some texts, one in each row. Blocking.

        Raises:
            ToolFailure: The model cannot be asked now.
        """
        ...


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
