"""The tool `merge_notes`: the text of some notes goes into another, links to them lead there, and they are deleted."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from bridge.contract.consent import ConsentClass
from bridge.errors import Conflict, InvalidParameters
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.merged_properties import merge_properties
from bridge.notes.note import Heading, ParsedNote
from bridge.notes.parts import Outline
from bridge.notes.rewriting import LinkTarget, Redirection
from bridge.toolkit.tool import Applied, CallContext, Output
from bridge.tools.everyday.places import RelocatingTool
from bridge.tools.files.link_keeping import KeptLinks, broken_data, broken_sentence
from bridge.tools.formatting import some
from bridge.tools.joining import appended, body_of, check_joined, ending_of, free_block, parsed, with_blocks
from bridge.tools.kinds import NoteName, SnakeCaseParams, write_spec
from bridge.tools.notes.lookup import decoded, encoded
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.text import note_name

MOST = 50


class MergeNotesParams(SnakeCaseParams):
    """The notes to merge, and the note that they go into."""

    sources: list[NoteName] = Field(min_length=1, max_length=MOST, description="Notes that go into the target")
    target: NoteName = Field(description="Which stays")
    headings: bool = Field(default=False, description="Each text below a heading of its name")


@dataclass(slots=True)
class _Source:
    """A note that goes into another one.

    Attributes:
        path: Where it is.
        data: Its bytes.
        note: What it says.
        heading: The heading that its text gets; empty for none.
        blocks: Its block ids that get others, because they are taken, with what they become.
    """

    path: str
    data: bytes
    note: ParsedNote
    heading: str
    blocks: dict[str, str]


class MergeNotesTool(RelocatingTool[MergeNotesParams]):
    """The tool that merges notes."""

    spec = write_spec(
        name="merge_notes",
        action="merge/merged {sources|notes} into {target|a note}",
        description="Append notes to another, make all links lead there, and delete them.",
        icon="merge",
        parameters=MergeNotesParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="merge",
        timeout=300.0,
    )

    def prepare(self, params: MergeNotesParams, context: CallContext) -> ChangePlan:
        """Plan the text, the links that follow, and the deletions."""
        target, data = self._note(params.target)
        sources = self._sources(params, target)
        moving = self._moving(target, parsed(decoded(data)), sources)
        kept, builder = KeptLinks(), self._storage.plan()
        merged, left_out = self._text(target, data, sources, moving, kept)
        builder.modify(parse_path(target), data, encoded(merged))
        for source in sources:
            builder.delete(parse_path(source.path), source.data)
        own = {target, *(source.path for source in sources)}
        warnings = [
            f"{path!r} has other values than {target!r} for some properties, and they will be lost: {', '.join(names)}"
            for path, names in left_out.items()
        ]
        summary = f"Merge {some([source.path for source in sources])} into {target}"
        return self._relocation(builder, moving, own, kept, context, summary=summary, warnings=warnings)

    def report(self, params: MergeNotesParams, applied: Applied) -> Output:
        """Report what went where, and which notes changed for it."""
        plan = applied.plan
        merged = [change.path for change in plan.changes if change.kind is ChangeKind.DELETE]
        updated = [change.path for change in plan.changes if change.path in plan.follows]
        modified = [change.path for change in plan.changes if change.kind is ChangeKind.MODIFY]
        own = [path for path in modified if path not in updated]
        target = own[0] if own else self._notes.resolve(params.target).path  # sources that say nothing change nothing
        data = {"path": target, "merged": merged, "updated": updated} | broken_data(plan)
        said = plan.summary.replace("Merge", "Merged", 1)
        return Output(data, f"{said}.{broken_sentence(plan)} ({applied.execution_id})")

    # -- the texts ----------------------------------------------------------------------------------------------

    def _sources(self, params: MergeNotesParams, target: str) -> list[_Source]:
        """Return the notes that go, with the headings and block ids that they get."""
        found: dict[str, _Source] = {}
        for name in params.sources:
            path, data = self._note(name)
            if path == target:
                raise InvalidParameters(f"{path!r} cannot be merged into itself; leave it out of sources")
            text = decoded(data)
            note = parsed(text)
            block = find_frontmatter(text)
            if block and note.frontmatter is None and text[block.yaml_start : block.yaml_end].strip():
                raise Conflict(
                    f"The properties of {path!r} are broken YAML and would be lost; mend or remove them first",
                    code="properties",
                )
            found[path] = _Source(path, data, note, note_name(path) if params.headings else "", {})
        return list(found.values())

    def _moving(self, target: str, note: ParsedNote, sources: Sequence[_Source]) -> Redirection:
        """Return where each part of the notes goes."""
        outlines = {target: Outline.of(note)}
        headings, blocks = list(note.headings), set(outlines[target].blocks)
        parts: dict[LinkTarget, LinkTarget] = {}
        for source in sources:
            outlines[source.path] = Outline.of(source.note)
            if source.heading:
                parts[LinkTarget(source.path)] = LinkTarget(target, len(headings))
                headings.append(Heading(0, 0, _level(source), source.heading))
            for number, heading in enumerate(source.note.headings):
                parts[LinkTarget(source.path, number)] = LinkTarget(target, len(headings))
                headings.append(heading)
            for block in sorted(outlines[source.path].blocks):
                source.blocks[block] = free_block(block, blocks)
                blocks.add(source.blocks[block])
                parts[LinkTarget(source.path, block)] = LinkTarget(target, source.blocks[block])
        names = self._keeper.moving({}).before
        return Redirection(
            names,
            names.moved({source.path: None for source in sources}),
            {source.path: target for source in sources},
            self._storage.app_settings.new_link_format,
            outlines,
            {target: Outline(tuple(headings), frozenset(blocks))},
            parts,
        )

    def _text(
        self, target: str, data: bytes, sources: Sequence[_Source], moving: Redirection, kept: KeptLinks
    ) -> tuple[str, dict[str, tuple[str, ...]]]:
        """Return the target's text with those of the others, and the properties that it does not get."""
        text = self._rewritten(target, data, moving, kept)
        ending, left_out = ending_of(text), dict[str, tuple[str, ...]]()
        for source in sources:
            broken = len(kept.broken)
            own = with_blocks(self._rewritten(source.path, source.data, moving, kept), source.blocks)
            text, lost = merge_properties(text, own, ending)
            if lost:
                left_out[source.path] = lost
            body = body_of(own)
            title = f"{'#' * _level(source)} {source.heading}" if source.heading else ""
            joined = appended(appended(text, title, ending), body, ending)
            check_joined(
                parsed(joined),
                [parsed(text), parsed(f"\n{title}"), parsed(f"\n{body}")],
                f"The text of {source.path!r}",
            )
            shift = joined.count("\n", 0, len(joined) - len(body)) - own.count("\n", 0, max(own.find(body), 0))
            kept.broken[broken:] = [each._replace(line=each.line + shift) for each in kept.broken[broken:]]
            text = joined
        return text, left_out


def _level(source: _Source) -> int:
    """Return the level of a heading that the headings of a note are below, if there is one above theirs."""
    return max(1, min((heading.level for heading in source.note.headings), default=3) - 1)
