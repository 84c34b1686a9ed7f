"""No provider of models refuses the list of tools for a schema: what each takes, by its documents, as a table."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from bridge.contract.tools import ToolFunction
from bridge.tools import specs

GEMINI = frozenset(
    (
        *("type", "format", "title", "description", "nullable", "enum", "default", "example", "anyOf", "items"),
        *("properties", "propertyOrdering", "required", "minItems", "maxItems", "minLength", "maxLength", "pattern"),
        *("minProperties", "maxProperties", "minimum", "maximum"),
        "additionalProperties",  # in `parametersJsonSchema` alone, which is what Gemini CLI sends
    )
)
"""Members of a schema that Gemini's API knows: https://ai.google.dev/api/caching#Schema (read on 2026-11-23 in the
generated client https://hexdocs.pm/geminix/Geminix.V1beta.Schema.html). Others are an error."""
TYPES = {"string", "integer", "number", "boolean", "array", "object"}
"""What both providers call types; lists of them are taken by one alone."""
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
"""Names that both take: OpenAI's letters, digits, `_` and `-`, 64 at most
(https://platform.openai.com/docs/api-reference/responses/create), of which Gemini wants a letter or `_` first."""
OURS = sorted((spec for spec in specs() if type(spec).__module__.startswith("bridge")), key=lambda spec: spec.name)


def schemas(schema: dict[str, Any], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return a schema and all within it, each with where it is."""
    yield place, schema
    for name, member in schema.get("properties", {}).items():
        yield from schemas(member, f"{place}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from schemas(schema[key], f"{place}.{key}")
    for number, member in enumerate(schema.get("anyOf", ())):
        yield from schemas(member, f"{place}.anyOf[{number}]")


@pytest.mark.parametrize("spec", OURS, ids=lambda spec: spec.name)
def test_each_provider_takes_the_schema_of_each_tool(spec: Any) -> None:
    assert NAME.fullmatch(spec.name)
    root = spec.parameters.json_schema
    assert root["type"] == "object", "OpenAI and Gemini want an object at the top"
    for place, schema in schemas(root, spec.name):
        assert schema.keys() <= GEMINI, place
        if schema:
            assert schema.get("type") in TYPES or "anyOf" in schema, f"{place}: one type, by name"
        if schema.get("type") == "array":
            assert "items" in schema, f"{place}: OpenAI refuses a list of it is not said what"
        if "enum" in schema:
            assert all(isinstance(value, str) for value in schema["enum"]), f"{place}: Gemini knows choices of texts"
        assert set(schema.get("required", ())) <= schema.get("properties", {}).keys(), place


def test_strict_mode_is_not_asked_for() -> None:
    """OpenAI's strict mode wants every parameter to be required, which none of these tools could mean."""
    optional = [
        spec.name
        for spec in OURS
        if set(spec.parameters.json_schema.get("properties", {})) - set(spec.parameters.json_schema.get("required", ()))
    ]
    assert optional
    assert "strict" not in ToolFunction.model_fields
