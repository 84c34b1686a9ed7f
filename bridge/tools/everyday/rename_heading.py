"""The tool `rename_heading`: a heading gets another text, and every link to it follows, in one change."""

import re
from collections.abc import Sequence

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass
from bridge.errors import Ambiguous, Conflict, InvalidParameters, NotFound
from bridge.notes.markdown import parse_note
from bridge.notes.note import Work
from bridge.notes.parts import Outline, Reference, find_part, heading_in_link
from bridge.notes.rewriting import Edit, Redirection, apply
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.everyday.places import line_number
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper, broken_data, broken_sentence
from bridge.tools.kinds import NoteName, SnakeCaseParams, write_spec
from bridge.tools.notes.lookup import NoteWriteTool, decoded, encoded
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan

_LONGEST = 1000
_MOST_LISTED = 20
"""Lines that a failure names."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class RenameHeadingParams(SnakeCaseParams):
    """The heading, and its new text."""

    path: NoteName = Field(description="Note name, path or wikilink")
    heading: str = Field(
        min_length=1, max_length=_LONGEST, description="The heading, without '#' marks; 'A#B' is B below A"
    )
    new_heading: str = Field(min_length=1, max_length=_LONGEST, description="Its new text")


class RenameHeadingTool(NoteWriteTool[RenameHeadingParams]):
    """The tool that renames a heading.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="rename_heading",
        title="Rename heading",
        action="rename/renamed the heading[ {heading}] of {path|a note}[ to {new_heading}]",
        description="Rename a heading of a note. Links to it in all notes, properties and canvases follow.",
        icon="heading",
        parameters=RenameHeadingParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="rename",
        timeout=300.0,
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._keeper = LinkKeeper(storage, clock)

    def prepare(self, params: RenameHeadingParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the heading and every link that follows."""
        new = _checked(params.new_heading)
        path, data = self._note(params.path)
        text = decoded(data)
        number = heading_number(text, path, params.heading)
        note = parse_note(text, outline=False, work=Work.of_one_note())
        old = note.headings[number]
        if old.heading == new:
            message = Output({"path": path, "heading": new, "updated": []}, f"The heading is {new!r} already.")
            return Unchanged(in_vault(path), f"Look at the headings of {path}", message)
        renamed = tuple(
            each._replace(heading=new) if place == number else each for place, each in enumerate(note.headings)
        )
        before = Outline.of(note)
        moving = self._keeper.moving({})
        moving = Redirection(
            moving.before, moving.after, {}, moving.form, {path: before}, {path: Outline(renamed, before.blocks)}
        )
        kept, builder = KeptLinks(), self._storage.plan()
        found = self._keeper.rewrite(path, data, moving, kept)
        rewritten = decoded(found.new) if found else text
        builder.modify(parse_path(path), data, encoded(with_heading(rewritten, number, new)))
        others = [source for source in self._keeper.sources(moving, [path]) if source != path]
        for other in self._keeper.rewritten(moving, others, kept, context):
            builder.modify(parse_path(other.path), other.old, other.new, follows=True)
        summary = f"Rename the heading {old.heading!r} of {path} to {new!r}{kept.sentence}"
        return builder.build(self.spec.operation, summary, kept.warnings, broken=kept.broken, whole=True)

    def report(self, params: RenameHeadingParams, applied: Applied) -> Output:
        """Report which notes changed for it."""
        del params
        plan = applied.plan
        path, *updated = (change.path for change in plan.changes)
        data = {"path": path, "updated": updated} | broken_data(plan)
        said = plan.summary.replace("Rename", "Renamed", 1)
        return Output(data, f"{said}.{broken_sentence(plan)} ({applied.execution_id})")


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
    note = parse_note(text, outline=False, work=Work.of_one_note())
    wanted = wanted.strip()
    exact = [number for number, each in enumerate(note.headings) if each.heading == wanted]
    if len(exact) == 1:
        return exact[0]
    if len(exact) > 1:
        lines = [line_number(text, note.headings[number].start) for number in exact]
        raise Ambiguous(
            f"{wanted!r} is a heading of {path!r} {len(exact)} times, in the lines {_listed(lines)}. "
            "Name the headings above it too (A#B)",
            candidates=lines,
        )
    names = tuple(name.strip() for name in wanted.split("#") if name.strip())
    if not names:
        raise NotFound(f"{wanted!r} names no heading; give its text")
    part = find_part(text, note, Reference(f"{path}#{wanted}", path, names))
    return next(number for number, each in enumerate(note.headings) if each.start >= part.start)


def with_heading(text: str, number: int, new: str) -> str:
    """Return a note in which one heading has another text.

    Args:
        text: The note.
        number: Which heading, from 0.
        new: Its text, checked.

    Raises:
        Conflict: The heading is written in a way that is not edited, or the note would say something else.
    """
    before = parse_note(text, outline=False, work=Work.of_one_note())
    heading = before.headings[number]
    start = text.find(heading.heading, heading.start, heading.end) if heading.heading else -1
    if start < 0:
        raise _refused("it is written in a way that is not edited")
    edited = apply(text, [Edit(start, start + len(heading.heading), new)])
    after = parse_note(edited, outline=False, work=Work.of_one_note())
    wished = [(each.level, new if place == number else each.heading) for place, each in enumerate(before.headings)]
    if [(each.level, each.heading) for each in after.headings] != wished:
        raise _refused(f"with {new!r} the note would have other headings")
    return edited


def _checked(new: str) -> str:
    """Return a heading's new text, without the marks before it."""
    text = new.strip()
    if _CONTROL.search(text) or not heading_in_link(text):
        raise InvalidParameters(
            f"{new!r} cannot be a heading: give one line with a letter or digit that a link can name"
        )
    return text


def _refused(why: str) -> Conflict:
    return Conflict(f"The heading was left as it is: {why}. Change its line with apply_patch", code="no_match")


def _listed(lines: Sequence[int]) -> str:
    more = f" and {len(lines) - _MOST_LISTED} more" if len(lines) > _MOST_LISTED else ""
    return f"{', '.join(map(str, lines[:_MOST_LISTED]))}{more}"
