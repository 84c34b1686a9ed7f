"""The tool `get_metadata`: what a note says about itself, and what links it has."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from bridge.index.references import ResolvedNote
from bridge.notes.note import Heading
from bridge.toolkit.output_schema import ANY_OBJECT, TEXT, TEXTS, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect
from bridge.tools.formatting import value_text
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteReadTool, note_wire
from bridge.tools.parameters import NoteName, SnakeCaseParams

MOST_LISTED = 1000
"""Links, backlinks and headings that are listed, each."""

_MOST_IN_TEXT = 50


class GetMetadataParams(SnakeCaseParams):
    """The note to describe."""

    name: NoteName = Field(description="Note name or wikilink")


class GetMetadataTool(NoteReadTool[GetMetadataParams]):
    """The tool that lists what is known of a note without its text."""

    spec = read_spec(
        name="get_metadata",
        title="Get metadata",
        action="look/looked at the properties and links of {name|a note}",
        description="A note's tags, properties, aliases, headings, links, backlinks and times, without its text.",
        icon="info",
        parameters=GetMetadataParams,
        output=members(name=TEXT, path=TEXT, aliases=TEXTS, tags=TEXTS, properties=ANY_OBJECT, backlinks=TEXTS),
    )

    def prepare(self, params: GetMetadataParams, context: CallContext) -> ReadEffect:
        """Check the reference."""
        del context
        return self._effect(params.name, "Read the metadata of")

    def run(self, params: GetMetadataParams, context: CallContext) -> Output:
        """Gather."""
        del context
        note = self._notes.resolve(params.name)
        facts = self._notes.facts(note)
        links = self._notes.links(note)
        lists: dict[str, list[Any]] = {
            "backlinks": [self._notes.short_name(path) for path in self._notes.backlinks(note)],
            "forwardlinks": [self._notes.short_name(path) for path in links.found],
            "unresolved": list(links.unresolved),
            "headings": self._headings(note, facts.headings),
        }
        data: dict[str, Any] = note_wire(note) | {
            "aliases": list(facts.aliases),
            "tags": list(dict.fromkeys(facts.tags)),
            "properties": dict(facts.properties),
        }
        totals = {name: len(items) for name, items in lists.items()}
        truncated = any(total > MOST_LISTED for total in totals.values())
        data |= {name: items[:MOST_LISTED] for name, items in lists.items()}
        return Output(data, "\n".join(_lines(data, totals)), {"totals": totals, "truncated": truncated})

    def _headings(self, note: ResolvedNote, headings: Sequence[Heading]) -> list[dict[str, Any]]:
        """Return the headings, and the lines they are in."""
        text = self._notes.read(note).decode("utf-8", "surrogateescape") if headings else ""
        listed: list[dict[str, Any]] = []
        line, at = 1, 0
        for heading in headings:
            line, at = line + text.count("\n", at, heading.start), heading.start
            listed.append({"level": heading.level, "heading": heading.heading, "line": line})
        return listed


def _lines(data: dict[str, Any], totals: dict[str, int]) -> Sequence[str]:
    """Return the same for a model."""
    lines = [f"{data['path']} ({data['size_bytes']} bytes, modified {data['modified']}, created {data['created']})"]
    lines += [f"{name}: {_joined(data[name])}" for name in ("aliases", "tags") if data[name]]
    lines += [f"property {name}: {value_text(value)}" for name, value in data["properties"].items()]
    for name in ("backlinks", "forwardlinks", "unresolved"):
        if totals[name]:
            lines.append(f"{name} ({totals[name]}): {_joined(data[name])}")
    if totals["headings"]:
        lines.append(f"headings ({totals['headings']}):")
        listed = data["headings"][:_MOST_IN_TEXT]
        lines += [f"{each['line']}: {'#' * each['level']} {each['heading']}" for each in listed]
        more = totals["headings"] - len(listed)
        lines += [f"[{more} more headings]"] if more else []
    if any(total > _MOST_IN_TEXT for total in totals.values()):
        lines.append("[note_info lists more of them.]")
    return lines


def _joined(items: Sequence[str]) -> str:
    more = f", and {len(items) - _MOST_IN_TEXT} more" if len(items) > _MOST_IN_TEXT else ""
    return ", ".join(items[:_MOST_IN_TEXT]) + more
