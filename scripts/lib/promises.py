"""The tables of `docs/security.md` that are made from tests: of promises, and of what programs can do in a sandbox.

Each file in `tests/security` begins with a docstring whose first line is the promise that it holds. What is tried in
sandboxes is in `tests/sandbox/rows.py`.
"""

from __future__ import annotations

import ast
import re
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "security.md"
PROBES: Final = ROOT / "tests" / "security"
COMMAND: Final = "python3 scripts/list-promises"
BEGIN: Final = f"<!-- Promises: written by `{COMMAND}`. -->"
END: Final = "<!-- End of the promises. -->"
ROWS: Final = ROOT / "tests" / "sandbox" / "rows.py"
BEGIN_ROWS: Final = f"<!-- What programs can do: written by `{COMMAND}`. -->"
END_ROWS: Final = "<!-- End of what programs can do. -->"
HEAD: Final = (
    "| | Linux with namespaces of its own or with bubblewrap | macOS (`sandbox-exec`) "
    "| without a sandbox (Windows; Linux with Landlock alone) |"
)
LONGEST: Final = 200
"""Characters of a promise: it is one sentence of a table."""


def promises(folder: Path) -> dict[str, str]:
    """Return the promise of each file of tests, by the file's name, in the order of the promises.

    Args:
        folder: Where the files are.

    Raises:
        ValueError: A file begins with no promise.
    """
    found = {}
    for file in sorted(folder.glob("test_*.py")):
        said = (ast.get_docstring(ast.parse(file.read_bytes())) or "").split("\n")[0]
        if not said.endswith(".") or len(said) > LONGEST or "|" in said:
            raise ValueError(f"{file.name} must begin with its promise: one sentence of at most {LONGEST} characters")
        found[file.name] = said
    return dict(sorted(found.items(), key=lambda each: each[1].strip("`").casefold()))


def render(found: dict[str, str]) -> str:
    """Return the table, with its marks."""
    rows = [f"| {said} | [{name}](../tests/security/{name}) |" for name, said in found.items()]
    return "\n".join([BEGIN, "", "| promise | probe |", "|---|---|", *rows, "", END])


def render_rows(file: Path) -> str:
    """Return the table of what programs can do, with its marks, and how much of it is tried.

    Args:
        file: What is tried, by the rows of the table.
    """
    found = runpy.run_path(str(file))
    rows = [f"| {row.what} | {row.confined} | {row.macos} | {row.without} |" for row in found["ROWS"]]
    tried = sum(len(row.attempts) for row in found["ROWS"]) + len(found["INNER"])
    told = (
        f"`tests/security/test_sandbox.py` and `tests/security/test_bounds_of_programs.py` make {tried} "
        "attempts at these, and at steps on the way, in each Linux sandbox that works where they run, as the user of "
        "the tests and, if that is root, as an ordinary user too. They also show that what the last column calls "
        "possible is possible. The macOS column and the job objects of Windows follow the documentation of these "
        "systems and are not tried by these tests."
    )
    return "\n".join([BEGIN_ROWS, "", HEAD, "|---|---|---|---|", *rows, "", told, "", END_ROWS])


def in_page(page: str, table: str, begin: str = BEGIN, end: str = END) -> str:
    """Return a page with a table in the place that its marks say.

    Raises:
        ValueError: The page has no such place.
    """
    placed, count = re.subn(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: table, page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page needs the marks {begin} and {end} once")
    return placed


def in_order(page: str, probes: Path = PROBES, rows: Path = ROWS) -> str:
    """Return a page with both tables as the tests have them.

    Raises:
        ValueError: The page has no place for one of them, or a file begins with no promise.
    """
    return in_page(in_page(page, render(promises(probes))), render_rows(rows), BEGIN_ROWS, END_ROWS)


def main(arguments: Sequence[str], page: Path = PAGE, probes: Path = PROBES) -> int:
    """Write the tables, or with `--check` say whether they are up to date."""
    before = page.read_text(encoding="utf-8")
    try:
        after = in_order(before, probes)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if after == before:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{page.name} does not have its tables as the tests state them: run `{COMMAND}`\n")
        return 1
    page.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
