"""Searching notes: a few words or a question, ranked, or Obsidian's search language, exactly; and excerpts of them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

from bridge.index.knowledge import IndexedFile, Knowledge
from bridge.index.search.passages import (
    NEAR,
    NO_MODEL,
    Meaning,
    MeaningState,
    Near,
    NearPassage,
    Passage,
    body_start,
    heading_at,
    readable,
)
from bridge.index.search.query import And, Node, Or, TextTerm, Within, parse_query, patterns, plain_words
from bridge.index.search.query_evaluation import Evaluation
from bridge.index.search.ranking import ENOUGH, RankedNotes, Ranking, WeighedNote
from bridge.index.search.text_session import LARGEST, Needle, NoteText, SearchTexts, TextSession, folded
from bridge.index.search.words import Languages, RankedWord, make_terms, query_words
from bridge.index.store.fulltext import StoredWords, pattern_of, phrase
from bridge.index.texts.arena import Excludes
from bridge.index.texts.line_patterns import Span
from bridge.notes.note import Heading
from bridge.pdf.document import is_pdf, page_at, page_start, place_in
from bridge.pictures.scaling import is_picture

BEFORE = 60
"""Characters before what was found."""
WIDTH = 220
"""Characters of an excerpt."""
CUT = "..."
_SNAP = 20
"""Characters by which a cut is moved, so as not to lie within a word."""
_MOST_JOINED = 40
"""Characters that may belong together to make what is seen as one."""
_UNACCENTED = 50_000
"""Characters of a note that are compared in their plainest form."""

_VIRAMA = 9
"""The class of the signs that join the consonants of Indian scripts."""
_ZWJ = "\u200d"
_SPACES = re.compile(r"\s+")
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]")
_MODIFIER = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
MOST_NOTES = 30
"""Notes whose passages answer a question."""
NEARLY = 0.6
"""The part of a note's best score from which another passage of it is an answer too."""
PLACES = 16
"""Places of one word in one note that an excerpt is chosen among."""
_DRAWN = " (text recognised in the picture)"


@dataclass(frozen=True, slots=True)
class NoteQuery:
    """A search query with its limits.

    Attributes:
        query: The query, as the user wrote it.
        excludes: Rules for what to leave out, such as what the user excluded in Obsidian.
        first: Number of results to skip.
        count: Number of results to return.
        deadline: `Clock.monotonic()` value.
        width: Approximate number of characters in an excerpt.
    """

    query: str
    deadline: float
    excludes: tuple[Excludes, ...] = ()
    first: int = 0
    count: int = 10
    width: int = WIDTH


class FoundNote(NamedTuple):
    """One file.

    Attributes:
        path: Its path.
        excerpt: The piece of its text that shows best why it was found; empty if it has no text.
        page: The page of a PDF file on which that piece is; None of another file.
    """

    path: str
    excerpt: str
    page: int | None = None

    @property
    def place(self) -> str:
        """Return the path, with the page of a PDF file, as a link names it; or that it is a picture."""
        return f"{self.path}{_DRAWN}" if self.is_drawn else place_in(self.path, self.page)

    @property
    def is_drawn(self) -> bool:
        """Return whether it is a picture that was found by the text which was recognised in it."""
        return bool(self.excerpt) and is_picture(self.path)


class NoteSearchResult(NamedTuple):
    """The result of a search.

    Attributes:
        results: The requested results, best first.
        total: Number of all results.
        matching: Number of complete matches; the other results contain some of the words.
        exact: Whether the query was in Obsidian's search language, and not only words.
        indexing: Whether the index is being built, so that there may be more.
        question: Whether notes with all words need not come first, as for a question.
        by_meaning: Whether notes were also found by meaning.
        words_only: The fault that kept them from being so, as the end of a sentence; empty if there is none.
    """

    results: tuple[FoundNote, ...]
    total: int
    matching: int
    exact: bool
    indexing: bool
    question: bool = False
    by_meaning: bool = False
    words_only: str = ""


