"""What Obsidian itself answered, and what we answer: every recording agrees."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.bases.compiling import compile_expression
from bridge.bases.dates import Date, Zone
from bridge.bases.failures import ExpressionError, StepBudget
from bridge.bases.functions import Scope
from bridge.bases.rows import Row
from bridge.bases.values import plain
from bridge.notes.names import Names
from tests.bases.vault_of_files import ZONE, compiled_formulas

FOLDER = Path(__file__).parent / "recordings"
VALUES = json.loads((FOLDER / "values.json").read_text("utf-8"))
ERRORS = json.loads((FOLDER / "errors.json").read_text("utf-8"))
CONTEXT = VALUES["context"]


def _ms(stamp: str) -> int:
    return int(datetime.fromisoformat(stamp).astimezone(UTC).timestamp() * 1000)


def _written(value: Any) -> Any:
    """A property as its note has it."""
    if isinstance(value, dict) and value.get("type") == "Link":
        link = value["value"]
        display = link.get("display")
        return f"[[{link['path']}{'|' + display['value'] if display else ''}]]"
    return [_written(each) for each in value] if isinstance(value, list) else value


class _Recorded:
    """The files that were there when it was recorded."""

    def __init__(self) -> None:
        self._files = {file["path"]: file for file in CONTEXT["files"]}
        self._names = Names(self._files)
        self._rows = {
            path: Row(
                path,
                file["size"],
                (_ms(file["ctime"]), _ms(file["mtime"])),
                {key: _written(value) for key, value in file["properties"].items()},
                file["tags"],
                self,
            )
            for path, file in self._files.items()
        }

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
        file = self._files[path]
        first_embed = len(file["links"]) - len(file["embeds"])
        for place, link in enumerate(file["links"]):
            yield (link["path"], link["display"], place >= first_embed)

    def backlinks(self, path: str) -> Iterable[str]:
        return [link["path"] for link in self._files[path]["backlinks"]]


VAULT = _Recorded()
FORMULAS = compiled_formulas(CONTEXT["formulas"])
CASES = [
    *((case["expression"], case["expected"], case) for case in VALUES["cases"]),
    *((case["expression"], case["native"]["value"], case) for case in ERRORS["cases"]),
]


@pytest.mark.parametrize(("expression", "expected", "case"), CASES, ids=[case[0] for case in CASES])
def test_a_recorded_expression_comes_to_what_the_app_said(expression: str, expected: Any, case: dict[str, Any]) -> None:
    row = VAULT.row(CONTEXT["file"]["path"])
    assert row is not None
    scope = Scope(VAULT, Date(_ms(CONTEXT["now"]), ZONE), StepBudget(), row)
    scope.row = row
    refused = "knownDivergence" in case or expression.startswith("{")  # the app's parser refuses those
    try:
        value = plain(compile_expression(expression, FORMULAS).run(scope))
    except ExpressionError as error:
        value = {"error": error.message}
    if refused:
        assert value["error"].startswith("Unable to parse formula. (position ")
    elif case.get("assertion") == "range01":
        assert 0 <= value < 1
    else:
        assert value == expected
