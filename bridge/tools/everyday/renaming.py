"""The tools that give a property, a tag or a heading another name, wherever it is named, in one change."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass
from bridge.errors import Conflict, DeadlineExceeded, InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.notes.parts import Outline, heading_in_link
from bridge.notes.properties import check_tag, rename_property
from bridge.notes.rewriting import Edit, Redirection, apply
from bridge.notes.tags import rename_tag, renamed
from bridge.toolkit.tool import CallContext, Output, P, Unchanged, WriteTool, in_vault
from bridge.tools.bases.holding import follow_in, holding_bases
from bridge.tools.everyday.places import RelocatingTool, heading_number
from bridge.tools.files.link_keeping import KeptLinks, broken_data, broken_sentence
from bridge.tools.formatting import some
from bridge.tools.joining import parsed
from bridge.tools.kinds import LONGEST_PATH, LONGEST_TAG, NoteName, SnakeCaseParams, Tag, write_spec
from bridge.tools.notes.lookup import decoded, encoded
from bridge.tools.paths import folder_start
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import fold, parse_path
from bridge.vault.plan import Applied, ChangeKind, ChangePlan
from bridge.vault.text import counted, is_note, is_text

if TYPE_CHECKING:
    from bridge.bases.following import Followed, Follower


MOST_NOTES: Final = 20_000
"""Notes that one call changes."""
_NAMED: Final = 20
_LONGEST_HEADING: Final = 1000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
MOST_BYTES: Final = 512 << 20
"""Bytes of them that one plan may hold: a plan is held in memory until it is answered."""

_LEFT: Final = "Left as it is: "
_PROGRESS_EVERY: Final = 50
_LISTED: Final = 1000


class EverywhereTool(WriteTool[P]):
    """A tool that gives something another name in all notes. A note that cannot be edited is left, and named.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def report(self, _params: P, applied: Applied) -> Output:
        """Say which notes changed, and which were left."""
        plan = applied.plan
        updated = [change.path for change in plan.changes if change.kind is ChangeKind.MODIFY]
        left = [warning.removeprefix(_LEFT) for warning in plan.warnings if warning.startswith(_LEFT)]
        lines = [f"{plan.summary.replace('Rename', 'Renamed', 1)} ({applied.execution_id})"]
        if left:
            lines.append("1 file left as it is:" if len(left) == 1 else f"{len(left)} files left:")
            lines.append(some([f"  {each}" for each in left], "\n"))
        data = {"updated": updated[:_LISTED], "updatedCount": len(updated), "left": left[:_LISTED]}
        return Output(data, "\n".join(lines))

    def _renamed(
        self,
        paths: Sequence[str],
        change: Callable[[str], str],
        follower: "Follower",
        names: tuple[str, str],
        context: CallContext,
        *,
        warnings: Sequence[str] = (),
        renamed_property: str | None = None,
    ) -> ChangePlan | Unchanged:
        """Return the plan that edits each note, and the bases that follow it.

        Args:
            paths: The notes.
            change: The edit of one text; it raises a failure where that note must be left as it is.
            follower: What the change means for bases.
            names: What gets another name, and the other name, as sentences have them.
            context: The call.
            warnings: Warnings of what the diffs do not show.
            renamed_property: The property that gets another name, in small letters.

        Raises:
            InvalidParameters: They are too many, or too much, for one change.
            DeadlineExceeded: It takes too long.
        """
        if len(paths) > MOST_NOTES:
            raise InvalidParameters(f"These are {len(paths):,} notes; one change takes {MOST_NOTES:,}")
        builder, left, named, held = self._storage.plan(), list[str](), frozenset(paths), 0
        changed: list[str] = []
        every = [*paths, *(path for path in holding_bases(self._storage.knowledge) if path not in named)]
        for number, path in enumerate(every):
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("Working out the change did not end in time; nothing was changed")
            if number % _PROGRESS_EVERY == 0 and len(every) > _PROGRESS_EVERY:
                context.progress(number, len(every), "Looking at the notes")
            try:
                data, followed = self._edited(path, change if path in named else None, follower)
                left += (f"{_LEFT}{path}: {each}" for each in followed.left[:_NAMED])
                new = encoded(followed.text)
            except PermissionDenied:
                raise
            except ToolFailure as failure:
                left.append(f"{_LEFT}{path}: {failure.message}")
                continue
            if new != data:
                builder.modify(parse_path(path), data, new)
                changed.append(path)
                held += len(new)
                if held > MOST_BYTES:
                    raise InvalidParameters(f"These notes are more than {MOST_BYTES >> 20} MB, too much for one change")
        what, now = names
        if not changed:
            output = Output({"updated": [], "updatedCount": 0, "left": left}, f"Nothing to rename to {now}.")
            return Unchanged(in_vault(*paths), f"Look at the notes with the {what}", output)
        count = counted(len(changed), "note" if all(map(is_note, changed)) else "file")
        summary = f"Rename the {what} to {now} in {count}"
        return builder.build(self.spec.operation, summary, [*warnings, *left], renamed_property=renamed_property)

    def _edited(self, path: str, change: Callable[[str], str] | None, follower: "Follower") -> "tuple[bytes, Followed]":
        """Return a file's bytes, and its text as it will be."""
        data, _stat = self._storage.read(parse_path(path))
        if not is_text(data):
            raise InvalidParameters("it is not text, although its name says so")
        text = decoded(data)
        return data, follow_in(path, change(text) if change else text, follower)