class FoundPassage(NamedTuple):
    """One passage of a note.

    Attributes:
        path: The note.
        heading: The heading under which it is; empty before the first.
        lines: Its first and last line, counted from 1; in a PDF file, from the beginning of its page.
        text: What it says, without outer white space.
        score: How much it says on the question.
        start: Where it begins in the note, in characters.
        end: Its end.
        likeness: How near it is to the question in meaning; 0 if that was not compared.
        page: The page of a PDF file on which it begins; None of another file.
    """

    path: str
    heading: str
    lines: tuple[int, int]
    text: str
    score: float
    start: int
    end: int
    likeness: float = 0.0
    page: int | None = None

    @property
    def place(self) -> str:
        """Return the path with the lines; with the page of a PDF file, as a link names it; or that it is a picture."""
        first, last = self.lines
        if self.is_drawn:
            return f"{self.path}{_DRAWN}"
        return place_in(self.path, self.page) if self.page is not None else f"{self.path}:{first}-{last}"

    @property
    def is_drawn(self) -> bool:
        """Return whether it is text that was recognised in a picture."""
        return is_picture(self.path)


class NoteSearch:
    """The search in one vault. Any thread may use it.

    Args:
        knowledge: What may be found.
        words: The full-text index.
        texts: The texts.
        meaning: Returns what compares by meaning; None if nothing does now.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        words: StoredWords,
        texts: SearchTexts,
        meaning: Callable[[], Meaning | None] = lambda: None,
    ) -> None:
        self._knowledge = knowledge
        self._words = words
        self._texts = texts
        self._meaning = meaning
        self._languages = Languages(lambda word: words.count(phrase(word), lambda: False))
        self._seen: tuple[Sequence[IndexedFile], tuple[Excludes, ...], Mapping[str, IndexedFile]] = ((), (), {})

    def check(self, query: str, deadline: float) -> bool:
        """Return whether a query asks for anything.

        Args:
            query: As the user wrote it.
            deadline: `Clock.monotonic()` value.

        Raises:
            InvalidParameters: It is too long or too deep, or a pattern in it is invalid.
            DeadlineExceeded: The check took too long.
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
        question = by_meaning = False
        indexing = self._knowledge.status().indexing
        if query is None:
            return NoteSearchResult((), 0, 0, exact=False, indexing=indexing)
        files = self._files(asked.excludes)
        with self._texts.session(asked.deadline) as session:
            ranking = Ranking(self._words, session, self._knowledge, files)
            plain = plain_words(query)
            if plain is not None and make_terms(plain):
                words = query_words(plain, self._languages, len(files))
                ranked = ranking.find(words, asked.first, asked.count, partial(self._near, asked.query, files))
                question = words.question or ranked.mixed
                by_meaning = ranked.by_meaning
                results = [
                    _found_at(path, weighed.note, _best(weighed).places, asked.width)
                    if (weighed := ranked.weighed.get(path)) and weighed.passages
                    else _by_words(session, path, words.terms, asked.width)
                    for path in ranked.paths
                ]
            else:
                evaluation = Evaluation(session, self._knowledge, files)
                found = evaluation.matches(query)
                paths = ranking.order(found, make_terms(_texts(query)), asked.first + asked.count)
                ranked = RankedNotes(tuple(paths[asked.first :]), len(found), len(found))
                results = [
                    _found_at(path, *evaluation.places(query, path), asked.width)
                    if session.has_text(path)
                    else FoundNote(path, "")
                    for path in ranked.paths
                ]
        words_only = self.meaning.fault if question and not by_meaning else ""
        total, whole, exact = ranked.total, ranked.with_all, plain is None
        return NoteSearchResult(tuple(results), total, whole, exact, indexing, question, by_meaning, words_only)

    def passages(self, question: str, deadline: float, excludes: tuple[Excludes, ...] = ()) -> list[FoundPassage]:
        """Return the passages that say most on a question.

        Args:
            question: Words; operators of the search language are words too.
            deadline: `Clock.monotonic()` value.
            excludes: Rules for what to leave out.

        Returns:
            Passages of the best notes, the best first: for each note its best one, and others that say nearly as much.

        Raises:
            DeadlineExceeded: It did not end in time.
        """
        files = self._files(excludes)
        with self._texts.session(deadline) as session:
            ranking = Ranking(self._words, session, self._knowledge, files)
            words = query_words(question.split(), self._languages, len(files))
            if not words.terms:
                return []
            ranked = ranking.find(words, 0, MOST_NOTES, partial(self._near, question, files))
            left = [path for path in ranked.paths if path not in ranked.weighed]
            weighed = {**ranked.weighed, **ranking.weigh(left, words.terms)}
            return self._best_passages([(path, weighed[path]) for path in ranked.paths if path in weighed])

    def passages_in(self, question: str, paths: Sequence[str], deadline: float) -> list[FoundPassage]:
        """Return the best passage of each of some notes, best first; notes without any of the words are left out.

        Args:
            question: Words.
            paths: The notes; those that may not be seen are left out.
            deadline: `Clock.monotonic()` value.

        Raises:
            DeadlineExceeded: It did not end in time.
        """
        files = self._files(())
        with self._texts.session(deadline) as session:
            ranking = Ranking(self._words, session, self._knowledge, files)
            terms = query_words(question.split(), self._languages, len(files)).terms
            weighed = ranking.weigh([path for path in paths if path in files and session.has_text(path)], terms)
            found = [self._passage(path, each, _best(each)) for path, each in weighed.items() if each.passages]
        return sorted(found, key=lambda passage: (-passage.score, passage.path))

    def _best_passages(self, notes: Sequence[tuple[str, WeighedNote]]) -> list[FoundPassage]:
        """Return the best passage of each note in the notes' order, each followed by others that say nearly as much."""
        found: list[tuple[float, int, FoundPassage]] = []
        most = max((_best(each).score for _path, each in notes if each.passages), default=0.0)
        for place, (path, each) in enumerate(notes):
            if not each.passages:
                continue
            best = _best(each)
            for passage in each.passages:
                # A further passage comes behind the best ones of notes that are as good as it.
                behind = (most - passage.score) / most * MOST_NOTES if passage is not best else 0.0
                if passage is best or passage.score >= NEARLY * best.score:
                    found.append((place + behind, place, self._passage(path, each, passage)))
        found.sort(key=lambda entry: (entry[0], entry[1], -entry[2].score, entry[2].start))
        return [passage for _rank, _place, passage in found]

    def _passage(self, path: str, weighed: WeighedNote, passage: Passage) -> FoundPassage:
        """Return a passage with its heading and lines."""
        text = weighed.note.text[passage.start : passage.end]
        start = passage.start + len(text) - len(text.lstrip())
        end = passage.start + len(text.rstrip())
        facts = self._knowledge.note(path)
        page = _page(path, weighed.note, _first(passage))
        first = weighed.note.text.count("\n", 0 if page is None else page_start(weighed.note.text, start), start) + 1
        lines = first, first + weighed.note.text.count("\n", start, end)
        heading = _heading(facts.headings, passage) if facts else ""
        shown = weighed.note.text[start:end].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return FoundPassage(
            path, heading, lines, shown, passage.score, passage.start, passage.end, max(passage.likeness, 0.0), page
        )

    @property
    def meaning(self) -> MeaningState:
        """Return whether meaning can be compared."""
        meaning = self._meaning()
        return NO_MODEL if meaning is None else meaning.state()

    def near(
        self, asked: str | Sequence[float], count: int, deadline: float, excludes: tuple[Excludes, ...] = ()
    ) -> list[FoundPassage] | None:
        """Return the nearest passage of each of the notes nearest to a text or vector in meaning; the nearest first.

        Args:
            asked: A text, or a vector of the same model.
            count: Maximum number.
            deadline: `Clock.monotonic()` value.
            excludes: Rules for what to leave out.

        Returns:
            None if meaning cannot be compared now.

        Raises:
            InvalidParameters: The vector is none of the model's.
            DeadlineExceeded: It did not end in time.
        """
        meaning = self._meaning()
        near = None if meaning is None else meaning.nearest(asked, self._files(excludes), NEAR)
        if near is None:
            return None
        best: dict[str, NearPassage] = {}
        for passage in near:
            if passage.likeness > 0:
                best.setdefault(passage.path, passage)
        found: list[FoundPassage] = []
        with self._texts.session(deadline) as session:
            for path, passage in best.items():
                session.check()
                note = readable(session.note(path)) if len(found) < count else None
                if note is not None and passage.start < len(note.text):
                    of_it = Passage(*passage[1:3], 0.0, [[(passage.start, passage.start)]], passage.likeness)
                    found.append(self._passage(path, WeighedNote(note, 0.0, (of_it,)), of_it))
        return found

    def related(self, path: str, count: int) -> Sequence[NearPassage] | None:
        """Return the nearest passage of each of the notes nearest to a note in meaning; the nearest first.

        Args:
            path: The note.
            count: Maximum number.

        Returns:
            None if meaning cannot be compared now.
        """
        meaning = self._meaning()
        return None if meaning is None else meaning.related(path, self._files(()), count)

    def _near(self, question: str, files: Mapping[str, IndexedFile]) -> Near | None:
        """Return what is near a question in meaning; None if meaning cannot be compared now."""
        if (meaning := self._meaning()) is None:
            return None
        passages, openings = meaning.nearest(question, files, NEAR), meaning.openings(question, files)
        return None if passages is None and openings is None else Near(passages or (), openings or ())

    def close(self) -> None:
        """End the worker processes."""
        self._texts.close()

    def _files(self, excludes: tuple[Excludes, ...]) -> Mapping[str, IndexedFile]:
        """Return the files that may be found, by path; remembered as long as they are the same."""
        files = self._knowledge.files()
        seen = self._seen
        if seen[0] is not files or seen[1] != excludes:
            shown = (file for file in files if not any(excluded(file.path) for excluded in excludes))
            seen = self._seen = files, excludes, {file.path: file for file in shown}
        return seen[2]


