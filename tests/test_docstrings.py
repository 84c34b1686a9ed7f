"""Docstrings of the bridge say what a function does, and what a class or a module is."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

BRIDGE = Path(__file__).parents[1] / "bridge"
QUESTIONS = {"What", "Who", "Whose", "Whom", "Which", "Whether", "That", "How", "Where", "When", "Why", "If"}
NOUNS = {"The", "A", "An", "Every", "All", "Those", "One", "Its", "This", "There"}


def wrong(file: Path) -> Iterator[str]:
    """Yield where a docstring begins with a word that begins a question, or one of a function with a noun."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = (ast.get_docstring(node, clean=False) or "-").split(maxsplit=1)[0].rstrip(",.:;")
        refused = QUESTIONS if isinstance(node, ast.Module | ast.ClassDef) else QUESTIONS | NOUNS
        if first in refused:
            yield f"{file.relative_to(BRIDGE)}:{getattr(node, 'lineno', 1)}: {first} …"


@pytest.mark.slow
def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    assert [place for file in sorted(BRIDGE.rglob("*.py")) for place in wrong(file)] == []