class RenamePropertyParams(SnakeCaseParams):
    """The property, and its new name."""

    property: str = Field(min_length=1, max_length=LONGEST_TAG, description="The property's name; case does not matter")
    new_name: str = Field(min_length=1, max_length=LONGEST_TAG, description="Its new name")
    folder: str | None = Field(None, max_length=LONGEST_PATH, description="Only in the notes of this folder")


class RenamePropertyTool(EverywhereTool[RenamePropertyParams]):
    """The tool that renames a property."""

    spec = write_spec(
        name="rename_property",
        action="rename/renamed the property[ {property}][ to {new_name}]",
        description="Rename a property in all notes. Values, order and comments stay; a note that has both is left.",
        icon="list",
        parameters=RenamePropertyParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="rename",
        timeout=300.0,
    )

    def prepare(self, params: RenamePropertyParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the property in every note."""
        from bridge.bases.following import PropertyFollower  # noqa: PLC0415 - a start is faster without

        old, new = params.property.strip(), params.new_name.strip()
        if not new or _CONTROL.search(new):
            raise InvalidParameters(f"{params.new_name!r} cannot be the name of a property; give one line")
        inside = folder_start(params.folder, self._storage, real=True)
        knowledge = self._storage.knowledge
        knowledge.refresh()
        paths = [
            facts.path
            for facts in knowledge.notes()
            if facts.path.startswith(inside) and any(fold(name) == fold(old) for name in facts.properties)
        ]
        if not paths:
            raise NotFound(f"No note has the property {old!r}")
        edit, names = partial(rename_property, old=old, new=new), (f"property {old!r}", repr(new))
        return self._renamed(paths, edit, PropertyFollower(old, new), names, context, renamed_property=old.lower())


class RenameTagParams(SnakeCaseParams):
    """The tag, and its new name."""

    tag: Tag = Field(description="The tag; tags nested in it are renamed along")
    new_tag: Tag = Field(description="Its new name; where it exists already, the two become one")


class RenameTagTool(EverywhereTool[RenameTagParams]):
    """The tool that renames a tag."""

    spec = write_spec(
        name="rename_tag",
        action="rename/renamed the tag[ {tag}][ to {new_tag}]",
        description="Rename a tag, with those nested in it, in the properties and text of all notes.",
        icon="tags",
        parameters=RenameTagParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="rename",
        timeout=300.0,
    )

    def prepare(self, params: RenameTagParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the tag in every note."""
        from bridge.bases.following import TagFollower  # noqa: PLC0415 - a start is faster without

        old, new = check_tag(params.tag), check_tag(params.new_tag)
        knowledge = self._storage.knowledge
        knowledge.refresh()
        paths = list(knowledge.tagged(old))
        if not paths:
            raise NotFound(f"No note has the tag #{old}; query with list_tags lists those there are")
        both = [] if renamed(new, old, new) else knowledge.tagged(new)
        warnings = [f"{counted(len(both), 'note')} had the tag #{new} before, so the two become one"] if both else []
        edit, names = partial(rename_tag, old=old, new=new), (f"tag #{old}", f"#{new}")
        return self._renamed(paths, edit, TagFollower(old, new), names, context, warnings=warnings)


class RenameHeadingParams(SnakeCaseParams):
    """The heading, and its new text."""

    path: NoteName = Field(description="Note name, path or wikilink")
    heading: str = Field(
        min_length=1, max_length=_LONGEST_HEADING, description="The heading, without '#' marks; 'A#B' is B below A"
    )
    new_heading: str = Field(min_length=1, max_length=_LONGEST_HEADING, description="Its new text")


class RenameHeadingTool(RelocatingTool[RenameHeadingParams]):
    """The tool that renames a heading."""

    spec = write_spec(
        name="rename_heading",
        action="rename/renamed the heading[ {heading}] of {path|a note}[ to {new_heading}]",
        description="Rename a heading of a note. Links to it in all notes, properties and canvases follow.",
        icon="heading",
        parameters=RenameHeadingParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="rename",
        timeout=300.0,
    )

    def prepare(self, params: RenameHeadingParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the heading and every link that follows."""
        new = _checked(params.new_heading)
        path, data = self._note(params.path)
        text = decoded(data)
        number = heading_number(text, path, params.heading)
        note = parsed(text)
        old = note.headings[number]
        if old.heading == new:
            message = Output({"path": path, "heading": new, "updated": []}, f"The heading is {new!r} already.")
            return Unchanged(in_vault(path), f"Look at the headings of {path}", message)
        headings = tuple(
            each._replace(heading=new) if place == number else each for place, each in enumerate(note.headings)
        )
        before, whole = Outline.of(note), self._keeper.moving({})
        after = Outline(headings, before.blocks)
        moving = Redirection(whole.before, whole.after, {}, whole.form, {path: before}, {path: after})
        kept, builder = KeptLinks(), self._storage.plan()
        renamed = with_heading(self._rewritten(path, data, moving, kept), number, new)
        builder.modify(parse_path(path), data, encoded(renamed))
        summary = f"Rename the heading {old.heading!r} of {path} to {new!r}"
        return self._relocation(builder, moving, [path], kept, context, summary=summary)

    def report(self, _params: RenameHeadingParams, applied: Applied) -> Output:
        """Report which notes changed for it."""
        plan = applied.plan
        path, *updated = (change.path for change in plan.changes)
        data = {"path": path, "updated": updated} | broken_data(plan)
        said = plan.summary.replace("Rename", "Renamed", 1)
        return Output(data, f"{said}.{broken_sentence(plan)} ({applied.execution_id})")


def with_heading(text: str, number: int, new: str) -> str:
    """Return a note in which one heading has another text.

    Args:
        text: The note.
        number: Which heading, from 0.
        new: Its text, checked.

    Raises:
        Conflict: The heading is written in a way that is not edited, or the note would say something else.
    """
    before = parsed(text)
    heading = before.headings[number]
    start = text.find(heading.heading, heading.start, heading.end) if heading.heading else -1
    if start < 0:
        raise _refused("it is written in a way that is not edited")
    edited = apply(text, [Edit(start, start + len(heading.heading), new)])
    after = parsed(edited)
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
