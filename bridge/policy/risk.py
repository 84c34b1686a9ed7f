"""The risk of a change: effects of new text that its diff does not show, and how dangerous the whole is.

The preview of a change warns of hazards. Only the lines that a change adds are looked at: what was there before is no
news. The sentences go into the preview's warnings and are not part of the plan's digest. Only what is written plainly
is found; text that a plugin puts together when it runs cannot be foreseen.

The risk is judged by the effect on the vault, not by the tool that plans it; the thresholds are those of
`docs/protocol.md`, "Risk". Nothing is decided by it; it is shown with the question.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from bridge.contract.consent import Addition, FilePreview, RiskLevel
from bridge.vault.diff import parse_hunks
from bridge.vault.plan import ChangeKind, ChangePlan, Hazard
from bridge.vault.text import CHUNK, counted, hidden_characters, is_text, lookalikes

SHOWN: Final = 3
"""Places of one kind that are named in one file; the rest are only counted."""
LONGEST: Final = 80
"""Characters quoted of one place."""
_STEP: Final = 4_000
_REACH: Final = 500
"""A line is looked at in steps, each with so many characters more: a pattern must not hold up other threads."""

_REMOTE = r"(?:https?:|//|\\\\)[^\s)>\"']{0,200}"  # browsers add the slashes that are missing
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_SENTENCES: Final = {
    Hazard.LOADS: "loads something from the network when it is shown",
    Hazard.RUNS: "runs as a program when it is shown, where the plugin for it is installed",
    Hazard.LEADS_OUT: "leads out of the vault when it is followed",
    Hazard.HIDES: "holds characters that cannot be seen",
    Hazard.LOOKS_ALIKE: "holds letters of another script that look like Latin ones",
}
_KINDS: Final = {
    Hazard.LOADS: (
        rf"!\[(?:[^\]\n]{{0,200}}|(?:[^\]\\\n]|\\.){{0,200}}|(?:[^\]\n!]|!(?!\[))*)\]\(\s*+<?{_REMOTE}"
        r"|!\[(?:[^\[\]\\\n]|\\.){1,200}\](?:\[[^\]\n]{0,200}\]|(?![(\[]))"  # the address stands elsewhere in the note
        rf"|\b(?:src|srcset|poster|data|background)\s*+=\s*+[\"']?{_REMOTE}"
        rf"|\burl\(\s*+[\"']?{_REMOTE}"
        r"|<link\b"
    ),
    Hazard.RUNS: (
        r"(?:(?<!`)`{3,}+|(?<!~)~{3,}+)\s*+\{?"
        r"(?:(?:dataview-?\s{0,9}js|datacore(?:jsx?|tsx?)|js-engine|templater|meta-bind-js-view|customjs|run-\w+)\b|jsx?:)"
        r"|`\s*+\$=|<%|<script\b|<iframe\b|<object\b|<embed\b|javascript:"
    ),
    Hazard.HIDES: rf"[\ue000-\uf8ff\u2800]|[{_MARKS}]{{4,}}",  # of private use, blank, or piled up over other lines
    Hazard.LEADS_OUT: r"\b(?:obsidian|file):/{1,3}[^\s)>\"']{0,200}",
}
_PATTERNS: Final = {hazard: re.compile(pattern, re.IGNORECASE) for hazard, pattern in _KINDS.items()}
_CANVAS: Final = re.compile(rf'"url"\s{{0,9}}:\s{{0,9}}"{_REMOTE}', re.IGNORECASE)
_NAMES: Final = {ChangeKind.CREATE, ChangeKind.MOVE, ChangeKind.MKDIR}
_WRITES: Final = {ChangeKind.CREATE, ChangeKind.MODIFY}


@dataclasses.dataclass(slots=True)
class _Places:
    """The places of one kind of hazard in one file: the first few, and their number."""

    named: list[str] = dataclasses.field(default_factory=list)
    count: int = 0

    def add(self, line: int, column: int, what: str) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self.named.append(f"line {line}, column {column}: {what}")

    def __str__(self) -> str:
        return "; ".join([*self.named, *([f"and {self.count - SHOWN} more"] if self.count > SHOWN else [])])


def with_hazards(plan: ChangePlan) -> ChangePlan:
    """Return the same plan, with a warning for each thing its new text would do. The digest stays.

    Args:
        plan: What is about to be shown to a person.
    """
    found = list(hazards(plan))
    if not found:
        return plan
    warnings = (*plan.warnings, *(sentence for _hazard, sentence in found))
    return dataclasses.replace(plan, warnings=warnings, hazards=tuple(hazard for hazard, _sentence in found))


def hazards(plan: ChangePlan) -> Iterator[tuple[Hazard, str]]:
    """Yield each kind of hazard in each file, with its sentence.

    Args:
        plan: The change, with its previews.
    """
    new = {change.new_path or change.path for change in plan.changes if change.kind in _NAMES}
    for path in plan.targets:
        if names := dict.fromkeys(name for _offset, name in hidden_characters(path)):
            yield Hazard.HIDES, f"The name {path!a} {_SENTENCES[Hazard.HIDES]}: {', '.join(names)}"
        if path in new and (words := [what for _offset, what in lookalikes(path)]):
            alike = ", ".join(words[:SHOWN])
            yield Hazard.LOOKS_ALIKE, f"The name {path!r} {_SENTENCES[Hazard.LOOKS_ALIKE]}: {alike}"
    for change, preview in zip(plan.changes, plan.previews, strict=False):
        if change.kind not in _WRITES:
            continue
        found: dict[Hazard, _Places] = {}
        for number, text in added_lines(preview, plan.blobs[change.after or ""]):
            for hazard, offset, what in _hazards_of_line(text, canvas=change.path.lower().endswith(".canvas")):
                found.setdefault(hazard, _Places()).add(number, offset + 1, what)
        for hazard, places in found.items():
            yield hazard, f"The new text of {change.path!r} {_SENTENCES[hazard]}: {places}"


def _hazards_of_line(text: str, *, canvas: bool) -> Iterator[tuple[Hazard, int, str]]:
    """Yield the hazards in one line: what it does, where, and the text that does it."""
    for start in range(0, len(text), _STEP):
        for hazard, pattern in (*_PATTERNS.items(), *([(Hazard.LOADS, _CANVAS)] if canvas else [])):
            for found in pattern.finditer(text, start, start + _STEP + _REACH):
                if found.start() < start + _STEP:
                    yield hazard, found.start(), _quoted(found[0])
    for offset, name in hidden_characters(text):
        yield Hazard.HIDES, offset, name
    for offset, what in lookalikes(text):
        yield Hazard.LOOKS_ALIKE, offset, what


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


_OVERLAP = 1_000


def added_lines(preview: FilePreview, new: bytes) -> Iterator[tuple[int, str]]:
    """Yield every line that a change adds, without its ending, and its number.

    Where the diff was too long to be shown whole, every line of the new bytes counts: nothing hides behind length.

    Args:
        preview: The change as it is shown.
        new: The bytes the file will have.
    """
    if is_text(new):
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


_ADDRESS: Final = re.compile(r"https?://([^\s<>\"'`|\\\]}]{3,8192})", re.IGNORECASE)
_AT_ONCE: Final = 1 << 16
_ENDS: Final = ".,;:!?*_)"
_KEPT: Final = "%/:=&?~#+!$,;@()*[]'"


def address_key(address: str) -> str:
    """Return an address as it is compared: without its scheme and fragment, its host in lower case.

    Args:
        address: It all, or what follows the scheme.
    """
    rest = address.partition("://")[2] or address
    rest = rest.partition("#")[0]
    if not rest.isascii():
        rest = quote(rest, safe=_KEPT)
    end = next((at for at, character in enumerate(rest) if character in "/?"), len(rest))
    host, target = rest[:end].lower(), rest[end:]
    return f"{host}{target}" if target.startswith("/") else f"{host}/{target}"


def found_in(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what a pattern finds in a text, in steps that hold up no other thread.

    Args:
        pattern: It finds nothing that is longer than a step.
        text: Any text.
    """
    at = 0
    while at < len(text):
        end = at + _AT_ONCE
        for found in pattern.finditer(text, at, end + _AT_ONCE):
            if found.start() >= end:
                break
            yield found
            at = found.end()
        at = max(at, end)


