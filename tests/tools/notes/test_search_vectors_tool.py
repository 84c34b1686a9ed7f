"""search_vectors as an agent calls it: what is compared, and what is said where nothing can be."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.errors import ErrorType, InvalidParameters
from bridge.identity.caller import PERSON
from bridge.index.knowledge import IndexedFile
from bridge.index.search.note_search import NoteSearch
from bridge.index.search.passages import MeaningState, NearPassage
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.index.vault_index import VaultIndex
from bridge.settings.model import Settings
from bridge.testing import sandbox
from bridge.toolkit.tool import CallContext
from bridge.tools.notes.related import SearchVectorsParams, SearchVectorsTool
from bridge.tools.storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot


class Given:
    """Says that some passages are near, whatever is asked."""

    def __init__(self, near: Sequence[NearPassage] | None) -> None:
        self.near = near
        self.asked: list[str | Sequence[float]] = []

    def state(self) -> MeaningState:
        return MeaningState("small", 3) if self.near is not None else MeaningState("", 0, "it is away", is_fault=True)

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        self.asked.append(asked)
        return None if self.near is None else [near for near in self.near if near.path in files][:count]

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        del question, files
        return None

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        raise AssertionError((path, files, count))


class Tool:
    """The tool over a folder."""

    def __init__(self, folder: Path, texts: Mapping[str, str], near: Sequence[NearPassage] | None) -> None:
        self.folder, self.texts, self.meaning = folder, texts, Given(near)

    def run(self, settings: Settings | None = None, **arguments: Any) -> Any:
        for name, text in self.texts.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        clock = SystemClock()
        with VaultRoot(self.folder) as root:
            files = VaultFiles(root)
            index = VaultIndex(files, clock)
            index.refresh()
            texts = SearchTexts(index.texts, files, clock)
            search = NoteSearch(index, StoredWords(index.search), texts, lambda: self.meaning)
            tool = SearchVectorsTool(VaultStorage(files, index), search)
            params, context = SearchVectorsParams(**arguments), CallContext(PERSON, settings or Settings(), 1e12)
            tool.prepare(params, context)
            try:
                return tool.run(params, context)
            finally:
                search.close()
                index.close()


DRUM = "# House\n\nAll of it.\n\n# Drum\n\nIt drips at dawn.\n"


def test_each_note_comes_once_with_the_lines_that_are_nearest(tmp_path: Path) -> None:
    start = DRUM.index("# Drum")
    near = [
        NearPassage("a/Near.md", start, len(DRUM), 0.81234),
        NearPassage("Other.md", 0, 5, 0.5),
        NearPassage("a/Near.md", 0, start, 0.4),
        NearPassage("Far.md", 0, 3, -0.1),
    ]
    output = Tool(tmp_path, {"a/Near.md": DRUM, "Other.md": "other", "Far.md": "far"}, near).run(query="what leaks")
    assert output.data == [
        {
            "name": "Near",
            "path": "a/Near.md",
            "score": 0.8123,
            "heading": "Drum",
            "start_line": 5,
            "end_line": 7,
            "snippet": "# Drum It drips at dawn.",
        },
        output.data[1],
    ]
    assert output.data[1]["path"] == "Other.md"
    assert output.text.splitlines()[:2] == ["1. a/Near.md:5-7 (Drum)", "   # Drum It drips at dawn."]
    assert output.metadata == {"byMeaning": True, "model": "small", "dimensions": 3}


def test_a_vector_is_compared_as_it_is(tmp_path: Path) -> None:
    tool = Tool(tmp_path, {"Near.md": "near"}, [NearPassage("Near.md", 0, 4, 0.9)])
    assert tool.run(vector=[1, 0.5, -2]).data[0]["path"] == "Near.md"
    assert tool.meaning.asked == [[1.0, 0.5, -2.0]]


def test_ten_notes_take_two_kilobytes_at_most(tmp_path: Path) -> None:
    texts = {f"A folder with a long name/{'note ' * 8}{number}.md": "words and words " * 60 for number in range(30)}
    near = [NearPassage(path, 0, 900, 0.9 - at / 100) for at, path in enumerate(texts)]
    output = Tool(tmp_path, texts, near).run(query="words")
    assert len(output.data) == 10
    assert len(output.text.encode()) <= 2048


def test_as_many_as_limit_asks_for(tmp_path: Path) -> None:
    texts = {f"{number}.md": "words" for number in range(60)}
    near = [NearPassage(path, 0, 5, 0.9 - at / 100) for at, path in enumerate(texts)]
    assert len(Tool(tmp_path, texts, near).run(query="words", limit=50).data) == 50


def test_what_the_user_keeps_out_of_searches_is_kept_out(tmp_path: Path) -> None:
    near = [NearPassage("Skipped.md", 0, 4, 0.9), NearPassage("Near.md", 0, 4, 0.8)]
    tool = Tool(tmp_path, {"Near.md": "near", "Skipped.md": "skip"}, near)
    found = tool.run(Settings(ignore_patterns=("Skipped.md",)), query="near")
    assert [entry["path"] for entry in found.data] == ["Near.md"]


def test_without_a_model_a_text_is_found_by_its_words_and_that_is_said(tmp_path: Path) -> None:
    tool = Tool(tmp_path, {"Words.md": "the drum drips", "Other.md": "nothing"}, None)
    output = tool.run(query="why is it that the drum drips every morning")
    assert [entry["path"] for entry in output.data] == ["Words.md"]
    assert output.data[0]["score"] == 0
    assert output.metadata == {"byMeaning": False, "wordsOnly": "it is away"}
    assert output.text.endswith("[Found by words alone: it is away.]")


def test_a_vector_cannot_be_compared_by_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameters, match="it is away"):
        Tool(tmp_path, {"Words.md": "words"}, None).run(vector=[1.0])


@pytest.mark.parametrize("arguments", [{}, {"query": "a", "vector": [1.0]}, {"query": "  "}])
def test_one_thing_has_to_be_asked_for(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameters):
        Tool(tmp_path, {}, []).run(**arguments)


@pytest.mark.parametrize(
    "vector", [[], ["x"], [float("nan")], [float("inf")], [0.0] * 20_000, [[1.0]], "1", {"0": 1}, [None]]
)
async def test_what_is_no_vector_is_refused(vector: Any) -> None:
    async with sandbox({"Tea.md": "tea"}) as vault:
        result = await vault.call("search_vectors", vector=vector)
        assert result.error_type is ErrorType.INVALID_PARAMETERS


async def test_it_says_what_it_will_do_and_where_there_is_no_model_it_goes_by_words() -> None:
    async with sandbox({"Tea.md": "Hot, green and strong\n", "Cup.md": "blue"}) as vault:
        result = await vault.succeed("search_vectors", query="something hot and green")
        assert vault.asked[-1]["summary"] == "Search the notes for what is near 'something hot and green' in meaning"
        assert result.data[0]["path"] == "Tea.md"
        assert "no model for search by meaning is installed" in result.text
