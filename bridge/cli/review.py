"""A draft's own parts of the screen: its conflicts with other changes, and what is new since last time."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from bridge.cli.diff import draw_diff, parse_diff
from bridge.cli.layout import fold, wrap
from bridge.cli.proposal_parts import read_numbers
from bridge.cli.sanitize import sanitize, sanitize_lines
from bridge.contract.consent import FilePreview, MergePlace, Preview, Take

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
        yield from fold(line, width, first="    │ ", rest="    │ ")
    if len(lines) > MOST_LINES:
        yield Text(f"    … {len(lines) - MOST_LINES:,} more lines, which the diff shows", "bold")
