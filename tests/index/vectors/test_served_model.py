"""A model that a server runs: what it is sent, and what becomes of what it answers."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed, NetworkFailure
from bridge.index.vectors.embedder import ModelChanged
from bridge.index.vectors.served import AWAY_SECONDS, BATCH, KEPT_QUERIES, ServedModel, prefixes_of
from tests.index.vectors.conftest import Make

np: Any = pytest.importorskip("numpy", reason="comes with the extra `semantic`")


class Server:
    """Answers each text with its length and number of words, and notes what it was asked.

    Attributes:
        fails: Says of the texts of a request with which code it fails; empty where it does not.
        number: Makes the numbers.
    """

    def __init__(self, dimensions: int = 3) -> None:
        self.dimensions, self.digest = dimensions, "abc"
        self.asked: list[list[str]] = []
        self.fails: Callable[[Sequence[str]], str] = lambda _texts: ""
        self.number: Callable[[str], list[float]] = lambda text: [float(len(text)), float(text.count(" ")), 1.0]
        self.closed = threading.Event()

    def embed(self, model: str, texts: Sequence[str], seconds: float) -> list[list[float]]:
        assert model == "m"
        assert seconds > 0
        self.asked.append(list(texts))
        if code := self.fails(texts):
            raise NetworkFailure("It does not work", code=code)
        return [(self.number(text) * self.dimensions)[: self.dimensions] for text in texts]

    def version(self, model: str) -> str:
        assert model == "m"
        if code := self.fails([]):
            raise NetworkFailure("It does not work", code=code)
        return self.digest

    def close(self) -> None:
        self.closed.set()


class Hands(SystemClock):
    """A clock that is set by hand."""

    now_is = 100.0

    def monotonic(self) -> float:
        return self.now_is


@pytest.fixture
def server() -> Server:
    return Server()


def test_how_long_vectors_are_is_read_from_the_first_answer_and_they_have_the_length_one(server: Server) -> None:
    server.dimensions = 7
    model = ServedModel("m", server, SystemClock())
    queries = model.query()
    assert (queries.dimensions, queries.model) == (7, "m@abc")
    for made in (model.embed(["one", "two words"]), queries.embed(["three"])):
        assert made.shape[1] == 7
        assert made.dtype == np.float32
        assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.0])
def test_numbers_of_any_size_make_vectors_of_length_one(server: Server, size: float) -> None:
    server.number = lambda _text: [size, -size, 0.0]
    model = ServedModel("m", server, SystemClock())
    model.query()
    assert np.linalg.norm(model.embed(["one"]), axis=1) == pytest.approx(1, abs=1e-6)


def test_a_vector_of_zeros_stays_one(server: Server) -> None:
    server.number = lambda _text: [0.0, 0.0, 0.0]
    model = ServedModel("m", server, SystemClock())
    model.query()
    assert not model.embed(["one"]).any()


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("someone/Nomic-Embed-Text-v2-moe:latest", "search_query: ", "search_document: "),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("snowflake-arctic-embed:m", "Represent this sentence for searching relevant passages: ", ""),
        ("all-minilm", "", ""),
        ("bge-m3", "", ""),
        ("", "", ""),
    ],
)
def test_questions_and_passages_are_marked_as_a_model_was_trained_with(name: str, query: str, passage: str) -> None:
    assert prefixes_of(name) == (query, passage)


def test_passages_are_sent_some_at_a_time(server: Server) -> None:
    model = ServedModel("m", server, SystemClock())
    model.query()
    model.embed([str(number) for number in range(2 * BATCH + 3)])
    assert [len(asked) for asked in server.asked[1:]] == [BATCH, BATCH, 3]


def test_a_passage_on_which_the_model_fails_keeps_no_other_from_its_vector(server: Server) -> None:
    server.fails = lambda texts: "server" if any("odd" in text for text in texts) else ""
    model = ServedModel("m", server, SystemClock())
    model.query()
    made = model.embed([f"odd {number}" if number in {3, 11} else str(number) for number in range(20)])
    assert [at for at, row in enumerate(made) if not row.any()] == [3, 11]


@pytest.mark.parametrize("count", [1, 2, 20])
def test_a_server_that_fails_on_everything_is_no_odd_passage(server: Server, count: int) -> None:
    model = ServedModel("m", server, SystemClock())
    model.query()
    server.fails = lambda texts: "server" if texts else ""
    with pytest.raises(NetworkFailure):
        model.embed([str(number) for number in range(count)])


@pytest.mark.parametrize("code", ["no_server", "silence", "no_model", "format"])
def test_other_failures_are_not_looked_for_in_halves(server: Server, code: str) -> None:
    model = ServedModel("m", server, SystemClock())
    model.query()
    server.fails = lambda texts: code if texts else ""
    with pytest.raises(NetworkFailure):
        model.embed(["one", "two"])
    assert len(server.asked) == 2


def test_another_version_or_length_is_another_model(server: Server) -> None:
    model = ServedModel("m", server, SystemClock())
    queries = model.query()
    server.dimensions = 5
    with pytest.raises(ModelChanged):
        model.embed(["one"])
    with pytest.raises(ModelChanged):
        queries.embed(["one"])
    server.dimensions, server.digest = 3, "def"
    with pytest.raises(ModelChanged):
        model.embed(["one"])


def test_after_a_failure_questions_do_not_wait_for_the_server_for_a_while(server: Server) -> None:
    clock = Hands()
    queries = ServedModel("m", server, clock).query()
    queries.embed(["known"])
    server.fails = lambda _texts: "silence"
    asked = len(server.asked)
    for _ in range(3):
        with pytest.raises((NetworkFailure, ExecutionFailed)):
            queries.embed(["new"])
    assert len(server.asked) == asked + 1
    assert queries.embed(["known"]).any(), "what was embedded before needs no server"
    clock.now_is += AWAY_SECONDS
    server.fails = lambda _texts: ""
    assert queries.embed(["new"]).any()


def test_a_question_is_embedded_once_for_all_pages_of_its_answer(server: Server) -> None:
    queries = ServedModel("m", server, SystemClock()).query()
    for _ in range(3):
        queries.embed(["the same"])
    assert len(server.asked) == 2
    for number in range(KEPT_QUERIES):
        queries.embed([str(number)])
    queries.embed(["the same"])
    assert server.asked[-1] == ["the same"]


def test_vectors_of_a_note_that_was_closed_or_deleted_go_also_when_the_server_is_away_from_the_start(
    server: Server, embedded: Make
) -> None:
    vault = embedded(ServedModel("m", server, SystemClock()))
    for name in ("Open.md", "Closed.md", "Gone.md"):
        vault.put(name, f"text of {name}")
    vault.start()
    vault.until(lambda status: status.state == "ready" and status.passages == 3)
    vault.vectors.close()
    server.fails = lambda _texts: "no_server"
    (vault.folder / "Gone.md").unlink()
    vault.index.refresh()
    vault.close_notes("Closed.md")
    vault.model = ServedModel("m", server, SystemClock())
    vault.restart()
    vault.until(lambda status: status.state == "failed" and status.passages == 1)
    assert vault.kept().keys() == {"Open.md"}
    assert vault.vectors.nearest("text", {}, 5) is None
    assert vault.vectors.state().fault != ""
