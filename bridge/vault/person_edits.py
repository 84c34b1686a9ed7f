"""A plan before a person agrees: warnings about it, some of its hunks alone, or another text in one of them."""

import dataclasses
import io
import stat
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from bridge.contract.consent import FilePreview
from bridge.errors import InvalidParameters, ToolFailure
from bridge.vault.diff import ChangedBlock, DiffHunk, changed_blocks, parse_hunks, split_lines
from bridge.vault.paths import known_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash, preview
from bridge.vault.root import VaultRoot
from bridge.vault.text import Lines, prevailing_ending

KeptHunks = Mapping[str, Collection[int]]
"""For each file the indices of the hunks that are kept, from 0. A file that is not named is kept whole."""

_WHOLE = {ChangeKind.CREATE, ChangeKind.DELETE}


class OmittedPart(NamedTuple):
    """The part of one file's change that is left out.

    Attributes:
        path: The file.
        change: What would have happened to it.
        hunks: The indices of the hunks left out; of a file that is created or deleted, all there are.
        of: How many hunks the diff has.
        diff: Those hunks.
    """

    path: str
    change: str
    hunks: tuple[int, ...]
    of: int
    diff: str


class PartialPlan(NamedTuple):
    """The smaller plan, and what is not in it."""

    plan: ChangePlan
    left_out: tuple[OmittedPart, ...]


def is_divisible(plan: ChangePlan) -> bool:
    """Return whether parts of a plan can be left out: there are several, and none depends on another.

    A move belongs with the changes to the notes that link there. Moved text is removed from one note
    and added to another. What goes into the trash goes as a whole, and an undo must be complete.
    What the previews mark as belonging together (`unit`) is one part.

    Args:
        plan: The plan, with its previews.
    """
    steps = _steps(plan)
    if plan.whole or plan.reversal or plan.disposal or steps is None:
        return False
    if any(change.kind is ChangeKind.MOVE and not shown.unit for change, shown in steps):
        return False
    return any(number for number, _part in enumerate(_parts(steps)))


def _parts(steps: Sequence[tuple[Change, FilePreview]]) -> Iterator[object]:
    """Yield something for each part; who wants to know whether there are two does not read the diffs of thousands."""
    units: set[str] = set()
    for change, shown in steps:
        if shown.unit:
            if shown.unit not in units:
                units.add(shown.unit)
                yield shown.unit
        elif change.kind in _WHOLE or (change.kind is ChangeKind.MODIFY and shown.truncated):
            yield change
        elif change.kind is ChangeKind.MODIFY:
            yield from parse_hunks(shown.diff)


def _steps(plan: ChangePlan) -> list[tuple[Change, FilePreview]] | None:
    """Return each change with what is shown of it; None if they do not go one by one.

    What a moved file's text becomes is shown with its move, and comes at the end of the plan.
    """
    count = len(plan.previews)
    moved = {change.new_path for change in plan.changes[:count] if change.kind is ChangeKind.MOVE}
    paths = [change.path for change in plan.changes[:count]]
    after_moves = all(change.kind is ChangeKind.MODIFY and change.path in moved for change in plan.changes[count:])
    if len(plan.changes) < count or len(set(paths)) < len(paths) or not after_moves:
        return None
    return list(zip(plan.changes, plan.previews, strict=False))


def keep_hunks(plan: ChangePlan, keep: KeptHunks, read: Callable[[Change], bytes]) -> PartialPlan:
    """Return the part of a plan that a person wants.

    A file that is created or deleted is kept whole or left out whole, and with it the folders that would be made or
    removed for it alone. A file whose diff has no hunks (a binary one) has nothing to choose and is kept.

    Args:
        plan: The plan that was shown.
        keep: What is wanted of it.
        read: The bytes that a change starts from.

    Raises:
        InvalidParameters: No part of the plan can be left out, there is no such file or hunk in it, or nothing is kept.
    """
    steps = _steps(plan)
    if steps is None or not is_divisible(plan):
        raise InvalidParameters("No part of this change can be left out; allow or deny it as a whole")
    parting = _PartialBuilder(plan, keep, read)
    if unknown := set(keep) - parting.paths:
        raise InvalidParameters(f"{min(unknown)!r} is no file of this change; name files as its preview does")
    left = {shown.unit for _change, shown in steps if shown.unit and shown.path in keep and not keep[shown.path]}
    for change, shown in steps:
        if shown.unit:
            parting.take_whole(change, shown, is_left=shown.unit in left)
        else:
            parting.take(change, shown)
    for change in plan.changes[len(steps) :]:
        parting.take_along(change)
    return parting.finish()


