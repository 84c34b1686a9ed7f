"""A vault whose notes are embedded: by a small model in this process, or by the packaged one where it is installed."""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bridge.clock import SystemClock
from bridge.contract.session import SemanticStatus
from bridge.errors import ExecutionFailed
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.vector_index import Mode, VectorIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from bridge.index.vectors.embedder import Model

np: Any = pytest.importorskip("numpy", reason="comes with the extra `semantic`")

_WORD = re.compile(r"\w+")


class WordModel:
    """Each word has a direction of its own, so texts are alike that share words. It counts what it embeds.

    Attributes:
        embedded: The texts, in order.
        failing: Whether it refuses.
        allowed: How many more texts it embeds before it waits to be released; None: it does not wait.
    """

    model = "words"
    dimensions = 128
    portion = 512

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.failing = False
        self.hold = threading.Event()
        self.hold.set()
        self.waiting = threading.Event()

    def query(self) -> "WordModel":
        return _Queries(self)

    def embed(self, texts: Sequence[str]) -> Any:
        if not self.hold.is_set():
            self.waiting.set()
            assert self.hold.wait(PATIENCE)
        if self.failing:
            raise ExecutionFailed("The model is on strike")
        self.embedded += texts
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> Any:
        made = np.array(
            [sum(map(_direction, _WORD.findall(text.lower())), np.zeros(self.dimensions)) for text in texts]
        )
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return (made / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def rest(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held; whoever waits goes on."""
        self.hold.set()


class _Queries(WordModel):
    """The same for queries, which are not counted."""

    def __init__(self, model: WordModel) -> None:
        super().__init__()
        self._of = model

    def embed(self, texts: Sequence[str]) -> Any:
        if self._of.failing:
            raise ExecutionFailed("The model is on strike")
        return self.vectors(texts)


def _direction(word: str) -> Any:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(WordModel.dimensions)


class Embedded:
    """A vault with an index and vectors on it.

    Attributes:
        folder: The vault.
        cache: Where the vectors are kept.
        model: The model.
        closed: What agents may not read.
        mode: The setting.
        strain: What the machine is busy with.
    """

    def __init__(self, folder: Path, cache: Path | None, model: Any) -> None:
        self.folder, self.cache, self.model = folder, cache, model
        self.closed: set[str] = set()
        self.mode: Mode = "on"
        self.strain: Any = None
        self._rules: Any = None
        self.root = VaultRoot(folder)
        self.index = VaultIndex(VaultFiles(self.root), SystemClock())
        self.vectors = self.made()

    def made(self) -> VectorIndex:
        return VectorIndex(
            self.index,
            VaultFiles(self.root),
            lambda: self._rules,
            SystemClock(),
            folder=self.cache,
            mode=lambda: self.mode,
            model=lambda: self.model,
            strained=lambda: self.strain,
            delay=0,
        )

    def put(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def close_notes(self, *paths: str) -> None:
        closed = set(paths)
        self._rules = lambda path: "closed" if path in closed else None
        self.vectors.changed()

    def start(self) -> None:
        self.index.refresh()
        self.vectors.start()

    def until(self, done: Callable[[SemanticStatus], bool]) -> SemanticStatus:
        """Wait until the vectors are so."""
        end = SystemClock().monotonic() + PATIENCE
        pause = threading.Event()
        while not done(status := self.vectors.status()):
            assert SystemClock().monotonic() < end, status
            pause.wait(0.01)
        return status

    def follow(self) -> SemanticStatus:
        """Take in what was written, and wait until it is embedded."""
        self.index.refresh()
        self.vectors.changed()
        wanted = self.kept_when_done()
        self.until(lambda status: status.state == "ready" and self.kept() == wanted)
        return self.vectors.status()  # the one that was looked at may be of the moment before

    def kept_when_done(self) -> dict[str, tuple[int, int]]:
        """What is to be kept, once all is embedded."""
        rules = self._rules
        return {
            file.path: (file.size, file.mtime_ns)
            for file in self.index.files()
            if file.path.endswith(".md") and (rules is None or rules(file.path) is None)
        }

    def kept(self) -> dict[str, tuple[int, int]]:
        store = self.vectors._store
        return store.stamps() if store is not None else {}

    def near(self, text: str, *, without: Sequence[str] = ()) -> list[str]:
        """The notes nearest to a text."""
        files = {file.path: file for file in self.index.files() if file.path not in without}
        return list(dict.fromkeys(near.path for near in self.vectors.nearest(text, files, 20) or ()))

    def restart(self) -> None:
        """Stop and start again, as a process does."""
        self.vectors.close()
        self.vectors = self.made()
        self.vectors.start()

    def close(self) -> None:
        self.vectors.close()
        self.index.close()
        self.root.close()


Make = Callable[..., Embedded]


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Make]:
    """Makes a vault that is embedded."""
    made: list[Embedded] = []

    def make(model: "Model | None" = None, *, kept: bool = True) -> Embedded:
        folder = tmp_path / "Notes"
        folder.mkdir(exist_ok=True)
        vault = Embedded(folder, tmp_path / "cache" / "vectors" if kept else None, model or WordModel())
        made.append(vault)
        return vault

    yield make
    for vault in made:
        vault.close()
