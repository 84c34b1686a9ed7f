"""Keeping the vectors of all notes as the vault is, in the background, and finding what is near in meaning.

What is embedded is what agents may read: the texts of open notes and, after those, of other files. A pass compares what
is kept with the index, removes what is gone, closed or changed, and embeds what is missing, the newest first, in
portions that are kept one by one. So it can be ended at any moment, and goes on where it was.
"""

import contextlib
import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from bridge.clock import Clock
from bridge.contract.session import SemanticStatus
from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.index.file_texts import FileTexts
from bridge.index.knowledge import ClosedRules, IndexedFile
from bridge.index.search.passages import MOST_TEXT, NO_MODEL, MeaningState, NearPassage, body_start, cut, readable
from bridge.index.search.text_session import NoteText, SearchTexts
from bridge.index.texts.arena import portions
from bridge.index.texts.line_patterns import Span
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.embedder import Embedder, Model, ModelChanged, load_numpy, unit
from bridge.pdf.document import PAGE_BREAK
from bridge.vault.files import VaultFiles
from bridge.vault.text import is_note, note_name

if TYPE_CHECKING:
    from bridge.index.vectors.vector_store import Stamp, StoreKey, Vector, VectorStore

logger = logging.getLogger(__name__)

FEW = 200
"""Notes that are embedded whatever else the machine does: what was just written is looked for soon."""
START_SECONDS = 2.0
"""Seconds after its start in which it lets everything else go first."""
LOOK_SECONDS = 3.0
"""Seconds between checks for changes that nobody reported, such as a rule that closes notes."""
STRAIN_SECONDS = 10.0
"""Seconds to wait while the machine is busy or on battery."""
FAILED_SECONDS = 60.0
"""Seconds to wait after a failure."""
READ_SECONDS = 30.0
SAMPLE = 200
"""Passages from which it can be told how alike passages of this vault are anyway."""
FAR = 3.0
"""Standard deviations by which a note must be nearer than others to be related."""

LOAD = 2.0
"""Programs that wait for each processor, on average of a minute, from which the machine is busy."""

Strain = Literal["battery", "load"]
Mode = Literal["auto", "on", "off"]
State = Literal["off", "missing", "waiting", "embedding", "paused", "ready", "failed", "not_allowed"]

UNREADY = frozenset[State]({"waiting", "embedding", "paused"})
"""The states in which there is still something to do."""

_UNREADY = "the notes are still being prepared for search by meaning"
_SILENT = "the model for search by meaning does not answer now"
_WRONG = {"failed", "not_allowed"}


def strain() -> Strain | None:
    """Return what makes heavy work in the background unwelcome now; None if nothing does."""
    import psutil  # noqa: PLC0415 - a start is faster without

    # Not every system has these, and some containers may not ask.
    with contextlib.suppress(OSError, psutil.Error, AttributeError):
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
        if battery is not None and battery.power_plugged is False:
            return "battery"
        if psutil.getloadavg()[0] > LOAD * (os.cpu_count() or 1):
            return "load"
    return None


