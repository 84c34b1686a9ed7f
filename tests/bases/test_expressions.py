"""Expressions with the values that the documents say, and those that are refused."""

import contextlib
from typing import Any

import pytest

from bridge.bases.failures import ExpressionError
from bridge.bases.functions import FUNCTIONS, Function
from tests.bases.expressions import EXPRESSIONS, FILES, REFUSED, ROW
from tests.bases.vault_of_files import FilesInMemory, as_json, compiled_formulas, evaluated

VAULT = FilesInMemory(FILES)
FORMULAS = compiled_formulas({"total": "price * quantity"})


@pytest.mark.parametrize(("source", "expression", "value"), EXPRESSIONS)
def test_an_expression_comes_to_what_its_source_says(source: str, expression: str, value: Any) -> None:
    assert as_json(evaluated(expression, VAULT, ROW, FORMULAS)) == value, source


@pytest.mark.parametrize(("expression", "message"), REFUSED)
def test_a_wrong_expression_says_what_is_wrong_and_where(expression: str, message: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        evaluated(expression, VAULT, ROW, FORMULAS)
    assert refused.value.message.startswith(message)
    assert refused.value.position is not None
    assert 0 <= refused.value.position <= len(expression)


def test_there_are_at_least_two_hundred_of_them() -> None:
    assert len(EXPRESSIONS) >= 200
    assert len({expression for _source, expression, _value in EXPRESSIONS}) == len(EXPRESSIONS)


def test_random_numbers_differ_and_are_the_same_in_every_query() -> None:
    first, second = (evaluated("[random(), random()]", VAULT, ROW) for _ in range(2))
    assert first == second
    assert first[0] != first[1]
    assert all(0 <= number < 1 for number in first)


def test_a_list_of_a_note_is_never_changed() -> None:
    evaluated("numbers.reverse().sort().unique()", VAULT, ROW)
    assert evaluated("numbers", VAULT, ROW) == [3, 1, 2]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: f"{function.kind}.{function.name}")
def test_a_function_that_is_given_too_much_looks_at_what_it_knows(function: Function) -> None:
    """As JavaScript does; nothing that is given makes it fail in another way than an expression may."""
    receivers = {"Global": "", "Any": "(1).", "Date": "due.", "String": '"a".', "Number": "(1).", "List": "numbers.",
                 "Link": "author.", "File": "file.", "Object": "map.", "RegExp": "/a/."}  # fmt: skip
    for argument in ('"a"', "1", "null", "author", "file", "now()", "[1]", "/a/", "map", 'duration("1d")'):
        given = ", ".join([argument] * 5)
        with contextlib.suppress(ExpressionError):
            as_json(evaluated(f"{receivers[function.kind]}{function.name}({given})", VAULT, ROW, FORMULAS))
