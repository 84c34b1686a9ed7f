"""What new text would do that its diff does not show (seed L: the preview tells the whole truth).

Looked at are the lines that a change adds, and nothing else: what was there before is no news. The sentences go into
the preview's warnings and are no part of the plan's digest. Found is what is written plainly; text that a plugin puts
together when it runs cannot be foreseen.
"""

import dataclasses
import re
from collections.abc import Iterator
from typing import Final

from bridge.policy.added import added_lines
from bridge.policy.hidden import hidden_characters
from bridge.vault.plan import ChangeKind, ChangePlan

SHOWN: Final = 3
"""Places named of one kind in one file; of the rest only the number is told."""
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
_PATTERNS: Final = {told: re.compile(pattern, re.IGNORECASE) for told, pattern in _KINDS.items()}
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
    """The same plan, warning of what its new text would do. The digest stays."""
    found = tuple(hazards(plan))
    return dataclasses.replace(plan, warnings=(*plan.warnings, *found)) if found else plan


def hazards(plan: ChangePlan) -> Iterator[str]:
    """A sentence for each kind of hazard in each file."""
    for path in plan.targets:
        if names := dict.fromkeys(name for _offset, name in hidden_characters(path)):
            yield f"The name {path!a} {_HIDES}: {', '.join(names)}"
    for change, preview in zip(plan.changes, plan.previews, strict=False):
        if change.kind not in _WRITES:
            continue
        found: dict[str, _Places] = {}
        for number, text in added_lines(preview, plan.blobs[change.after or ""]):
            for told, offset, what in _of_line(text, canvas=change.path.lower().endswith(".canvas")):
                found.setdefault(told, _Places()).add(number, offset + 1, what)
        for told, places in found.items():
            yield f"The new text of {change.path!r} {told}: {places}"


def _of_line(text: str, *, canvas: bool) -> Iterator[tuple[str, int, str]]:
    """The hazards in one line: what it does, where, and the text that does it."""
    for start in range(0, len(text), _STEP):
        for told, pattern in (*_PATTERNS.items(), *([(_LOADS, _CANVAS)] if canvas else [])):
            for found in pattern.finditer(text, start, start + _STEP + _REACH):
                if found.start() < start + _STEP:
                    yield told, found.start(), _quoted(found[0])
    for offset, name in hidden_characters(text):
        yield _HIDES, offset, name


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")
