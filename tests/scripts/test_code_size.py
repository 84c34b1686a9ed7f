"""What counts as a line of code."""

import pytest

from scripts.lib.code_size import lines_of_code


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", 0),
        ("\n\n# a comment\n", 0),
        ('"""A module."""\n', 0),
        ('"""A module,\n\nwith more to say.\n"""\nx = 1\n', 1),
        ("x = 1  # a comment behind code\n", 1),
        ("x = (\n    1,\n\n    # why\n    2,\n)\n", 4),
        ('def f() -> None:\n    """Do nothing.\n\n    Really.\n    """\n', 1),
        ('x = 1\n"""What it is."""\n', 1),
        ('x = """a\n# no comment\n\nb"""\n', 4),
        ('class A:\n    """A."""\n\n    x: int = 1\n    """The x."""\n', 2),
    ],
)
def test_blank_lines_comments_and_docstrings_are_not_counted(source: str, lines: int) -> None:
    assert lines_of_code(source) == lines
