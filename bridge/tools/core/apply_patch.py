"""The tool `apply_patch`: edits by line numbers, or a unified diff, always shown and asked.

A hunk belongs to the one place of a file where all its old lines stand together, or nowhere. Of one that fits nowhere,
the likely place is for the failure's message, and never for the change.
"""

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import re2
from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, FilePreview
from bridge.errors import Ambiguous, Conflict, InvalidParameters
from bridge.index.knowledge import NoteResolver, locate
from bridge.toolkit.tool import AGENT, VAULT, CallContext, Output, WriteTool
from bridge.tools.core.patch_text import FilePatch, PatchHunk, PatchLine, parse_patch
from bridge.tools.formatting import first_of, shortened
from bridge.tools.kinds import LONGEST_PATH, until, write_spec
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.paths import VaultPath, nfc, parse_path
from bridge.vault.plan import Applied, ChangePlan, PlanBuilder
from bridge.vault.text import Lines, counted, encode

Check = Callable[[], None]
"""Raises when the time is over."""

MOST_PATCHES = 1000
LONGEST_PATCH = 1_000_000


class LinePatch(Params):
    """One edit by line numbers."""

    start_line: int = Field(ge=1, description="First line, from 1")
    end_line: int = Field(ge=0, description="Last line, inclusive; startLine - 1 inserts before startLine")
    new_content: str = Field(description="Empty deletes the lines")


class ApplyPatchParams(Params):
    """The edits of one file (`path`, `patches`), or a unified diff (`patch`)."""

    path: str | None = Field(
        default=None, max_length=LONGEST_PATH, description="Path, name or wikilink; with patch, only if that names none"
    )
    patches: list[LinePatch] | None = Field(
        default=None, min_length=1, max_length=MOST_PATCHES, description="Line numbers are those before the call"
    )
    patch: str | None = Field(
        default=None,
        min_length=1,
        max_length=LONGEST_PATCH,
        description="Instead: a unified diff of one or several files; '--- /dev/null' creates a file",
    )

    @model_validator(mode="after")
    def _one_way(self) -> "ApplyPatchParams":
        if (self.patches is None) == (self.patch is None):
            raise ValueError("give either patches or patch, and not both")
        if self.patches is not None and self.path is None:
            raise ValueError("path is missing: patches need the file they edit")
        return self


