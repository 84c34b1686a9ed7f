"""The consent question as the terminal shows it.

Column 0 belongs to the screen. Whatever an agent, a note or a tool says stands indented, inert and folded, so that it
can neither look like a line of the screen nor push one away. A parameter that the diff shows line by line is named and
not repeated.
"""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from bridge.cli.diff import DiffRow, draw_diff, draw_heading, draw_truncation, parse_diff, shorten
from bridge.cli.layout import fold, until_words, wrap
from bridge.cli.proposal_parts import PartGroup, draw_conflicts, draw_newer, draw_numbered, draw_together, part_groups
from bridge.cli.sanitize import sanitize, sanitize_lines
from bridge.contract.consent import ConsentRequest, FilePreview, Operation, Preview, RiskLevel
from bridge.identity.caller import UNNAMED

MOST_LINES = 12
"""Screen lines of one text that are shown before it is cut."""
MOST_CHARACTERS = 4000
"""More than those lines can hold."""
WORTH_NAMING = 60
"""Characters from which a one-line text is worth not repeating."""


class ParameterTree:
    """The drawing of parameters.

    Args:
        diffs: The rows of every diff on the same screen.
        width: Cells a line may have.
        full: Cut nothing.
    """

    def __init__(self, diffs: Sequence[Sequence[DiffRow]], *, width: int, full: bool) -> None:
        self._diffs = diffs
        self._width = width
        self._full = full
        self.is_cut = False
        """Set once something has been left out."""

    def draw(self, parameters: Mapping[str, Any], indent: int = 2) -> Iterator[Text]:
        """Yield the lines of an object's members."""
        for name, value in parameters.items():
            yield from self._member(Text.assemble(sanitize(name, style="cyan"), (": ", "cyan")), value, indent)

    def _member(self, label: Text, value: Any, indent: int) -> Iterator[Text]:
        margin = " " * indent
        match value:
            case dict() if value:
                yield from fold(label, self._width, first=margin)
                yield from self.draw(value, indent + 2)
            case list() if any(isinstance(item, dict | list) or _is_long(item) for item in value):
                yield from fold(label, self._width, first=margin)
                for number, item in enumerate(value, 1):
                    yield from self._member(Text.assemble((f"{number}. ", "cyan")), item, indent + 2)
            case str() if self._is_in_diff(value):
                count = len(_lines(value))
                said = f"{count} lines, in the diff below" if count > 1 else "in the diff below"
                yield from wrap(Text.assemble(label, (said, "italic")), self._width, first=margin, rest=margin + "  ")
            case str() if "\n" in value:
                yield from fold(label, self._width, first=margin)
                lines = sanitize_lines(self._clip(value), tab="→   ")
                inner = f"{margin}  │ "
                drawn = [piece for line in lines for piece in fold(line, self._width, first=inner)]
                yield from self._limit(drawn, inner, len(value))
            case str():
                text = Text.assemble(label, '"', sanitize(self._clip(value)), '"')
                drawn = list(fold(text, self._width, first=margin, rest=margin + "  "))
                yield from self._limit(drawn, margin, len(value))
            case _:
                literal = sanitize(json.dumps(value, ensure_ascii=False))
                yield from fold(label + literal, self._width, first=margin, rest=margin + "  ")

    def _clip(self, text: str) -> str:
        """Return no more of a text than can be on the screen: the rest need not be drawn first."""
        return text if self._full else text[:MOST_CHARACTERS]

    def _limit(self, drawn: list[Text], margin: str, characters: int) -> Iterator[Text]:
        """Yield the lines of one text, or its first ones and how long it is."""
        clipped = characters > MOST_CHARACTERS
        if self._full or (len(drawn) <= MOST_LINES + 1 and not clipped):
            yield from drawn
            return
        self.is_cut = True
        yield from drawn[:MOST_LINES]
        rest = f"{characters} characters in all" if clipped else f"{len(drawn) - MOST_LINES} more lines"
        yield from wrap(Text(f"… {rest}: p shows all", "bold"), self._width, first=margin)

    def _is_in_diff(self, text: str) -> bool:
        lines = _lines(text)
        return _is_long(text) and (any(_is_shown(lines, rows) for rows in self._diffs) or self._is_patch(lines))

    def _is_patch(self, lines: Sequence[str]) -> bool:
        """Return whether this is a unified diff with exactly the removed and added lines that are shown."""
        signed = [line for line in lines if line[:1] in {"+", "-"} and line[:4] not in {"+++ ", "--- "}]
        sign = {"removed": "-", "added": "+"}
        shown = [
            sign[row.kind] + row.text.removesuffix("\r") for rows in self._diffs for row in rows if row.kind in sign
        ]
        return bool(shown) and signed == shown


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and ("\n" in value or len(value) >= WORTH_NAMING)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _is_shown(lines: Sequence[str], rows: Sequence[DiffRow]) -> bool:
    """Return whether the lines stand one below the other on the new side of a diff."""
    sought = "".join(f"\n{line}" for line in lines) + "\n"
    hunks: list[list[str]] = [[]]
    for row in rows:
        if row.kind == "hunk":
            hunks.append([])
        elif row.new is not None:
            hunks[-1].append("\n" + row.text.removesuffix("\r"))
    return any(sought in "".join(hunk) + "\n" for hunk in hunks)


