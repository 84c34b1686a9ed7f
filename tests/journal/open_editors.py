"""A stand-in for Obsidian: files open in editors, written in place as `vault.process` writes them."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bridge.contract.hosts import WriteOutcome
from bridge.errors import DeadlineExceeded
from bridge.journal.plan_executor import Editors, OpenFiles


@dataclass
class OpenEditors(Editors):
    """Editors over a folder.

    Attributes:
        folder: The vault.
        open: The files that are open; None for all.
        buffers: Text in editors that is not saved yet, by file.
        connected: Whether the program is there.
        before_write: Run when a write comes in, before anything else.
        after_write: Run when the file has been written, before the answer.
        answers: Whether it says what it did.
        looks: Whether it says what is open.
        written: The files that were written here.
        asked: How often it was asked for anything.
    """

    folder: Path
    open: set[str] | None = None
    buffers: dict[str, str] = field(default_factory=dict)
    connected: bool = True
    before_write: Callable[[str], None] = lambda _path: None
    after_write: Callable[[str], None] = lambda _path: None
    answers: bool = True
    looks: bool = True
    written: list[str] = field(default_factory=list)
    asked: int = 0

    def type(self, path: str, text: str) -> None:
        """The user types; nothing is saved yet."""
        self.buffers[path] = text

    def save(self) -> None:
        """Two seconds later."""
        for path, text in self.buffers.items():
            (self.folder / path).write_bytes(text.encode())
        self.buffers.clear()

    def look(self, paths: Sequence[str]) -> OpenFiles:
        self.asked += 1
        if not self.looks:
            raise DeadlineExceeded("no answer")
        there = {path for path in paths if self.open is None or path in self.open}
        return OpenFiles(frozenset(there), frozenset(there & set(self.buffers)))

    def write(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        self.asked += 1
        self.before_write(path)
        outcome = self._process(path, expected, text)
        if outcome == "written":
            self.written.append(path)
            self.after_write(path)
        return outcome if self.answers else None

    def _process(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        place = self.folder / path
        if not self.connected:
            return None
        if not place.is_file():
            return "missing"
        if path in self.buffers:
            return "unsaved"
        if hashlib.sha256(place.read_bytes()).hexdigest() != expected:
            return "stale"
        try:
            with place.open("r+b") as file:  # in place: the same file, the same permissions
                file.truncate()
                file.write(text.encode())
        except OSError:
            return "failed"
        return "written"
