"""A vault of a few files in memory, for expressions and bases."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from bridge.bases.compiling import Evaluate, compile_expression
from bridge.bases.dates import Date, Zone
from bridge.bases.failures import StepBudget
from bridge.bases.functions import Scope
from bridge.bases.rows import Row, Value
from bridge.bases.values import plain
from bridge.notes.markdown import parse_note
from bridge.notes.names import Names

ZONE = Zone(timezone(timedelta(hours=10)))
NOW = Date(int(datetime(2026, 6, 10, 7, 17, 8, tzinfo=UTC).timestamp() * 1000), ZONE)


class FilesInMemory:
    """Files by path; notes are parsed.

    Args:
        files: Their texts.
        changed: When each was changed last, in milliseconds; the same for all without it.
    """

    def __init__(self, files: Mapping[str, str], changed: int = 1_780_000_000_000) -> None:
        self._names = Names(files)
        self._notes = {path: parse_note(text) for path, text in files.items() if path.endswith(".md")}
        self._rows = {path: self._made(path, text, changed) for path, text in sorted(files.items())}

    def _made(self, path: str, text: str, changed: int) -> Row:
        note = self._notes.get(path)
        properties: Mapping[str, Any] = {} if note is None else note.frontmatter or {}
        named = properties.get("tags") or []
        own = () if note is None else tuple(tag.tag for tag in note.tags)
        tags = [*(named if isinstance(named, list) else [named]), *own]
        return Row(path, len(text.encode()), (changed, changed), properties, [str(tag) for tag in tags], self)

    @property
    def zone(self) -> Zone:
        return ZONE

    def rows(self) -> Sequence[Row]:
        return list(self._rows.values())

    def row(self, path: str) -> Row | None:
        return self._rows.get(path)

    def resolve(self, linkpath: str, source: str) -> str | None:
        return self._names.resolve(linkpath, source)

    def links(self, path: str) -> Iterable[tuple[str, str, bool]]:
        note = self._notes.get(path)
        if note is not None:
            for link in (*note.frontmatter_links, *note.links):
                yield (link.link, link.display, False)
            for link in note.embeds:
                yield (link.link, link.display, True)

    def backlinks(self, path: str) -> Iterable[str]:
        return [other for other, row in self._rows.items() if path in row.targets and other != path]


def compiled_formulas(formulas: Mapping[str, str]) -> dict[str, Evaluate]:
    """Formulas that may name one another."""
    made: dict[str, Evaluate] = dict.fromkeys(formulas, lambda _scope: None)
    for name, expression in formulas.items():
        made[name] = compile_expression(expression, made).run
    return made


def evaluated(
    expression: str,
    vault: FilesInMemory,
    path: str,
    formulas: Mapping[str, Evaluate] | None = None,
    *,
    budget: StepBudget | None = None,
) -> Value:
    """What an expression comes to for one file, looked at from that file."""
    scope = Scope(vault, NOW, budget or StepBudget(), vault.row(path))
    row = vault.row(path)
    assert row is not None
    scope.row = row
    return compile_expression(expression, formulas or {}).run(scope)


def as_json(value: Value) -> Any:
    """A value as JSON has it."""
    return plain(value)
