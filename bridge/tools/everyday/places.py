"""Places in notes: lines, headings, text that is put below a heading, and parts that move with the links to them."""

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress

from bridge.clock import Clock
from bridge.errors import Ambiguous, Conflict, NotFound, ToolFailure
from bridge.index.knowledge import StoredLink
from bridge.notes.markdown import parse_note
from bridge.notes.note import Work
from bridge.notes.parts import NoteReference, Outline, find_part
from bridge.notes.rewriting import Redirection
from bridge.toolkit.tool import CallContext, P
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper
from bridge.tools.formatting import first_of, shortened
from bridge.tools.joining import appended, ending_of, parsed, with_ending
from bridge.tools.notes.lookup import NoteWriteTool, decoded
from bridge.tools.storage import PlanningStorage, Storage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.text import is_note

_MOST_LISTED = 20
"""Lines that a failure names."""
MOST_BYTES = 4 << 20
"""Bytes of one file in which lines are looked for."""


class Places:
    """The lines in files, each of which is read once.

    Args:
        storage: The vault, as the caller may see it.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._texts: dict[str, str] = {}

    def text(self, path: str) -> str:
        """Return the text of a file; nothing where it cannot be read any more."""
        if path not in self._texts:
            self._texts[path] = ""
            with suppress(ToolFailure):
                self._texts[path] = decoded(self._storage.read(parse_path(path), limit=MOST_BYTES)[0])
        return self._texts[path]

    def line_of(self, link: StoredLink) -> tuple[int, str] | None:
        """Return the line of a link, from 1, and what it says; None in a canvas, and where the link is gone."""
        if not is_note(link.source):
            return None
        text, start = self.text(link.source), link.start
        if text[start : start + len(link.original)] != link.original:
            start = text.find(link.original)
        return None if start < 0 else (line_number(text, start), line_text(text, start))


def line_number(text: str, at: int) -> int:
    """Return the line that a place is in, from 1."""
    return text.count("\n", 0, at) + 1


def line_text(text: str, at: int) -> str:
    """Return the text of the line that a place is in, without white space around it; cut where it is long."""
    end = text.find("\n", at)
    line = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else None].strip()
    return shortened(line.encode("utf-8", "replace").decode(), 200)


def with_text_below(text: str, path: str, added: str, heading: str | None) -> str:
    """Return a note with more text, in lines of its own.

    A list goes on where the section ends with one; other text begins a paragraph of its own.

    Args:
        text: The note.
        path: Where it is, for failures.
        added: The text.
        heading: The heading below which it goes; None for the end of the note.

    Raises:
        NotFound: The note has no such heading.
        Ambiguous: It has several.
        Conflict: The text, or what follows it, would be read otherwise than by itself.
    """
    ending, note = ending_of(text or added), parsed(text)
    end = len(text)
    if heading is not None:
        stop = Outline.of(note).section_end(heading_number(text, path, heading))
        end = len(text) if stop >= len(note.headings) else text.rfind("\n", 0, note.headings[stop].start) + 1
    head, tail = text[:end], text[end:]
    body = head.rstrip(" \t\r\n")
    new = added.strip("\r\n")
    if _is_item(body[body.rfind("\n") + 1 :]) and _is_item(new):
        kept = head if not tail else head[: len(body)]
        kept = kept if kept.endswith("\n") else kept + ending
        joined = f"{kept.rstrip(' ')}{with_ending(new, ending)}{ending}"
    else:
        joined = appended(head if not tail else body + ending, new, ending)
    whole = joined + (ending + tail if tail else "")
    if _said(whole) != _said(text) + _said(f"\n{new}"):
        raise Conflict(
            f"What is added to {path!r} would be read otherwise there, or what follows it, because a code block, "
            "comment or the like is left open; nothing was planned. Close that first, or name another heading",
            code="no_match",
        )
    return whole


def _said(text: str) -> Counter[str]:
    """Return the content of a note, in any order: its headings, tags, blocks, links and tasks."""
    note = parse_note(text, work=Work.of_one_note())
    return Counter(
        [
            *(f"h {each.level} {each.heading}" for each in note.headings),
            *(each.tag for each in note.tags),
            *(f"^{each.id}" for each in note.blocks),
            *(each.original for each in note.all_links),
            *(f"task {each.task}" for each in note.list_items if each.task is not None),
        ]
    )


def _is_item(line: str) -> bool:
    return line.lstrip().startswith(("- ", "* ", "+ "))


def heading_number(text: str, path: str, wanted: str) -> int:
    """Return the number of the one heading that a caller means, from 0.

    Args:
        text: The note.
        path: Where it is.
        wanted: The heading's text, or those of the headings above it before it, with `#` between them.

    Raises:
        NotFound: There is none; the headings that are there are named.
        Ambiguous: There are several, with their lines.
    """
    note, wanted = parsed(text), wanted.strip()
    exact = [number for number, each in enumerate(note.headings) if each.heading == wanted]
    if len(exact) == 1:
        return exact[0]
    if len(exact) > 1:
        lines = [line_number(text, note.headings[number].start) for number in exact]
        where = first_of(list(map(str, lines)), _MOST_LISTED)
        said = f"{wanted!r} is a heading of {path!r} {len(exact)} times, in the lines {where}"
        raise Ambiguous(f"{said}. Name the headings above it too (A#B)", candidates=lines)
    names = tuple(name.strip() for name in wanted.split("#") if name.strip())
    if not names:
        raise NotFound(f"{wanted!r} names no heading; give its text")
    part = find_part(text, note, NoteReference(f"{path}#{wanted}", path, names))
    return next(number for number, each in enumerate(note.headings) if each.start >= part.start)


class RelocatingTool(NoteWriteTool[P]):
    """A tool that renames or moves parts of notes; links to them follow.

    Args:
        storage: The vault.
        clock: The time, and what deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._clock = clock
        self._keeper = LinkKeeper(storage, clock)

    def _rewritten(self, path: str, data: bytes, moving: Redirection, kept: KeptLinks) -> str:
        """Return the text of a note with its links as they must be."""
        return decoded(self._keeper.rewrite(path, data, moving, kept) or data)

    def _relocation(
        self,
        builder: PlanBuilder,
        moving: Redirection,
        own: Collection[str],
        kept: KeptLinks,
        context: CallContext,
        *,
        summary: str,
        warnings: Sequence[str] = (),
    ) -> ChangePlan:
        """Return the plan with the links of all other notes.

        Args:
            builder: The plan so far.
            moving: The parts that move.
            own: The files that the plan changes already, and those that it creates.
            kept: What was done in them.
            context: The call.
            summary: The plan's sentence.
            warnings: Warnings of what the diffs do not show, besides those about links.
        """
        others = [path for path in self._keeper.sources(moving, own) if path not in own]
        self._keeper.follow(builder, moving, others, kept, context)
        warned = [*warnings, *kept.warnings]
        return builder.build(self.spec.operation, f"{summary}{kept.sentence}", warned, broken=kept.broken, whole=True)
