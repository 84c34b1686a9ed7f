r"""A plan of which a person has edited the text: one hunk of one file's diff gets another new side.

From it comes a plan of its own, with new hashes, previews and digest. No path and no file comes in; all bytes outside
the hunk stay as they were planned. `revised_lines` says afterwards what became of the lines that were proposed.
"""

import dataclasses
import io
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import TypeVar

from bridge.contract.consent import FilePreview
from bridge.errors import InvalidParameters
from bridge.vault.compare import ChangedBlock, changed_blocks
from bridge.vault.diff import DiffHunk, parse_hunks, split_lines
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash, preview
from bridge.vault.text import Lines, prevailing_ending

EDITED = " (with the user's edits)"
"""What the summary of an edited plan ends with."""

_T = TypeVar("_T")
_EDITED_KINDS = {ChangeKind.CREATE, ChangeKind.MODIFY}
_AS_A_WHOLE = {ChangeKind.MOVE, ChangeKind.DELETE}


@dataclass(frozen=True, slots=True)
class HunkText:
    """Other text for one hunk.

    Attributes:
        path: The file, as the preview names it.
        hunk: Which hunk of its diff, counted from 0.
        text: What its lines are to be afterwards, those around the change included.
    """

    path: str
    hunk: int
    text: str


@dataclass(frozen=True, slots=True)
class RevisedPlan:
    """The new plan, and what the file that was edited in it holds so far.

    Attributes:
        plan: The plan.
        path: The file.
        old: Its bytes before; empty when it is new.
    """

    plan: ChangePlan
    path: str
    old: bytes


@dataclass(frozen=True, slots=True)
class RevisedLines:
    """What a person made of the lines that were proposed for one file.

    Attributes:
        path: The file.
        diff: Proposed lines that are not written (`-`), and the person's in their place (`+`).
        others: How many other lines of the file the person changed, which are not shown.
    """

    path: str
    diff: str
    others: int


def is_editable(plan: ChangePlan) -> bool:
    """Whether the text of any file of a plan can be edited.

    What is moved or goes into the trash has no new text, an undo that is edited is none, and where only links follow
    there is nothing to say otherwise.

    Args:
        plan: The plan, with its previews.
    """
    return any(True for _ in _editable(plan))


def revise_hunk(plan: ChangePlan, revision: HunkText, read: Callable[[Change], bytes]) -> RevisedPlan:
    r"""The plan with other text in one hunk.

    Lines that stay keep their line ending, new ones get the one that prevails around them. Only at the end of a file
    that is to have no final line break does it matter whether the text ends with one.

    Args:
        plan: What was shown.
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
        changes=_put(plan.changes, place, revised),
        previews=_put(plan.previews, place, new),
        blobs=blobs,
        hazards=(),  # these two are of the text as it was proposed
        additions=None,
    )
    return RevisedPlan(edited, change.path, old or b"")


def replace_hunk(new: bytes, hunk: DiffHunk, text: str) -> bytes:
    """The new bytes of a file with other text in the place of one hunk's new side; a byte order mark stays.

    Args:
        new: The bytes as planned.
        hunk: A hunk of the diff that leads to them.
        text: What its lines are to be.

    Raises:
        InvalidParameters: The text, or what is there, is no text that a file can hold.
    """
    lines = Lines(new)
    start, end = _offset(lines, hunk.new_line), _offset(lines, hunk.new_line + hunk.new_count)
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
    """What became of the lines that were proposed for one file, for whoever proposed them.

    Whoever that is may not have read the file. So only lines that they proposed are shown, and what the person wrote
    in the place of these alone; and not even that where it is a line that was in the file before.

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
    if any(change.kind in _AS_A_WHOLE for change in plan.changes):
        return
    for place, (change, shown) in enumerate(zip(plan.changes, plan.previews, strict=True)):
        is_shown = not shown.truncated and not shown.follows
        if change.kind in _EDITED_KINDS and is_shown and any(True for _ in parse_hunks(shown.diff)):
            yield place, change, shown


def _find(plan: ChangePlan, path: str) -> tuple[int, Change, FilePreview]:
    found = next((file for file in _editable(plan) if file[1].path == path), None)
    if found is not None:
        return found
    if any(change.path == path for change in plan.changes):
        raise InvalidParameters(f"What happens to {path!r} cannot be edited; allow or deny it as it is")
    raise InvalidParameters(f"{path!r} is no file of this change; name files as its preview does")


def _put(items: tuple[_T, ...], place: int, item: _T) -> tuple[_T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _offset(lines: Lines, number: int) -> int:
    """Where a line begins, behind a byte order mark; beyond the last line, where the file ends."""
    return lines.start(number) if number <= lines.count else len(lines.data)


def _with_endings(old: bytes, new: bytes, prevailing: bytes) -> bytes:
    r"""The new lines, each with the ending that it has among the old ones, and else with the prevailing one."""
    lines = io.BytesIO(old).readlines()
    pieces: list[bytes] = []
    taken = 0
    for block in changed_blocks(old.replace(b"\r\n", b"\n"), new):
        pieces += lines[taken : block.old_line - 1]
        pieces.append(new[block.new_start : block.new_end].replace(b"\n", prevailing))
        taken = block.old_line - 1 + block.removed
    return b"".join([*pieces, *lines[taken:]])


def _replaced(block: ChangedBlock) -> range:
    """The numbers of the lines that a block replaces."""
    return range(block.old_line, block.old_line + block.removed)


def _is_own(block: ChangedBlock, own: Container[int]) -> bool:
    """Whether a block replaces nothing but proposed lines, or adds lines beside one."""
    if block.removed:
        return all(number in own for number in _replaced(block))
    return block.old_line - 1 in own or block.old_line in own


def _lines(data: bytes) -> list[str]:
    """The lines of some bytes, without their endings."""
    text = data.decode("utf-8", "backslashreplace").removeprefix("\ufeff")
    return [line.strip("\r\n") for line in split_lines(text)]
