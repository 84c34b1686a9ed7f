"""The two kinds of vectors of a vault: of what each passage says, and of what each note is about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bridge.clock import Clock
from bridge.index.knowledge import ClosedRules, IndexedFile
from bridge.index.search.meaning import FOUND_NEAR, MeaningState, NearPassage
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.strain import Strain, strain
from bridge.index.vectors.vector_index import (
    START_SECONDS,
    UNREADY,
    Mode,
    Model,
    VectorIndex,
    VectorStatus,
    opening_of,
)
from bridge.vault.files import VaultFiles

_NOT_THERE = {"off", "missing"}


class Vectors:
    """Both kinds of vectors of one vault. It has the members of `Meaning`; any thread may call any method.

    Where there is no model for passages, openings answer for them.

    Args:
        index: What is known of the vault.
        files: All of the vault's files.
        closed: The rules that close notes for reading.
        clock: The time.
        folder: Where vectors are kept, for this vault and this user alone; None keeps them in memory.
        mode: Whether there shall be vectors of passages; see `VectorIndex`.
        model: Finds the model for passages; None where there is none.
        opening_mode: Whether there shall be vectors of openings.
        opening_model: Finds the model for names and openings: it understands more, and takes longer.
        chosen: What the person has chosen. When it is something else, the models are found anew.
        strained: What makes large work unwelcome now.
        delay: Seconds after its start in which it does nothing.
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
        opening_mode: Callable[[], Mode],
        opening_model: Callable[[], Model | None],
        chosen: Callable[[], object] = lambda: None,
        strained: Callable[[], Strain | None] = strain,
        delay: float = START_SECONDS,
    ) -> None:
        made = partial(VectorIndex, index, files, closed, clock, chosen=chosen, strained=strained, delay=delay)
        self._passages = made(folder=folder / "vectors" if folder is not None else None, mode=mode, model=model)
        self._openings = made(
            folder=folder / "openings" if folder is not None else None,
            mode=opening_mode,
            model=opening_model,
            pieces=opening_of,
            first=lambda: self._passages.status().state not in UNREADY,
        )

    def start(self) -> None:
        """Begin, in threads of their own."""
        self._passages.start()
        self._openings.start()

    def close(self) -> None:
        """Stop, and keep what there is. Blocks. Closing twice does nothing."""
        self._openings.close()
        self._passages.close()

    def changed(self) -> None:
        """Something may have changed: notes, rules or settings. Returns at once."""
        self._passages.changed()
        self._openings.changed()

    def rebuild(self) -> None:
        """Throw all vectors away, and make them anew. Returns at once."""
        self._passages.rebuild()
        self._openings.rebuild()

    def status(self) -> VectorStatus:
        """How far both are: a note counts as half done when only its passages are."""
        passages, openings = self._passages.status(), self._openings.status()
        if openings.state in _NOT_THERE:
            return passages
        if passages.state in _NOT_THERE:
            return openings
        last = openings if passages.state == "ready" else passages
        return replace(
            last,
            model=" and ".join(filter(None, [passages.model, openings.model])),
            done=(passages.done + openings.done) // 2,
            total=max(passages.total, openings.total),
            passages=passages.passages,
            size=passages.size + openings.size,
        )

    # -- asking -------------------------------------------------------------------------------------------------

    def state(self) -> MeaningState:
        """Whether meaning can be compared."""
        return self._answering().state()

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        """The passages that are nearest to a text or a vector; see `Meaning`."""
        return self._answering().nearest(asked, files, count)

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        """The openings that are nearest to a question; see `Meaning`."""
        return self._openings.nearest(question, files, FOUND_NEAR)

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        """The notes nearest to a note; see `Meaning`."""
        return self._answering().related(path, files, count)

    def _answering(self) -> VectorIndex:
        missing = self._passages.status().state == "missing" and self._openings.status().state not in _NOT_THERE
        return self._openings if missing else self._passages
