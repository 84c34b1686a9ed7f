"""Foreign schemas: what they say holds, and none of them takes long or leads out."""

import time
from typing import Any

import pytest

from bridge.toolkit.json_schema import DEEPEST_SCHEMA, LARGEST_SCHEMA, compile_schema

DOUBLING = {f"a{step}": {"allOf": [{"$ref": f"#/$defs/a{step + 1}"}] * 2} for step in range(40)}
PATTERNS: dict[str, Any] = {f"^{number}$": {} for number in range(999)} | {"^x": {}}
DEFINITIONS = {**DOUBLING, "a40": {"type": "object"}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$defs": DEFINITIONS, "$ref": "#/$defs/a0"}, {}),
        ({"$defs": DEFINITIONS, "$ref": "#/$defs/a0", "unevaluatedProperties": False}, {"x": 1}),
        ({"$ref": "#"}, {}),
        ({"properties": {"a": {"$ref": "#"}}, "$dynamicRef": "#x"}, {"a": {}}),
        ({"properties": {"a": {"items": {"enum": list(range(9_000))}}}}, {"a": [8_999] * 30_000}),
        ({"patternProperties": {f"^{number}": {} for number in range(3_000)}}, {str(n): 1 for n in range(30_000)}),
        ({"additionalProperties": False, "patternProperties": PATTERNS}, {f"x{n}": 1 for n in range(400)} | {"y": 1}),
        ({"properties": {"a": {"allOf": [{"uniqueItems": True}] * 1_000}}}, {"a": list(range(3_000))}),
        ({"properties": {"a": {"allOf": [{"items": {}}] * 1_000}}}, {"a": [1] * 3_000}),
        ({"properties": {"a": {"allOf": [{"pattern": "b|$"}] * 1_000}}}, {"a": "a" * 300_000}),
        ({"properties": {"a": {"anyOf": [{"type": "integer"}] * 2_000}}}, {"a": "a" * 200_000}),
        ({"properties": {"a": {"contains": {}, "unevaluatedItems": False}}}, {"a": [1] * 20_000}),
        ({"allOf": [{"additionalProperties": {}}], "unevaluatedProperties": False}, {str(n): 1 for n in range(20_000)}),
    ],
    ids=[
        *("doubling", "doubling unevaluated", "itself", "dynamic", "a long enum", "many patterns"),
        *(
            "many patterns besides",
            "often unique",
            "often items",
            "often a pattern",
            "often quoted",
            "compared items",
            "compared names",
        ),
    ],
)
def test_what_cannot_be_checked_in_bounded_time_is_refused(schema: dict[str, Any], value: Any) -> None:
    began = time.thread_time()
    assert "cannot be checked" in (compile_schema(schema)(value) or "")
    assert time.thread_time() - began < 60


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"a": {"uniqueItems": True}}}, {"a": [{"k": number} for number in range(50_000)]}),
        ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": ["x"] * 150_000}),
        ({"properties": {"a": {"contains": {}, "unevaluatedItems": False}}}, {"a": [1] * 5_000}),
        ({"properties": {"a": {"pattern": "b|$", "minLength": 1}}}, {"a": "a" * 3_000_000}),
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 50_000}),
        ({"properties": {"a": {"pattern": "(?=look)around"}}}, {"a": "anything"}),
    ],
    ids=["unique", "many items", "compared items", "a long text", "a pattern", "look-around"],
)
def test_what_is_large_and_fits_is_taken(schema: dict[str, Any], value: Any) -> None:
    began = time.thread_time()
    assert compile_schema(schema)(value) is None
    assert time.thread_time() - began < 60


def test_an_item_that_is_there_twice_is_found() -> None:
    fault = compile_schema({"properties": {"a": {"uniqueItems": True}}})
    assert "'a'" in (fault({"a": [{"x": 1, "y": 2}, {"y": 2, "x": 1}]}) or "")
    assert fault({"a": [1, "1", True]}) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.org/schema.json"},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"properties": {"a": {"$dynamicRef": "other.json#x"}}},
        {"type": "array"},
        {"type": 5},
        {"properties": {f"p{number}": {"description": "x" * 100} for number in range(LARGEST_SCHEMA // 100)}},
        {"patternProperties": {"x": {}}, "unevaluatedProperties": False},
        {"properties": {"a": {1, 2}}},
    ],
    ids=["an address", "a file", "dynamic", "an array", "no schema", "too large", "unbounded", "no JSON"],
)
def test_a_schema_that_leads_out_or_is_none_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"schema|time"):
        compile_schema(schema)


def test_a_schema_that_is_too_deep_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(DEEPEST_SCHEMA):
        deep = {"items": deep}
    with pytest.raises(ValueError, match="levels"):
        compile_schema({"properties": {"a": deep}})