def addresses(text: str) -> Iterator[str]:
    """Yield the keys of all addresses in a text; where punctuation may end one, with it and without it.

    Args:
        text: Of a note or an answer.
    """
    for found in found_in(_ADDRESS, text):
        whole = found[1]
        for form in {whole, whole.rstrip(_ENDS), whole.partition(")")[0]}:
            yield address_key(form)


MANY_LINES: Final = 20
"""Lines lost, or replaced with the whole text, from which a change is of high risk."""
MANY_CHANGED_LINES: Final = 100
"""Lines that get another text, from which it is."""
MANY_FILES: Final = 20
"""Files moved or changed, from which it is; files created or only added to, from which it is of medium risk."""

_ORDER: Final = tuple(RiskLevel)
_HAZARDS: Final = {
    Hazard.RUNS: (RiskLevel.HIGH, "adds text that runs as a program"),
    Hazard.HIDES: (RiskLevel.HIGH, "adds characters that cannot be seen"),
    Hazard.LOOKS_ALIKE: (RiskLevel.MEDIUM, "adds letters that look like others"),
    Hazard.LOADS: (RiskLevel.MEDIUM, "adds text that loads something from the network"),
    Hazard.CARRIES: (RiskLevel.HIGH, "adds an address that carries text of a note"),
    Hazard.LEADS_OUT: (RiskLevel.MEDIUM, "adds a link that leads out of the vault"),
}
_ADDS: Final = {Addition.TAG: "adds tags", Addition.PROPERTY: "adds properties", Addition.APPEND: "adds text"}