MOST_DIFF_LINES = 300
"""Lines of diff that are shown before the rest waits behind the key `p`."""
MOST_FILES = 40
"""Files without a diff (folders, moves) that are listed before the rest waits."""
MOST_TARGETS = 10
MOST_DESCRIPTION_LINES = 3
MOST_SPOKEN_LINES = 6
MOST_REQUEST_LINES = 40
MOST_REQUEST_CHARACTERS = 6000
MOST_WARNING_LINES = 20
MOST_ASKER_LINES = 3

_BADGE = {
    RiskLevel.SAFE: ("[SAFE]", "bold black on green", "green"),
    RiskLevel.LOW: ("[LOW RISK]", "bold white on blue", "blue"),
    RiskLevel.MEDIUM: ("[MEDIUM RISK]", "bold black on yellow", "yellow"),
    RiskLevel.HIGH: ("[HIGH RISK]", "bold white on red", "red"),
}
_ICONS = {"search": "🔍", "globe": "🌐", "file-text": "📄", "terminal": "💻", "undo": "🔙", "redo": "🔜"}
_ICON = "🔧"
_WARNING = "bold black on yellow"
_LABEL = 12
"""Columns of the words on the left."""
_WITH_LABEL = 40
"""Columns of screen from which they have room beside few lines."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing of one question or several.

    Attributes:
        lines: The lines to print.
        cut: Whether anything was left out, which the key `p` shows.
        hidden: What of it would be done by a yes, in a few words each.
    """

    lines: list[Text]
    cut: bool = False
    hidden: tuple[str, ...] = ()


def draw_question(request: ConsentRequest, *, width: int, full: bool = False) -> Drawing:
    """Return the whole question.

    Args:
        request: The question.
        width: Cells a line may have.
        full: Leave nothing out, however long.
    """
    drawing = _Drawing(request, width, full=full, numbered=True)
    lines = [*drawing.head(), *drawing.who(), Text(), *drawing.parameters(), *drawing.effect(), *drawing.foot()]
    return Drawing(lines, drawing.cut, tuple(drawing.hidden))


