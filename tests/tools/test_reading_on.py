"""Reading on from where an answer ended gives everything exactly once, however long the lines are."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.testing import Sandbox, sandbox

_NUMBERED = re.compile(r"([0-9]+):(?: (.*))?")
_NEXT = re.compile(r"; next: (?:startLine|start_line)=([0-9]+)(?:, (?:lineOffset|line_offset)=([0-9]+))?\]")

texts = st.lists(
    st.one_of(st.just(""), st.text("aé😀", max_size=20), st.integers(1, 4000).map("é".__mul__)), min_size=1, max_size=8
).flatmap(lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda ending: ending.join(lines)))


async def _follow(vault: Sandbox, tool: str, names: tuple[str, str], **arguments: Any) -> list[Any]:
    """Every answer, from the first to the one that names no next place."""
    answers, place = [], dict[str, int]()
    while True:
        answer = await vault.succeed(tool, path="A.txt", **arguments, **place)
        answers.append(answer)
        if "nextStartLine" not in answer.metadata:
            assert not answer.metadata["truncated"]
            return answers
        assert 1 <= answer.metadata["nextStartLine"] <= answer.metadata["totalLines"]
        place = {names[0]: answer.metadata["nextStartLine"], names[1]: answer.metadata.get("nextLineOffset", 0)}


def _place_in_text(answer: Any) -> tuple[int, int] | None:
    """Where the text says that the file goes on, in its last lines."""
    found = _NEXT.search(answer.text, max(len(answer.text) - 400, 0))
    return found and (int(found[1]), int(found[2] or 0))


def _place_in_metadata(answer: Any) -> tuple[int, int] | None:
    if "nextStartLine" not in answer.metadata:
        return None
    return answer.metadata["nextStartLine"], answer.metadata.get("nextLineOffset", 0)


@pytest.mark.slow
@given(
    text=texts, most=st.none() | st.integers(1, 5000), output=st.integers(1024, 3000), numbers=st.sampled_from([0, 1])
)
@settings(max_examples=60, deadline=None)
async def test_read_gives_every_byte_once(text: str, most: int | None, output: int, numbers: int) -> None:
    async with sandbox({"A.txt": text}, memory=True) as vault:
        vault.settings.update({"maxOutputBytes": output})
        limit = {} if most is None else {"maxBytes": max(most, len(text) // 20)}
        answers = await _follow(vault, "read", ("startLine", "lineOffset"), lineNumbers=bool(numbers), **limit)
        assert "".join(answer.data["content"] for answer in answers) == text
        for answer in answers:
            assert numbers or answer.text.startswith(answer.data["content"])
            assert len(answer.text.encode()) <= output
            assert _place_in_text(answer) == _place_in_metadata(answer)
            first, last = answer.metadata["startLine"], answer.metadata["endLine"]
            assert f"[Lines {first}-{last} of " in answer.text or last < first


@pytest.mark.slow
@given(text=texts, output=st.integers(1024, 3000))
@settings(max_examples=40, deadline=None)
async def test_read_file_gives_every_line_once(text: str, output: int) -> None:
    async with sandbox({"A.txt": text}, memory=True) as vault:
        vault.settings.update({"maxOutputBytes": output})
        lines: dict[int, str] = {}
        for answer in await _follow(vault, "read_file", ("start_line", "line_offset")):
            assert _place_in_text(answer) == _place_in_metadata(answer)
            for line in answer.text.split("\n"):
                if numbered := _NUMBERED.fullmatch(line):
                    lines[int(numbered[1])] = lines.get(int(numbered[1]), "") + (numbered[2] or "")
        expected = re.split("\r?\n", text)
        if not expected[-1]:
            expected.pop()
        assert list(lines.values()) == expected


@pytest.mark.parametrize("data", [b"\xff" * 5000, b"a\xff\n" * 2000, b"\xe2\x82" * 3000])
async def test_what_is_no_utf8_is_read_to_its_end(data: bytes) -> None:
    async with sandbox({"A.txt": "x"}) as vault:
        (vault.folder / "A.txt").write_bytes(data)
        vault.settings.update({"maxOutputBytes": 2048})
        answers = await _follow(vault, "read", ("startLine", "lineOffset"))
        assert "".join(answer.data["content"] for answer in answers).count("a") == data.count(b"a")
        assert sum(answer.data["content"].count("\ufffd") for answer in answers) >= data.count(b"\xff")


@pytest.mark.parametrize(
    ("tool", "line", "offset"), [("read", "startLine", "lineOffset"), ("read_file", "start_line", "line_offset")]
)
async def test_a_place_that_is_not_in_the_line_is_refused(tool: str, line: str, offset: str) -> None:
    async with sandbox({"A.txt": "abc\nde"}, memory=True) as vault:
        for number, bytes_ in ((1, 4), (2, 3)):
            arguments: dict[str, Any] = {line: number, offset: bytes_}
            refused = await vault.call(tool, path="A.txt", **arguments)
            assert refused.error_type == InvalidParameters.error_type
            assert "take both numbers from an answer" in refused.text


async def test_a_note_of_one_long_line_is_read_on_with_read() -> None:
    text = "ab é" * 30_000
    async with sandbox({"Long.md": text}, memory=True) as vault:
        begun = await vault.succeed("read_note", name="Long")
        line, offset = begun.metadata["next_start_line"], begun.metadata["next_line_offset"]
        assert f"; next: startLine={line}, lineOffset={offset}. Go on with read" in begun.text
        rest = await vault.succeed("read", path="Long.md", startLine=line, lineOffset=offset)
        assert (begun.text.partition("\n[")[0] + rest.data["content"])[:100_000] == text[: len(text)][:100_000]


@pytest.mark.parametrize(("last", "following"), [(2, 3), (3, None), (99, None)])
async def test_where_the_file_goes_on_is_said_also_when_nothing_was_cut(last: int, following: int | None) -> None:
    async with sandbox({"A.txt": "a\nb\nc\n"}, memory=True) as vault:
        for tool, name in (("read", "endLine"), ("read_file", "end_line")):
            arguments: dict[str, Any] = {name: last}
            answer = await vault.succeed(tool, path="A.txt", **arguments)
            assert (answer.metadata.get("nextStartLine"), answer.metadata["truncated"]) == (following, False)
            assert _place_in_text(answer) == _place_in_metadata(answer)
