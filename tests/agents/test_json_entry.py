"""An entry goes into JSON and comes out again, and nothing else of the file changes by a byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.agents.documents import JsonEntries
from bridge.agents.machine import ConfigurationRefused

ENTRY = {"command": "/opt/vault-bridge", "args": ["mcp", "--vault", "/home/ü/No tes"]}
KEY = "mcpServers"


def entries(text: str) -> JsonEntries:
    return JsonEntries(text, KEY, comments=True, commas=True)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"a": 1}', '{"a": 1, "mcpServers": {"vb": {"c": 1}}}'),
        ('{"mcpServers": {"x": {}}}', '{"mcpServers": {"x": {}, "vb": {"c": 1}}}'),
        (
            '{\n\t"mcpServers": {\n\t\t"x": {}\n\t}\n}',
            '{\n\t"mcpServers": {\n\t\t"x": {},\n\t\t"vb": {\n\t\t\t"c": 1\n\t\t}\n\t}\n}',
        ),
        (
            '{\n  "mcpServers": {\n    "x": {}, // about x\n  }, /* end */\n}\n',
            '{\n  "mcpServers": {\n    "x": {}, // about x\n    "vb": {\n      "c": 1\n    },\n  }, /* end */\n}\n',
        ),
        (
            '{\n  "mcpServers": {\n    "x": {} // no comma in "here", }\n  }\n}\n',
            '{\n  "mcpServers": {\n    "x": {}, // no comma in "here", }\n    "vb": {\n      "c": 1\n    }\n  }\n}\n',
        ),
        (
            '{\r\n  "a": 1\r\n}',
            '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "vb": {\r\n      "c": 1\r\n    }\r\n  }\r\n}',
        ),
        ('\ufeff{"a": "//"}', '\ufeff{"a": "//", "mcpServers": {"vb": {"c": 1}}}'),
        ("", '{\n  "mcpServers": {\n    "vb": {\n      "c": 1\n    }\n  }\n}\n'),
    ],
)
def test_an_entry_is_written_as_the_file_is_written(text: str, after: str) -> None:
    assert entries(text).put("vb", {"c": 1}) == after


def test_an_entry_that_is_there_is_replaced_in_its_place() -> None:
    text = '{\n  // a\n  "mcpServers": {\n    "vb": {"old": 1}, // mine\n    "x": {}\n  }\n}\n'
    assert entries(text).put("vb", {"c": 1}) == text.replace('{"old": 1}', '{\n      "c": 1\n    }')


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"mcpServers": {"vb": {}}}', '{"mcpServers": {}}'),
        ('{"mcpServers": {\n  "vb": {},\n  "x": {}\n}}', '{"mcpServers": {\n  "x": {}\n}}'),
        ('{"mcpServers": {"x": {}, "vb": {}, "y": {}}}', '{"mcpServers": {"x": {}, "y": {}}}'),
        ('{"mcpServers": {"x": {}, "vb": {}}}', '{"mcpServers": {"x": {}}}'),
        ('{"mcpServers": {\n  // mine\n  "vb": {}, "x": {}\n}}', '{"mcpServers": {\n  // mine\n  "x": {}\n}}'),
        ('{"mcpServers": {\n  "x": {} // x\n  ,"vb": {}}}', '{"mcpServers": {\n  "x": {} // x\n  }}'),
        ('{"mcpServers": {"vb": {} /* c */, "x": {}}}', '{"mcpServers": { /* c */ "x": {}}}'),
        ('{"mcpServers": {"x": {}}}', '{"mcpServers": {"x": {}}}'),
        ("{}", "{}"),
    ],
)
def test_an_entry_is_taken_with_its_comma_and_no_comment(text: str, after: str) -> None:
    taken = entries(text).take("vb")
    assert taken == after
    entries(taken)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ('{"a": 1,,}', "line 1, column"),
        ("{,}", "line 1, column 2"),
        ('{"a": [,]}', "line 1, column 8"),
        ('{"a": NaN}', "NaN is no value"),
        ('{"a": "b}', "line 1"),
        ('{"a": 1} /* no end', "line 1, column 10"),
        ("[]", "no object"),
        ('{\n  "mcpServers": []\n}', "line 2: 'mcpServers' is no object"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(ConfigurationRefused, match=where):
        entries(text)


def test_what_the_program_would_refuse_is_refused() -> None:
    commented, comma = '{"a": 1 // one\n}', '{"a": 1,}'
    JsonEntries(commented, KEY, comments=True)
    for text, allowed in ((commented, {}), (comma, {}), (comma, {"comments": True})):
        with pytest.raises(ConfigurationRefused):
            JsonEntries(text, KEY, **allowed)


BLANKS = st.sampled_from(["", " ", "\n", "\n    ", "\r\n\t", ' // a } " ,\n', '/* { , " */', "\n// [\n"])
FLAGS = st.sampled_from([False, True])
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-99, 99), st.text(max_size=6))
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
SERVERS = st.dictionaries(st.text(max_size=4), st.dictionaries(st.text(max_size=4), VALUES, max_size=2), max_size=3)
ROOTS = st.tuples(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), st.none() | SERVERS).map(
    lambda both: both[0] if both[1] is None else {**both[0], KEY: both[1]}
)


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A file's value, and its text with blanks, comments and commas wherever they may be."""

    def write(value: Any) -> str:
        if isinstance(value, dict):
            parts = [
                f"{draw(BLANKS)}{json.dumps(key)}{draw(BLANKS)}:{draw(BLANKS)}{write(value[key])}" for key in value
            ]
            opening, closing = "{", "}"
        elif isinstance(value, list):
            parts = [f"{draw(BLANKS)}{write(member)}" for member in value]
            opening, closing = "[", "]"
        else:
            return json.dumps(value, ensure_ascii=draw(FLAGS))
        ends: bool = bool(parts) and draw(FLAGS)
        last = f"{draw(BLANKS)}," if ends else ""
        return f"{opening}{f'{draw(BLANKS)},'.join(parts)}{last}{draw(BLANKS)}{closing}"

    value = draw(ROOTS)
    return value, f"{draw(BLANKS)}{write(value)}{draw(BLANKS)}"