def _texts(query: Node) -> list[str]:
    """Return the words and phrases that a query wants, wherever."""
    match query:
        case And(parts) | Or(parts):
            return [text for part in parts for text in _texts(part)]
        case Within(_, part):
            return _texts(part)
        case TextTerm(text):
            return [text]
        case _:
            return []


def _found_at(path: str, note: NoteText, places: Sequence[Sequence[Span]], width: int) -> FoundNote:
    """Return a file that was found, with its excerpt around some places."""
    text, place = excerpt(note, places, width)
    return FoundNote(path, text, _page(path, note, place))


def _page(path: str, note: NoteText, place: int) -> int | None:
    """Return the page of a PDF file that contains a place of its text; None for another file."""
    return page_at(note.text, place) if is_pdf(path) else None


def _first(passage: Passage) -> int:
    """Return where the first of the words is that a passage was found by."""
    return min((span[0] for spans in passage.places for span in spans), default=passage.start)


def _by_words(session: TextSession, path: str, terms: Sequence[RankedWord], width: int) -> FoundNote:
    needles = [Needle(term.text) for term in terms]
    if len(terms) > 1:
        needles.append(Needle(" ".join(term.text for term in terms)))
    note, places = _read(session, path, needles, ENOUGH)
    if note is not None and not any(places) and len(note.text) >= ENOUGH // 4:  # it goes on, as few do
        note, places = _read(session, path, needles, LARGEST)
    if note is None:
        return FoundNote(path, "")
    if not any(places):
        note = readable(note) or note
        places = bare_places(note, [term.text for term in terms])
    return _found_at(path, note, places, width)


