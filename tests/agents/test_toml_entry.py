"""A table goes into TOML and comes out again, and nothing else of the file changes by a byte."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.agents.documents import TomlEntries
from bridge.agents.machine import ConfigurationRefused

ENTRY = {"command": "/opt/vault-bridge", "args": ["mcp", "--vault", 'C:\\Nü "x"\x7f']}
KEY = "mcp_servers"


def entries(text: str) -> TomlEntries:
    return TomlEntries(text, KEY)


def test_a_table_is_put_at_the_end() -> None:
    text = 'model = "a" # b\n\n[mcp_servers.x]\ncommand = "y"\n\n[tui]\nz = 1\n'
    assert entries(text).put("vb", {"command": "c", "args": ["d"]}) == (
        f'{text}\n[mcp_servers.vb]\ncommand = "c"\nargs = ["d"]\n'
    )
    assert entries("").put("v b", {"command": "c"}) == '[mcp_servers."v b"]\ncommand = "c"\n'
    assert entries("a = 1\r\n").put("vb", {"c": "d"}) == 'a = 1\r\n\r\n[mcp_servers.vb]\r\nc = "d"\r\n'


def test_a_table_that_is_there_is_replaced_in_its_place() -> None:
    text = '[ mcp_servers . "vb" ]\nold = 1\n\n# about env\n[mcp_servers.vb.env]\nA = "b"\n\n# next\n[tui]\nz = 1\n'
    after = entries(text).put("vb", {"command": "c", "env": {"A": "b"}})
    assert after == text.replace('[ mcp_servers . "vb" ]\nold = 1\n', '[mcp_servers.vb]\ncommand = "c"\n')


def test_a_table_is_taken_with_the_tables_in_it_and_without_the_comment_of_the_next() -> None:
    text = 'a = 1\n\n[mcp_servers.vb]\nc = 1\n\n[mcp_servers.vb.env]\nA = "b"\n\n# next\n[tui]\nz = 1\n'
    assert entries(text).take("vb") == "a = 1\n\n# next\n[tui]\nz = 1\n"
    assert entries(text).take("other") == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = \n", "line 1, column 5"),
        ("mcp_servers = 1\n", "no table"),
        ("[a]\nb = 1\n[a]\n", "line 3"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(ConfigurationRefused, match=why):
        entries(text)


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", 'mcp_servers.vb.command = "x"\n', "mcp_servers = {vb = {}}\n"])
def test_a_form_that_cannot_be_changed_line_by_line_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationRefused):
        entries(text).put("vb", ENTRY)


def test_a_heading_in_a_text_of_several_lines_is_no_heading() -> None:
    text = 'a = """\n[mcp_servers.vb]\nb = 1\n"""\n\n[mcp_servers.vb]\ncommand = "x"\n'
    with pytest.raises(ConfigurationRefused):
        entries(text).take("vb")


LINES = st.lists(
    st.sampled_from(
        ["", "# note", 's = "x"', "n = [1, 2] # two", 't = """', 'u = "[mcp_servers.vb]"', "'q r' = {a = 1}"]
    ),
    max_size=5,
    unique=True,
).filter(lambda lines: 't = """' not in lines)
TEXTS = st.lists(
    st.tuples(st.sampled_from(["[tui]", "[ a.b ]", "[mcp_servers.x]", "[[list]]"]), LINES),
    unique_by=lambda part: part[0],
).map(lambda parts: "".join("\n".join([heading, *lines, ""]) for heading, lines in parts))


@given(LINES, TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_what_is_put_can_be_taken_and_nothing_else_moves(top: list[str], rest: str, newline: str) -> None:
    text = ("".join(f"{line}\n" for line in top) + rest).replace("\n", newline)
    before: dict[str, Any] = tomllib.loads(text)
    after = entries(text).put("vb", ENTRY)
    assert after.startswith(text)
    assert tomllib.loads(after) == {**before, KEY: {**before.get(KEY, {}), "vb": ENTRY}}
    assert entries(after).take("vb") == text