def meaning(text: str) -> Any:
    """What a text means, by the standard library's parser."""
    return json.loads(entries(text)._document._strict)


@given(written())
def test_every_text_means_what_was_written(sample: tuple[dict[str, Any], str]) -> None:
    value, text = sample
    assert meaning(text) == value


@given(written())
def test_putting_an_entry_only_inserts_it(sample: tuple[dict[str, Any], str]) -> None:
    value, text = sample
    name = "vault-bridge"
    after = entries(text).put(name, ENTRY)
    assert meaning(after) == {**value, KEY: {**value.get(KEY, {}), name: ENTRY}}
    assert is_inserted(text, after)


@given(written())
def test_taking_the_entry_brings_the_file_back(sample: tuple[dict[str, Any], str]) -> None:
    value, text = sample
    after = entries(text).put("vault-bridge", ENTRY)
    back = entries(after).take("vault-bridge")
    assert meaning(back) == {**value, KEY: value.get(KEY, {})}
    if value.get(KEY):
        assert back == text
    assert entries(back).take("vault-bridge") == back


@given(written())
def test_taking_another_entry_leaves_the_others_and_their_comments(sample: tuple[dict[str, Any], str]) -> None:
    value, text = sample
    for name in value.get(KEY, {}):
        after = entries(text).take(name)
        assert meaning(after) == {**value, KEY: {key: value[KEY][key] for key in value[KEY] if key != name}}


def is_inserted(before: str, after: str) -> bool:
    """Whether the one is the other with one stretch inserted, and at most one comma before that."""
    same = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), len(before))
    if after[same] == "," and not is_one_stretch(before, after):
        after = after[:same] + after[same + 1 :]
    return is_one_stretch(before, after)


def is_one_stretch(before: str, after: str) -> bool:
    start = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), len(before))
    return after.endswith(before[start:]) and len(after) >= len(before)
