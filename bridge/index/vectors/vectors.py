"""The two kinds of vectors of a vault: by a model that is done with all passages in seconds, and by a better one.

The better one answers as soon as it has read nearly all notes. Until then the quick one does, and what the better one
has read already counts as well.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from bridge.clock import Clock
from bridge.contract.session import SemanticStatus
from bridge.index.file_texts import FileTexts
from bridge.index.knowledge import ClosedRules, IndexedFile
from bridge.index.search.passages import FOUND_NEAR, MeaningState, NearPassage
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.embedder import Model
from bridge.index.vectors.vector_index import START_SECONDS, UNREADY, Mode, Strain, VectorIndex, strain
from bridge.vault.files import VaultFiles

COVERED = 0.95
"""The part of the notes that the better model must have read to answer alone."""
_NOT_THERE = {"off", "missing"}


class Vectors:
    """Both kinds of vectors of one vault. It has the members of `Meaning`; any thread may call any method.

    Where one of the models is missing, the other answers.

    Args:
        index: The knowledge about the vault.
        files: All of the vault's files.
        closed: The rules that close notes for reading.
        clock: The time.
        folder: The folder in which vectors are kept, for this vault and this user alone; None keeps them in memory.
        mode: Whether to keep vectors of the quick model; see `VectorIndex`.
        model: Finds the quick model; None if there is none.
        better_mode: Whether to keep vectors of the better model.
        better_model: Finds the better model: it understands more, and takes longer.
        chosen: Returns the person's choice of models. They are looked up again when it changes.
        strained: What makes large work unwelcome now.
        delay: Seconds after its start in which it does nothing.
        file_texts: The texts of files that are no notes.
    """

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        closed: ClosedRules,
        clock: Clock,
        *,
        folder: Path | None,
        mode: Callable[[], Mode],
        model: Callable[[], Model | None],
        better_mode: Callable[[], Mode],
        better_model: Callable[[], Model | None],
        chosen: Callable[[], object] = lambda: None,
        strained: Callable[[], Strain | None] = strain,
        delay: float = START_SECONDS,
        file_texts: FileTexts | None = None,
    ) -> None:
        made = partial(VectorIndex, index, files, closed, clock, chosen=chosen, file_texts=file_texts)
        made = partial(made, strained=strained, delay=delay)
        self._quick = made(folder=folder / "vectors" if folder is not None else None, mode=mode, model=model)
        self._better = made(
            folder=folder / "better" if folder is not None else None,
            mode=better_mode,
            model=better_model,
            first=lambda: self._quick.status().state not in UNREADY,
        )

    def start(self) -> None:
        """Begin, in threads of their own."""
        self._quick.start()
        self._better.start()

    def close(self) -> None:
        """Stop, and keep what there is. Blocks. Closing twice does nothing."""
        self._better.close()
        self._quick.close()

    def changed(self) -> None:
        """Note that something may have changed: notes, rules or settings. Returns at once."""
        self._quick.changed()
        self._better.changed()

    def rebuild(self) -> None:
        """Discard all vectors and compute them again. Returns at once."""
        self._quick.rebuild()
        self._better.rebuild()

    def status(self) -> SemanticStatus:
        """Return the progress of both: a file counts as half done if only the quick model has read it."""
        quick, better = self._quick.status(), self._better.status()
        if better.state in _NOT_THERE:
            return quick
        if quick.state in _NOT_THERE:
            return better
        last = better if quick.state == "ready" else quick
        both = {
            "model": " and ".join(filter(None, [quick.model, better.model])),
            "done": (quick.done + better.done) // 2,
            "total": max(quick.total, better.total),
            "passages": quick.passages,
            "size": quick.size + better.size,
        }
        return last.model_copy(update=both)

    # -- asking -------------------------------------------------------------------------------------------------

    def state(self) -> MeaningState:
        """Return whether meaning can be compared."""
        return self._answering().state()

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        """Return the passages that are nearest to a text or a vector; see `Meaning`."""
        return self._answering().nearest(asked, files, count)

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        """Return the notes whose names and openings are nearest to a question, by the better model; see `Meaning`."""
        return self._better.nearest(question, files, FOUND_NEAR, openings=True)

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        """Return the notes nearest to a note; see `Meaning`."""
        return self._answering().related(path, files, count)

    def _answering(self) -> VectorIndex:
        quick, better = self._quick.status(), self._better.status()
        missing = quick.state == "missing" and better.state not in _NOT_THERE
        covered = better.state in {"embedding", "paused", "ready"} and self._better.covered() >= COVERED
        return self._better if missing or covered else self._quick
