"""Lines of code in `bridge/`, by room: `python3 scripts/bench size`.

A line of code is neither blank nor a comment, nor part of a docstring.
"""

import ast
import io
import tokenize
from typing import Final

from scripts.lib.environment import ROOT

BRIDGE: Final = ROOT / "bridge"
_NO_CODE: Final = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)


async def run() -> None:
    """Count and print."""
    rooms: dict[str, list[int]] = {}
    for file in sorted(BRIDGE.rglob("*.py")):
        rooms.setdefault(file.relative_to(BRIDGE).parts[0], []).append(lines_of_code(file.read_bytes().decode()))
    for room, files in sorted(rooms.items(), key=lambda each: -sum(each[1])):
        print(f"  {room:<20} {sum(files):>7,} lines in {len(files)} files, the longest {max(files)}")
    print(f"  {'bridge':<20} {sum(map(sum, rooms.values())):>7,} lines in {sum(map(len, rooms.values()))} files")


def lines_of_code(source: str) -> int:
    """Return the number of lines of code in a Python source.

    Args:
        source: The text of the file.
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(ast.parse(source)))


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of every string that stands alone as a statement: docstrings, also those of constants."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