class VectorIndex:
    """The vectors of one vault. Every method may be called from any thread.

    Args:
        index: The knowledge about the vault.
        files: All of the vault's files.
        closed: The rules that close notes for reading.
        clock: The time.
        folder: The folder in which vectors are kept, for this vault and this user alone; None keeps them in memory.
        mode: Whether to keep vectors: `auto` pauses on battery and under load, `on` does not.
        model: Finds the model; None if there is none.
        chosen: Returns the person's choice of a model. The model is looked up again when it changes.
        first: Whether it may begin; others come first until then.
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
        chosen: Callable[[], object] = lambda: None,
        first: Callable[[], bool] = lambda: True,
        strained: Callable[[], Strain | None] = strain,
        delay: float = START_SECONDS,
        file_texts: FileTexts | None = None,
    ) -> None:
        self._index = index
        self._texts = SearchTexts(index.texts, files, clock, file_texts)
        self._closed = closed
        self._clock = clock
        self._vault = str(files.root.path)
        self._folder = folder
        self._mode = mode
        self._find_model = model
        self._chosen = chosen
        self._may_begin = first
        self._strained = strained
        self._delay = delay
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._rebuild = False
        self._model: Model | None = None
        self._model_of: object = None
        self._silent = False
        self._asked: tuple[str, Embedder, Vector] | None = None
        self._embedder: Embedder | None = None
        self._store: VectorStore | None = None
        self._state: tuple[State, str] = ("waiting", "")
        self._counts = (0, 0)
        self._others = (0, 0)
        """Files that are no notes and have a text, and those of them that were not embedded before all notes were."""
        self._followed: tuple[object, object, object] | None = None
        self._thread = threading.Thread(target=self._run, name="vectors", daemon=True)

    def start(self) -> None:
        """Begin, in a thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and keep what there is. Blocks. Closing twice does nothing."""
        self._stop.set()
        self._wake.set()
        model = self._model
        if model is not None:
            model.close()
        if self._thread.is_alive():
            self._thread.join()
        self._let_go()
        self._texts.close()

    def changed(self) -> None:
        """Note that something may have changed: notes, rules or settings. Returns at once."""
        self._wake.set()

    def rebuild(self) -> None:
        """Discard all vectors and compute them again. Returns at once."""
        self._rebuild = True
        self._wake.set()

    def status(self) -> SemanticStatus:
        """Return its progress."""
        (state, reason), store, embedder = self._state, self._store, self._embedder
        if self._mode() == "off":
            return SemanticStatus(state="off")
        done, total = self._counts
        return SemanticStatus(
            state=state,
            reason=reason,
            model=_name_of(embedder.model) if embedder is not None else "",
            done=done,
            total=total,
            passages=store.passages if store is not None else 0,
            size=store.size if store is not None else 0,
        )

    def covered(self) -> float:
        """Return the part of the notes that is embedded; other files come after them and do not count."""
        (done, total), (others, others_left) = self._counts, self._others
        left = max(total - done - others_left, 0)
        return 1 - left / max(total - others, 1) if total else 0.0

    # -- asking -------------------------------------------------------------------------------------------------

    def state(self) -> MeaningState:
        """Return whether meaning can be compared."""
        (state, _reason), store, embedder = self._state, self._store, self._embedder
        if self._mode() == "off":
            return MeaningState(why_not="search by meaning is off")
        if state == "missing":
            return NO_MODEL
        if embedder is None:
            return MeaningState(why_not=_SILENT, is_fault=True) if state in _WRONG else MeaningState(why_not=_UNREADY)
        why_not, is_fault = ("", False) if store is not None and store.passages else (_UNREADY, False)
        if self._silent:
            why_not, is_fault = _SILENT, True
        return MeaningState(_name_of(embedder.model), embedder.dimensions, why_not, is_fault)

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int, *, openings: bool = False
    ) -> list[NearPassage] | None:
        """Return the passages that are nearest to a text or a vector in meaning, the nearest first.

        Args:
            asked: A question, or a vector of the same model.
            files: The files that may be found, as they are now.
            count: Maximum number.
            openings: Whether only the first passage of each note is compared.

        Returns:
            None if meaning cannot be compared now: there is no model, it does not answer, or nothing is embedded.

        Raises:
            InvalidParameters: The vector is none of the model's.
        """
        store, embedder = self._store, self._embedder
        if store is None or embedder is None or not store.passages or self._mode() == "off":
            return None
        if embedder.model != store.key.model or embedder.dimensions != store.key.dimensions:
            return None  # it has just become another one
        vector = self._embedded(asked, embedder) if isinstance(asked, str) else _given(asked, store.key)
        return store.nearest(vector, files, count, openings=openings) if vector is not None and vector.any() else None

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> list[NearPassage] | None:
        """Return the nearest passage of each of the notes nearest to a note; the nearest first.

        Args:
            path: The note, which is not among them.
            files: The files that may be found, as they are now.
            count: Maximum number.

        Returns:
            None if nothing is known of the note.
        """
        store = self._store
        if store is None or self._mode() == "off":
            return None
        vectors = store.vectors_of(path)
        if not len(vectors) or path not in files:
            return None
        about = unit(vectors.mean(axis=0, keepdims=True))[0]
        usual, spread = store.usual(about, SAMPLE)
        least = usual + FAR * spread
        best: dict[str, NearPassage] = {}
        for near in store.nearest(about, files, 4 * count + len(vectors)):
            if near.path != path and near.likeness > least:
                best.setdefault(near.path, near)
        return list(best.values())[:count]

    def _embedded(self, question: str, embedder: Embedder) -> "Vector | None":
        """Return a question's vector, which is asked for more than once; None if the model does not answer."""
        asked = self._asked
        if asked is not None and asked[:2] == (question, embedder):
            return asked[2]
        try:
            vector: Vector = embedder.embed([question])[0]
        except ToolFailure as failure:
            self._silent = True
            logger.info("A question was not compared by meaning: %s", failure.message)
            return None
        self._silent, self._asked = False, (question, embedder, vector)
        return vector

    # -- the thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._stop.wait(self._delay)
        while not self._stop.is_set():
            try:
                wait = self._work()
            except Exception:
                if self._stop.is_set():
                    return
                logger.exception("Notes could not be embedded; it is tried again")
                self._state = "failed", "see the bridge's console"
                wait = FAILED_SECONDS
            if not self._stop.is_set():
                self._wake.wait(wait)

    def _work(self) -> float:
        """Do one pass, or as much of it as can be done now.

        Returns:
            After how many seconds to go on, if nothing happens before.
        """
        self._wake.clear()
        mode, chosen = self._mode(), self._chosen()
        if chosen != self._model_of:
            self._let_go()
            self._model_of, self._silent, self._counts = chosen, False, (0, 0)
        if mode == "off":
            self._state, self._counts = ("off", ""), (0, 0)
            self._let_go()
            self._remove()
            return LOOK_SECONDS
        if (wait := self._hold_back()) is not None:
            return wait
        store = self._open_store()
        if self._rebuild:
            self._rebuild, self._followed = False, None
            store.discard(list(store.stamps()))
        try:
            return self._follow(store, mode)
        except ModelChanged:
            self._embedder = None
            return LOOK_SECONDS
        except ToolFailure as failure:
            self._failed(failure)
        except (OSError, sqlite3.Error) as error:
            # A full disk or a damaged file: what is kept is let go, and opened or rebuilt.
            logger.warning("Vectors cannot be kept (%s); it is tried again", error)
            self._let_go()
            if isinstance(error, sqlite3.DatabaseError):
                self._remove()
            self._state = "failed", "they cannot be kept on the disk"
        return FAILED_SECONDS

    def _hold_back(self) -> float | None:
        """Return the seconds to wait if nothing can be embedded now; None if it can."""
        if self._model is None:
            load_numpy()
            self._model = self._find_model()
        if self._model is None:
            self._state = "missing", ""
            return FAILED_SECONDS
        if not self._may_begin():
            self._state = "waiting", ""
            self._forget_closed()
            return LOOK_SECONDS / 3
        try:
            self._embedder = self._embedder or self._model.query()
        except ToolFailure as failure:
            self._failed(failure)
            self._forget_closed()
            return FAILED_SECONDS
        if self._index.status().indexing:
            self._state = "waiting", ""
            return LOOK_SECONDS / 3
        return None

    def _failed(self, failure: ToolFailure) -> None:
        self._state = "not_allowed" if isinstance(failure, PermissionDenied) else "failed", failure.message
        self._followed = None

    def _forget_closed(self) -> None:
        """Remove what was closed or deleted, although no model can be asked: that it is away keeps nothing of those."""
        if self._model is None or self._index.status().indexing:
            return
        from bridge.index.vectors.vector_store import VectorStore, kept_store  # noqa: PLC0415 - numpy

        if self._store is None and self._folder is not None:
            found = kept_store(self._folder, self._vault)
            if found is not None:
                self._store = VectorStore(*found)
        if self._store is not None:
            files = {file.path for file in self._open_files()}
            self._store.discard([path for path in self._store.stamps() if path not in files])

    def _follow(self, store: "VectorStore", mode: Mode) -> float:
        """Bring the vectors up to date, as far as the machine has time for it."""
        followed = self._index.seen_files(), self._closed(), self._texts.file_texts.known()
        before = self._followed
        same = before is not None and all(map(is_, before[:2], followed)) and before[2] == followed[2]
        if same and not store.is_torn:
            return LOOK_SECONDS
        self._followed = None
        files = {file.path: file for file in self._open_files()}
        stamps = store.stamps()
        store.discard([path for path in stamps if path not in files])
        missing = [file for file in files.values() if stamps.get(file.path) != (file.size, file.mtime_ns)]
        missing.sort(key=lambda file: (not is_note(file.path), -file.mtime_ns))
        self._others = sum(not is_note(path) for path in files), sum(not is_note(file.path) for file in missing)
        self._counts = len(files) - len(missing), len(files)
        large = len(missing) > FEW
        for notes in self._portions(missing, self._model.portion if self._model is not None else 1):
            if self._stop.is_set():
                return 0.0
            if large and mode == "auto" and (why := self._strained()) is not None:
                self._state = "paused", why
                return STRAIN_SECONDS
            self._state = "embedding", ""
            self._keep(store, notes)
            self._counts = self._counts[0] + len(notes), self._counts[1]
            if self._wake.is_set():  # what has just changed comes first
                return 0.0
        self._state, self._followed = ("ready", ""), followed
        if missing and self._model is not None:
            self._model.rest()
        return LOOK_SECONDS

    def _open_files(self) -> Iterator[IndexedFile]:
        """Yield the notes that agents may read, as they were seen last, and the other files whose text is known."""
        closed, others = self._closed(), self._texts.file_texts.known()
        for file in self._index.seen_files():
            has_text = is_note(file.path) or others.get(file.path, ())[:2] == (file.size, file.mtime_ns)
            if has_text and (closed is None or closed(file.path) is None):
                yield file

    def _portions(self, missing: Sequence[IndexedFile], most: int) -> Iterator[list["_Texts"]]:
        """Yield notes with their passages, in portions of a suitable size; a note without text has no passages."""
        with self._texts.session(self._clock.monotonic() + READ_SECONDS) as session:

            def read(file: IndexedFile) -> _Texts:
                entry = self._texts.texts.entry(file.path)
                # The text may be another than that of the file as it was seen; its own stamp says so.
                stamp = (entry.stamp.size, entry.stamp.mtime_ns) if entry is not None else (file.size, file.mtime_ns)
                return _Texts.of(file.path, stamp, session.note(file.path))

            yield from portions(map(read, missing), lambda note: len(note.spans), most)

    def _keep(self, store: "VectorStore", notes: Sequence["_Texts"]) -> None:
        """Embed some notes and keep their vectors; one that was closed meanwhile is not embedded."""
        import numpy as np  # noqa: PLC0415 - an extra

        from bridge.index.vectors.vector_store import EmbeddedNote  # noqa: PLC0415 - it needs numpy

        if self._model is None:
            return
        closed = self._closed()
        open_ = [note for note in notes if closed is None or closed(note.path) is None]
        texts = [text for note in open_ for text in note.texts]
        most = self._model.portion
        parts = [self._model.embed(texts[at : at + most]) for at in range(0, len(texts), most)]
        vectors = np.concatenate(parts) if parts else np.zeros((0, store.key.dimensions), np.float32)
        each = np.split(vectors, list(accumulate(len(note.spans) for note in open_)))
        store.put([EmbeddedNote(*note[:3], its) for note, its in zip(open_, each, strict=False)])

    def _open_store(self) -> "VectorStore":
        """Return the store of the model's vectors; those of others are removed."""
        from bridge.index.vectors.vector_store import StoreKey, VectorStore, folder_of, remove_others  # noqa: PLC0415 - numpy

        if self._embedder is None:
            raise RuntimeError("no model")
        key = StoreKey(self._vault, self._embedder.model, self._embedder.dimensions)
        if self._store is not None and self._store.key != key:
            store, self._store, self._followed = self._store, None, None
            store.close()
        if self._store is None:
            folder = folder_of(self._folder, key) if self._folder is not None else None
            if folder is not None:
                remove_others(folder)
            self._store = VectorStore(folder, key)
        return self._store

    def _let_go(self) -> None:
        """Let go of the model and the store."""
        model, store = self._model, self._store
        self._model = self._embedder = self._store = self._followed = self._asked = None
        if model is not None:
            model.close()
        if store is not None:
            store.close()

    def _remove(self) -> None:
        """Remove what is kept."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _name_of(model: str) -> str:
    """Return a model's name without its version."""
    return model.partition("@")[0]


