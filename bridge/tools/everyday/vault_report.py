"""The tool `vault_report`: what is wrong with the vault's links, names and properties.

Each kind of fault is found by itself. Rules are those of docs/obsidian.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import Field

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters, ToolFailure
from bridge.index.knowledge import NoteFacts, StoredLink
from bridge.notes.frontmatter import find_frontmatter, property_tags, read_properties
from bridge.notes.names import link_key
from bridge.notes.note import BlockId, ParsedNote
from bridge.notes.parts import has_part, parse_reference
from bridge.toolkit.parameters import ANYTHING, WHOLE, a_list, members
from bridge.toolkit.tool import AGENT, VAULT, CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.bases.holding import holding_bases
from bridge.tools.everyday.places import Places
from bridge.tools.formatting import NOTHING_THERE, first_of, shortened
from bridge.tools.kinds import LONGEST_PATH, CountingCursor, SnakeCaseParams, read_spec
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage
from bridge.vault.paths import fold, parse_path
from bridge.vault.text import is_note, note_name

LIKELY: Final = 3
"""Likely targets of one broken link that are named."""
LIKENESS: Final = 80
"""The least likeness, of 100, at which a name is taken for one that was meant."""

_LINKING: Final = (".md", ".canvas", ".base")
"""Extensions of files that are no attachments."""
_PROPERTIES_BYTES: Final = 64 * 1024
_BASE_BYTES: Final = 1 << 20
_FORMER: Final = {"tag": "tags", "alias": "aliases", "cssclass": "cssclasses"}
_CHECK_EVERY: Final = 200


class ReportFinding(NamedTuple):
    """One thing that is wrong.

    Attributes:
        path: The file it is in, or that it is about.
        says: What to say of it, after the path and the line.
        link: The link that is meant, where one is.
        facts: More of it for programs.
    """

    path: str
    says: str = ""
    link: StoredLink | None = None
    facts: Mapping[str, Any] = MappingProxyType({})


class SurveyedVault:
    """A vault, as far as a survey goes.

    Args:
        storage: The vault, as the caller may see it.
        folder: Only what is in it is found, with a final `/`; empty for all.
        excluded: What the user keeps out of searches.
        check: Called now and then; raises when it takes too long.
    """

    def __init__(
        self, storage: Storage, folder: str, excluded: Callable[[str], bool], check: Callable[[], None]
    ) -> None:
        self._storage = storage
        self._knowledge = storage.knowledge
        self._folder = folder
        self._excluded = excluded
        self._check = check
        self._places = Places(storage)

    # -- links --------------------------------------------------------------------------------------------------

    def broken_links(self) -> Iterator[ReportFinding]:
        """Yield links that lead to no file (rules 31 to 43)."""
        for link, target in self._links:
            if target is None:
                yield ReportFinding(link.source, link=link, facts={"link": link.link})

    def missing_headings(self) -> Iterator[ReportFinding]:
        """Yield links to a part of a note that is not there. To Obsidian they lead to the note (rule 43)."""
        for link, target in self._links:
            if target is None or not link.subpath or not is_note(target):
                continue
            facts = self._facts.get(target)
            if facts is not None and not _has(facts, link.subpath):
                yield ReportFinding(
                    link.source, f"{target} has no {link.subpath}", link, {"link": link.link, "path": target}
                )

    def ambiguous_links(self) -> Iterator[ReportFinding]:
        """Yield links that lead to one of several files by rules 37 to 39 alone."""
        names = self._knowledge.names
        for link, target in self._links:
            if target is None or link.kind == "node" or not link.linkpath:
                continue
            candidates = [path for path in names.candidates(link.linkpath, link.source) if path in self._known]
            whole = fold(link.linkpath.lstrip("/"))
            if len(candidates) > 1 and whole not in {fold(target), fold(target.removesuffix(".md"))}:
                others = [path for path in candidates if path != target]
                says = f"leads to {target}, could be {first_of(others, LIKELY)}"
                yield ReportFinding(link.source, says, link, {"link": link.link, "path": target, "others": others})

    # -- files --------------------------------------------------------------------------------------------------

    def duplicate_names(self) -> Iterator[ReportFinding]:
        """Yield files of one name in several folders."""
        for paths in _grouped(self._files, lambda path: fold(path.rpartition("/")[2])).values():
            inside = [path for path in paths if self._reports(path)]
            if len(paths) > 1 and inside:
                others = [path for path in paths if path != inside[0]]
                yield ReportFinding(inside[0], f"also {first_of(others, LIKELY)}", facts={"others": others})

    def orphans(self) -> Iterator[ReportFinding]:
        """Yield notes that no other file links to."""
        yield from (ReportFinding(path) for path in self._reported if is_note(path) and path not in self._linked)

    def dead_ends(self) -> Iterator[ReportFinding]:
        """Yield notes that link to no file."""
        leading = {link.source for link, target in self._all_links if target is not None and target != link.source}
        yield from (ReportFinding(path) for path in self._reported if is_note(path) and path not in leading)

    def unused_attachments(self) -> Iterator[ReportFinding]:
        """Yield files that are no notes, canvases or bases, and that nothing links to or embeds."""
        unused = (path for path in self._reported if path not in self._linked)
        yield from (ReportFinding(path) for path in unused if not path.lower().endswith(_LINKING))

    # -- properties ---------------------------------------------------------------------------------------------

    def broken_properties(self) -> Iterator[ReportFinding]:
        """Yield notes with properties, or some of them, that Obsidian does not read (rules 49, 52 and 53)."""
        for number, (path, facts) in enumerate(self._facts.items()):
            if number % _CHECK_EVERY == 0:
                self._check()
            if not self._reports(path):
                continue
            if not facts.properties and self._is_broken(path):
                yield ReportFinding(path, "its YAML cannot be read, so it has no properties, tags or aliases")
                continue
            names = {name.lower(): name for name in facts.properties}
            for former, now in _FORMER.items():
                if former in names:
                    yield ReportFinding(path, f"{names[former]!r} is ignored since Obsidian 1.9; it is {now!r} now")
            value = facts.properties.get(names.get("tags", ""))
            if isinstance(value, str) and value.strip() and not property_tags({"tags": value}):
                yield ReportFinding(path, f"'tags' holds {shortened(value, 50)!r}, which is no tag; make it a list")

    def _is_broken(self, path: str) -> bool:
        try:
            data, _stat = self._storage.read(parse_path(path), limit=_PROPERTIES_BYTES)
        except ToolFailure:
            return False
        text = data.decode("utf-8", "surrogateescape")
        block = find_frontmatter(text)
        yaml = text[block.yaml_start : block.yaml_end] if block else ""
        lines = [line for line in yaml.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        return bool(lines) and read_properties(yaml) is None

    # -- bases --------------------------------------------------------------------------------------------------

    def broken_bases(self) -> Iterator[ReportFinding]:
        """Yield bases, also those in notes, that cannot be read, or in which an expression is wrong."""
        from bridge.tools.bases.asking import mistakes  # noqa: PLC0415 - a start is faster without

        for number, path in enumerate(holding_bases(self._knowledge)):
            if number % _CHECK_EVERY == 0:
                self._check()
            if not self._reports(path):
                continue
            try:
                data, _stat = self._storage.read(parse_path(path), limit=_BASE_BYTES)
            except ToolFailure:
                continue
            for says in mistakes(path, data.decode("utf-8", "surrogateescape")):
                yield ReportFinding(path, says)

    # -- showing ------------------------------------------------------------------------------------------------

    def shown(self, finding: ReportFinding) -> dict[str, Any]:
        """Return a finding for programs, and in `text` for models: its place is looked up, and what a link may mean."""
        data: dict[str, Any] = {"path": finding.path}
        says, link = finding.says, finding.link
        if link is None:
            return data | dict(finding.facts) | {"text": f"{finding.path}: {says}" if says else finding.path}
        found = self._places.line_of(link)
        data |= dict(finding.facts) | {"line": found[0] if found else None}
        if not says:
            data["likely"] = likely = self.likely(link)
            says = f"likely {', '.join(likely)}" if likely else "nothing is called like it"
        place = f"{finding.path}:{found[0]}" if found else finding.path
        return data | {"text": f"{place}: {shortened(link.original)} - {says}"}

    def likely(self, link: StoredLink) -> list[str]:
        """Return files that a broken link may have meant: by an alias, by the same letters, by like ones."""
        name = link.linkpath.rpartition("/")[2]
        found = dict.fromkeys(self._knowledge.with_alias(name))
        stem = link_key(name)
        from rapidfuzz import fuzz, process  # noqa: PLC0415 - a start is faster without

        for near, _score, _place in process.extract(stem, self._stems.keys(), scorer=fuzz.ratio, limit=LIKELY,
                                                    score_cutoff=LIKENESS):  # fmt: skip
            found |= dict.fromkeys(self._stems[near])
        folded = _letters(stem)
        found |= dict.fromkeys(self._letters.get(folded, ()) if folded else ())
        return [path for path in found if path in self._known][:LIKELY]

    # -- what there is ------------------------------------------------------------------------------------------

    @cached_property
    def _files(self) -> list[str]:
        return [file.path for file in self._knowledge.files()]

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._files)

    @property
    def _reported(self) -> Iterator[str]:
        return filter(self._reports, self._files)

    @cached_property
    def _facts(self) -> dict[str, NoteFacts]:
        return {facts.path: facts for facts in self._knowledge.notes()}

    @cached_property
    def _all_links(self) -> list[tuple[StoredLink, str | None]]:
        """Return every link of the vault, with where it leads; one to a file that the user has closed leads nowhere."""
        names, found = self._knowledge.names, list[tuple[StoredLink, str | None]]()
        sources = [path for path in self._files if path.lower().endswith((".md", ".canvas"))]
        for number, path in enumerate(sources):
            if number % _CHECK_EVERY == 0:
                self._check()
            for link in self._knowledge.links_from(path):
                target = names.resolve(link.linkpath, path)
                found.append((link, target if target in self._known else None))
        return found

    @cached_property
    def _links(self) -> list[tuple[StoredLink, str | None]]:
        """Return those that are reported."""
        return [(link, target) for link, target in self._all_links if self._reports(link.source)]

    @cached_property
    def _linked(self) -> set[str]:
        """Return files that another file links to; addresses in definitions and HTML count here, too."""
        found = {target for link, target in self._all_links if target is not None and target != link.source}
        names = self._knowledge.names
        wanted = [path for path in self._files if path not in found]
        for link in self._knowledge.links_named({link_key(path) for path in wanted}):
            target = None if link.counts else names.resolve(link.linkpath, link.source)
            if target is not None and target != link.source:
                found.add(target)
        return found

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        return _grouped(self._files, link_key)

    @cached_property
    def _letters(self) -> dict[str, list[str]]:
        return _grouped(self._files, lambda path: _letters(note_name(path)))

    def _reports(self, path: str) -> bool:
        return path.startswith(self._folder) and not self._excluded(path)


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[key(path)].append(path)
    return groups


def _letters(name: str) -> str:
    """Return a name's letters and digits alone: `Book-Club` and `book club` are one."""
    return "".join(character for character in fold(name) if character.isalnum())


