"""`docs/bases.md` lists the functions as they are tested, and the bounds as they are."""

from pathlib import Path

from bridge.bases.failures import MOST_ITEMS, MOST_STEPS, MOST_TEXT
from bridge.bases.functions import FUNCTIONS
from bridge.bases.syntax import MOST_DEPTH, MOST_LETTERS, MOST_PARTS
from bridge.notes.frontmatter import MAX_LENGTH
from scripts.lib import base_functions
from tests.bases.expressions import EXPRESSIONS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "bases.md").read_text(encoding="utf-8")


def test_the_table_is_as_the_tests_are() -> None:
    assert base_functions.render() in PAGE, f"run `{base_functions.COMMAND}`"


def test_every_function_is_in_the_table_and_tested() -> None:
    called = base_functions.calls(expression for _source, expression, _value in EXPRESSIONS)
    for function in FUNCTIONS:
        assert f"| `{function.name}(" in PAGE
        assert called[function.name] or function.name == "random"


def test_the_bounds_are_those_of_the_code() -> None:
    for said in (
        f"{MAX_LENGTH >> 10} KiB of YAML",
        f"{MOST_LETTERS:,} characters and {MOST_PARTS:,} parts",
        f"{MOST_DEPTH} levels of brackets",
        f"{MOST_ITEMS:,} items",
        f"{MOST_STEPS // 10**6} million steps",
    ):
        assert said in PAGE
    assert MOST_TEXT == 10**6


def test_a_table_that_is_not_up_to_date_is_said_and_written(tmp_path: Path) -> None:
    page = tmp_path / "bases.md"
    page.write_text(f"a\n{base_functions.BEGIN}\nold\n{base_functions.END}\nb\n", encoding="utf-8")
    assert base_functions.main(["--check"], page) == 1
    assert base_functions.main([], page) == 0
    assert base_functions.main(["--check"], page) == 0
    page.write_text("nothing", encoding="utf-8")
    assert base_functions.main([], page) == 1