def _given(vector: Sequence[float], key: "StoreKey") -> "Vector":
    """Return a vector that a client has made, with the length 1."""
    import numpy as np  # noqa: PLC0415 - an extra

    if len(vector) != key.dimensions:
        said = f"vector has {len(vector)} numbers; those of {_name_of(key.model)} have {key.dimensions}"
        raise InvalidParameters(said)
    given = np.array(vector, np.float64)
    most = np.abs(given).max(initial=0.0)
    if not np.isfinite(most) or most == 0:
        raise InvalidParameters("vector must hold numbers that are not all 0")
    given /= most
    made: Vector = (given / np.linalg.norm(given)).astype(np.float32)
    return made


class _Texts(NamedTuple):
    """The pieces of a note to embed, each with the note's name before it."""

    path: str
    stamp: "Stamp"
    spans: Sequence[Span]
    texts: Sequence[str]

    @classmethod
    def of(cls, path: str, stamp: "Stamp", note: NoteText | None) -> "_Texts":
        """Return a file's pieces; none if it has no text."""
        text = readable(note)
        if text is None:
            return cls(path, stamp, (), ())
        shown = text.text[:MOST_TEXT]
        start = body_start(shown) if is_note(path) else 0
        found = cut(shown, start) if is_note(path) else _cut_pages(shown)
        spans = list(found) or [(start, start)]  # a note may say it all with its name
        name = note_name(path)
        return cls(path, stamp, spans, [f"{name}\n{shown[start:end]}" for start, end in spans])


def _cut_pages(text: str) -> Iterator[Span]:
    """Yield the passages of a text that has pages, each of which is on one."""
    begin = 0
    for page in text.split(PAGE_BREAK):
        yield from ((begin + start, begin + end) for start, end in cut(page) if not page[start:end].isspace())
        begin += len(page) + len(PAGE_BREAK)
