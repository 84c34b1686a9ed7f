"""The structure of a note: paragraphs, headings, lists, quotes, code, and where each one stands.

Lines are read once per container that they are in. `starts[n]` is where the content of line `n` begins in the container
that is being read: entering a quote or a list item moves it behind the mark. Nesting deeper than `MAX_DEPTH` is read
as text, so that no note can exhaust the stack.
"""

import re

from bridge.notes import lines
from bridge.notes.inline import Found, scan_inline
from bridge.notes.lists import leading_columns, read_list
from bridge.notes.note import Block, Heading, ListItem, Section

MAX_DEPTH = 48
"""Containers within containers that are told apart."""

_CALLOUT = re.compile(r"[ \t]*+\[![^\]\n]++\]")
_BLOCK_ID = re.compile(r"(?:\A|[ \t\n])\^([A-Za-z0-9-]++)[ \t\r]*+\Z")
_ID_REACH = 256
_DELIMITERS = re.compile(r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\Z")
_DEFINITION = re.compile(r"[ \t]*+\[(?!\^)(?:[^\]\\\n]|\\.)++\]:[ \t]*+(?:<[^>\[\]\n]*+>|[^\s\[\]]++)(?=\s|\Z)")
_FENCE = re.compile(r" {0,3}+(`{3,}+|~{3,}+)[ \t]*+\Z")
_TITLE = re.compile(r"[ \t]*+#{1,6}+[ \t]*+")
_TITLE_END = re.compile(r"(?:(?:\A|[ \t]+)#+)?[ \t]*\Z")


class Structure:
    """Reads the blocks of one note into lists.

    Args:
        text: The note.
        line_starts: Where each line begins; changed while reading.
        line_ends: Where each line ends, before its line ending.
        outline: Whether sections and list items are wanted.
    """

    def __init__(self, text: str, line_starts: list[int], line_ends: list[int], *, outline: bool) -> None:
        self.text = text
        self.starts = line_starts
        self.ends = line_ends
        self.outline = outline
        self.max_depth = MAX_DEPTH
        self.found = Found()
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.sections: list[Section] = []
        self.list_items: list[ListItem] = []

    def read(self, line: int, stop: int, depth: int = 0, parent: int = -1) -> int:
        """Read lines as blocks.

        Args:
            line: The first line.
            stop: One past the last.
            depth: How many containers they are in.
            parent: The line of the list item they are in; -1 outside lists.

        Returns:
            Where the text before the first list among them ends; -1 when there is no list, or it comes first.
        """
        own, frozen = -1, False
        text, starts, ends = self.text, self.starts, self.ends
        begin = lines.BEGIN.match
        while line < stop:
            start, end = starts[line], ends[line]
            if start >= end:
                line += 1
                continue
            first = text[start]
            if first.isalpha():
                following = self._paragraph(line, stop, depth)
            else:
                if first == " " or first == "\t":
                    columns, after = leading_columns(text, start, end)
                    if after >= end:
                        line += 1
                        continue
                    if first == "\t" or (columns >= 4 and text.startswith("    ", start)):
                        following = self._indented_code(line, stop, depth)
                        if not frozen:
                            own = ends[following - 1]
                        line = following
                        continue
                match = begin(text, start, end)
                kind = match.lastindex if match else 0
                if match is None or kind is None:
                    following = self._paragraph(line, stop, depth)
                elif kind == lines.BULLET or kind == lines.NUMBER:
                    following = read_list(self, line, stop, depth, parent)
                    frozen = True
                else:
                    following = self._block(kind, match, line, stop, depth, parent)
            if not frozen:
                own = ends[following - 1]
            line = following
        return own if frozen else -1

    def interrupted(self, line: int) -> bool:
        """Whether a line ends the paragraph before it without being blank."""
        text, start, end = self.text, self.starts[line], self.ends[line]
        match = lines.BEGIN.match(text, start, end)
        if match is None:
            return False
        kind = match.lastindex
        if kind == lines.NUMBER:
            return match[kind][:-1] == "1"
        if kind == lines.HTML:
            ending = lines.html_end(text[match.start(kind) : end])
            return ending is not None and ending[1]
        return True

    def section(self, kind: str, line: int, following: int, depth: int, name: str | None = None) -> None:
        """Note a section, when it is in no container."""
        if not depth and self.outline:
            self.sections.append(Section(self.starts[line], self.ends[following - 1], kind, name))

    def block_id(self, start: int, end: int) -> str | None:
        """The block id that a run of text ends with (rule 67)."""
        text = self.text
        reach = max(start, end - _ID_REACH)
        mark = text.rfind("^", reach, end)
        if mark < 0:
            return None
        match = _BLOCK_ID.search(text[max(reach, mark - 1) : end])
        return match[1] if match else None

    def _block(self, kind: int, match: re.Match[str], line: int, stop: int, depth: int, parent: int) -> int:
        if kind == lines.HEADING:
            return self._heading(line, match, depth)
        if kind == lines.QUOTE:
            return self._quote(line, stop, depth, parent)
        if kind == lines.FENCE:
            return self._fenced_code(line, stop, match, depth)
        if kind == lines.MATH:
            return self._math(line, stop, match, depth)
        if kind == lines.COMMENT:
            return self._comment(line, stop, match, depth)
        if kind == lines.HTML:
            return self._html(line, stop, match, depth)
        if kind == lines.FOOTNOTE:
            return self._footnote(line, stop, match, depth, parent)
        self.section("thematicBreak", line, line + 1, depth)
        return line + 1

    def _paragraph(self, line: int, stop: int, depth: int) -> int:
        text, starts, ends = self.text, self.starts, self.ends
        start, end = starts[line], ends[line]
        following = line + 1
        if following < stop:
            below = text[starts[following] : starts[following] + 1]
            if (below == "=" or below == "-") and starts[following] < ends[following]:
                underline = text[starts[following] : ends[following]]
                if not underline.strip(below):
                    return self._setext(line, 1 if below == "=" else 2, depth)
            if below in "|:- \t" and (table := self._table(line, stop, depth)) > line:
                return table
        if text[start] in "[ \t" and _DEFINITION.match(text, start, end):
            self.section("definition", line, following, depth)
            return following
        while following < stop:
            start, end = starts[following], ends[following]
            if start >= end:
                break
            first = text[start]
            if not first.isalpha():
                if first == " " or first == "\t":
                    columns, after = leading_columns(text, start, end)
                    if after >= end:
                        break
                    if columns >= 4:
                        following += 1
                        continue
                if self.interrupted(following):
                    break
            following += 1
        self._text(line, following, depth)
        return following

    def _text(self, line: int, following: int, depth: int) -> None:
        start, end = self.starts[line], self.ends[following - 1]
        scan_inline(self.text, start, end, self.found)
        if depth:
            return
        name = self.block_id(start, end)
        if name is not None:
            if self.text[start:end].strip() == f"^{name}" and self.sections:
                self._name_previous(name)
            else:
                self.blocks.append(Block(start, end, name))
        self.section("paragraph", line, following, depth, name)

    def _name_previous(self, name: str) -> None:
        before = self.sections[-1]
        self.blocks.append(Block(before.start, before.end, name))
        self.sections[-1] = before._replace(id=name)

    def _heading(self, line: int, match: re.Match[str], depth: int) -> int:
        start, end = self.starts[line], self.ends[line]
        title = _TITLE.match(self.text, start, end)
        begin = title.end() if title else start
        scan_inline(self.text, begin, end, self.found)
        if not depth:
            content = self.text[begin:end]
            ending = _TITLE_END.search(content)
            heading = content[: ending.start()] if ending else content
            self.headings.append(Heading(start, end, len(match[lines.HEADING]), heading))
            self.section("heading", line, line + 1, depth)
        return line + 1

    def _setext(self, line: int, level: int, depth: int) -> int:
        start, end = self.starts[line], self.ends[line]
        scan_inline(self.text, start, end, self.found)
        if not depth:
            self.headings.append(Heading(start, self.ends[line + 1], level, self.text[start:end].strip(" \t")))
            self.section("heading", line, line + 2, depth)
        return line + 2

    def _quote(self, line: int, stop: int, depth: int, parent: int) -> int:
        text, starts, ends = self.text, self.starts, self.ends
        outer = starts[line]
        moved: list[tuple[int, int]] = []
        following = line
        while following < stop:
            start, end = starts[following], ends[following]
            if start >= end:
                break
            if text[start].isalpha():
                following += 1
                continue
            columns, after = leading_columns(text, start, end)
            if after >= end:
                break
            if text[after] == ">":
                moved.append((following, after + (2 if text.startswith(" ", after + 1) and after + 1 < end else 1)))
            elif columns >= 4 or text[start] == "\t" or self._ends_quote(following, stop):
                break
            following += 1
        content = moved[0][1]
        callout = not depth and _CALLOUT.match(text, content, ends[line]) is not None
        if depth >= MAX_DEPTH:
            scan_inline(text, content, ends[following - 1], self.found)
            return following
        for each, begin in moved:
            starts[each] = begin
        end = ends[following - 1]
        if not depth and self.outline:
            self.sections.append(Section(outer, end, "callout" if callout else "blockquote"))
        self.read(line, following, depth + 1, parent)
        if not depth and (name := self.block_id(outer, end)) is not None:
            self._name_previous(name)
        return following

    def _ends_quote(self, line: int, stop: int) -> bool:
        return self.interrupted(line)

    def _fenced_code(self, line: int, stop: int, match: re.Match[str], depth: int) -> int:
        fence = match[lines.FENCE]
        following = line + 1
        while following < stop:
            closing = _FENCE.match(self.text, self.starts[following], self.ends[following])
            following += 1
            if closing and closing[1].startswith(fence):
                break
        self.section("code", line, following, depth)
        return following

    def _indented_code(self, line: int, stop: int, depth: int) -> int:
        following = last = line + 1
        while following < stop:
            start, end = self.starts[following], self.ends[following]
            if self.text.startswith(("    ", "\t"), start, end):
                last = following + 1
            elif self.text[start:end].strip(" \t"):
                break
            following += 1
        self.section("code", line, last, depth)
        return last

    def _math(self, line: int, stop: int, match: re.Match[str], depth: int) -> int:
        fence = len(match[lines.MATH])
        following = line + 1
        while following < stop:
            body = self.text[self.starts[following] : self.ends[following]].rstrip(" ")
            following += 1
            if body.endswith("$") and len(body) - len(body.rstrip("$")) >= fence and "$" not in body.rstrip("$"):
                break
        self.section("math", line, following, depth)
        return following

    def _comment(self, line: int, stop: int, match: re.Match[str], depth: int) -> int:
        """`%%`: a comment, which hides nothing but the structure within it (rule 27)."""
        text, begin, end = self.text, match.end(), self.ends[line]
        closing = text.find("%%", begin, end)
        if closing >= 0 and text[closing + 2 : end].strip(" \t"):
            return self._paragraph(line, stop, depth)
        following = line + 1
        while closing < 0 and following < stop:
            closing = text.find("%%", self.starts[following], self.ends[following])
            following += 1
        scan_inline(text, begin, self.ends[following - 1], self.found)
        self.section("comment", line, following, depth)
        return following

    def _html(self, line: int, stop: int, match: re.Match[str], depth: int) -> int:
        text = self.text
        ending = lines.html_end(text[match.start(lines.HTML) : self.ends[line]])
        if ending is None:
            return self._paragraph(line, stop, depth)
        pattern, _ = ending
        following = line + 1
        if not pattern.search(text[match.start(lines.HTML) : self.ends[line]]):
            while following < stop:
                body = text[self.starts[following] : self.ends[following]]
                if pattern.search(body):
                    following += bool(body)
                    break
                following += 1
        self.section("html", line, following, depth)
        return following

    def _footnote(self, line: int, stop: int, match: re.Match[str], depth: int, parent: int) -> int:
        text, starts, ends = self.text, self.starts, self.ends
        outer, last = starts[line], line + 1
        following = line + 1
        moved = [(line, match.end())]
        blank = False
        while following < stop:
            columns, after = leading_columns(text, starts[following], ends[following])
            if after >= ends[following]:
                blank = True
            else:
                if columns < 4 and (blank or self.interrupted(following)):
                    break
                blank, last = False, following + 1
                moved.append((following, after if columns <= 4 else starts[following] + 4))
            following += 1
        if depth >= MAX_DEPTH:
            scan_inline(text, match.end(), ends[last - 1], self.found)
            return last
        for each, begin in moved:
            starts[each] = begin
        if not depth and self.outline:
            self.sections.append(Section(outer, ends[last - 1], "footnoteDefinition"))
        self.read(line, last, depth + 1, parent)
        return last

    def _table(self, line: int, stop: int, depth: int) -> int:
        """The line after a table that begins here; the same line when none does."""
        text, starts, ends = self.text, self.starts, self.ends
        if text.find("|", starts[line], ends[line]) < 0 or not _DELIMITERS.match(text, starts[line + 1], ends[line + 1]):
            return line
        if text.find("|", starts[line + 1], ends[line + 1]) < 0:
            return line
        following = line
        while following < stop and text.find("|", starts[following], ends[following]) >= 0:
            scan_inline(text, starts[following], ends[following], self.found)
            following += 1
        self.section("table", line, following, depth)
        return following
