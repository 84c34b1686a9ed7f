"""The parts of a change that can be left out of a yes: hunks, files that come or go, files that belong together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from bridge.cli.diff import DiffRow, draw_diff, draw_heading, parse_diff
from bridge.contract.consent import FilePreview, Preview

_NUMBERS: Final = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


@dataclass(frozen=True, slots=True)
class Part:
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


def parts_of(preview: Preview) -> list[Part]:
    """Return what can be left out, in the order of the diffs. What was not sent whole cannot be chosen from."""
    parts: list[Part] = []
    units: dict[str, list[FilePreview]] = {}
    for file in preview.files:
        if file.unit:
            units.setdefault(file.unit, []).append(file)
    for file in preview.files:
        if file.unit:
            if unit := units.pop(file.unit, None):
                rows = tuple(tuple(parse_diff(one.diff)) for one in unit)
                parts.append(Part(tuple(unit), None, rows))
        elif not file.truncated and file.change in {"create", "modify", "delete"}:
            parts += _parts_of_file(file)
    return parts


@dataclass(frozen=True, slots=True)
class PartGroup:
    """A file, or all files that belong together, with the parts that can be left out of it.

    Attributes:
        files: The files.
        parts: The parts with their numbers, in order; none where nothing can be left out.
    """

    files: tuple[FilePreview, ...]
    parts: tuple[tuple[int, Part], ...]

    @property
    def label(self) -> str:
        """Return the numbers, as a person would type them to leave all of it out: `[2-4] `."""
        if not self.parts:
            return ""
        first, last = self.parts[0][0], self.parts[-1][0]
        return f"[{first}] " if first == last else f"[{first}-{last}] "


def part_groups(preview: Preview) -> list[PartGroup]:
    """Return all files in the order in which their parts are numbered, those that belong together beside each other."""
    numbered: dict[str, list[tuple[int, Part]]] = {}
    for number, part in enumerate(parts_of(preview), 1):
        numbered.setdefault(part.file.path, []).append((number, part))
    units: dict[str, list[FilePreview]] = {}
    for file in preview.files:
        units.setdefault(file.unit, []).append(file)
    groups = []
    for file in preview.files:
        files = tuple(units.pop(file.unit, ())) if file.unit else (file,)
        if files:
            groups.append(PartGroup(files, tuple(numbered.get(files[0].path, ()))))
    return groups


def draw_together(label: str, count: int) -> Text:
    """Return the line above files that belong together."""
    return Text(f"{label}These {count} files belong together:", "bold")


def draw_numbered(number: int, line: Text) -> Text:
    """Return the first line of a hunk, under its number."""
    return Text.assemble((f"[{number}] ", "bold"), line[2:])


def draw_parts(parts: Sequence[Part], width: int, *, first: int = 1) -> Iterator[Text]:
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


def kept_hunks(parts: Sequence[Part], left_out: set[int]) -> dict[str, list[int]]:
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


def new_text(part: Part) -> str:
    """Return the lines of a hunk as they would be afterwards, those around the change included."""
    lines = [row.text.removesuffix("\r") for row in part.rows[0] if row.new is not None]
    return "".join(f"{line}\n" for line in lines)


def _parts_of_file(file: FilePreview) -> Iterator[Part]:
    rows = parse_diff(file.diff)
    if file.change == "modify":
        for index, hunk in enumerate(_hunks(rows)):
            yield Part((file,), index, (hunk,))
    else:
        yield Part((file,), None, (tuple(rows),))


def _hunks(rows: Sequence[DiffRow]) -> Iterator[tuple[DiffRow, ...]]:
    starts = [at for at, row in enumerate(rows) if row.kind == "hunk"]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield tuple(rows[start:end])