class _PartialBuilder:
    def __init__(self, plan: ChangePlan, keep: KeptHunks, read: Callable[[Change], bytes]) -> None:
        self.paths = {change.path for change in plan.changes if not change.of_folder}
        self._plan = plan
        self._keep = keep
        self._read = read
        self._left_out: list[OmittedPart] = []
        self._taken: list[tuple[Change, FilePreview]] = []
        self._along: list[Change] = []
        self._stays_away: set[str] = set()
        """Destinations of files that are not moved."""
        self._blobs: dict[str, bytes] = {}

    def take(self, change: Change, shown: FilePreview) -> None:
        """Take what is wanted of one change."""
        if change.of_folder or change.path not in self._keep:
            self._add(change, shown)
            return
        hunks = list(parse_hunks(shown.diff))
        kept = set(self._keep[change.path])
        if shown.truncated:
            raise InvalidParameters(f"The diff of {change.path!r} was not shown whole, so no hunk of it can be chosen")
        if wrong := sorted(kept - set(range(len(hunks)))):
            raise InvalidParameters(f"{change.path!r} has {len(hunks)} hunks, counted from 0, and no hunk {wrong[0]}")
        if len(kept) == len(hunks) and (hunks or change.kind is ChangeKind.MODIFY):
            self._add(change, shown)
            return
        left = [index for index in range(len(hunks)) if index not in kept]
        diff = "".join(hunks[index].text for index in left)
        self._left_out.append(OmittedPart(change.path, change.kind.value, tuple(left), len(hunks), diff))
        if kept and change.kind is ChangeKind.MODIFY:
            self._modify(change, shown, [hunks[index] for index in sorted(kept)])

    def take_whole(self, change: Change, shown: FilePreview, *, is_left: bool) -> None:
        """Take a change that belongs with others, or leave it out with them."""
        kept, count = self._keep.get(change.path), len(list(parse_hunks(shown.diff)))
        if kept and set(kept) != set(range(count)):
            raise InvalidParameters(
                f"{change.path!r} belongs together with other files of this change; take all of them, or leave all out"
            )
        if not is_left:
            self._add(change, shown)
        elif not change.of_folder:
            left = tuple(range(count)) if change.kind is ChangeKind.MODIFY else ()
            self._left_out.append(OmittedPart(change.path, change.kind.value, left, count, shown.diff))
            if change.new_path is not None:
                self._stays_away.add(change.new_path)

    def take_along(self, change: Change) -> None:
        """Include the new text of a moved file with its move."""
        if change.path not in self._stays_away:
            self._along.append(change)
            if change.after is not None:
                self._blobs[change.after] = self._plan.blobs[change.after]

    def finish(self) -> PartialPlan:
        """Return the plan of what was taken, without folders that nothing needs."""
        if not self._left_out:
            return PartialPlan(self._plan, ())
        taken = [(change, shown) for change, shown in self._taken if not self._is_idle(change)]
        if all(change.of_folder for change, _shown in taken):
            raise InvalidParameters("No part of the change is kept; deny it instead")
        plan = dataclasses.replace(
            self._plan,
            summary=f"{self._plan.summary} (in part)",
            changes=(*(change for change, _shown in taken), *self._along),
            previews=tuple(shown for _change, shown in taken),
            blobs=self._blobs,
            about=(),  # a folder of which something stays is not the subject any more
            additions=None,  # a part may do what the whole does not, as half of a code block does
        )
        return PartialPlan(plan, tuple(self._left_out))

    def _modify(self, change: Change, shown: FilePreview, hunks: list[DiffHunk]) -> None:
        old = self._read(change)
        new = apply_hunks(old, self._plan.blobs[change.after or ""], hunks)
        after = content_hash(new)
        if after != change.before:
            self._blobs[after] = new
            smaller = dataclasses.replace(change, after=after)
            self._taken.append((smaller, preview(smaller, old, new, follows=shown.follows)))

    def _add(self, change: Change, shown: FilePreview) -> None:
        self._taken.append((change, shown))
        if change.after is not None and change.after in self._plan.blobs:  # a move alone has none
            self._blobs[change.after] = self._plan.blobs[change.after]

    def _is_idle(self, change: Change) -> bool:
        """Return whether a folder is made only for files left out, or must stay because a file in it does."""
        inside = f"{change.path}/"
        left = any(path.startswith(inside) for path in (*self._stays_away, *(file.path for file in self._left_out)))
        if change.kind is ChangeKind.RMDIR:
            return left
        stays = any(
            (other.new_path or other.path).startswith(inside) and other.kind is not ChangeKind.MKDIR
            for other, _shown in self._taken
        )
        return change.kind is ChangeKind.MKDIR and left and not stays


