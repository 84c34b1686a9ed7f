"""The tool `vault_report`: what is wrong with the vault's links, names and properties."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, get_args

from pydantic import Field

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.toolkit.output_schema import ANYTHING, WHOLE, a_list, members
from bridge.toolkit.tool import AGENT, VAULT, CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.everyday.report_sections import Finding, Section, SurveyedVault
from bridge.tools.formatting import NOTHING_THERE
from bridge.tools.kinds import LONGEST_PATH, CountingCursor, SnakeCaseParams, read_spec
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage

SectionName = Literal[
    "broken_links",
    "missing_headings",
    "ambiguous_links",
    "duplicate_names",
    "orphans",
    "dead_ends",
    "unused_attachments",
    "broken_properties",
    "broken_bases",
]

_SECTIONS: Mapping[SectionName, tuple[str, Callable[[SurveyedVault], Iterable[Finding]]]] = {
    "broken_links": ("Links that lead nowhere", SurveyedVault.broken_links),
    "missing_headings": ("Links to a heading or block that is not there", SurveyedVault.missing_headings),
    "ambiguous_links": ("Links that several files fit", SurveyedVault.ambiguous_links),
    "duplicate_names": ("Names that several files have", SurveyedVault.duplicate_names),
    "orphans": ("Notes that nothing links to", SurveyedVault.orphans),
    "dead_ends": ("Notes without a link", SurveyedVault.dead_ends),
    "unused_attachments": ("Attachments that nothing links to", SurveyedVault.unused_attachments),
    "broken_properties": ("Properties that Obsidian does not read", SurveyedVault.broken_properties),
    "broken_bases": ("Bases with a mistake", SurveyedVault.broken_bases),
}


class VaultReportParams(SnakeCaseParams):
    """The parts of the report to make."""

    sections: list[SectionName] | None = Field(default=None, min_length=1)
    folder: str | None = Field(default=None, max_length=LONGEST_PATH, description="Only in here")
    limit: int = Field(default=20, ge=1, le=500, description="Of each section")
    cursor: CountingCursor | None = None


class VaultReportTool(ReadTool[VaultReportParams]):
    """The tool that surveys the vault.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="vault_report",
        title="Vault report",
        action="survey/surveyed the vault[ in {folder}]",
        description="Broken links with likely targets, orphans, what else is wrong.",
        icon="stethoscope",
        parameters=VaultReportParams,
        output={"type": "object", "additionalProperties": members(total=WHOLE, items=a_list(ANYTHING))},
        default_rate=30,
        presets=frozenset({AGENT, VAULT}),
    )

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def prepare(self, params: VaultReportParams, context: CallContext) -> ReadEffect:
        """Say what will be surveyed."""
        del context
        if params.folder is None:
            return ReadEffect(in_vault(""), "Survey the links, names and properties of all notes")
        where = folder_start(params.folder, self._storage)
        return ReadEffect(in_vault(where), f"Survey the links, names and properties in {where or 'the vault'}")

    def run(self, params: VaultReportParams, context: CallContext) -> Output:
        """Survey."""
        excluded = self._storage.ignored(context.settings.ignore_patterns)
        vault = SurveyedVault(
            self._storage,
            folder_start(params.folder, self._storage, real=True),
            excluded or (lambda _path: False),
            partial(self._check, context),
        )
        found: dict[str, Section] = {}
        first = int(params.cursor or 0)
        end = first + params.limit
        for name in params.sections or get_args(SectionName):
            title, find = _SECTIONS[name]
            found[name] = Section(title, list(find(vault)), slice(first, end))
        data = {name: section.to_wire(vault) for name, section in found.items()}
        most = max(len(section.findings) for section in found.values())
        if first and first >= most:
            raise InvalidParameters(NOTHING_THERE)
        lines = _lines(found, data)
        if most <= end:
            return Output(data, "\n".join(lines), {"truncated": False})
        lines.append(f"[For the next of each: cursor={end}]")
        return Output(data, "\n".join(lines), {"truncated": True, "cursor": str(end)})

    def _check(self, context: CallContext) -> None:
        if self._clock.monotonic() > context.deadline:
            raise DeadlineExceeded("The survey did not end in time; ask for one section, or for a folder")


def _lines(found: Mapping[str, Section], data: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for name, section in found.items():
        total, items = len(section.findings), data[name]["items"]
        if not items:
            continue
        lines.append(f"{section.title} ({name}): {total:,}")
        lines += [f"  {item['text']}" for item in items]
        if more := total - section.shown.start - len(items):
            lines.append(f"  [{more:,} more]")
    fine = [name for name, section in found.items() if not section.findings and not section.shown.start]
    if fine:
        lines.append(f"Nothing found: {', '.join(fine)}")
    return lines
