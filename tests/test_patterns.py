"""Patterns mean the same in every Python that the bridge runs on.

Python 3.11.0 to 3.11.4 (Debian 12 has 3.11.2) lose their place where a group that is repeated possessively, as in
`(?:ab|c)*+`, begins to match and fails: https://github.com/python/cpython/issues/106052. An atomic group in its place,
`(?>ab|c)*+`, means the same and is right in all of them.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

BRIDGE = Path(__file__).parents[1] / "bridge"
MAY_REPEAT_A_GROUP = re.compile(r"[^(]\)(?:[*+?]|\{[0-9,]+\})\+")
RIGHT_EVERYWHERE = {codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY, codes.ATOMIC_GROUP}


def texts(file: Path) -> Iterator[str]:
    """Every text of a module, with a letter for what is put into it."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)


def repeated(parsed: Any) -> Iterator[list[Any]]:
    """What a pattern repeats possessively."""
    if isinstance(parsed, (list, tuple, parser.SubPattern)):
        for part in parsed:
            if isinstance(part, tuple) and part[0] is codes.POSSESSIVE_REPEAT:
                yield list(part[1][2])
            yield from repeated(part)


def wrong(pattern: str) -> bool:
    """Whether a pattern repeats possessively what some Pythons do not."""
    try:
        parsed = parser.parse(pattern)
    except re.error:
        return False  # a piece of one, or no pattern
    return any(item and (len(item) > 1 or item[0][0] not in RIGHT_EVERYWHERE) for item in repeated(parsed))


@pytest.mark.slow
def test_no_group_is_repeated_in_a_way_that_some_pythons_get_wrong() -> None:
    found = {
        (file.relative_to(BRIDGE).as_posix(), text)
        for file in BRIDGE.rglob("*.py")
        for text in texts(file)
        if MAY_REPEAT_A_GROUP.search(text) and wrong(text)
    }
    assert found == set()


@pytest.mark.parametrize(
    ("pattern", "is_wrong"),
    [(r"(?:ab|c)*+", True), (r"(a(?:bc){2,}+)x", True), (r"(?>ab|c)*+", False), (r"[ab]*+c++\d?+", False)],
)
def test_such_a_group_is_found(pattern: str, is_wrong: bool) -> None:
    assert wrong(pattern) is is_wrong
