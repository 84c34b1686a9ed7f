"""A keyboard that cannot redraw its prompt prints what is new in it."""

import os
from pathlib import Path

import pytest

from bridge.cli.keyboard import LineKeyboard


async def test_a_line_that_comes_above_the_prompt_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bridge.cli.keyboard.REFRESH_SECONDS", 0)
    reading, writing = os.pipe()
    asked = 0

    def prompt() -> str:
        nonlocal asked
        asked += 1
        if asked == 20:
            os.write(writing, b"yes\n")
        return "Your answer: " if asked < 5 else "Little time is left.\nYour answer: "

    with os.fdopen(reading, encoding="utf-8") as stream:
        keyboard = LineKeyboard(stream)
        assert await keyboard.line(prompt) == "yes"
    os.close(writing)
    assert capsys.readouterr().out == "Your answer: \nLittle time is left.\nYour answer: "


@pytest.mark.parametrize("line", [b"", b"y\n"])
def test_a_file_of_lines_is_nobody_at_the_screen(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "answers"
    file.write_bytes(line)
    with file.open(encoding="utf-8") as stream:
        assert not LineKeyboard(stream).attended
