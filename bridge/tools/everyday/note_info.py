"""The tool `note_info`: all about a note but its text, each with its line."""

import contextlib
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from bridge.errors import InvalidParameters, ToolFailure
from bridge.index.knowledge import NoteFacts, ResolvedNote
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.note import Link, TooMuchWork, Work
from bridge.toolkit.parameters import ANY_OBJECT, TEXT, TEXTS, WHOLE, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, in_vault
from bridge.tools.everyday.places import Places, line_number
from bridge.tools.formatting import NOTHING_THERE, shortened, value_text
from bridge.tools.kinds import CountingCursor, NoteName, SnakeCaseParams, read_spec
from bridge.tools.notes.lookup import NoteLookup, NoteReadTool, decoded, note_wire
from bridge.vault.text import counted

MOST = 500


class NoteInfoParams(SnakeCaseParams):
    """The note to describe."""

    path: NoteName = Field(description="Note name, path or wikilink")
    limit: int = Field(50, ge=1, le=MOST, description="Of each list")
    cursor: CountingCursor | None = Field(None, description="From the last answer, for the next of each list")

    @property
    def part(self) -> slice:
        """Return which of each list are wanted."""
        first = int(self.cursor or 0)
        return slice(first, first + self.limit)


class NoteInfoTool(NoteReadTool[NoteInfoParams]):
    """The tool that tells what a note has besides its text."""

    spec = read_spec(
        name="note_info",
        action="look/looked at the links and properties of {path|a note}",
        description="A note's properties, tags, headings, links and backlinks, with lines.",
        icon="info",
        parameters=NoteInfoParams,
        output=members(name=TEXT, path=TEXT, lines=WHOLE, aliases=TEXTS, tags=TEXTS, properties=ANY_OBJECT),
        replaces=frozenset({"get_metadata"}),
        acts=lambda _params, _paths: [frozenset({"note_info", "get_metadata"})],
    )

    def prepare(self, params: NoteInfoParams, _context: CallContext) -> ReadEffect:
        """Name the note, and the others of which a line is told because it links there."""
        effect = self._effect(params.path, "Look at the links and properties of")
        with contextlib.suppress(ToolFailure):
            note = self._notes.resolve(params.path)
            others = (link.source for link in self._notes.knowledge.backlinks(note.path)[params.part])
            return ReadEffect(in_vault(*dict.fromkeys((note.path, *others))), effect.summary)
        return effect

    def run(self, params: NoteInfoParams, _context: CallContext) -> Output:
        """Gather."""
        note = self._notes.resolve(params.path)
        text = decoded(self._notes.read(note))
        facts, links = _read(self._notes, note, text)
        places, backlinks = Places(self._notes.storage), self._notes.knowledge.backlinks(note.path)
        lists: dict[str, Sequence[dict[str, Any]]] = {
            "headings": [
                {"line": line_number(text, each.start), "level": each.level, "heading": each.heading}
                for each in facts.headings[params.part]
            ],
            "links": [self._link(note.path, text, link) for link in links[params.part]],
            "backlinks": [
                {"path": link.source, "line": None, "text": shortened(link.original)}
                | dict(zip(("line", "text"), places.line_of(link) or (), strict=False))
                for link in backlinks[params.part]
            ],
        }
        totals = {"headings": len(facts.headings), "links": len(links), "backlinks": len(backlinks)}
        data: dict[str, Any] = note_wire(note) | {
            "lines": text.count("\n") + (not text.endswith("\n") and bool(text)),
            "aliases": list(facts.aliases),
            "tags": list(dict.fromkeys(facts.tags)),
            "properties": dict(facts.properties),
        }
        first, end = params.part.start, params.part.stop
        if first and first >= max(totals.values()):
            raise InvalidParameters(NOTHING_THERE)
        metadata: dict[str, Any] = {"totals": totals, "truncated": max(totals.values()) > end}
        lines = _lines(data | lists, totals, len({link.source for link in backlinks}), first)
        if metadata["truncated"]:
            metadata["cursor"] = str(end)
            lines.append(f"[For the next of each list: cursor={end}]")
        return Output(data | lists, "\n".join(lines), metadata)

    def _link(self, source: str, text: str, link: Link) -> dict[str, Any]:
        """Return one link of the note. One to a file that may not be seen leads nowhere."""
        target = self._notes.knowledge.names.resolve(link.linkpath, source)
        seen = target if target is not None and self._notes.knowledge.file(target) else None
        return {"line": line_number(text, link.start), "link": link.link, "path": seen, "embed": link.embed}


def _read(notes: NoteLookup, note: ResolvedNote, text: str) -> tuple[NoteFacts, Sequence[Link]]:
    """Return a note's content as it is now; where parsing it is too much work, what the index knows."""
    try:
        parsed = parse_note(text, work=Work.of_one_note())
    except TooMuchWork:
        return notes.knowledge.note(note.path) or NoteFacts(note.path, {}, (), (), (), ()), ()
    properties = parsed.frontmatter or {}
    facts = NoteFacts(note.path, properties, aliases(properties), all_tags(parsed), parsed.headings, ())
    return facts, [link for link in parsed.all_links if link.counts]


def _lines(data: dict[str, Any], totals: dict[str, int], sources: int, first: int) -> list[str]:
    """Return the same for a model."""
    lines = [f"{data['path']} ({counted(data['lines'], 'line')}, modified {data['modified']})"]
    if not first:
        lines += [f"{name}: {', '.join(data[name])}" for name in ("aliases", "tags") if data[name]]
    if data["properties"] and not first:
        lines.append("properties:")
        lines += [f"  {name}: {value_text(value)}" for name, value in data["properties"].items()]
    if data["headings"]:
        lines.append(_titled("headings", "", first, len(data["headings"]), totals["headings"]))
        lines += [f"  {each['line']}: {'#' * each['level']} {each['heading']}" for each in data["headings"]]
    if data["links"]:
        lines.append(_titled("links", "", first, len(data["links"]), totals["links"]))
        lines += [f"  {each['line']}: {_leads(each)}" for each in data["links"]]
    if not data["backlinks"]:
        return lines if totals["backlinks"] else [*lines, "No note links here."]
    more = f" from {counted(sources, 'file')}"
    lines.append(_titled("backlinks", more, first, len(data["backlinks"]), totals["backlinks"]))
    for each in data["backlinks"]:
        place = each["path"] if each["line"] is None else f"{each['path']}:{each['line']}"
        lines.append(f"  {place}: {each['text']}")
    return lines


def _titled(name: str, more: str, first: int, shown: int, total: int) -> str:
    part = f"{first + 1}-{first + shown} of {total}" if shown < total else str(total)
    return f"{name} ({part}){more}:"


def _leads(link: dict[str, Any]) -> str:
    if link["path"] is None:
        return f"{link['link']} (leads nowhere)"
    return link["link"] if link["path"] in {link["link"], f"{link['link']}.md"} else f"{link['link']} -> {link['path']}"