def _read(
    session: TextSession, path: str, needles: Sequence[Needle], enough: int
) -> tuple[NoteText | None, list[list[Span]]]:
    """Return a note's beginning, of at least so many bytes, and where needles are in it."""
    session.check()
    note = session.note(path, enough)
    return note, [] if note is None else [list(islice(note.find_all(needle, note.whole), PLACES)) for needle in needles]


def _best(weighed: WeighedNote) -> Passage:
    return max(weighed.passages, key=lambda passage: passage.score)


def _heading(headings: Sequence[Heading], passage: Passage) -> str:
    """Return the heading with most of a passage's words below it; of equals, the first."""
    under = Counter(
        heading
        for spans in passage.places
        for heading in dict.fromkeys(heading_at(headings, span[0]) for span in spans)
    )
    return under.most_common(1)[0][0]


def excerpt(note: NoteText, places: Sequence[Iterable[Span]], width: int = WIDTH) -> tuple[str, int]:
    """Return a line of text around the place where most of the query's words are close together, and that place.

    Args:
        note: The note.
        places: Where it is, for each thing that was asked for. Where there is nothing, the beginning is shown.
        width: About how many characters.
    """
    head = BEFORE * width // WIDTH
    body = body_start(note.text)
    hits = sorted((start, end, which) for which, spans in enumerate(places) for start, end in spans)
    if not hits:
        rest = note.text[body : body + 4 * width].lstrip()
        return _shown(rest, 0, _cut(rest, width)) if len(rest) > width else _line(rest), body
    start, end = _densest(note.text, hits, body, width - head)
    low = _cut(note.text, max(start - head, body if start >= body else 0), up_to=start)
    high = _cut(note.text, min(max(low + width, min(end, start + width)), len(note.text)))
    return _shown(note.text, low, max(high, min(end, start + width))), start


