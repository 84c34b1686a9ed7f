"""`key=value` words become what the tool takes, or bad usage that says what it takes."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.arguments import BadArguments, describe_parameters, parse_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["pattern"],
    "properties": {
        "pattern": {"type": "string", "description": "What to look for."},
        "limit": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "patches": {"type": "array", "items": {"type": "object"}},
        "options": {"type": "object"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "sometimes": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "choice": {"enum": ["a", "b"]},
        "anything": {},
    },
}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("limit=5", 5),
        ("limit=-5", -5),
        ("ratio=0.5", 0.5),
        ("ratio=2", 2),
        ("deep=true", True),
        ("deep=No", False),
        ("deep=1", True),
        ("tags=one", ["one"]),
        ('tags=["one", "two"]', ["one", "two"]),
        ("numbers=1", [1]),
        ("numbers=[1, 2]", [1, 2]),
        ('patches=[{"startLine": 1}]', [{"startLine": 1}]),
        ('options={"a": [1]}', {"a": [1]}),
        ("either=7", 7),
        ("either=seven", "seven"),
        ("sometimes=null", None),
        ("sometimes=3", 3),
        ("choice=b", "b"),
        ("anything=[1]", [1]),
        ("anything=null", None),
        ("anything=bare word", "bare word"),
    ],
)
def test_a_value_takes_the_type_of_its_parameter(word: str, value: object) -> None:
    assert parse_arguments(["pattern=x", word], SCHEMA)[word.partition("=")[0]] == value


@pytest.mark.parametrize("text", ["5", "true", "null", "[1]", "{}", "a=b", "", " x ", "NaN", '"quoted"'])
def test_a_text_is_taken_as_it_is(text: str) -> None:
    assert parse_arguments([f"pattern={text}"], SCHEMA) == {"pattern": text}


def test_a_list_may_be_given_in_several_words() -> None:
    assert parse_arguments(["pattern=x", "tags=a", "tags=b"], SCHEMA)["tags"] == ["a", "b"]


def test_a_text_that_begins_with_an_at_sign_is_written_with_two() -> None:
    assert parse_arguments(["pattern=@@ada"], SCHEMA) == {"pattern": "@ada"}


def test_a_file_is_read_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("\ufeffa\r\nb\rc\n".encode())
    assert parse_arguments([f"pattern=@{tmp_path / 'text'}"], SCHEMA) == {"pattern": "\ufeffa\r\nb\rc\n"}


def test_a_file_may_hold_json(tmp_path: Path) -> None:
    (tmp_path / "patches").write_text('[{"startLine": 1}]\n', encoding="utf-8")
    parsed = parse_arguments(["pattern=x", f"patches=@{tmp_path / 'patches'}"], SCHEMA)
    assert parsed["patches"] == [{"startLine": 1}]


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\r\nb"), encoding="utf-8"))
    assert parse_arguments(["pattern=-"], SCHEMA) == {"pattern": "a\r\nb"}


def test_all_arguments_may_come_as_json_with_words_on_top() -> None:
    assert parse_arguments(["limit=2"], SCHEMA, '{"pattern": "-", "limit": 1}') == {"pattern": "-", "limit": 2}


def test_without_a_schema_values_are_guessed() -> None:
    assert parse_arguments(["a=1", "b=x", "c=[1]"], None) == {"a": 1, "b": "x", "c": [1]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pattern"], "'pattern' is not key=value"),
        (["=x"], "'=x' is not key=value"),
        (['{"pattern": "x=1"}'], "with --arguments"),
        (["patern=x"], "Did you mean 'pattern'?"),
        ([], "Missing: pattern"),
        (["pattern=x", "pattern=y"], "'pattern' is given twice"),
        (["pattern=x", "limit=many"], "'limit' takes an integer, not 'many'"),
        (["pattern=x", "limit=1.5"], "'limit' takes an integer"),
        (["pattern=x", "limit=true"], "'limit' takes an integer"),
        (["pattern=x", "ratio=NaN"], "'ratio' takes a number"),
        (["pattern=x", "deep=maybe"], "'deep' takes a boolean"),
        (["pattern=x", "patches=one"], "'patches' takes a JSON array"),
        (["pattern=x", "options=[1]"], "'options' takes an object"),
        (["pattern=@nowhere"], "Cannot read 'nowhere'"),
    ],
)
def test_bad_usage_says_what_is_wrong(words: list[str], said: str) -> None:
    with pytest.raises(BadArguments) as caught:
        parse_arguments(words, SCHEMA)
    assert said in str(caught.value)


@pytest.mark.parametrize("whole", ["[1]", "{", "1"])
def test_arguments_as_json_are_checked_too(whole: str) -> None:
    with pytest.raises(BadArguments):
        parse_arguments([], SCHEMA, whole)


def test_bad_usage_lists_the_parameters() -> None:
    with pytest.raises(BadArguments) as caught:
        parse_arguments([], SCHEMA)
    assert "  pattern  (string, required)  What to look for." in str(caught.value)
    assert "  either  (integer or string, optional)" in str(caught.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"a\xff")
    with pytest.raises(BadArguments, match=r"not UTF-8 \(byte 1\)"):
        parse_arguments([f"pattern=@{tmp_path / 'binary'}"], SCHEMA)


def test_what_others_wrote_into_a_description_is_inert() -> None:
    (line,) = describe_parameters({"properties": {"a": {"type": "string", "description": "x\x1b[2Jy"}}})
    assert line == "a  (string, optional)  x␛[2Jy"


def test_what_is_nested_too_deep_is_no_json() -> None:
    deep = "[" * 100_000
    assert parse_arguments(["pattern=x", f"either={deep}"], SCHEMA) == {"pattern": "x", "either": deep}
    with pytest.raises(BadArguments, match="not JSON"):
        parse_arguments([], SCHEMA, deep)


def test_a_schema_that_says_only_yes_takes_anything() -> None:
    schema = {"properties": {"x": True, "y": {"type": "array", "items": True}}}
    assert describe_parameters(schema) == ["x  (any, optional)", "y  (array, optional)"]
    assert parse_arguments(["x=1", "y=2"], schema) == {"x": 1, "y": [2]}
