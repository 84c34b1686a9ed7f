"""The table of promises in `docs/security.md`: what the tests in `tests/security` attack, in their own words.

Each of these files begins with a docstring whose first line is the promise that it holds.
"""

from __future__ import annotations

import ast
import re
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


def in_page(page: str, table: str) -> str:
    """Return a page with the table in the place that its marks say.

    Raises:
        ValueError: The page has no such place.
    """
    placed, count = re.subn(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: table, page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page needs the marks {BEGIN} and {END} once")
    return placed


def main(arguments: Sequence[str], page: Path = PAGE, probes: Path = PROBES) -> int:
    """Write the table, or with `--check` say whether it is up to date."""
    before = page.read_text(encoding="utf-8")
    try:
        after = in_page(before, render(promises(probes)))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if after == before:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{page.name} does not list the promises as the tests state them: run `{COMMAND}`\n")
        return 1
    page.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