def _has(facts: NoteFacts, subpath: str) -> bool:
    """Return whether a note has the part that a link names; a link that names no part is satisfied."""
    try:
        reference = parse_reference(f"note{subpath}")
    except InvalidParameters:
        return True
    note = ParsedNote(headings=facts.headings, blocks=tuple(BlockId(0, 0, name) for name in facts.block_ids))
    return not reference.part or has_part(note, reference)


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

_SECTIONS: Mapping[SectionName, tuple[str, Callable[[SurveyedVault], Iterable[ReportFinding]]]] = {
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

    sections: list[SectionName] | None = Field(None, min_length=1)
    folder: str | None = Field(None, max_length=LONGEST_PATH, description="Only in here")
    limit: int = Field(20, ge=1, le=500, description="Of each section")
    cursor: CountingCursor | None = None


class VaultReportTool(ReadTool[VaultReportParams]):
    """The tool that surveys the vault.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="vault_report",
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

    def prepare(self, params: VaultReportParams, _context: CallContext) -> ReadEffect:
        """Say what will be surveyed."""
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
        first = int(params.cursor or 0)
        end = first + params.limit
        found = {name: list(_SECTIONS[name][1](vault)) for name in params.sections or get_args(SectionName)}
        data = {
            name: {"total": len(findings), "items": [vault.shown(finding) for finding in findings[first:end]]}
            for name, findings in found.items()
        }
        most = max(map(len, found.values()))
        if first and first >= most:
            raise InvalidParameters(NOTHING_THERE)
        lines = _lines(data, first)
        if most <= end:
            return Output(data, "\n".join(lines), {"truncated": False})
        lines.append(f"[For the next of each: cursor={end}]")
        return Output(data, "\n".join(lines), {"truncated": True, "cursor": str(end)})

    def _check(self, context: CallContext) -> None:
        if self._clock.monotonic() > context.deadline:
            raise DeadlineExceeded("The survey did not end in time; ask for one section, or for a folder")


def _lines(data: Mapping[SectionName, Mapping[str, Any]], first: int) -> list[str]:
    """Return the report for models. `first` is the number of findings of each section that are left out."""
    lines: list[str] = []
    for name, section in data.items():
        if items := section["items"]:
            lines.append(f"{_SECTIONS[name][0]} ({name}): {section['total']:,}")
            lines += [f"  {item['text']}" for item in items]
            if more := section["total"] - first - len(items):
                lines.append(f"  [{more:,} more]")
    fine = [name for name, section in data.items() if not section["total"] and not first]
    return [*lines, f"Nothing found: {', '.join(fine)}"] if fine else lines
