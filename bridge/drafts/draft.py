"""One draft: a vault as one client sees it, with its staged changes laid over the files that are there."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from bridge.clock import Clock, stamp
from bridge.contract.consent import LineComment, Operation, ShownPicture, Take
from bridge.contract.drafts import ReviewComment
from bridge.drafts.draft_files import DraftFiles, DraftHead, StagedStep, State
from bridge.drafts.net_plan import Choices, NetPlan, News, PresentVault, StagedState, net_plan
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.index.vault_index import VaultIndex
from bridge.vault.diff import changed_blocks, count_lines, parse_hunks
from bridge.vault.disk import Disk, Gone, Laid, LaidFile, LaidFolder, Layer, OverlayDisk
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, known_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, PlanBuilder, Rest, content_hash
from bridge.vault.root import VaultRoot

MOST_STEPS: Final = 2_000
"""Staged calls of one draft."""
NEARLY: Final = 0.8
"""The part of a limit from which on a client is told of it."""
MOST_PICTURES: Final = 20
"""Images that the review of one draft shows; the others are named with their sizes. They are a megabyte on the wire."""
MOST_QUOTED: Final = 200
"""Characters of a line that is quoted with a comment."""


class DraftLimits(NamedTuple):
    """The limits on one draft.

    Attributes:
        files: Files that differ from the vault.
        megabytes: The space it takes on the disk.
    """

    files: int = 5_000
    megabytes: int = 256


@dataclass(frozen=True, slots=True)
class Base:
    """The vault below.

    Attributes:
        files: All its files, as they are on the disk.
        index: Their index.
        plan: Gives an empty plan of changes of them.
        limits: The limits of a draft.
    """

    files: VaultFiles
    index: VaultIndex
    plan: Callable[[], PlanBuilder]
    limits: Callable[[], DraftLimits] = DraftLimits


class Draft:
    """A vault with staged changes laid over it. Any thread may read through it; staging is done by one at a time.

    Args:
        kept: Its files outside the vault.
        head: Its owner.
        base: The vault below.
        clock: The time.

    Attributes:
        head: Its owner and stage.
        files: The vault's files as the draft has them; what other programs change below shows through.
        steps: The staged changes, in order.
        staging: What it comes to.
    """

    def __init__(self, kept: DraftFiles, head: DraftHead, base: Base, clock: Clock) -> None:
        self.head = head
        self.steps: list[StagedStep] = []
        self.staging = StagedState()
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
    def begun(cls, folder: Path, head: DraftHead, base: Base, clock: Clock, *, disk: Disk | None = None) -> "Draft":
        """Return a new one, empty. Blocks.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        kept = DraftFiles(folder, disk)
        kept.make(head)
        return cls(kept, head, base, clock)

    @classmethod
    def loaded(cls, folder: Path, base: Base, clock: Clock) -> "Draft":
        """Return one that was begun when the bridge ran before. Blocks.

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
        """Return the index of its files. It begins as a copy of the vault's, when it is first asked for. Blocks."""
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

    def stage(self, plan: ChangePlan, tool: str, chain: str | None = None) -> StagedStep:
        """Lay a plan over, which was made against the draft as it is. Blocks until it is kept.

        Args:
            plan: The plan.
            tool: The tool that made it.
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
            more = {change.new_path or change.path for change in plan.changes if not change.of_folder}
            for what, used, most in self._used(more, sum(map(len, plan.blobs.values())), steps=1):
                if used > most:
                    raise InvalidParameters(
                        f"A draft takes {most:,} {what}, and with this it would be more. Nothing of this call is "
                        "staged; all that was staged before stays. Submit this one, then begin another"
                    )
            self._expect_beginnings(plan)
            self._kept.put(*self._beginnings(plan), *plan.blobs.values())
            step = StagedStep(
                tool=tool,
                summary=plan.summary,
                time=stamp(self._clock.now()),
                changes=plan.changes,
                follows=plan.follows,
                warnings=plan.warnings,
                broken=plan.broken,
                whole=plan.whole,
                reads=plan.reads,
                pictures=self._pictures_of(plan),
            )
            self._kept.append(step)
            self._fold(step)
            if self._index is not None:
                self._index.applied(plan)
            return step

    def _pictures_of(self, plan: ChangePlan) -> dict[str, ShownPicture]:
        """Return the images that a plan brings as a question shows them, as far as the review has room for them."""
        room = MOST_PICTURES - sum(len(step.pictures) for step in self.steps)
        shown = {change.path: change.after for change in plan.changes if change.kind is ChangeKind.CREATE}
        found = [(shown.get(one.path), one.picture) for one in plan.previews]
        return dict([(after, picture) for after, picture in found if after and picture][:room])

    def begin_chain(self, chain: str) -> None:
        """Let only this chain stage from now on, until it has ended. Blocks.

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
        """End the chain. Blocks.

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
    def touched(self) -> str:
        """Return when something was staged last, ISO 8601 in UTC; else when the draft was begun."""
        return self.steps[-1].time if self.steps else self.head.created

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that differ from the vault, by where they are in the draft or were in the vault."""
        return tuple(sorted({*self.staging.files, *self.staging.removed}))

    @property
    def is_new(self) -> bool:
        """Return whether anything was staged that the person has not been shown."""
        return len(self.steps) > (self.head.reviewed if self.head.state != "open" else 0)

    @property
    def nearly_full(self) -> str:
        """Return the warning to a client whose draft is nearly full; empty: it is not."""
        full = [f"{used:,} of {most:,} {what}" for what, used, most in self._used() if used >= NEARLY * most]
        return f"It is nearly full ({', '.join(full)}): submit it soon and go on in another." if full else ""

    def _used(self, paths: Collection[str] = (), size: int = 0, steps: int = 0) -> Iterator[tuple[str, int, int]]:
        """Yield what is bounded, how much of it there is with some more, and how much there may be."""
        limits = self._base.limits()
        yield "changes", len(self.steps) + steps, MOST_STEPS
        yield "files", len({*self.staging.files, *self.staging.removed, *paths}), limits.files
        yield "MiB", (self._kept.size + size + (1 << 20) - 1) >> 20, limits.megabytes

    def expect_in_hand(self) -> None:
        """Raise Conflict (`handed_in`) when the draft has been handed in: nothing of it changes under the person."""
        if self.head.state == "handed_in":
            raise Conflict(
                f"{self.head.draft_id} is handed in, and the user is to decide about it. Nothing of it can be changed "
                "meanwhile; what you write from now on goes into another draft",
                code="handed_in",
            )

    def become(
        self,
        state: State,
        words: str | None = None,
        comments: Sequence[ReviewComment] = (),
        *,
        reason: str | None = None,
    ) -> None:
        """Be handed in, or sent back. Blocks until that is kept.

        Args:
            state: Its stage from now on.
            words: The person's words; None leaves the last ones.
            comments: Their comments on files and lines.
            reason: Its client's words; None leaves the last ones.

        Raises:
            Conflict: A chain is being staged (`busy`).
            ExecutionFailed: The disk is full or failed; all is as before.
        """
        with self._staging_lock:
            self._expect_no_chain()
            changed: dict[str, Any] = {
                "state": state,
                "since": stamp(self._clock.now()),
                "reviewed": len(self.steps),
                "reason": reason or self.head.reason,
            }
            if words is not None:
                changed |= {"words": words, "comments": tuple(comments), "shown": len(self.steps)}
            self._become(changed)

    def choose(self, choices: Mapping[str, Take]) -> None:
        """Keep what a person takes where someone else changed the same. Blocks until that is kept.

        Args:
            choices: What is taken, by the id of each place; what was chosen before stays.

        Raises:
            ExecutionFailed: The disk is full or failed; all is as before.
        """
        with self._staging_lock:
            self._become({"choices": self.head.choices | dict(choices)})

    def edit(self, path: str, data: bytes, by: str) -> None:
        """Take in what a person has made of one file, as it would be in the vault. Blocks until it is kept.

        Args:
            path: The file, where the draft has it.
            data: Its bytes, with all that others changed in it meanwhile.
            by: The person's screen.

        Raises:
            Conflict: A chain is being staged (`busy`), or the file is none of the draft's (`stale`).
            ExecutionFailed: The disk is full or failed; then nothing is staged.
        """
        with self._staging_lock:
            self._expect_no_chain()
            held = self.staging.files.get(path)
            if held is None:
                raise Conflict(f"{path!r} is not in the draft any more", code="stale")
            base = None if held.origin is None else self._read_below(held.origin)
            before = held.before if base is None else content_hash(base)
            after = content_hash(data)
            self._kept.put(data, *([] if base is None else [base]))
            if held.origin is None:
                change = Change(ChangeKind.CREATE, path, after=after)
            elif held.origin == path:
                change = Change(ChangeKind.MODIFY, path, before=before, after=after)
            else:
                change = Change(ChangeKind.MOVE, held.origin, path, before, after)
            self._settle(f"You edited {path}", by, (change,), None)

    def keep_rest(self, rest: Rest) -> None:
        """Go on with what was not taken, and be sent back with it. Blocks until that is kept.

        Args:
            rest: What stays, and what the person says.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        with self._staging_lock:
            rebased = []
            for path, whole in rest.files.items():
                now = None if whole is None else self._read_below(path)
                if whole is not None and now is not None:
                    self._kept.put(now, whole)
                    digests = content_hash(now), content_hash(whole)
                    rebased.append(Change(ChangeKind.MODIFY, path, before=digests[0], after=digests[1]))
            self._settle("The user took the others", None, tuple(rebased), tuple(rest.files))
        self.become("sent_back", rest.words, rest.comments)

    def _settle(self, summary: str, by: str | None, rebased: tuple[Change, ...], kept: tuple[str, ...] | None) -> None:
        """Stage what a person has made of the draft."""
        time = stamp(self._clock.now())
        step = StagedStep(tool="", summary=summary, time=time, changes=(), by=by, rebased=rebased, kept=kept)
        self._kept.append(step)
        changed = self._fold(step)
        if self._index is not None:
            self._index.applied(ChangePlan(Operation.UPDATE, summary, changed, {}))

    def _become(self, changed: dict[str, Any]) -> None:
        head = self.head.model_copy(update=changed)
        self._kept.write_head(head)
        self.head = head

    def news(self) -> News:
        """Return the changes to each file since the draft was last sent back, and which files the person has edited."""
        with self._staging_lock:
            steps, shown = list(self.steps), self.head.shown
            staging, before = self.staging, StagedState()
            for step in steps[:shown]:
                _fold(before, step)
        yours: dict[str, int] = {}
        for number, step in enumerate(steps):
            if step.by is not None:
                yours |= {change.new_path or change.path: number for change in step.rebased}
        return News(before if shown else None, staging, yours, self._kept.read)

    def rewind(self, count: int) -> None:
        """Be again as after the first so many steps. Blocks.

        Raises:
            ExecutionFailed: The disk failed; nothing is rewound.
        """
        with self._staging_lock:
            self._rewind(count)

    def net_plan(self, summary: str, choices: Choices | None = None) -> NetPlan:
        """Return the one plan that makes the draft of the vault as it is now. Blocks.

        Args:
            summary: One sentence for the person.
            choices: What is taken where others changed the same places meanwhile; None where nobody is to choose.

        Raises:
            Conflict: `draft_conflict`: others changed the same places, and nobody is to choose. `busy`: a chain is
                being staged.
        """
        with self._staging_lock:
            self._expect_no_chain()
            vault = PresentVault(self._read_below, self._has_folder_below, self._kept.read, self._base.plan)
            pictures = {digest: picture for step in self.steps for digest, picture in step.pictures.items()}
            warnings = dict.fromkeys(warning for step in self.steps for warning in step.warnings)
            there = self.staging.files
            broken = dict.fromkeys(link for step in self.steps for link in step.broken if link.path in there)
            return net_plan(
                self.staging,
                vault,
                summary,
                warnings=tuple(warnings),
                broken=tuple(broken),
                choices=choices,
                pictures=pictures,
            )

    def read(self, path: str) -> bytes:
        """Return the bytes of one of its files, as the draft has it; none where it has none."""
        held = self.staging.files.get(path)
        return b"" if held is None else self._kept.read(held.after)

    def comment(self, plan: ChangePlan, said: LineComment) -> ReviewComment:
        """Return a comment as the draft's client is told it: by the line that the draft has, and its own words alone.

        Args:
            plan: What the person was shown of the draft.
            said: What they say, by the line that they were shown.

        Raises:
            InvalidParameters: There is no such file or line in the plan.
        """
        shown = next(iter(plan.shown.get(said.path, ())), None)
        if shown is None:
            raise InvalidParameters(f"{said.path!r} is no file of this change; name files as its preview does")
        path = shown.new_path or shown.path
        if said.line is None:
            return ReviewComment(path=path, text=said.text)
        after = next((one.after for one in plan.changes[::-1] if path in {one.path, one.new_path} and one.after), "")
        data = plan.blobs.get(after)
        if data is None or said.line > count_lines(data, 0, len(data)):
            raise InvalidParameters(
                f"{path!r} has no line {said.line} afterwards; comment on the file, or on another line"
            )
        line, own = said.line, self.read(path)
        for block in changed_blocks(data, own):  # what others wrote there meanwhile is not in the draft
            if said.line < block.old_line:
                break
            line = said.line + block.new_line + block.added - block.old_line - block.removed
            if said.line < block.old_line + block.removed:
                line = block.new_line
        proposed = {number: text for hunk in parse_hunks(shown.diff) for number, text in hunk.added()}
        quote = proposed.get(said.line, "").strip()[:MOST_QUOTED]
        return ReviewComment(path=path, line=max(1, line), quote=quote or None, text=said.text)

    def changed(self, paths: Iterable[str]) -> None:
        """Take note that other programs have changed something in the vault below. Returns at once."""
        if self._index is not None:
            self._index.changed(paths)

    @property
    def size(self) -> int:
        """Return the bytes that it holds on the disk, without its index."""
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
        self.staging = StagedState()
        for step in self.steps:
            _fold(self.staging, step)
        changes = tuple(change for step in dropped for change in step.changes)
        self._lay(changes)
        if self._index is not None:
            self._index.applied(ChangePlan(Operation.UPDATE, "Rewind", changes, {}))

    def _expect_no_chain(self, but: str | None = None) -> None:
        if self._chain not in (None, but):
            raise Conflict(f"A chain is being staged in {self.head.draft_id}; wait until it has ended", code="busy")

    def _expect_beginnings(self, plan: ChangePlan) -> None:
        """Raise where staged files differ from what a plan expects: the client may have staged since it was made.

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

    def _fold(self, step: StagedStep) -> tuple[Change, ...]:
        """Take a step in, and lay what it comes to over the vault; returns the changes of the places it is about."""
        gone = _fold(self.staging, step)
        self.steps.append(step)
        changes = (*step.changes, *step.rebased, *(Change(ChangeKind.MODIFY, path) for path in gone))
        self._lay(changes)
        return changes

    def _lay(self, changes: Iterable[Change]) -> None:
        """Lay what the draft comes to over the places of some changes."""
        hidden = set(self.staging.hidden())
        laid: dict[VaultPath, Laid | None] = {}
        for path in {path for change in changes for path in change.places}:
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
        """Yield old contents that a plan needs and are not kept yet: moves show these bytes, and merges need them."""
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


def _fold(staging: StagedState, step: StagedStep) -> list[str]:
    """Fold a step in; returns the files that are none of the draft's any more."""
    if step.rebased or step.kept is not None:
        return staging.settle(step.rebased, step.kept)
    staging.fold(step.changes, step.follows, whole=step.whole)
    return []
