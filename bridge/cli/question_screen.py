"""The consent question as the terminal shows it.

Column 0 belongs to the screen. Whatever an agent, a note or a tool says stands indented, inert and folded, so that it
can neither look like a line of the screen nor push one away.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len
from rich.text import Text

from bridge.cli.diff import draw_diff, draw_heading, draw_truncation, parse_diff
from bridge.cli.layout import fold, wrap
from bridge.cli.parameters import ParameterTree
from bridge.cli.sanitize import sanitize, sanitize_lines
from bridge.contract.consent import ConsentRequest, Covers, Decision, FilePreview, Preview, RiskLevel
from bridge.contract.targets import Reach
from bridge.identity.caller import UNNAMED

MOST_DIFF_LINES = 300
"""Lines of diff that are shown before the rest waits behind the key `p`."""
MOST_DIFF_CHARACTERS = 40_000
"""Of one line: more than those screen lines can hold."""
MOST_FILES = 40
"""Files without a diff (folders, moves) that are listed before the rest waits."""
MOST_TARGETS = 10
MOST_DESCRIPTION_LINES = 3
MOST_SPOKEN_LINES = 6
MOST_REQUEST_LINES = 40
MOST_REQUEST_CHARACTERS = 6000
MOST_WARNING_LINES = 20
LONG_SCREEN = 30
"""Lines after which the summary is said once more beside the choices."""

KEYS: dict[str, Decision] = {
    "y": Decision.ALLOW_ONCE,
    "s": Decision.ALLOW_SESSION,
    "a": Decision.ALLOW_ALWAYS,
    "n": Decision.DENY_ONCE,
    "d": Decision.DENY_SESSION,
    "x": Decision.DENY_ALWAYS,
}
"""What a person types for each decision."""

LABELS: dict[Decision, str] = {
    Decision.ALLOW_ONCE: "allow once",
    Decision.ALLOW_SESSION: "allow for this session",
    Decision.ALLOW_ALWAYS: "always allow",
    Decision.DENY_ONCE: "deny",
    Decision.DENY_SESSION: "deny for this session",
    Decision.DENY_ALWAYS: "never allow",
}

REMEMBERED = {
    Decision.ALLOW_SESSION: "for this session",
    Decision.DENY_SESSION: "for this session",
    Decision.ALLOW_ALWAYS: "always",
    Decision.DENY_ALWAYS: "never",
}

_BADGE = {
    RiskLevel.SAFE: ("[SAFE]", "bold black on green", "green"),
    RiskLevel.LOW: ("[LOW RISK]", "bold white on blue", "blue"),
    RiskLevel.MEDIUM: ("[MEDIUM RISK]", "bold black on yellow", "yellow"),
    RiskLevel.HIGH: ("[HIGH RISK]", "bold white on red", "red"),
}
_ICONS = {
    "wrench": "🔧",
    "search": "🔍",
    "globe": "🌐",
    "file-text": "📄",
    "terminal": "💻",
    "undo": "🔙",
    "redo": "🔜",
}
_WARNING = "bold black on yellow"
_LABEL = 12
"""Columns of the words on the left."""


@dataclass(frozen=True, slots=True)
class DrawnQuestion:
    """A drawn question.

    Attributes:
        lines: What to print.
        cut: Whether something was left out that the key `p` shows.
    """

    lines: list[Text]
    cut: bool


def draw_question(request: ConsentRequest, *, width: int, now: datetime, full: bool = False) -> DrawnQuestion:
    """The whole question.

    Args:
        request: The question.
        width: Cells a line may have.
        now: For how long it is still open.
        full: Leave nothing out, however long.
    """
    return _Drawing(request, width, full=full).draw(now)


def offered_keys(request: ConsentRequest, *, cut: bool) -> dict[str, str]:
    """What can be typed, with what it means: the choices that the question offers, and only those.

    Args:
        request: The question.
        cut: Whether something was left out of the screen, which `p` shows.
    """
    offered = {key: LABELS[decision] for key, decision in KEYS.items() if decision in request.choices}
    if Decision.DENY_ONCE in request.choices:
        offered["m"] = "deny, and tell the agent why"
    if can_choose(request):
        offered["w"] = "choose how far and for whom"
    if cut:
        offered["p"] = "show all of it first"
    return offered


def can_choose(request: ConsentRequest) -> bool:
    """Whether an answer for longer can say how far it reaches, or for whom it holds; older bridges take neither."""
    return bool(request.client_id) and any(choice in REMEMBERED for choice in request.choices)


def reaches(request: ConsentRequest) -> dict[Reach | None, str]:
    """How far an answer for longer may reach, in words, the usual reach first; it is the one that names no rung."""
    rungs: dict[Reach | None, str] = {rung.reach: rung.label for rung in request.ladder}
    if request.covers is Covers.TOOL:
        return {None: f"every use of {request.tool.title}"} | rungs
    if not rungs:
        return {None: "this target" if len(request.targets) == 1 else "these targets"}
    narrowest = next(iter(rungs))
    return {None: rungs.pop(narrowest)} | rungs


def holders(request: ConsentRequest, decision: Decision) -> dict[bool, str]:
    """For whom an answer for longer can hold, in words: for everyone or not; the usual one first."""
    one = request.client if request.verified else "programs without a name of their own"
    if decision is Decision.ALLOW_SESSION and not request.verified:
        one = "this connection of the program"
    if decision is Decision.DENY_ALWAYS:
        return {True: "every program", False: one}
    return {False: one} | ({True: "every program"} if decision is Decision.ALLOW_ALWAYS else {})


def choice_lines(request: ConsentRequest, width: int, *, cut: bool) -> Iterator[Text]:
    """The legend of `offered_keys`, no wider than `width` cells."""
    line = Text()
    for key, label in offered_keys(request, cut=cut).items():
        piece = Text.assemble((f" {key} ", "bold reverse"), f" {label}")
        if line and line.cell_len + 3 + piece.cell_len > width:
            yield from wrap(line, width)
            line = Text()
        line = Text.assemble(line, "   ", piece) if line else piece
    yield from wrap(line, width)


def remaining(request: ConsentRequest, now: datetime) -> str:
    """How long the question is still open, in words."""
    seconds = int((datetime.fromisoformat(request.expires_at) - now).total_seconds())
    if seconds <= 0:
        return "expired"
    minutes, seconds = divmod(seconds, 60)
    return f"expires in {minutes} min {seconds} s" if minutes else f"expires in {seconds} s"


class _Drawing:
    """One drawing of one question."""

    def __init__(self, request: ConsentRequest, width: int, *, full: bool) -> None:
        self._request = request
        self._preview = request.preview or Preview()
        self._diffs = [parse_diff(file.diff) for file in self._preview.files]
        self._width = width
        self._full = full
        self._cut = False

    def draw(self, now: datetime) -> DrawnQuestion:
        lines = [*self._head(), *self._who(), Text(), *self._parameters(), *self._request_text(), *self._files()]
        lines += self._foot(now, long=len(lines) > LONG_SCREEN)
        return DrawnQuestion(lines, self._cut)

    def _head(self) -> Iterator[Text]:
        tool = self._request.tool
        badge, badge_style, colour = _BADGE[self._request.risk_level]
        yield Text("━" * self._width, colour)
        icon = f"{_ICONS.get(tool.icon, _ICONS['wrench'])} "
        title = sanitize(tool.title, style="bold")
        if tool.title.lower().replace(" ", "_") != tool.name:
            title = Text.assemble(title, " (", sanitize(tool.name), ")")
        gap = self._width - cell_len(icon) - title.cell_len - cell_len(badge)
        if gap > 0:
            yield Text.assemble(icon, title, " " * gap, (badge, badge_style))
        else:
            yield Text(badge, badge_style)
            yield from fold(title, self._width, first=icon, rest="   ")
        summary = list(wrap(sanitize(self._request.summary, style="bold"), self._width, first="  ", rest="  "))
        yield from self._limit(summary, MOST_SPOKEN_LINES)
        yield Text()

    def _who(self) -> Iterator[Text]:
        request = self._request
        yield from self._limit(list(self._labelled("Asked by", self._asker())), MOST_SPOKEN_LINES)
        if request.reason:
            reason = Text("\n").join(sanitize_lines(request.reason, style="italic"))
            yield from self._limit(list(self._labelled("It says", reason)), MOST_SPOKEN_LINES)
        yield from self._limit(
            list(self._labelled("What it is", sanitize(request.tool.description))), MOST_DESCRIPTION_LINES
        )
        label = "Target" if len(request.targets) == 1 else "Targets"
        shown = (
            request.targets
            if self._full or len(request.targets) <= MOST_TARGETS + 1
            else request.targets[:MOST_TARGETS]
        )
        for target in shown:
            yield from self._labelled(label, sanitize(target))
            label = ""
        if len(shown) < len(request.targets):
            yield from self._more(f"{len(request.targets) - len(shown)} more targets")

    def _asker(self) -> Text:
        """The name that the person gave, or that there is none; what the program calls itself proves nothing."""
        request = self._request
        itself = request.calls_itself if request.client_id else request.client
        said = Text.assemble("calls itself ", sanitize(itself, style="underline")) if itself else Text()
        if not request.verified:
            unnamed = Text(UNNAMED)
            return Text.assemble(unnamed, ", ", said, " (unverified)") if said else unnamed
        name = sanitize(request.client, style="bold")
        return Text.assemble(name, ", ", said) if said and itself != request.client else name

    def _parameters(self) -> Iterator[Text]:
        if not self._request.parameters:
            return
        tree = ParameterTree(self._diffs, width=self._width, full=self._full)
        yield Text("Parameters", "bold")
        yield from tree.draw(self._request.parameters)
        yield Text()
        self._cut = self._cut or tree.is_cut

    def _request_text(self) -> Iterator[Text]:
        """The exact request or command of a tool that reaches outside."""
        if self._preview.request is None:
            return
        yield Text("Exactly this", "bold")
        lines = sanitize_lines(self._preview.request[: None if self._full else MOST_REQUEST_CHARACTERS])
        drawn = [piece for line in lines for piece in fold(line, self._width, first="  │ ", rest="  │ ")]
        yield from self._limit(drawn, MOST_REQUEST_LINES)
        if len(self._preview.request) > MOST_REQUEST_CHARACTERS and not self._full:
            yield from self._more(f"{len(self._preview.request)} characters in all")
        yield Text()

    def _files(self) -> Iterator[Text]:
        """What is moved or made, then the diffs; of many files only the first ones, and the names of the others."""
        shown = list(zip(self._preview.files, self._diffs, strict=True))
        bare = [line for file, rows in shown if not rows for line in draw_heading(file, self._width)]
        if bare:
            yield from self._limit(bare, MOST_FILES)
            yield Text()
        room = MOST_DIFF_LINES
        waiting: list[FilePreview] = []
        for file, rows in shown:
            if not rows:
                continue
            if not room and not self._full:
                waiting.append(file)
                continue
            yield from draw_heading(file, self._width)
            if self._full:
                yield from draw_diff(rows, self._width)
            else:
                drawn = list(itertools.islice(draw_diff(rows, self._width, clip=MOST_DIFF_CHARACTERS), room + 1))
                yield from drawn[:room]
                if len(drawn) > room:
                    yield from self._more(f"more of this diff ({len(rows)} rows)")
                room = max(0, room - len(drawn))
            if file.truncated:
                yield from draw_truncation(self._width)
            yield Text()
        if waiting:
            yield from self._limit([line for file in waiting for line in draw_heading(file, self._width)], MOST_FILES)
            yield from self._more(
                "diffs of one more file" if len(waiting) == 1 else f"diffs of {len(waiting)} more files"
            )
            yield Text()

    def _foot(self, now: datetime, *, long: bool) -> Iterator[Text]:
        warnings = [
            line
            for warning in self._preview.warnings
            for line in self._labelled("Warning", sanitize(warning, style="bold"), _WARNING)
        ]
        yield from self._limit(warnings, MOST_WARNING_LINES)
        if self._preview.backup is not None:
            yield from self._labelled("Backup", sanitize(self._preview.backup))
        elif self._preview.files and any(file.change in {"modify", "delete"} for file in self._preview.files):
            yield from self._labelled("Backup", Text("none is kept: this cannot be undone", "bold"), _WARNING)
        at = datetime.fromisoformat(self._request.expires_at).astimezone()
        yield from self._labelled("Open until", Text(f"{at:%H:%M:%S} ({remaining(self._request, now)})"))
        if long:
            yield from self._labelled("In short", sanitize(self._request.summary))
        yield from self._what_holds()
        yield Text()

    def _what_holds(self) -> Iterator[Text]:
        """What an answer that is remembered is remembered for, and why some are not offered."""
        choices = self._request.choices
        label = "Remembered"
        for choice in (choice for choice in choices if choice in REMEMBERED):
            whom = next(iter(holders(self._request, choice).values()))
            yield from self._labelled(label, Text.assemble(f"“{LABELS[choice]}” holds for ", sanitize(whom)))
            label = ""
        if not label:
            usual = next(iter(reaches(self._request).values()))
            yield from self._labelled("Reaches", sanitize(usual))
        if Decision.ALLOW_ALWAYS not in choices:
            every = "" if Decision.ALLOW_SESSION in choices else ": it asks every time"
            yield from self._labelled("", Text(f"“always allow” is not offered for this tool{every}"))

    def _labelled(self, label: str, value: Text, style: str = "bold") -> Iterator[Text]:
        margin = " " * _LABEL
        lines = [piece for line in value.split("\n") for piece in wrap(line, self._width, first=margin, rest=margin)]
        lines[0] = Text.assemble((label, style), " " * (_LABEL - len(label)), lines[0][_LABEL:])
        return iter(lines)

    def _limit(self, lines: Sequence[Text], most: int) -> Iterator[Text]:
        if self._full or len(lines) <= most + 1:
            yield from lines
            return
        yield from lines[:most]
        yield from self._more(f"{len(lines) - most} more lines")

    def _more(self, what: str) -> Iterator[Text]:
        self._cut = True
        yield from wrap(Text(f"… {what}: p shows all", "bold"), self._width, first="  ", rest="  ")
