"""One draft: a vault as one client sees it, with its staged changes laid over the files that are there."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.clock import Clock, stamp
from bridge.contract.consent import Operation
from bridge.drafts.draft_files import DraftFiles, Head, State, Step
from bridge.drafts.net_plan import NetPlan, Vault, net_plan
from bridge.drafts.staging import Staging
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.index.vault_index import VaultIndex
from bridge.vault.disk import Disk
from bridge.vault.files import VaultFiles
from bridge.vault.overlay import Gone, Laid, LaidFile, LaidFolder, Layer, OverlayDisk
from bridge.vault.paths import VaultPath, known_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, PlanBuilder, content_hash
from bridge.vault.root import VaultRoot

MOST_STEPS: Final = 2_000
"""Staged calls of one draft."""
MOST_BYTES: Final = 256 << 20
"""What one draft may hold on the disk."""


@dataclass(frozen=True, slots=True)
class Base:
    """The vault below.

    Attributes:
        files: All its files, as they are on the disk.
        index: What is known of them.
        plan: Gives an empty plan of changes of them.
    """

    files: VaultFiles
    index: VaultIndex
    plan: Callable[[], PlanBuilder]


class Draft:
    """A vault with staged changes laid over it. Any thread may read through it; staging is done by one at a time.

    Args:
        kept: Its files outside the vault.
        head: Whose it is.
        base: The vault below.
        clock: The time.

    Attributes:
        head: Whose it is, and how far it is.
        files: The vault's files as the draft has them; what other programs change below shows through.
        steps: What was staged, in order.
        staging: What it comes to.
    """

    def __init__(self, kept: DraftFiles, head: Head, base: Base, clock: Clock) -> None:
        self.head = head
        self.steps: list[Step] = []
        self.staging = Staging()
        self._kept = kept
        self._base = base
        self._clock = clock
        self._staging_lock = threading.Lock()
        self._chain: str | None = None
        """The chain that is being staged, as one, and after how many steps it began."""
        self._chain_begins = 0
        self._layer = Layer(kept.folder)
        self._root = VaultRoot(base.files.root.path, OverlayDisk(self._layer))
        self.files = VaultFiles(self._root)
        self._indexing = threading.Lock()
        self._index: VaultIndex | None = None
        self._closed = False

    @classmethod
    def begun(cls, folder: Path, head: Head, base: Base, clock: Clock, *, disk: Disk | None = None) -> "Draft":
        """A new one, empty. Blocks.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        kept = DraftFiles(folder, disk)
        kept.make(head)
        return cls(kept, head, base, clock)

    @classmethod
    def loaded(cls, folder: Path, base: Base, clock: Clock) -> "Draft":
        """One that was begun when the bridge ran before. Blocks.

        Raises:
            ValueError: Its files are damaged.
            OSError: They cannot be read.
        """
        kept = DraftFiles(folder)
        head, steps = kept.load()
        draft = cls(kept, head, base, clock)
        for step in steps:
            draft._fold(step)
        return draft

    @property
    def index(self) -> VaultIndex:
        """What is known of its files. It begins with what is known of the vault, when it is first asked for. Blocks."""
        with self._indexing:
            return self._made_index()

    def prepare(self) -> None:
        """Have the index made by now, unless the draft is closed, so that nobody waits for it later. Blocks.

        Raises:
            OSError: The disk is full or failed.
        """
        with self._indexing:
            if not self._closed:
                self._made_index()

    def stage(self, plan: ChangePlan, tool: str, chain: str | None = None) -> Step:
        """Lay a plan over, which was made against the draft as it is. Blocks until it is kept.

        Args:
            plan: The plan.
            tool: What made it.
            chain: The chain that it is a part of.

        Raises:
            Conflict: The files are not as the plan believes (`stale`), a chain is being staged (`busy`), or the draft
                has been handed in (`handed_in`).
            InvalidParameters: The draft would be too large.
            ExecutionFailed: The disk is full or failed; then nothing is staged.
        """
        with self._staging_lock:
            self._expect_no_chain(but=chain)
            self.expect_in_hand()
            if len(self.steps) >= MOST_STEPS:
                raise InvalidParameters(f"A draft takes {MOST_STEPS:,} changes; submit this one, then begin another")
            if self._kept.size + sum(map(len, plan.blobs.values())) > MOST_BYTES:
                raise InvalidParameters(f"A draft takes {MOST_BYTES >> 20} MiB; submit this one, then begin another")
            self._expect_beginnings(plan)
            self._kept.put(*self._beginnings(plan), *plan.blobs.values())
            step = Step(
                tool=tool,
                summary=plan.summary,
                time=stamp(self._clock.now()),
                changes=plan.changes,
                follows=plan.follows,
                warnings=plan.warnings,
                broken=plan.broken,
                disposed=plan.disposal is not None,
                whole=plan.whole,
                reads=plan.reads,
            )
            self._kept.append(step)
            self._fold(step)
            if self._index is not None:
                self._index.applied(plan)
            return step

    def begin_chain(self, chain: str) -> None:
        """From now on only this chain stages, until it has ended. Blocks.

        Args:
            chain: Its name.

        Raises:
            Conflict: Another one is being staged (`busy`).
            ExecutionFailed: The disk is full or failed.
        """
        with self._staging_lock:
            self._expect_no_chain()
            self.expect_in_hand()
            self._kept.begin_chain()
            self._chain, self._chain_begins = chain, len(self.steps)

    def end_chain(self, *, keep: bool) -> None:
        """The chain has ended. Blocks.

        Args:
            keep: Whether what it has staged stays; else the draft is again as before it.

        Raises:
            ExecutionFailed: The disk failed.
        """
        with self._staging_lock:
            if not keep:
                self._rewind(self._chain_begins)
            self._kept.end_chain()
            self._chain = None

    @property
    def is_new(self) -> bool:
        """Whether anything was staged that the person has not been shown."""
        return len(self.steps) > (self.head.reviewed if self.head.state != "open" else 0)

    def expect_in_hand(self) -> None:
        """Raise Conflict (`handed_in`) when the draft has been handed in: nothing of it changes under the person."""
        if self.head.state == "handed_in":
            raise Conflict(
                f"{self.head.draft_id} is handed in, and the user is to decide about it. Nothing of it can be changed "
                "meanwhile; what you write from now on goes into another draft",
                code="handed_in",
            )

    def become(self, state: State, words: str | None = None) -> None:
        """Be handed in, or sent back. Blocks until that is kept.

        Args:
            state: How far it is from now on.
            words: What the person says with it; None leaves what was said last.

        Raises:
            Conflict: A chain is being staged (`busy`).
            ExecutionFailed: The disk is full or failed; all is as before.
        """
        with self._staging_lock:
            self._expect_no_chain()
            changed = {"state": state, "since": stamp(self._clock.now()), "reviewed": len(self.steps)}
            head = self.head.model_copy(update=changed | ({} if words is None else {"words": words}))
            self._kept.write_head(head)
            self.head = head

    def rewind(self, count: int) -> None:
        """Be again as after the first so many steps. Blocks.

        Raises:
            ExecutionFailed: The disk failed; nothing is rewound.
        """
        with self._staging_lock:
            self._rewind(count)

    def net_plan(self, summary: str) -> NetPlan:
        """The one plan that makes the draft of the vault as it is now. Blocks.

        Args:
            summary: One sentence for the person.

        Raises:
            Conflict: `draft_conflict`: others changed the same places meanwhile. `busy`: a chain is being staged.
        """
        with self._staging_lock:
            self._expect_no_chain()
            vault = Vault(self._read_below, self._has_folder_below, self._kept.read, self._base.plan)
            warnings = dict.fromkeys(warning for step in self.steps for warning in step.warnings)
            there = self.staging.files
            broken = dict.fromkeys(link for step in self.steps for link in step.broken if link.path in there)
            return net_plan(self.staging, vault, summary, warnings=tuple(warnings), broken=tuple(broken))

    def changed(self, paths: Iterable[str]) -> None:
        """Other programs have changed something in the vault below. Returns at once."""
        if self._index is not None:
            self._index.changed(paths)

    @property
    def size(self) -> int:
        """Bytes that it holds on the disk, without its index."""
        return self._kept.size

    def close(self) -> None:
        """Stop; the draft stays on the disk. Blocks."""
        with self._indexing:
            self._closed = True
            if self._index is not None:
                self._index.close()
        self._root.close()

    def discard(self) -> None:
        """Stop, and take it away. Blocks."""
        self.close()
        self._kept.remove()

    def _rewind(self, count: int) -> None:
        dropped = self.steps[count:]
        if not dropped:
            return
        self._kept.cut(count)
        del self.steps[count:]
        self.staging = Staging()
        for step in self.steps:
            self.staging.fold(step.changes, step.follows, whole=step.whole)
        changes = tuple(change for step in dropped for change in step.changes)
        self._lay(changes)
        if self._index is not None:
            self._index.applied(ChangePlan(Operation.UPDATE, "Rewind", changes, {}))

    def _expect_no_chain(self, but: str | None = None) -> None:
        if self._chain not in (None, but):
            raise Conflict(f"A chain is being staged in {self.head.draft_id}; wait until it has ended", code="busy")

    def _expect_beginnings(self, plan: ChangePlan) -> None:
        """What is staged must be as a plan believes: another call of the same client may have staged since it was made.

        What is not staged may have been changed by others; that is merged when the draft is taken.
        """
        hidden = set(self.staging.hidden())
        now: dict[str, str | None] = {}
        for change in plan.changes:
            if change.kind in {ChangeKind.MODIFY, ChangeKind.MOVE, ChangeKind.DELETE} and change.before is not None:
                staged = self.staging.files.get(change.path)
                held = now.get(
                    change.path, staged.after if staged else None if change.path in hidden else change.before
                )
                if held != change.before:
                    raise Conflict(f"{change.path!r} has changed since it was read; read it again", code="stale")
                now[change.path] = None
            if change.kind is not ChangeKind.DELETE:
                now[change.new_path or change.path] = change.after or change.before

    def _made_index(self) -> VaultIndex:
        if self._index is None:
            place = self._kept.folder / "index"
            self._base.index.copy_to(place)
            self._index = VaultIndex(self.files, self._clock, folder=place)
            self._index.start()
        return self._index

    def _fold(self, step: Step) -> None:
        """Take a step in, and lay what it comes to over the vault."""
        self.staging.fold(step.changes, step.follows, whole=step.whole)
        self.steps.append(step)
        self._lay(step.changes)

    def _lay(self, changes: Iterable[Change]) -> None:
        """Lay what the draft comes to over the places of some changes."""
        hidden = set(self.staging.hidden())
        laid: dict[VaultPath, Laid | None] = {}
        for path in {path for change in changes for path in (change.path, change.new_path) if path}:
            file = self.staging.files.get(path)
            if file is not None:
                laid[known_path(path)] = LaidFile(self._kept.place(file.after))
            elif path in self.staging.made:
                laid[known_path(path)] = LaidFolder()
            elif path in hidden or path in self.staging.unmade:
                laid[known_path(path)] = Gone()
            else:
                laid[known_path(path)] = None
        self._layer.lay(laid)

    def _beginnings(self, plan: ChangePlan) -> Iterator[bytes]:
        """What a plan begins with and is not kept yet: what moves shows these bytes, and a merge needs them."""
        moved: set[str | None] = set()
        for change in plan.changes:
            if change.kind in {ChangeKind.MODIFY, ChangeKind.MOVE} and change.before is not None:
                moved.add(change.new_path)
                if change.path in self.staging.files or change.path in moved:
                    continue  # they are kept already
                data, _state = self.files.read(known_path(change.path))
                if content_hash(data) != change.before:
                    raise Conflict(f"{change.path!r} has changed since it was read; read it again", code="stale")
                yield data

    def _read_below(self, path: str) -> bytes | None:
        try:
            with self._base.files.root.folder(known_path(path).parent, follow=False) as folder:
                return folder.read(known_path(path).name)
        except (NotFound, FileNotFoundError, IsADirectoryError):
            return None

    def _has_folder_below(self, path: str) -> bool:
        try:
            self._base.files.root.folder(known_path(path), follow=False).close()
        except ToolFailure:
            return False
        return True