def bare_places(note: NoteText, words: Iterable[str]) -> list[list[Span]]:
    """Return where words occur in other spellings: the full-text index finds these, a plain comparison does not."""
    text = note.bare_text[:_UNACCENTED]
    places = (re.search(pattern_of(folded(word)), text) for word in words)
    return [[] if place is None else [place.span()] for place in places]


def _densest(text: str, hits: Sequence[tuple[int, int, int]], body: int, room: int) -> Span:
    """Return the stretch of an excerpt's width that shows the most different things, preferably in the body."""
    best: tuple[int, bool, int] = (-1, False, 0)
    chosen: Span = hits[0][:2]
    last = 0
    for first, (start, end, _which) in enumerate(hits):
        last = max(last, first)
        while last + 1 < len(hits) and hits[last + 1][1] <= start + room:
            last += 1
        within = hits[first : last + 1]
        begun = sum(hit[0] == 0 or not text[hit[0] - 1].isalnum() for hit in within[:8])
        worth = len({hit[2] for hit in within}), start >= body, begun
        if worth > best:
            best = worth
            chosen = start, max(end, within[-1][1])
    return chosen


def _cut(text: str, at: int, *, up_to: int | None = None) -> int:
    """Return a place near one to cut at: between words, or at least not within what is seen as one character.

    Args:
        text: What is cut.
        at: About where.
        up_to: For a beginning: where it must have begun. None for an end.
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    if up_to is not None:
        space = next((place for place in range(at, min(at + _SNAP, up_to)) if text[place - 1].isspace()), None)
    else:
        space = next((place for place in range(at, max(at - _SNAP, 1), -1) if text[place].isspace()), None)
    if space is not None:
        return space
    for _ in range(_MOST_JOINED):
        if at == 0 or not _joined(text, at):
            break
        at -= 1
    return at


def _joined(text: str, at: int) -> bool:
    """Return whether the characters before and after an offset are seen as one."""
    before, behind = text[at - 1], text[at]
    if _REGIONAL.match(before) and _REGIONAL.match(behind):
        run = at - 1
        while run > 0 and at - run < _MOST_JOINED and _REGIONAL.match(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    if _ZWJ in {before, behind} or unicodedata.combining(before) == _VIRAMA or _MODIFIER.match(behind):
        return True
    return unicodedata.category(behind) in {"Mn", "Me", "Mc"}


def _shown(text: str, low: int, high: int) -> str:
    head = CUT if text[:low][-_MOST_JOINED:].strip() else ""
    tail = CUT if text[high : high + _MOST_JOINED].strip() else ""
    return f"{head}{_line(text[low:high])}{tail}"


def _line(text: str) -> str:
    """Return text as one line; what is no Unicode is shown as such."""
    return _SPACES.sub(" ", text).strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
