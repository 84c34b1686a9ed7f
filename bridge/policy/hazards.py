"""What new text would do that its diff does not show. The preview of a change warns of it.

Only the lines that a change adds are looked at: what was there before is no news. The sentences go into the preview's
warnings and are not part of the plan's digest. Only what is written plainly is found; text that a plugin puts together
when it runs cannot be foreseen.

Hidden characters are those that nobody sees: they turn text around, join or split words, or carry a message that only
programs read. The ranges are those of Unicode's Default_Ignorable_Code_Point and Bidi_Control, the control characters,
and the tags with which text is smuggled past people to language models ("ASCII smuggling"). What belongs to a script
or to an emoji is no trick: a joiner between two letters that are not ASCII, and the variation selectors 1 to 16.
"""

import dataclasses
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from bridge.contract.consent import FilePreview
from bridge.vault.diff import parse_hunks
from bridge.vault.file_types import is_binary
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.text import CHUNK

SHOWN: Final = 3
"""Places of one kind that are named in one file; the rest are only counted."""
LONGEST: Final = 80
"""Characters quoted of one place."""
_STEP: Final = 4_000
_REACH: Final = 500
"""A line is looked at in steps, each with so many characters more: a pattern must not hold up other threads."""

_REMOTE = r"(?:https?:)?(?://|\\\\)[^\s)>\"']{0,200}"
_LOADS: Final = "loads something from the network when it is shown"
_HIDES: Final = "holds characters that cannot be seen"
_KINDS: Final = {
    _LOADS: (
        rf"!\[[^\]\n]{{0,200}}\]\(\s{{0,9}}<?{_REMOTE}"
        r"|!\[[^\[\]\n]{1,200}\](?:\[[^\]\n]{0,200}\]|(?![(\[]))"  # the address stands elsewhere in the note
        rf"|\b(?:src|srcset|poster|data|background)\s{{0,9}}=\s{{0,9}}[\"']?{_REMOTE}"
        rf"|\burl\(\s{{0,9}}[\"']?{_REMOTE}"
        r"|<link\b"
    ),
    "runs as a program when it is shown, where the plugin for it is installed": (
        r"(?:`{3,}|~{3,})\s{0,9}\{?(?:dataview-?\s{0,9}js|datacore(?:jsx?|tsx?)|js-engine|templater|meta-bind-js-view|run-\w+)\b"
        r"|`\$=|<%|<script\b|<iframe\b|<object\b|<embed\b|javascript:"
    ),
    "leads out of the vault when it is followed": r"\b(?:obsidian|file):/{1,3}[^\s)>\"']{0,200}",
}
_PATTERNS: Final = {hazard: re.compile(pattern, re.IGNORECASE) for hazard, pattern in _KINDS.items()}
_CANVAS: Final = re.compile(rf'"url"\s{{0,9}}:\s{{0,9}}"{_REMOTE}', re.IGNORECASE)
_WRITES: Final = {ChangeKind.CREATE, ChangeKind.MODIFY}


@dataclasses.dataclass(slots=True)
class _Places:
    """Where one kind of hazard is in one file: the first few, and how many."""

    named: list[str] = dataclasses.field(default_factory=list)
    count: int = 0

    def add(self, line: int, column: int, what: str) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self.named.append(f"line {line}, column {column}: {what}")

    def __str__(self) -> str:
        return "; ".join([*self.named, *([f"and {self.count - SHOWN} more"] if self.count > SHOWN else [])])


def with_hazards(plan: ChangePlan) -> ChangePlan:
    """The same plan, with a warning for each thing its new text would do. The digest stays.

    Args:
        plan: What is about to be shown to a person.
    """
    found = tuple(hazards(plan))
    return dataclasses.replace(plan, warnings=(*plan.warnings, *found)) if found else plan


def hazards(plan: ChangePlan) -> Iterator[str]:
    """A sentence for each kind of hazard in each file.

    Args:
        plan: The change, with its previews.
    """
    for path in plan.targets:
        if names := dict.fromkeys(name for _offset, name in hidden_characters(path)):
            yield f"The name {path!a} {_HIDES}: {', '.join(names)}"
    for change, preview in zip(plan.changes, plan.previews, strict=False):
        if change.kind not in _WRITES:
            continue
        found: dict[str, _Places] = {}
        for number, text in added_lines(preview, plan.blobs[change.after or ""]):
            for hazard, offset, what in _hazards_of_line(text, canvas=change.path.lower().endswith(".canvas")):
                found.setdefault(hazard, _Places()).add(number, offset + 1, what)
        for hazard, places in found.items():
            yield f"The new text of {change.path!r} {hazard}: {places}"


def _hazards_of_line(text: str, *, canvas: bool) -> Iterator[tuple[str, int, str]]:
    """The hazards in one line: what it does, where, and the text that does it."""
    for start in range(0, len(text), _STEP):
        for hazard, pattern in (*_PATTERNS.items(), *([(_LOADS, _CANVAS)] if canvas else [])):
            for found in pattern.finditer(text, start, start + _STEP + _REACH):
                if found.start() < start + _STEP:
                    yield hazard, found.start(), _quoted(found[0])
    for offset, name in hidden_characters(text):
        yield _HIDES, offset, name


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


_OVERLAP = 1_000


def added_lines(preview: FilePreview, new: bytes) -> Iterator[tuple[int, str]]:
    """Every line that a change adds, without its ending, and its number.

    Where the diff was too long to be shown whole, every line of the new bytes counts: nothing hides behind length.

    Args:
        preview: The change as it is shown.
        new: The bytes the file will have.
    """
    if not is_binary(new):
        lines = (
            _all_lines(new)
            if preview.truncated
            else (line for hunk in parse_hunks(preview.diff) for line in hunk.added())
        )
        for number, line in lines:
            text = line.removesuffix("\n").removesuffix("\r")
            yield number, text.removeprefix("\ufeff") if number == 1 else text  # a byte order mark is no text


def _all_lines(data: bytes) -> Iterator[tuple[int, str]]:
    start, number = 0, 1
    while start < len(data):
        # A line that is longer than a chunk comes in several: decoding all of it would hold up other threads. They
        # overlap, so that nothing is missed because it lies on a cut.
        end = data.find(b"\n", start, start + CHUNK) + 1 or min(start + CHUNK, len(data))
        yield number, data[start:end].decode("utf-8", "backslashreplace")
        whole = data[end - 1] == ord("\n") or end == len(data)
        number, start = number + whole, end if whole else end - _OVERLAP


_ALWAYS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but for tab and line breaks
    "\r"  # a carriage return inside a line overwrites it on a terminal
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_HIDDEN = re.compile(f"[{_ALWAYS}]|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")


def hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    """Where a text holds characters that are not seen: the offset, and the name such as `U+200B ZERO WIDTH SPACE`."""
    if not (text.isascii() and text.isprintable()):  # most lines of most notes
        for found in _HIDDEN.finditer(text):
            yield found.start(), _name(found[0])


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    try:
        return f"{code} {unicodedata.name(character)}"
    except ValueError:
        return code