_Part = tuple[RiskLevel, str]


class Risk(NamedTuple):
    """The risk of a call.

    Attributes:
        level: The level that is shown.
        reasons: What makes it so, in short phrases for people such as `deletes 3 files`, the worst first.
    """

    level: RiskLevel
    reasons: tuple[str, ...] = ()


def assess(fixed: RiskLevel | None, plan: ChangePlan) -> Risk:
    """Return the risk of a change.

    Args:
        fixed: The level that the tool has whatever it does; None to go by the plan.
        plan: The change, with its warnings.
    """
    parts = sorted(_parts(plan), key=lambda part: -_ORDER.index(part[0]))
    level = fixed or (parts[0][0] if parts else RiskLevel.LOW)
    return Risk(level, tuple(reason for _level, reason in parts))


def _parts(plan: ChangePlan) -> Iterator[_Part]:
    """Yield everything that a change does, each with the level that it alone would have."""
    count = {kind: sum(change.kind is kind for change in plan.changes) for kind in ChangeKind}
    if deleted := count[ChangeKind.DELETE]:
        yield RiskLevel.HIGH, f"deletes {counted(deleted, 'file')}"
    elif count[ChangeKind.RMDIR] and not count[ChangeKind.MOVE]:
        yield RiskLevel.MEDIUM, f"removes {counted(count[ChangeKind.RMDIR], 'folder')}"
    for hazard in dict.fromkeys(plan.hazards):
        yield _HAZARDS[hazard]
    if plan.moved:
        yield _many(len(plan.moved), RiskLevel.MEDIUM), f"moves {counted(len(plan.moved), 'file')}"
    if plan.follows:
        yield _many(len(plan.follows), RiskLevel.MEDIUM), f"changes links in {counted(len(plan.follows), 'file')}"
    own = [shown for shown in plan.previews if shown.change in {"modify", "move"} and not shown.follows]
    yield from _added(plan, own) if plan.additions is not None else _edited(plan, own)
    if created := count[ChangeKind.CREATE]:
        yield _many(created, RiskLevel.LOW), f"creates {counted(created, 'file')}"
    elif count[ChangeKind.MKDIR] and not (plan.moved or count[ChangeKind.RMDIR]):
        yield RiskLevel.LOW, f"creates {counted(count[ChangeKind.MKDIR], 'folder')}"
    if len(plan.warnings) > len(plan.hazards):
        yield RiskLevel.MEDIUM, "comes with a warning"


def _added(plan: ChangePlan, own: Sequence[FilePreview]) -> Iterator[_Part]:
    """Yield the risk of the additions that a change makes without doing anything else."""
    for addition, reason in _ADDS.items():
        if addition in (plan.additions or ()):
            yield RiskLevel.LOW, reason
    if len(own) >= MANY_FILES:
        yield RiskLevel.MEDIUM, f"changes {counted(len(own), 'file')}"


def _edited(plan: ChangePlan, own: Sequence[FilePreview]) -> Iterator[_Part]:
    """Yield the risk of a change to existing lines."""
    lost = sum(max(shown.removed - shown.added, 0) for shown in own)
    changed = sum(min(shown.removed, shown.added) for shown in own)
    if plan.replaces:
        yield _level(lost + changed, MANY_LINES), "replaces the whole text of a file"
    if lost:
        yield _level(lost, MANY_LINES), f"removes {counted(lost, 'line')}"
    if changed:
        yield _level(changed, MANY_CHANGED_LINES), f"changes {counted(changed, 'line')}"
    if any(shown.change == "modify" and not shown.removed for shown in own):
        yield RiskLevel.MEDIUM, "adds lines that may change how others are read"
    if len(own) - len(plan.moved) >= MANY_FILES:
        yield RiskLevel.HIGH, f"changes {counted(len(own) - len(plan.moved), 'file')}"


def _level(lines: int, many: int) -> RiskLevel:
    return RiskLevel.HIGH if lines >= many else RiskLevel.MEDIUM


def _many(files: int, few: RiskLevel) -> RiskLevel:
    """Return the level of so many files, which is one higher from `MANY_FILES` on."""
    return few if files < MANY_FILES else _ORDER[_ORDER.index(few) + 1]


def additions_of(plan: ChangePlan) -> frozenset[Addition] | None:
    """Return what a plan adds, when it does nothing else and there is nothing to warn of.

    Args:
        plan: The plan, with its warnings.

    Returns:
        The kinds of what is added; None when the plan does anything else.
    """
    return None if plan.warnings or plan.replaces or plan.reversal or plan.follows else plan.additions
