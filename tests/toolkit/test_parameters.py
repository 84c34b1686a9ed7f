"""Parameters of tools: models of ours, and JSON Schemas that come from elsewhere."""

from typing import Any

import pytest

from bridge.contract.base import Params
from bridge.errors import InvalidParameters
from bridge.toolkit.json_schema import DEEPEST_SCHEMA, LARGEST_SCHEMA
from bridge.toolkit.parameters import JsonSchemaParameters, ModelParameters

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "pattern": "^[A-Z]"},
        "days": {"type": "integer", "minimum": 1},
        "unit": {"enum": ["c", "f"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}


class CityParams(Params):
    """A city."""

    city: str


def test_a_model_and_a_schema_are_used_alike() -> None:
    assert ModelParameters(CityParams).parse({"city": "Bern"}).city == "Bern"
    assert JsonSchemaParameters(WEATHER).parse({"city": "Bern"}) == {"city": "Bern"}
    for parameters in (ModelParameters(CityParams), JsonSchemaParameters(WEATHER)):
        assert "city" in parameters.json_schema["properties"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "'city' is a required property"),
        ({"city": 1}, "Parameter 'city' must be of type string"),
        ({"city": "bern"}, "Parameter 'city' does not fit pattern"),
        ({"city": "Bern", "days": 0}, "Parameter 'days' does not fit minimum 1"),
        ({"city": "Bern", "unit": "k"}, "Parameter 'unit' must be one of"),
        ({"city": "Bern", "town": "Bern"}, "Unknown parameter 'town'"),
        ([], "must be an object"),
        ("Bern", "must be an object"),
    ],
)
def test_what_does_not_fit_a_foreign_schema_gets_one_sentence_that_names_it(arguments: Any, sentence: str) -> None:
    with pytest.raises(InvalidParameters, match=sentence):
        JsonSchemaParameters(WEATHER).parse(arguments)


def test_the_sentence_never_holds_the_value() -> None:
    with pytest.raises(InvalidParameters) as failure:
        JsonSchemaParameters(WEATHER).parse({"city": "hunter2 secret"})
    assert "hunter2" not in failure.value.message


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "objekt"},
        {"type": "object", "properties": {"x": {"$ref": "file:///etc/passwd"}}},
        {"type": "object", "properties": {"x": {"$ref": "https://example.org/schema"}}},
        {"type": "object", "description": "x" * LARGEST_SCHEMA},
        _nested(DEEPEST_SCHEMA),
        {"type": "object", "patternProperties": {"(a+)+$": {}}, "unevaluatedProperties": False},
        {"type": "object", "properties": {"x": {1, 2}}},
    ],
)
def test_a_schema_that_is_none_or_out_of_bounds_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"the schema|cannot be checked"):
        JsonSchemaParameters(schema)


@pytest.mark.parametrize("place", ["pattern", "patternProperties", "additionalProperties"])
def test_a_pattern_made_to_take_for_ever_takes_no_time(place: str) -> None:
    evil, text = "^(a+)+$", "a" * 5_000 + "b"
    schema: dict[str, Any] = {"type": "object"}
    if place == "pattern":
        schema |= {"properties": {"x": {"type": "string", "pattern": evil}}}
        value = {"x": text}
    else:
        schema |= {"patternProperties": {evil: {"type": "string"}}}
        value = {text: "x"}
    if place == "additionalProperties":
        schema["additionalProperties"] = False
    if place == "patternProperties":
        assert JsonSchemaParameters(schema).parse(value) == value
    else:
        with pytest.raises(InvalidParameters):
            JsonSchemaParameters(schema).parse(value)


@pytest.mark.parametrize("definitions", [{"a": {"$ref": "#/$defs/a"}}, {}])
def test_a_reference_that_leads_nowhere_is_a_fault_of_the_call_and_not_a_crash(definitions: dict[str, Any]) -> None:
    schema = {"type": "object", "$defs": definitions, "properties": {"x": {"$ref": "#/$defs/a"}}}
    with pytest.raises(InvalidParameters, match="leads nowhere"):
        JsonSchemaParameters(schema).parse({"x": 1})
