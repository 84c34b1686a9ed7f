"""What a worker process answers, asked in this process: the same functions, without the pipe."""

import io
from typing import Any

import pcre2
import pytest

from bridge.index.texts.pcre2_worker import answer, compile_backtracking
from bridge.workers.frames import read_frame, write_frame


@pytest.mark.parametrize(
    ("header", "text", "answered"),
    [
        ({"pattern": "b", "limit": 5}, b"a\nb\n", {"spans": [(2, 3)]}),
        ({"pattern": "(?<=a)b", "limit": 5}, b"b\nab\n", {"spans": [(3, 4)]}),
        ({"pattern": "(?<=a)b"}, b"", {"spans": []}),
        ({"pattern": "b", "limit": 1}, b"b\nb\n", {"spans": [(0, 1)]}),
        ({"pattern": "(?=é"}, b"", {"invalid": "missing closing parenthesis", "at": 4}),
        ({"pattern": "(?=a)(a+)+$", "limit": 5}, b"a" * 100 + b"!\n", {"refused": True}),
        ({"pattern": "(?R)?a", "limit": 5}, b"a\n", {"refused": True}),
        ({"pattern": r"\pL{100}", "limit": 5}, b"a" * 100, {"spans": [(0, 100)]}),
    ],
)
def test_each_request_has_its_answer(header: dict[str, Any], text: bytes, answered: dict[str, Any]) -> None:
    assert answer(header, text) == answered


def test_a_long_match_that_fills_the_fast_engines_stack_is_made_with_the_other() -> None:
    bounded = compile_backtracking(r"^(?:(?!x)\w|\s)*$").regex
    assert bounded.search(b"a b " * 20_000) is not None


def test_frames_come_back_as_they_went() -> None:
    stream = io.BytesIO()
    write_frame(stream, {"pattern": "é"}, b"text")
    write_frame(stream, {"pattern": "x"})
    stream.seek(0)
    assert read_frame(stream) == ({"pattern": "é", "size": 4}, b"text")
    assert read_frame(stream) == ({"pattern": "x", "size": 0}, b"")
    assert read_frame(stream) is None


def test_bytes_that_are_no_characters_do_not_shift_what_is_found() -> None:
    assert compile_backtracking("(?<=x)b").regex.search(b"\xff\xe2\x82xb\xf0\x9f").span() == (4, 5)


def test_where_no_machine_code_may_be_made_the_interpreter_of_patterns_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise pcre2.LibraryError(-48)

    monkeypatch.setattr("pcre2._cy.jit_compile", refuse)
    assert compile_backtracking("(?<=a)b").regex.search(b"ab").span() == (1, 2)
