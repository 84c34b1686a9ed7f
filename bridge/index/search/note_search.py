"""Searching notes: a few words, ranked, or Obsidian's search language, exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge.index.knowledge import IndexedFile, Knowledge
from bridge.index.search.excerpts import excerpt, unaccented_places
from bridge.index.search.note_text import Needle, NoteText
from bridge.index.search.query import And, CaseTerm, Node, Or, TextTerm, Within, patterns, plain_words
from bridge.index.search.query_evaluation import Evaluation
from bridge.index.search.query_parser import parse_query
from bridge.index.search.ranking import RankedNotes, RankedWord, Ranking, make_terms
from bridge.index.search.text_session import SearchTexts, TextSession, has_text
from bridge.index.store.fulltext import StoredWords
from bridge.index.texts.arena import Excludes
from bridge.index.texts.line_patterns import Span

PLACES = 16
"""Places of one word in one note that an excerpt is chosen among."""


@dataclass(frozen=True, slots=True)
class NoteQuery:
    """What to search.

    Attributes:
        query: As the user wrote it.
        excludes: What is left out, such as what the user excluded in Obsidian.
        first: How many results to pass over.
        count: How many to return.
        deadline: `Clock.monotonic()` value.
    """

    query: str
    deadline: float
    excludes: tuple[Excludes, ...] = ()
    first: int = 0
    count: int = 10


@dataclass(frozen=True, slots=True)
class FoundNote:
    """One file.

    Attributes:
        path: Which.
        excerpt: The piece of its text that shows best why it was found; empty where it has no text.
    """

    path: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class NoteSearchResult:
    """What a search found.

    Attributes:
        results: Some of them, best first.
        total: How many there are.
        matching: How many of them, the first, are wholly what was asked for; the others hold some of the words.
        exact: Whether the query was in Obsidian's search language, and not only words.
        indexing: Whether the index is being built, so that there may be more.
    """

    results: tuple[FoundNote, ...]
    total: int
    matching: int
    exact: bool
    indexing: bool


class NoteSearch:
    """Searches one vault. Any thread may.

    Args:
        knowledge: What may be found.
        words: The full-text index.
        texts: The texts.
    """

    def __init__(self, knowledge: Knowledge, words: StoredWords, texts: SearchTexts) -> None:
        self._knowledge = knowledge
        self._words = words
        self._texts = texts
        self._seen: tuple[Sequence[IndexedFile], tuple[Excludes, ...], Mapping[str, IndexedFile]] = ((), (), {})

    def check(self, query: str, deadline: float) -> bool:
        """Whether a query asks for anything.

        Args:
            query: As the user wrote it.
            deadline: `Clock.monotonic()` value.

        Raises:
            InvalidParameters: It is too long or too deep, or a pattern in it is invalid.
            DeadlineExceeded: It was not known in time.
        """
        parsed = parse_query(query)
        if parsed is None:
            return False
        with self._texts.session(deadline) as session:
            for pattern in patterns(parsed):
                session.compile(pattern)
        return True

    def search(self, asked: NoteQuery) -> NoteSearchResult:
        """Search.

        Args:
            asked: The query and its bounds.

        Returns:
            As many notes as were asked for, with excerpts, and how many there are.

        Raises:
            InvalidParameters: The query is too long or too deep, or a pattern in it is invalid.
            DeadlineExceeded: It did not end in time.
        """
        query = parse_query(asked.query)
        indexing = self._knowledge.status().indexing
        if query is None:
            return NoteSearchResult((), 0, 0, exact=False, indexing=indexing)
        files = self._files(asked.excludes)
        with self._texts.session(asked.deadline) as session:
            ranking = Ranking(self._words, session, self._knowledge, files)
            plain = plain_words(query)
            if plain is not None and (terms := make_terms(plain)):
                ranked = ranking.find(terms, asked.first, asked.count)
                results = [FoundNote(path, _ranked_excerpt(session, path, terms)) for path in ranked.paths]
            else:
                evaluation = Evaluation(session, self._knowledge, files)
                found = evaluation.matches(query)
                paths = ranking.order(found, make_terms(_texts(query)), asked.first + asked.count)
                ranked = RankedNotes(tuple(paths[asked.first :]), len(found), len(found))
                results = [FoundNote(path, _exact_excerpt(evaluation, query, path)) for path in ranked.paths]
        return NoteSearchResult(tuple(results), ranked.total, ranked.with_all, exact=plain is None, indexing=indexing)

    def close(self) -> None:
        """End the worker processes."""
        self._texts.close()

    def _files(self, excludes: tuple[Excludes, ...]) -> Mapping[str, IndexedFile]:
        """The files that may be found, by path; remembered as long as they are the same."""
        files = self._knowledge.files()
        seen = self._seen
        if seen[0] is not files or seen[1] != excludes:
            shown = (file for file in files if not any(excluded(file.path) for excluded in excludes))
            seen = self._seen = files, excludes, {file.path: file for file in shown}
        return seen[2]


def _texts(query: Node) -> list[str]:
    """The words and phrases that a query wants, wherever."""
    match query:
        case And(parts) | Or(parts):
            return [text for part in parts for text in _texts(part)]
        case CaseTerm(_, part) | Within(_, part):
            return _texts(part)
        case TextTerm(text):
            return [text]
        case _:
            return []


def _ranked_excerpt(session: TextSession, path: str, terms: Sequence[RankedWord]) -> str:
    session.check()
    note = session.note(path)
    if note is None:
        return ""
    needles = [Needle(term.text) for term in terms]
    if len(terms) > 1:
        needles.append(Needle(" ".join(term.text for term in terms)))
    places = [_some(note, needle) for needle in needles]
    if not any(places):
        places = unaccented_places(note, [term.text for term in terms])
    return excerpt(note, places)


def _exact_excerpt(evaluation: Evaluation, query: Node, path: str) -> str:
    if not has_text(path):
        return ""
    return excerpt(*evaluation.places(query, path))


def _some(note: NoteText, needle: Needle) -> list[Span]:
    found: list[Span] = []
    for place in note.find_all(needle, note.whole):
        found.append(place)
        if len(found) == PLACES:
            break
    return found
