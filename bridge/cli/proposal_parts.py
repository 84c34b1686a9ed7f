"""The parts of a change: those that can be left out of a yes, a draft's conflicts, and what is new in it.

Hunks can be left out, files that come or go, and files that belong together.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from bridge.cli.diff import DiffRow, draw_diff, draw_heading, parse_diff
from bridge.cli.layout import fold, wrap
from bridge.cli.sanitize import sanitize, sanitize_lines
from bridge.contract.consent import FilePreview, MergePlace, Preview, Take

_NUMBERS: Final = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


@dataclass(frozen=True, slots=True)
class ProposalPart:
    """A part of a change.

    Attributes:
        files: The file that it belongs to; several where they hang together.
        hunk: The hunk of the file's diff, from 0; None: the files as a whole.
        rows: What the diffs show of it, one entry a file.
    """

    files: tuple[FilePreview, ...]
    hunk: int | None
    rows: tuple[tuple[DiffRow, ...], ...]

    @property
    def file(self) -> FilePreview:
        """Return the file, or the first of them."""
        return self.files[0]

    @property
    def has_text(self) -> bool:
        """Return whether the part has text to write that the person could edit."""
        is_one = len(self.files) == 1 and self.file.change in {"create", "modify"}
        return is_one and bool(self.rows[0]) and not self.file.follows


def parts_of(preview: Preview) -> list[ProposalPart]:
    """Return what can be left out, in the order of the diffs. What was not sent whole cannot be chosen from."""
    parts: list[ProposalPart] = []
    for files in _units(preview):
        if files[0].unit:
            parts.append(ProposalPart(files, None, tuple(tuple(parse_diff(file.diff)) for file in files)))
        elif not files[0].truncated and files[0].change in {"create", "modify", "delete"}:
            parts += _parts_of_file(files[0])
    return parts


@dataclass(frozen=True, slots=True)
class PartGroup:
    """A file, or all files that belong together, with the parts that can be left out of it.

    Attributes:
        files: The files.
        parts: The parts with their numbers, in order; none where nothing can be left out.
    """

    files: tuple[FilePreview, ...]
    parts: tuple[tuple[int, ProposalPart], ...]

    @property
    def label(self) -> str:
        """Return the numbers, as a person would type them to leave all of it out: `[2-4] `."""
        if not self.parts:
            return ""
        first, last = self.parts[0][0], self.parts[-1][0]
        return f"[{first}] " if first == last else f"[{first}-{last}] "


def part_groups(preview: Preview) -> list[PartGroup]:
    """Return all files in the order in which their parts are numbered, those that belong together beside each other."""
    numbered: dict[str, list[tuple[int, ProposalPart]]] = {}
    for number, part in enumerate(parts_of(preview), 1):
        numbered.setdefault(part.file.path, []).append((number, part))
    return [PartGroup(files, tuple(numbered.get(files[0].path, ()))) for files in _units(preview)]


def _units(preview: Preview) -> list[tuple[FilePreview, ...]]:
    """Return the files in their order, those that belong together with the first of them."""
    units: dict[str | int, list[FilePreview]] = {}
    for at, file in enumerate(preview.files):
        units.setdefault(file.unit or at, []).append(file)
    return list(map(tuple, units.values()))


def draw_together(label: str, count: int) -> Text:
    """Return the line above files that belong together."""
    return Text(f"{label}These {count} files belong together:", "bold")


def draw_numbered(number: int, line: Text) -> Text:
    """Return the first line of a hunk, under its number."""
    return Text.assemble((f"[{number}] ", "bold"), line[2:])


def draw_parts(parts: Sequence[ProposalPart], width: int, *, first: int = 1) -> Iterator[Text]:
    """Yield the parts with their numbers, each file under its name.

    Args:
        parts: The parts to draw.
        width: Cells a line may have.
        first: The number of the first of them.
    """
    named = None
    for number, part in enumerate(parts, first):
        if len(part.files) > 1:
            yield draw_together(f"[{number}] ", len(part.files))
            for file, rows in zip(part.files, part.rows, strict=True):
                yield from draw_heading(file, width, margin="  ")
                yield from draw_diff(rows, width)
            continue
        if part.hunk is None:
            yield from draw_heading(part.file, width, margin=f"[{number}] ")
        elif part.file is not named:
            yield from draw_heading(part.file, width)
        named = part.file
        diff = draw_diff(part.rows[0], width)
        if part.hunk is not None and (first_line := next(diff, None)) is not None:
            yield draw_numbered(number, first_line)
        yield from diff
    yield Text()


def read_numbers(text: str, most: int) -> set[int] | None:
    """Return the numbers that `2 5-7` or `2,5` name, each from 1 to `most`; None when it names something else."""
    numbers: set[int] = set()
    for word in text.replace(",", " ").split():
        found = _NUMBERS.fullmatch(word)
        if found is None:
            return None
        first, last = int(found[1]), int(found[2] or found[1])
        if not 1 <= first <= last <= most:
            return None
        numbers |= set(range(first, last + 1))
    return numbers


def kept_hunks(parts: Sequence[ProposalPart], left_out: set[int]) -> dict[str, list[int]]:
    """Return what an answer says of the files of which something is left out: which hunks it keeps.

    Args:
        parts: All parts.
        left_out: The numbers of those that are not wanted.
    """
    kept: dict[str, list[int]] = {
        file.path: [] for number, part in enumerate(parts, 1) if number in left_out for file in part.files
    }
    for number, part in enumerate(parts, 1):
        if number not in left_out and part.file.path in kept and part.hunk is not None:
            kept[part.file.path].append(part.hunk)
    return kept


def new_text(part: ProposalPart) -> str:
    """Return the lines of a hunk as they would be afterwards, those around the change included."""
    lines = [row.text.removesuffix("\r") for row in part.rows[0] if row.new is not None]
    return "".join(f"{line}\n" for line in lines)


def _parts_of_file(file: FilePreview) -> Iterator[ProposalPart]:
    rows = parse_diff(file.diff)
    if file.change == "modify":
        for index, hunk in enumerate(_hunks(rows)):
            yield ProposalPart((file,), index, (hunk,))
    else:
        yield ProposalPart((file,), None, (tuple(rows),))


def _hunks(rows: Sequence[DiffRow]) -> Iterator[tuple[DiffRow, ...]]:
    starts = [at for at, row in enumerate(rows) if row.kind == "hunk"]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield tuple(rows[start:end])


TAKES: Final = {"v": Take.VAULT, "d": Take.DRAFT, "b": Take.BOTH}
"""The letters for what is taken."""
_NAMES: Final = {Take.VAULT: "the vault's", Take.DRAFT: "the draft's", Take.BOTH: "both"}
_CHOICE: Final = re.compile(r"([0-9][0-9 ,-]*)([vdb])", re.IGNORECASE)
_COMMENT: Final = re.compile(r"(.+?)(?::([0-9]{1,7}))?: +(.+)")
MOST_LINES: Final = 12
"""Lines of each side of a place that are shown."""


def draw_conflicts(places: Sequence[MergePlace], width: int) -> Iterator[Text]:
    """Yield each place with its number, what is in the vault, what the draft has, and what is taken."""
    for number, place in enumerate(places, 1):
        line = "" if place.line is None else f", line {place.line}"
        taken = "not chosen yet" if place.taken is None else f"{_NAMES[place.taken]} is taken"
        head = Text.assemble((f"[{number}] ", "bold"), sanitize(place.path, style="bold"), f"{line}: {place.why}; ")
        yield from fold(Text.assemble(head, (taken, "bold")), width, rest="    ")
        yield from _side("in the vault", place.vault, width)
        yield from _side("in the draft", place.draft, width)
    if places:
        yield Text()


def draw_newer(files: Sequence[FilePreview], width: int) -> Iterator[Text]:
    """Yield what is new of each file since the person looked through the draft last."""
    same = sum(file.since == "same" for file in files)
    for file in files:
        if file.since in {"new", "changed"}:
            what = "new in the draft" if file.since == "new" else "changed since you looked last"
            yield from fold(Text.assemble(sanitize(file.new_path or file.path, style="bold"), f": {what}"), width)
            yield from draw_diff(parse_diff(file.newer), width)
    if same:
        yield from wrap(Text(f"{same} of the files {'is' if same == 1 else 'are'} as you saw them last."), width)
    if any(file.since for file in files):
        yield Text()


def read_choice(word: str, places: Sequence[MergePlace]) -> dict[str, Take] | None:
    """Return what `1-3 v` or `2 b` says is taken at which places; None when it says nothing that can be."""
    found = _CHOICE.fullmatch(word.strip())
    numbers = read_numbers(found[1], len(places)) if found else None
    if not found or not numbers:
        return None
    take = TAKES[found[2].lower()]
    chosen = [places[number - 1] for number in sorted(numbers)]
    return {place.place_id: take for place in chosen} if all(take in place.offers for place in chosen) else None


def read_comment(text: str, preview: Preview) -> dict[str, str | int] | None:
    """Return what `Notes/Tea.md:12: words` says about a line, or without the number about a file; None: about none."""
    found = _COMMENT.fullmatch(text.strip())
    paths = {path for file in preview.files for path in (file.path, file.new_path)}
    if found is None or found[1] not in paths:
        return None
    return {"path": found[1], "text": found[3]} | ({"line": int(found[2])} if found[2] else {})


def _side(name: str, text: str, width: int) -> Iterator[Text]:
    yield Text(f"    {name}:" if text else f"    {name}: nothing that can be shown")
    lines = sanitize_lines(text.rstrip("\n")) if text else []
    for line in lines[:MOST_LINES]:
        yield from fold(line, width, first="    │ ")
    if len(lines) > MOST_LINES:
        yield Text(f"    … {len(lines) - MOST_LINES:,} more lines, which the diff shows", "bold")