class ApplyPatchTool(WriteTool[ApplyPatchParams]):
    """The tool that changes lines of files.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="apply_patch",
        action="change/changed {files|a file}",
        description="Propose and apply file edits with diff preview and undo support: line ranges of one file (path, "
        "patches), or a unified diff (patch).",
        icon="wrench",
        parameters=ApplyPatchParams,
        fixed_risk=True,
        consent_class=ConsentClass.NEVER,
        id_prefix="patch",
        presets=frozenset({AGENT, VAULT}),
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._resolver = NoteResolver(storage.knowledge)
        self._clock = clock

    def prepare(self, params: ApplyPatchParams, context: CallContext) -> ChangePlan:
        """Work out the new content of every file."""
        late = "Finding the hunks' places did not end in time; use patches with line numbers"
        check = until(self._clock, context, late)
        builder = self._storage.plan()
        if params.patches is not None:
            path, data = self._read(params.path or "")
            edits = [LineEdit(patch.start_line, patch.end_line, patch.new_content) for patch in params.patches]
            edited = apply_edits(data, edits, path)
            if edited.data == data:
                raise InvalidParameters(f"Nothing would change: {str(path)!r} already has exactly this content")
            builder.modify(path, data, edited.data, edited.regions)
        else:
            for patch, name in self._named(parse_patch(params.patch or "", params.path), params.path):
                self._plan(builder, patch, name, check)
        plan = builder.build(self.spec.operation, "")
        return dataclasses.replace(plan, summary=_summary(plan.previews))

    def report(self, _params: ApplyPatchParams, applied: Applied) -> Output:
        """Report the diff that was applied, and where the bytes from before are."""
        files = [preview for preview in applied.plan.previews if preview.change in {"modify", "create"}]
        overwritten = [preview.path for preview in files if preview.change == "modify"]
        backup = applied.backup if overwritten else None
        if backup is not None and len(overwritten) == 1:
            backup += overwritten[0]
        data = {
            "modified": True,
            "diff": "".join(preview.diff for preview in files),
            "backupPath": backup,
            "files": [
                {"path": file.path, "change": file.change, "added": file.added, "removed": file.removed}
                for file in files
            ],
        }
        return Output(data, f"Done: {applied.plan.summary} ({applied.execution_id}).")

    def _read(self, name: str) -> tuple[VaultPath, bytes]:
        data, stat = self._storage.read(locate(self._storage, self._resolver, name, certain=True))
        return stat.path, data

    def _plan(self, builder: PlanBuilder, patch: FilePatch, name: str, check: Check) -> None:
        """Add one file of a diff to the plan."""
        if patch.creates:
            builder.create(self._storage.resolve_new(parse_path(name)), new_content(patch.hunks))
            return
        path, data = self._read(name)
        edited = apply_hunks(data, patch.hunks, path, check)
        if edited.data == data:
            raise InvalidParameters(f"The patch changes nothing in {str(path)!r}; leave that file out of it")
        builder.modify(path, data, edited.data, edited.regions)

    def _named(self, patches: Sequence[FilePatch], path: str | None) -> list[tuple[FilePatch, str]]:
        """Return every file of a diff with its path. If `path` is given, it must agree with that."""
        if path is None:
            return [(patch, self._name(patch)) for patch in patches]
        if len(patches) > 1:
            raise InvalidParameters(f"The patch is of {len(patches)} files, so leave path out, or send a patch a file")
        names = patches[0].names
        if names == ("",) or parse_path(path) in map(parse_path, names):
            return [(patches[0], path)]
        located = parse_path(path)
        if not patches[0].creates:
            located = locate(self._storage, self._resolver, path, certain=True)
        if located not in map(parse_path, names):
            raise InvalidParameters(f"path is {path!r}, but the patch is of {names[0]!r}; leave out one of the two")
        return [(patches[0], str(located))]

    def _name(self, patch: FilePatch) -> str:
        """Return the path in a diff. Raises Ambiguous when it is not certain."""
        if len(patch.names) > 1 and exists(self._storage, parse_path("b")):
            raise Ambiguous(
                f"The patch creates {patch.names[1]!r}: its 'b/' may be git's or the folder 'b'. Give the path too",
                candidates=patch.names,
            )
        return patch.names[0]


def _summary(previews: Sequence[FilePreview]) -> str:
    """Return the question's sentence."""
    files = [preview for preview in previews if preview.change in {"modify", "create"}]
    counts = _counts(sum(file.added for file in files), sum(file.removed for file in files))
    if len(files) == 1:
        return f"{'Create' if files[0].change == 'create' else 'Edit'} {files[0].path}: {counts}"
    return f"Edit {len(files)} files: {counts} in {first_of([file.path for file in files])}"


def _counts(added: int, removed: int) -> str:
    """Say how many lines changed."""
    if added == removed:
        return f"{counted(added, 'line')} changed"
    if not removed:
        return f"{counted(added, 'line')} added"
    if not added:
        return f"{counted(removed, 'line')} removed"
    return f"{counted(added, 'line')} added, {removed} removed"


MOST_BYTES = 8 << 20
"""Of a longer file the beginning is searched."""
MOST_LINES = 200
"""Lines of a hunk that are looked for."""
LIKENESS = 60.0
"""Percent from which a line counts as nearly another."""

_MOST_PLACES = 50
_LONGEST = 500
_SPACE = re.compile(r"\s+")
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "..."}
)


def nearest_place(lines: Lines, wanted: Sequence[str], check: Check) -> tuple[int, int, str | None, str] | None:
    """Return the place of a file that is most like some lines; None when none is like them, or one is them.

    Args:
        lines: The file.
        wanted: The lines.
        check: Called now and then; raises when the time is over.

    Returns:
        The numbers of the place's first line and of the first that differs, what the file has in that, None beyond its
        end, and what was looked for.
    """
    data = lines.data[len(lines.bom) : MOST_BYTES]
    there = [line.removesuffix("\r") for line in data.removesuffix(b"\n").decode(errors="replace").split("\n")]
    check()
    folded = list(map(_folded, there))
    check()
    sought = list(map(_folded, wanted[:MOST_LINES]))
    first = _by_votes(folded, sought)
    if first is None:
        first = _by_likeness(folded, sought)
    if first is None:
        return None
    for offset, text in enumerate(wanted):
        found = there[first + offset] if first + offset < len(there) else None
        if found != text:
            return first + 1, first + offset + 1, found, text
    return None


def _by_votes(there: Sequence[str], sought: Sequence[str]) -> int | None:
    """Return where most lines stand as they do in the hunk, but for quotes, case and spaces."""
    places: dict[str, list[int]] = defaultdict(list)
    wanted = {text for text in sought if text}
    for number, text in enumerate(there):
        if text in wanted and len(places[text]) < _MOST_PLACES:
            places[text].append(number)
    votes = Counter(number - offset for offset, text in enumerate(sought) for number in places.get(text, ()))
    return max(max(votes, key=lambda first: (votes[first], -first)), 0) if votes else None