def apply_hunks(old: bytes, new: bytes, hunks: list[DiffHunk]) -> bytes:
    """Return the old bytes with some of the hunks that lead to the new ones.

    Args:
        old: The bytes before.
        new: The bytes after all hunks.
        hunks: The hunks to apply, from top to bottom.
    """
    old_lines, new_lines = Lines(old), Lines(new)
    pieces, done = [], 0
    for hunk in hunks:
        pieces.append(old[done : _offset(old_lines, hunk.old_line)])
        start, end = hunk.new_line, hunk.new_line + hunk.new_count
        pieces.append(new[_offset(new_lines, start) : _offset(new_lines, end)])
        done = _offset(old_lines, hunk.old_line + hunk.old_count)
    return b"".join([*pieces, old[done:]])


def _offset(lines: Lines, number: int) -> int:
    """Return the offset of a line; the first includes the byte order mark, if there is one."""
    return 0 if number == 1 else _line_offset(lines, number)


EDITED = " (with the user's edits)"
"""The end of an edited plan's summary."""


class HunkText(NamedTuple):
    """Other text for one hunk.

    Attributes:
        path: The file, as the preview names it.
        hunk: Which hunk of its diff, counted from 0.
        text: What its lines are to be afterwards, those around the change included.
    """

    path: str
    hunk: int
    text: str


class RevisedPlan(NamedTuple):
    """The new plan, and what the file that was edited in it holds so far.

    Attributes:
        plan: The plan.
        path: The file.
        old: Its bytes before; empty when it is new.
    """

    plan: ChangePlan
    path: str
    old: bytes


class RevisedLines(NamedTuple):
    """The person's changes to the lines that were proposed for one file.

    Attributes:
        path: The file.
        diff: Proposed lines that are not written (`-`), and the person's in their place (`+`).
        others: Number of other lines that the person changed, which are not shown.
    """

    path: str
    diff: str
    others: int


def is_editable(plan: ChangePlan) -> bool:
    """Return whether the text of any file of a plan can be edited.

    What is moved or deleted has no new text, an edited undo would not be an undo, and where only links are
    adapted there is nothing to decide.

    Args:
        plan: The plan, with its previews.
    """
    return any(True for _ in _editable(plan))


