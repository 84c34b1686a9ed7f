"""The table of functions in `docs/bases.md`: what each is given, and in how many tests it is called.

Counted are expressions with a known value: those of the documents (`tests/bases/expressions.py`), and those that were
recorded in the app (`tests/bases/recordings`).
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.bases.failures import ExpressionError
from bridge.bases.functions import FUNCTIONS, Function
from bridge.bases.syntax import Call, Node, children, parse
from tests.bases.expressions import EXPRESSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "bases.md"
RECORDINGS: Final = ROOT / "tests" / "bases" / "recordings"
COMMAND: Final = "python3 scripts/list-functions"
BEGIN: Final = f"<!-- Functions: written by `{COMMAND}`. -->"
END: Final = "<!-- End of the functions. -->"


def calls(expressions: Iterable[str]) -> Counter[str]:
    """Return in how many expressions each function is called."""
    found: Counter[str] = Counter()
    for expression in expressions:
        try:
            pending: list[Node] = [parse(expression)]
        except ExpressionError:
            continue
        names: set[str] = set()
        while pending:
            node = pending.pop()
            if isinstance(node, Call):
                names.add(node.name)
            pending.extend(children(node))
        found.update(names)
    return found


def recorded() -> list[str]:
    """Return the expressions that were recorded in the app."""
    files = (json.loads((RECORDINGS / name).read_text("utf-8")) for name in ("values.json", "errors.json"))
    return [case["expression"] for file in files for case in file["cases"]]


def render() -> str:
    """Return the table, with its marks."""
    kinds: dict[str, list[Function]] = defaultdict(list)
    for function in FUNCTIONS:
        kinds[function.name].append(function)
    documented, observed = calls(expression for _source, expression, _value in EXPRESSIONS), calls(recorded())
    rows = [
        f"| `{name}({functions[0].signature})` | {', '.join(each.kind for each in functions)} | "
        f"{documented[name]} | {observed[name]} |"
        for name, functions in sorted(kinds.items(), key=lambda each: each[0].lower())
    ]
    total = f"| all expressions | | {len(EXPRESSIONS)} | {len(recorded())} |"
    heads = ["| function | of | from the documents | recorded |", "|---|---|---|---|"]
    return "\n".join([BEGIN, "", *heads, *rows, total, "", END])


def main(arguments: Sequence[str], page: Path = PAGE) -> int:
    """Write the table, or with `--check` say whether it is up to date."""
    before = page.read_text(encoding="utf-8")
    start, end = before.find(BEGIN), before.find(END)
    if start < 0 or end < start:
        sys.stderr.write(f"{page.name} needs the marks {BEGIN} and {END}\n")
        return 1
    after = before[:start] + render() + before[end + len(END) :]
    if after == before:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{page.name} does not list the functions as they are tested: run `{COMMAND}`\n")
        return 1
    page.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