def draw_list(requests: Sequence[ConsentRequest], *, width: int, full: bool = False) -> Drawing:
    """Draw several questions below each other, numbered: of each what it would do, and the diffs.

    Args:
        requests: The questions.
        width: Cells a line may have.
        full: Leave nothing out, however long.
    """
    lines, asker = list[Text](), list[Text]()
    hidden = list[str]()
    cut, room = False, MOST_DIFF_LINES
    for number, request in enumerate(requests, 1):
        drawing = _Drawing(request, width, full=full, room=room)
        lines += drawing.head(f"{number}. ")
        before, asker = asker, list(drawing.asker())
        lines += [*asker, Text()] if asker != before else []
        lines += [*drawing.instead_of_effect(), *drawing.effect(), *drawing.warnings(), *drawing.waits(), Text()]
        hidden += [f"{left} (question {number})" for left in drawing.hidden]
        cut, room = cut or drawing.cut, drawing.room
    return Drawing(lines, cut, tuple(hidden))


def draw_in_short(requests: Sequence[ConsentRequest], width: int) -> Iterator[Text]:
    """Draw tool, risk, file and asker in few lines, to stand right above the place for the answer.

    Args:
        requests: One question, or all those that one answer is for.
        width: Cells a line may have.
    """
    label = "In short" if width >= _WITH_LABEL else ""
    margin = " " * (_LABEL if label else 2)
    room = width - len(margin)
    badge, _, colour = _BADGE[max((request.risk_level for request in requests), key=list(RiskLevel).index)]
    titles = ", ".join(dict.fromkeys(request.tool.title for request in requests))
    count = f"{len(requests)} questions: " if len(requests) > 1 else ""
    tool = Text.assemble(count, sanitize(titles, style="bold"))
    tool.truncate(room - len(badge) - 1, overflow="ellipsis")
    tool = Text.assemble(tool, " ", (badge, f"bold {colour}"))
    why = sanitize(", ".join(dict.fromkeys(reason for request in requests for reason in request.risk_reasons)))
    if why and (left := room - tool.cell_len - 1) >= _LABEL:
        why.truncate(left, overflow="ellipsis")
        tool = Text.assemble(tool, " ", why)
    yield Text.assemble((label, "bold"), margin[len(label) :], tool)
    where = list(dict.fromkeys(place for request in requests for place in _places(request)))
    if where:
        more = f" and {len(where) - 1:,} more" if len(where) > 1 else ""
        yield Text.assemble(margin, _ending(sanitize(where[0]), room - len(more)), more)
    askers = {asker.plain: asker for asker in map(draw_asker, requests)}
    asker = Text.assemble("asked by ", next(iter(askers.values())) if len(askers) == 1 else UNNAMED)
    yield from itertools.islice(wrap(asker, width, first=margin), MOST_ASKER_LINES)


def draw_asker(request: ConsentRequest) -> Text:
    """Return the name that the person gave, or that there is none; what the program calls itself proves nothing."""
    itself = request.calls_itself if request.client_id else request.client
    said = Text.assemble("calls itself ", sanitize(itself, style="underline")) if itself else Text()
    if not request.verified:
        unnamed = Text(UNNAMED)
        return Text.assemble(unnamed, ", ", said, " (unverified)") if said else unnamed
    name = sanitize(request.client, style="bold")
    return Text.assemble(name, ", ", said) if said and itself != request.client else name