def _by_likeness(there: Sequence[str], sought: Sequence[str]) -> int | None:
    """Return where a line is most like the longest one of the hunk."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - a start is faster without

    offset, longest = max(enumerate(sought), key=lambda each: len(each[1]), default=(0, ""))
    if not longest:
        return None
    best = process.extractOne(longest, there, scorer=fuzz.ratio, score_cutoff=LIKENESS)
    return None if best is None else max(best[2] - offset, 0)


def _folded(text: str) -> str:
    """Return a line without what differs when a model repeats it."""
    return _SPACE.sub(" ", nfc(text[:_LONGEST]).translate(_PLAIN)).strip().casefold()


MOST_CANDIDATES = 10
"""Places listed when a hunk fits in several."""
_MORE_CONTEXT = "Give the hunk more unchanged lines, so that it fits in one place"
_COPY = "Copy the unchanged and removed lines as the file has them, to the letter"
_QUOTED = 200
_PROBE = 500
"""Bytes of a hunk to search for; the rest is compared where they are found."""


def apply_hunks(data: bytes, hunks: Sequence[PatchHunk], path: object, check: Check) -> Edited:
    """Apply hunks to a file. Lines are compared without their endings, and the file keeps its own.

    What the patch says of a newline at the end is done; where it says nothing, a file without one stays so.

    Args:
        data: The file's bytes.
        hunks: All of them speak of the file as it is now.
        path: What the file is called in failures.
        check: Called before each place that is compared.

    Raises:
        Conflict: A hunk fits nowhere, or in several places (`no_match`).
        InvalidParameters: The file is binary or not UTF-8, or two hunks change the same lines.
    """
    lines = Lines(data)
    edits: list[LineEdit] = []
    for number, hunk in enumerate(hunks, 1):
        edits += _hunk_edits(
            hunk, _place(lines, hunk, f"Hunk {number} (line {hunk.at} of the patch)", path, check), lines
        )
    edited = apply_edits(data, edits, path)
    unended = any(not line.ended for hunk in hunks for line in hunk.new)
    return _without_final_break(edited) if unended else edited


def new_content(hunks: Sequence[PatchHunk]) -> bytes:
    """Return the bytes of a file that a hunk of added lines makes; none without a hunk."""
    return encode("".join(line.text + "\n" * line.ended for hunk in hunks for line in hunk.lines))


def _place(lines: Lines, hunk: PatchHunk, name: str, path: object, check: Check) -> int:
    """Return the line where a hunk begins."""
    old = hunk.old
    if not old:
        if lines.count == 0 or hunk.at_end:
            return lines.count + 1
        raise _no_match(
            f"{name} has no unchanged or removed line, so its place in {str(path)!r} is not certain", _MORE_CONTEXT
        )
    found: list[int] = []
    for first in _candidates(lines, old):
        check()
        if _ends_fit(lines, hunk, first + len(old) - 1) and _stands(lines, first, old):
            found.append(first)
        if len(found) > MOST_CANDIDATES:
            break
    if not found:
        raise _misfit(lines, old, name, path, check)
    if len(found) > 1 and hunk.heading:
        below = _below(lines, hunk.heading)
        found = [first for first in found if first in below] or found
    if len(found) > 1:
        shown = ", ".join(map(str, found[:MOST_CANDIDATES])) + (", ..." if len(found) > MOST_CANDIDATES else "")
        raise _no_match(
            f"{name} fits in several places of {str(path)!r}, at lines {shown}", _MORE_CONTEXT, found[:MOST_CANDIDATES]
        )
    return found[0]


def _ends_fit(lines: Lines, hunk: PatchHunk, last: int) -> bool:
    """Return whether the file ends after a line, with or without a line break, where the patch says so."""
    unended = not hunk.old[-1].ended
    at_end = hunk.at_end or unended or bool(hunk.new and not hunk.new[-1].ended)
    return (last == lines.count or not at_end) and not (unended and lines.ends_with_break)


def _below(lines: Lines, heading: str) -> range:
    """Return the lines below a line of the file, to the next heading of its level where it is a heading.

    They are all lines when it stands nowhere, or in several places: then it tells nothing.
    """
    texts = [line.strip() for line in lines.data[len(lines.bom) :].decode(errors="replace").split("\n")]
    places = [number for number, text in enumerate(texts, 1) if text == heading]
    if len(places) != 1:
        return range(1, lines.count + 1)
    level = len(heading) - len(heading.lstrip("#"))
    marks = tuple("#" * depth + " " for depth in range(1, level + 1))
    ends = (number for number, text in enumerate(texts[places[0] :], places[0] + 1) if marks and text.startswith(marks))
    return range(places[0] + 1, next(ends, lines.count + 1))


def _misfit(lines: Lines, old: Sequence[PatchLine], name: str, path: object, check: Check) -> Conflict:
    """Return the failure of a hunk that fits nowhere, with the place that was most likely meant."""
    reason = f"{name} does not match {str(path)!r}: its unchanged and removed lines do not stand there together"
    near = nearest_place(lines, [line.text for line in old], check)
    if near is None:
        return _no_match(reason, "Read the file again, and make the patch from what it says now")
    first, line, there, wanted = near
    has = "the file ends before it" if there is None else f"the file has {_quoted(there)}"
    return _no_match(
        f"{reason}. The nearest place begins at line {first}; in line {line}, {has}, and the patch {_quoted(wanted)}",
        _COPY,
        nearest={"line": line, "text": there and there[:_QUOTED]},
    )


def _quoted(text: str) -> str:
    return f"`{shortened(text, _QUOTED)}`"


def _no_match(
    reason: str, advice: str, candidates: Sequence[int] = (), nearest: dict[str, Any] | None = None
) -> Conflict:
    return Conflict(
        f"{reason}. Nothing was changed. {advice}, or use patches with line numbers",
        code="no_match",
        data={"candidates": list(candidates)} | ({"nearest": nearest} if nearest else {}),
    )


def _candidates(lines: Lines, old: Sequence[PatchLine]) -> Iterator[int]:
    """Yield the numbers of the lines where a hunk's first old lines occur."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    text = memoryview(lines.data)[len(lines.bom) :]
    probe = re2.compile(_probe(old), options)
    position = 0
    while position <= len(text):
        match = probe.search(text, position)
        if match is None or match.start() == len(text):
            return
        yield lines.number_at(len(lines.bom) + match.start())
        end = lines.data.find(b"\n", len(lines.bom) + match.start())
        if end < 0:
            return
        position = end + 1 - len(lines.bom)


