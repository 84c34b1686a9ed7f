"""The blocks of a note, in order: paragraphs, headings, lists, quotes, code, and where each one stands."""

from bridge.notes import leaf_blocks, lines
from bridge.notes.lines import Mark, leading_columns, line_mark
from bridge.notes.lists import read_list
from bridge.notes.parser_state import Container, ParserState
from bridge.notes.quotes import read_footnote, read_quote

_LISTS = frozenset({lines.BULLET, lines.NUMBER})
_READERS = {
    lines.HEADING: leaf_blocks.read_heading,
    lines.QUOTE: read_quote,
    lines.RULE: leaf_blocks.read_rule,
    lines.BULLET: read_list,
    lines.NUMBER: read_list,
    lines.FENCE: leaf_blocks.read_fenced_code,
    lines.MATH: leaf_blocks.read_math,
    lines.HTML: leaf_blocks.read_html,
    lines.COMMENT: leaf_blocks.read_comment,
    lines.FOOTNOTE: read_footnote,
    lines.INDENTED: leaf_blocks.read_indented_code,
}


class Blocks(ParserState):
    """Reads the blocks of one note, each line once per container that it is in."""

    def read(self, line: int, container: Container) -> int:
        """Read the lines of a container as blocks; see `ParserState.read`."""
        text, starts, ends = self.text, self.starts, self.ends
        own, listed = -1, False
        while line < container.stop:
            start = starts[line]
            if start >= ends[line]:
                line += 1
                continue
            if text[start].isalpha():
                line = leaf_blocks.read_paragraph(self, line, container)
            else:
                mark = self._mark(start, ends[line])
                if mark.kind == lines.BLANK:
                    line += 1
                    continue
                listed = listed or mark.kind in _LISTS
                reader = _READERS.get(mark.kind)
                line = (
                    reader(self, line, mark, container) if reader else leaf_blocks.read_paragraph(self, line, container)
                )
            if not listed:
                own = ends[line - 1]
        return own if listed else -1

    def _mark(self, start: int, end: int) -> Mark:
        """What a line begins where no paragraph is open: indentation counts."""
        text = self.text
        if text[start] in " \t":
            if leading_columns(text, start, end)[1] >= end:
                return Mark(lines.BLANK, start, start)
            if text.startswith(("    ", "\t"), start, end):
                return Mark(lines.INDENTED, start, start)
        return line_mark(text, start, end)