class _Drawing:
    """One drawing of one question.

    Attributes:
        cut: Whether anything was left out so far.
        hidden: What of it would be done by a yes.
        room: How many lines of diff may still be drawn.
    """

    def __init__(
        self, request: ConsentRequest, width: int, *, full: bool, room: int = MOST_DIFF_LINES, numbered: bool = False
    ) -> None:
        self.cut = False
        self.hidden: list[str] = []
        self.room = room
        self._request, self._preview = request, request.preview or Preview()
        self._says_what = self._preview.request is not None or bool(self._preview.files)
        self._diffs = [parse_diff(file.diff) for file in self._preview.files]
        self._width, self._full = width, full
        self._numbered = numbered and request.hunks_supported

    def head(self, number: str = "") -> Iterator[Text]:
        """Yield the tool, how dangerous this is and why, and what will happen."""
        tool = self._request.tool
        badge, badge_style, colour = _BADGE[self._request.risk_level]
        yield Text("━" * self._width, colour)
        icon = f"{number}{_ICONS.get(tool.icon, _ICON)} "
        title = sanitize(tool.title, style="bold")
        if tool.title.lower().replace(" ", "_") != tool.name:
            title = Text.assemble(title, " (", sanitize(tool.name), ")")
        gap = self._width - cell_len(icon) - title.cell_len - cell_len(badge)
        if gap > 0:
            yield Text.assemble(icon, title, " " * gap, (badge, badge_style))
        else:
            yield Text(badge, badge_style)
            yield from fold(title, self._width, first=icon, rest="   ")
        summary = list(wrap(sanitize(self._request.summary, style="bold"), self._width, first="  "))
        yield from self._limit(summary, MOST_SPOKEN_LINES, "of what will happen")
        if self._request.revised:
            yield from wrap(
                Text("Edited by you: this is what would be written now.", "italic"), self._width, first="  "
            )
        yield Text()

    def who(self) -> Iterator[Text]:
        """Yield who asks, with what words and about what."""
        request = self._request
        yield from self.asker()
        description = self._labelled("What it is", sanitize(request.tool.description))
        yield from self._limit(description, MOST_DESCRIPTION_LINES, "of this", done=False)
        if request.risk_reasons:
            yield from self._labelled("Risk", sanitize(", ".join(request.risk_reasons)))
        followers = {file.path for file in self._preview.files if file.follows}
        targets = [target for target in request.targets if self._full or target not in followers]
        label = "Target" if len(targets) == 1 else "Targets"
        shown = targets if self._full or len(targets) <= MOST_TARGETS + 1 else targets[:MOST_TARGETS]
        for at, target in enumerate(shown):
            yield from self._labelled("" if at else label, sanitize(_words(request, target)))
        if len(shown) < len(targets):
            yield from self._more(f"{len(targets) - len(shown):,} more targets", done=not self._says_what)

    def asker(self) -> Iterator[Text]:
        """Yield who asks, and why as they say."""
        asked = self._labelled("Asked by", draw_asker(self._request))
        yield from self._limit(asked, MOST_SPOKEN_LINES, "of the name", done=False)
        if self._request.reason:
            reason = Text("\n").join(sanitize_lines(self._request.reason, style="italic"))
            yield from self._limit(self._labelled("It says", reason), MOST_SPOKEN_LINES, "of what it says", done=False)

    def parameters(self) -> Iterator[Text]:
        """Yield what the tool is called with."""
        if not self._request.parameters:
            return
        tree = ParameterTree(self._diffs, width=self._width, full=self._full)
        yield Text("Parameters", "bold")
        yield from tree.draw(self._request.parameters)
        yield Text()
        if tree.is_cut:
            self._leave_out("parts of the parameters", done=not self._says_what)

    def instead_of_effect(self) -> Iterator[Text]:
        """Yield the parameters, where nothing else says what the call does."""
        if not self._says_what:
            yield from self.parameters()

    def effect(self) -> Iterator[Text]:
        """Yield what will be done: the exact request or command, and what becomes of each file."""
        yield from self._request_text()
        newer = list(draw_newer(self._preview.files, self._width))
        yield from self._limit(newer, MOST_DIFF_LINES, "of news", done=False)
        yield from draw_conflicts(self._preview.conflicts, self._width)
        yield from self._numbered_files() if self._numbered else self._files()

    def warnings(self) -> Iterator[Text]:
        """Yield what the person should know and would not see in the diff."""
        warnings = (sanitize(warning, style="bold") for warning in self._preview.warnings)
        lines = [line for warning in warnings for line in self._labelled("Warning", warning, _WARNING)]
        yield from self._limit(lines, MOST_WARNING_LINES, "of warnings")
        if self._preview.backup is None and any(file.change in {"modify", "delete"} for file in self._preview.files):
            yield from self._labelled("Backup", Text("none is kept: this cannot be undone", "bold"), _WARNING)

    def foot(self) -> Iterator[Text]:
        """Yield what to know before answering."""
        yield from self.warnings()
        yield from self.waits()
        if self._preview.backup is not None:
            yield from self._labelled("Backup", sanitize(self._preview.backup))
        yield Text()

    def waits(self) -> Iterator[Text]:
        """Yield a line that says until when the call can go on, where it has a ticket and nobody sits and waits."""
        if self._request.waiting:
            who = self._request.client if self._request.verified else "The program"
            until = until_words(self._request.expires_at)
            yield from self._labelled("Waits", sanitize(f"{who} goes on when you answer; until {until}"))

    def _request_text(self) -> Iterator[Text]:
        """Yield the exact request or command of a tool that reaches outside."""
        if self._preview.request is None:
            return
        yield Text("Exactly this", "bold")
        lines = sanitize_lines(self._preview.request[: None if self._full else MOST_REQUEST_CHARACTERS])
        drawn = [piece for line in lines for piece in fold(line, self._width, first="  │ ")]
        yield from self._limit(drawn, MOST_REQUEST_LINES, "of what is sent")
        if len(self._preview.request) > MOST_REQUEST_CHARACTERS and not self._full:
            yield from self._more(f"{len(self._preview.request):,} characters are sent in all")
        yield Text()

    def _files(self) -> Iterator[Text]:
        """Yield what is moved or made, then the diffs; of many files the first ones, and the others' names."""
        pairs = list(zip(self._preview.files, self._diffs, strict=True))
        shown = [(file, rows) for file, rows in pairs if self._full or not file.follows]
        bare = [line for file, rows in shown if not rows for line in draw_heading(file, self._width)]
        if bare:
            yield from self._limit(bare, MOST_FILES, "of files")
            yield Text()
        waiting: list[FilePreview] = []
        for file, rows in shown:
            if rows and (self.room or self._full):
                yield from draw_heading(file, self._width)
                yield from self._diff(file, rows)
                yield Text()
            elif rows:
                waiting.append(file)
        names = [line for file in waiting for line in draw_heading(file, self._width)]
        yield from self._waiting(names, len(waiting))
        if len(pairs) > len(shown):
            yield from self._followers([file for file, _rows in pairs if file.follows])
            yield Text()

    def _numbered_files(self) -> Iterator[Text]:
        """Yield every file under the number of its part, those that belong together beside each other."""
        groups = part_groups(self._preview)
        parts = sum(len(group.parts) for group in groups)
        yield from wrap(Text(f"{parts:,} parts, numbered in [ ]; h leaves some of them out."), self._width)
        yield Text()
        waiting: list[Text] = []
        left = 0
        for group in groups:
            has_room, several = self._full or self.room > 0, len(group.files) > 1
            if several:
                together = draw_together(group.label, len(group.files))
                if has_room:
                    yield together
                else:
                    waiting.append(together)
            followers = [file for file in group.files if file.follows and several and not self._full]
            for file in (file for file in group.files if file not in followers):
                if self._full or self.room > 0:
                    yield from self._part(group, file)
                else:
                    left += 1
                    waiting += self._part_heading(group, file)
            yield from self._followers(followers)
            if has_room:
                yield Text()
        yield from self._waiting(waiting, left)

    def _waiting(self, names: Sequence[Text], count: int) -> Iterator[Text]:
        """Yield the names of files for whose diffs there was no room."""
        if names:
            yield from self._limit(names, MOST_FILES, "of files")
            yield from self._more("diffs of one more file" if count == 1 else f"diffs of {count:,} more files")
            yield Text()

    def _part(self, group: PartGroup, file: FilePreview) -> Iterator[Text]:
        """Yield one file, and its hunks with their numbers where each can be left out."""
        heading = list(self._part_heading(group, file))
        yield from heading
        self.room = max(0, self.room - len(heading))
        numbered = len(group.parts) > 1
        hunks = [(number, part.rows[0]) for number, part in group.parts] if numbered else [(0, parse_diff(file.diff))]
        for number, rows in hunks:
            diff = self._diff(file, rows)
            if numbered and (first := next(diff, None)) is not None:
                yield draw_numbered(number, first)
            yield from diff

    def _part_heading(self, group: PartGroup, file: FilePreview) -> Iterator[Text]:
        return draw_heading(file, self._width, margin="  " if len(group.files) > 1 else group.label)

    def _followers(self, files: Sequence[FilePreview]) -> Iterator[Text]:
        """Yield one line for all files in which nothing but links changes, because of what happens to others."""
        if files:
            changed = sum(file.added for file in files)
            notes, lines = "file" if len(files) == 1 else "files", "line" if changed == 1 else "lines"
            said = f"in {len(files):,} more {notes} only links follow, in {changed:,} {lines}"
            yield from self._more(said, done=False)

    def _diff(self, file: FilePreview, rows: Sequence[DiffRow]) -> Iterator[Text]:
        if self._full:
            yield from draw_diff(rows, self._width)
        else:
            short = shorten(rows)
            drawn = list(itertools.islice(draw_diff(short, self._width), self.room + 1))
            yield from drawn[: self.room]
            if len(drawn) > self.room:
                yield from self._more(f"more of this diff ({len(rows):,} rows)")
            elif any(row.gaps for row in short):
                yield from self._more("what does not change in long lines", done=False)
            self.room = max(0, self.room - len(drawn))
        if file.truncated:
            yield from draw_truncation(self._width)

    def _labelled(self, label: str, value: Text, style: str = "bold") -> list[Text]:
        margin = " " * _LABEL
        lines = [piece for line in value.split("\n") for piece in wrap(line, self._width, first=margin)]
        lines[0] = Text.assemble((label, style), " " * (_LABEL - len(label)), lines[0][_LABEL:])
        return lines

    def _limit(self, lines: Sequence[Text], most: int, what: str, *, done: bool = True) -> Iterator[Text]:
        if self._full or len(lines) <= most + 1:
            yield from lines
            return
        yield from lines[:most]
        yield from self._more(f"{len(lines) - most:,} more lines {what}", done=done)

    def _more(self, what: str, *, done: bool = True) -> Iterator[Text]:
        self._leave_out(what, done=done)
        yield from wrap(Text(f"… {what}: p shows all", "bold"), self._width, first="  ")

    def _leave_out(self, what: str, *, done: bool) -> None:
        """Leave something out of the drawing; `done` says whether a yes would do it."""
        self.cut = True
        if done:
            self.hidden.append(what)


def _places(request: ConsentRequest) -> list[str]:
    """Return what a question is about. Files in which only links follow come last; folders are left out."""
    files = sorted(request.preview.files if request.preview else (), key=lambda file: file.follows)
    named = [file for file in files if file.change not in {"mkdir", "rmdir"}] or files
    paths = [f"{file.path} → {file.new_path}" if file.new_path else file.path for file in named]
    return paths or [_words(request, target) for target in request.targets]


def _words(request: ConsentRequest, target: str) -> str:
    """Return a target as people would say it: reading tools name folders, the vault itself, and patterns of paths."""
    if request.operation is not Operation.READ or not (target in {"", "**"} or target.endswith(("/", "/**"))):
        return target
    return f"everything in {target.removesuffix('**') or 'the vault'}"


def _ending(text: Text, room: int) -> Text:
    """Return the end of a text that is too long, which is where a path has its name."""
    if text.cell_len <= room:
        return text
    start = len(text)
    while start and text[start - 1 :].cell_len < room:
        start -= 1
    return Text.assemble("…", text[start:])
