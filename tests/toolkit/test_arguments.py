"""What a caller sent becomes parameters, or one sentence that helps."""

from typing import Annotated, Any

import pytest
from pydantic import AliasChoices, Field

from bridge.contract.base import NoParams, Params
from bridge.errors import InvalidParameters
from bridge.toolkit.parameters import ModelParameters, Sentence


class Item(Params):
    start_line: int = Field(ge=1)


class Model(Params):
    pattern: Annotated[str, Field(min_length=1)]
    max_results: int = 5
    items: list[Item] = Field(default_factory=list)


def test_names_are_camel_case_on_the_wire() -> None:
    assert ModelParameters(Model).parse({"pattern": "x", "maxResults": 7}) == Model.model_construct(
        pattern="x", max_results=7, items=[]
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pattern": ""}, "Parameter 'pattern' must not be empty. Parameters: pattern (required)"),
        ([], "Arguments must be an object, not an array"),
        ("x", "not a string"),
        ({}, "Missing parameter 'pattern'. Parameters: pattern (required), maxResults, items"),
        ({"pattern": "x", "maxResult": 1}, "Unknown parameter 'maxResult'. Did you mean 'maxResults'?"),
        ({"pattern": "x", "zzz": 1}, "Unknown parameter 'zzz'. Parameters: pattern (required)"),
        ({"pattern": 5}, "Parameter 'pattern': Input should be a valid string"),
        ({"pattern": "x", "maxResults": "5"}, "Parameter 'maxResults': Input should be a valid integer"),
        ({"pattern": "x", "maxResults": True}, "Parameter 'maxResults'"),
        ({"pattern": "x", "maxResults": 5, "max_results": 5}, "Unknown parameter 'max_results'"),
        ({"pattern": "x", "maxResults": 5.5}, "Parameter 'maxResults': Input should be a valid integer"),
        ({"pattern": "x", "items": [{}]}, "Missing parameter 'items[0].startLine'. It looks like {startLine: integer}"),
        ({"pattern": "x", "items": [5]}, "Parameter 'items[0]' must be an object. It looks like {startLine: integer}"),
        ({"pattern": "x", "items": [{"startLine": 1, "path": "a"}]}, "It looks like {startLine: integer}"),
        ({"pattern": "x", "items": [{"startLine": 1}, {"startLine": 0}]}, "Parameter 'items[1].startLine'"),
    ],
)
def test_the_first_fault_is_named(arguments: Any, says: str) -> None:
    with pytest.raises(InvalidParameters) as caught:
        ModelParameters(Model).parse(arguments)
    assert says in caught.value.message


def test_the_callers_value_is_not_repeated() -> None:
    with pytest.raises(InvalidParameters) as caught:
        ModelParameters(Model).parse({"pattern": "x", "maxResults": "hunter2-secret"})
    assert "hunter2" not in caught.value.message


def test_an_endless_name_is_neither_compared_nor_repeated() -> None:
    with pytest.raises(InvalidParameters) as caught:
        ModelParameters(Model).parse({"pattern": "x", "y" * 1_000_000: 1})
    assert len(caught.value.message) < 500


class Told(Params):
    path: Annotated[str, Field(min_length=1), Sentence("path is required and must be a non-empty string.")] = Field(
        validation_alias=AliasChoices("path", "filePath")
    )


@pytest.mark.parametrize("arguments", [{}, {"path": ""}, {"path": None}, {"path": 5}, {"filePath": ""}])
def test_a_parameter_may_have_a_sentence_of_its_own(arguments: Any) -> None:
    with pytest.raises(InvalidParameters) as caught:
        ModelParameters(Told).parse(arguments)
    assert caught.value.message == "path is required and must be a non-empty string."


def test_no_arguments_may_be_null() -> None:
    assert ModelParameters(NoParams).parse(None) == NoParams()