def revise_hunk(plan: ChangePlan, revision: HunkText, read: Callable[[Change], bytes]) -> RevisedPlan:
    r"""Return the plan with other text in one hunk.

    Lines that stay keep their line ending, new ones get the one that prevails around them. Only at the end of a file
    that is to have no final line break does it matter whether the text ends with one.

    Args:
        plan: The plan that was shown.
        revision: What the person made of it.
        read: The bytes that a change starts from.

    Raises:
        InvalidParameters: There is no such hunk, or the text cannot be written or shown, or changes nothing.
    """
    place, change, shown = _find(plan, revision.path)
    hunks = list(parse_hunks(shown.diff))
    if revision.hunk >= len(hunks):
        raise InvalidParameters(
            f"{revision.path!r} has {len(hunks)} hunks, counted from 0, and no hunk {revision.hunk}"
        )
    planned = plan.blobs[change.after or ""]
    data = replace_hunk(planned, hunks[revision.hunk], revision.text)
    if data == planned:
        raise InvalidParameters("The text is as it was")
    after = content_hash(data)
    if after == change.before:
        raise InvalidParameters(f"Nothing of the change of {revision.path!r} would be left; deny it instead")
    revised = dataclasses.replace(change, after=after)
    old = None if change.kind is ChangeKind.CREATE else read(change)
    new = preview(revised, old, data).model_copy(update={"unit": shown.unit})
    if new.truncated or (data and not any(True for _ in parse_hunks(new.diff))):
        raise InvalidParameters(f"The new text of {revision.path!r} could not be shown whole; make it shorter")
    kept = {other.after for other in plan.changes if other is not change}
    blobs = {digest: blob for digest, blob in plan.blobs.items() if digest in kept} | {after: data}
    edited = dataclasses.replace(
        plan,
        summary=plan.summary.removesuffix(EDITED) + EDITED,
        changes=(*plan.changes[:place], revised, *plan.changes[place + 1 :]),
        previews=(*plan.previews[:place], new, *plan.previews[place + 1 :]),
        blobs=blobs,
        hazards=(),  # these two are of the text as it was proposed
        additions=None,
    )
    return RevisedPlan(edited, change.path, old or b"")


def replace_hunk(new: bytes, hunk: DiffHunk, text: str) -> bytes:
    """Return the new bytes of a file with other text in the place of one hunk's new side; a byte order mark stays.

    Args:
        new: The bytes as planned.
        hunk: A hunk of the diff that leads to them.
        text: What its lines are to be.

    Raises:
        InvalidParameters: The text, or what is there, is no text that a file can hold.
    """
    lines = Lines(new)
    start, end = _line_offset(lines, hunk.new_line), _line_offset(lines, hunk.new_line + hunk.new_count)
    old = new[start:end]
    try:
        old.decode()
        given = (text.removeprefix("\ufeff") if start == len(lines.bom) else text).replace("\r\n", "\n").encode()
    except UnicodeDecodeError:
        raise InvalidParameters("These lines are not UTF-8 text, so they cannot be edited here") from None
    except UnicodeEncodeError:
        raise InvalidParameters("The text is not valid Unicode; remove the lone surrogate") from None
    if b"\x00" in given:
        raise InvalidParameters("The text holds a NUL character, which no note can; remove it")
    if given and not given.endswith(b"\n") and (old.endswith(b"\n") or end < len(new)):
        given += b"\n"
    return new[:start] + _with_endings(old, given, prevailing_ending(old, 0, len(old)) or lines.prevailing) + new[end:]


def revised_lines(path: str, old: bytes, proposed: tuple[bytes, FilePreview], written: bytes) -> RevisedLines:
    """Return what the person made of the lines proposed for one file, for the proposer to see.

    The proposer may not have read the file. So only the proposed lines are shown, and what the person wrote
    in their place; and not even that if it is a line that was in the file before.

    Args:
        path: The file.
        old: Its bytes before.
        proposed: Its bytes as they were proposed, and the preview of that.
        written: Its bytes afterwards.
    """
    planned, shown = proposed
    own = {number: line.strip("\r\n") for hunk in parse_hunks(shown.diff) for number, line in hunk.added()}
    proposals = {line.strip() for line in own.values()}
    hidden = {line.strip() for line in _lines(old)} - proposals - {""}
    pieces: list[str] = []
    others = 0
    for block in changed_blocks(planned, written):
        gone = [own[number] for number in _replaced(block) if number in own]
        come = _lines(written[block.new_start : block.new_end])
        told = [line for line in come if line.strip() not in hidden] if _is_own(block, own) else []
        pieces += [f"-{line}\n" for line in gone] + [f"+{line}\n" for line in told]
        others += max(block.removed - len(gone), len(come) - len(told))
    return RevisedLines(path, "".join(pieces), others)