def _probe(old: Sequence[PatchLine]) -> bytes:
    """Return a pattern of RE2 for the first old lines, or of the first one's beginning when it is long."""
    texts = [line.data for line in old]
    whole = sum(held <= _PROBE for held in accumulate(map(len, texts)))
    if not whole:
        return b"(?m)^" + bytes(re2.escape(texts[0][:_PROBE]))
    return b"(?m)^" + rb"\r?\n".join(map(re2.escape, texts[:whole])) + rb"\r?$"


def _stands(lines: Lines, first: int, old: Sequence[PatchLine]) -> bool:
    """Return whether the file has exactly these lines from this one on."""
    last = first + len(old) - 1
    if last > lines.count:
        return False
    start, end = lines.span(first, last)
    wanted = [line.data for line in old]
    if not 0 <= end - start - sum(map(len, wanted)) <= 2 * len(wanted):
        return False
    block = lines.data[start:end]
    ended = block.endswith(b"\n")
    there = block.removesuffix(b"\n").split(b"\n")
    return [
        line.removesuffix(b"\r") if ended or index < len(there) - 1 else line for index, line in enumerate(there)
    ] == wanted


def _hunk_edits(hunk: PatchHunk, first: int, lines: Lines) -> Iterator[LineEdit]:
    """Yield a hunk as edits that touch only the lines that it changes."""
    next_line = first
    removed = 0
    added: list[PatchLine] = []
    knows_end = not all(line.ended for line in hunk.lines)

    def edit() -> LineEdit:
        text = "".join(line.text + "\n" for line in added)
        ends_file = next_line - 1 == lines.count
        silent = not knows_end and lines.count > 0 and not lines.ends_with_break
        if ends_file and added and (silent or not added[-1].ended):
            text = text[:-1]
        return LineEdit(next_line - removed, next_line - 1, text)

    for line in hunk.lines:
        if line.sign == " ":
            if removed or added:
                yield edit()
            next_line, removed, added = next_line + 1, 0, []
        elif line.sign == "-":
            next_line, removed = next_line + 1, removed + 1
        else:
            added.append(line)
    if removed or added:
        yield edit()


def _without_final_break(edited: Edited) -> Edited:
    """Return the same without a line break at the end."""
    ending = b"\r\n" if edited.data.endswith(b"\r\n") else b"\n"
    if not edited.data.endswith(ending) or not edited.regions:
        return edited
    data = edited.data[: -len(ending)]
    last = dataclasses.replace(edited.regions[-1], new_end=len(data))
    return Edited(data, (*edited.regions[:-1], last))