def _editable(plan: ChangePlan) -> Iterator[tuple[int, Change, FilePreview]]:
    paths = [change.path for change in plan.changes]
    if plan.reversal or plan.disposal or len(set(paths)) < len(paths) or len(plan.previews) != len(paths):
        return
    if any(change.kind in {ChangeKind.MOVE, ChangeKind.DELETE} for change in plan.changes):
        return
    for place, (change, shown) in enumerate(zip(plan.changes, plan.previews, strict=True)):
        is_shown = not shown.truncated and not shown.follows
        if not change.of_folder and is_shown and any(True for _ in parse_hunks(shown.diff)):
            yield place, change, shown


def _find(plan: ChangePlan, path: str) -> tuple[int, Change, FilePreview]:
    found = next((file for file in _editable(plan) if file[1].path == path), None)
    if found is not None:
        return found
    if any(change.path == path for change in plan.changes):
        raise InvalidParameters(f"What happens to {path!r} cannot be edited; allow or deny it as it is")
    raise InvalidParameters(f"{path!r} is no file of this change; name files as its preview does")


def _line_offset(lines: Lines, number: int) -> int:
    """Return the offset of a line, after a byte order mark; the end of the file for later lines."""
    return lines.start(number) if number <= lines.count else len(lines.data)


def _with_endings(old: bytes, new: bytes, prevailing: bytes) -> bytes:
    r"""Return the new lines, each with the ending that it has among the old ones, and else with the prevailing one."""
    lines = io.BytesIO(old).readlines()
    pieces: list[bytes] = []
    taken = 0
    for block in changed_blocks(old.replace(b"\r\n", b"\n"), new):
        pieces += lines[taken : block.old_line - 1]
        pieces.append(new[block.new_start : block.new_end].replace(b"\n", prevailing))
        taken = block.old_line - 1 + block.removed
    return b"".join([*pieces, *lines[taken:]])


def _replaced(block: ChangedBlock) -> range:
    """Return the numbers of the lines that a block replaces."""
    return range(block.old_line, block.old_line + block.removed)


def _is_own(block: ChangedBlock, own: Container[int]) -> bool:
    """Return whether a block replaces only proposed lines, or adds lines next to one."""
    if block.removed:
        return all(number in own for number in _replaced(block))
    return block.old_line - 1 in own or block.old_line in own


def _lines(data: bytes) -> list[str]:
    """Return the lines of some bytes, without their endings."""
    text = data.decode("utf-8", "backslashreplace").removeprefix("\ufeff")
    return [line.strip("\r\n") for line in split_lines(text)]


NAMED: Final = 5
"""Read-only files that are named; the others are only counted."""

NO_BACKUP: Final = "No backup is kept, so this cannot be undone"


def needs_backup(plan: ChangePlan) -> bool:
    """Return whether undoing a plan needs bytes that it replaces or deletes."""
    return any(change.kind in {ChangeKind.MODIFY, ChangeKind.DELETE} for change in plan.changes)


def read_only_warnings(root: VaultRoot, plan: ChangePlan) -> Iterator[str]:
    """Yield a sentence for each file that a plan changes, moves or deletes although it is marked read-only.

    Such a mark keeps editors from writing into a file; it does not keep anyone from putting another in its place.

    Args:
        root: The vault.
        plan: The change.
    """
    found = [change.path for change in plan.changes if not change.of_folder and _is_read_only(root, change.path)]
    for path in found[:NAMED]:
        yield f"{path!r} is marked read-only"
    if rest := len(found[NAMED:]):
        yield f"{rest:,} more files are marked read-only"


def _is_read_only(root: VaultRoot, path: str) -> bool:
    try:
        with root.find(known_path(path)) as place:
            return not place.state.st_mode & stat.S_IWUSR
    except (ToolFailure, OSError):
        return False  # it is not there yet, or cannot be looked at: then the change will fail by itself
