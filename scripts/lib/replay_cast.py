"""The notes that the tasks of the replay are about. They are chosen by what they have, so any vault will do."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.markdown import parse_note
from bridge.notes.properties import add_tag, remove_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

CROWD = 20
FEW = 3
PROPERTIES = 5
MOVED = 2
DELETED = 3
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PROSE = re.compile(r"[^\W\d_][^\[\]|#*`]{30,}")
_WORD = re.compile(r"[a-z]{5,12}")
_UNFIT_NAME = re.compile(r"[#^\[\]|]|[.]md$")
_PLAIN_VALUE = re.compile(r"[\w-]{1,30}")


class UnfitVaultError(Exception):
    """The vault lacks something that the tasks need; the message says what."""


class Line(NamedTuple):
    """One line of a note that stands there once.

    Attributes:
        number: Counted from 1.
        text: Without its line break.
    """

    number: int
    text: str


class Note(NamedTuple):
    """One note.

    Attributes:
        path: From the vault, with `/`.
        text: All of it.
        properties: What stands at its top; empty where there is nothing, or something broken.
        has_properties: Whether that can be read.
        heading: A heading that it has once, and that is not its name; empty if there is none.
        links: The names that it links to, folded.
        prose: Its longest line of plain prose, if there is one.
    """

    path: str
    text: str
    properties: dict[str, Any]
    has_properties: bool
    heading: str
    links: tuple[str, ...]
    prose: Line | None

    @property
    def name(self) -> str:
        """As in a link."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def folder(self) -> str:
        """With a slash at its end; empty for the vault itself."""
        return "".join(self.path.rpartition("/")[:2])


class Property(NamedTuple):
    """A value that some notes have, on a line of its own.

    Attributes:
        name: The property.
        value: As it is written.
        notes: Who has it.
    """

    name: str
    value: str
    notes: tuple[Note, ...]


class Cast(NamedTuple):
    """The cast: which note plays which part. One that is renamed, moved, deleted or rewritten plays no other part.

    Attributes:
        crowd: Twenty notes of one folder.
        days: The newest daily notes, newest first; without any, notes of the crowd.
        popular: The note that most link to.
        linking: The note with the most links to notes that there are.
        linked: Notes that it links to.
        essays: The notes with the longest lines of prose.
        headed: A note with a heading.
        tag: A tag that several notes have in their properties.
        tagged: Those notes.
        label: A property with a value that several notes have.
        described: Notes with properties.
        word: A word that some notes have.
        renamed: A note to rename. If it can be, one that others link to.
        moved: Notes to move.
        rewritten: A note to write anew.
        deleted: Notes to delete. If they can be, some that few link to.
    """

    crowd: tuple[Note, ...]
    days: tuple[Note, ...]
    popular: Note
    linking: Note
    linked: tuple[Note, ...]
    essays: tuple[Note, ...]
    headed: Note
    tag: str
    tagged: tuple[Note, ...]
    label: Property
    described: tuple[Note, ...]
    word: str
    renamed: Note
    moved: tuple[Note, ...]
    rewritten: Note
    deleted: tuple[Note, ...]


def choose_cast(vault: Path) -> Cast:
    """Choose the notes.

    Args:
        vault: Its folder. The same vault gives the same notes.

    Raises:
        UnfitVaultError: Something is missing.
    """
    notes = list(_notes(vault))
    names = {note.name.casefold(): note for note in notes}
    incoming = Counter(target for note in notes for target in set(note.links) if target in names)
    crowd = _crowd(notes)
    days = sorted((note for note in notes if _DAY.fullmatch(note.name)), key=lambda note: note.name, reverse=True)
    days = (days + list(crowd))[:FEW]
    popular = _best(notes, lambda note: incoming[note.name.casefold()], "a note that others link to")
    linking = _best(notes, lambda note: len(_known(note, names)), "a note with links to others")
    linked = tuple(_known(linking, names).values())[:FEW]
    prose = [note for note in notes if note.prose is not None and note not in days]
    essays = _most(prose, FEW, lambda note: len(note.prose.text) if note.prose else 0, "notes with lines of prose")
    headed = _best(notes, lambda note: (bool(note.heading), len(note.text)), "a note with a heading")
    tag, tagged = _tagged(notes)
    label = _label(notes)
    described = tuple(note for note in notes if note.has_properties and note not in crowd)[:PROPERTIES]
    if len(described) < PROPERTIES:
        described = tuple(note for note in notes if note.has_properties)[:PROPERTIES]
    playing = {*_paths(crowd, days, [popular, linking, headed], linked, essays, tagged, label.notes, described)}
    free = [note for note in notes if note.path not in playing and not _DAY.fullmatch(note.name)]
    wanted = 1 + MOVED + 1 + DELETED
    if len(free) < wanted:
        raise UnfitVaultError(f"The replay needs {wanted} notes that play no other part")
    free.sort(key=lambda note: -incoming[note.name.casefold()])
    return Cast(
        crowd=crowd,
        days=tuple(days),
        popular=popular,
        linking=linking,
        linked=linked,
        essays=essays,
        headed=headed,
        tag=tag,
        tagged=tagged,
        label=label,
        described=described,
        word=_word(notes),
        renamed=free[0],
        moved=tuple(free[1 : 1 + MOVED]),
        rewritten=free[1 + MOVED],
        deleted=tuple(free[-DELETED:]),
    )


def _paths(*groups: Iterable[Note]) -> Iterator[str]:
    """The paths of the notes of some groups."""
    return (note.path for note in itertools.chain(*groups))


def _notes(vault: Path) -> Iterator[Note]:
    """The notes that can be told by their names, by path."""
    files = sorted(
        (
            file
            for file in vault.rglob("*.md")
            if not any(part.startswith(".") for part in file.relative_to(vault).parts)
        ),
        key=lambda file: file.relative_to(vault).as_posix(),
    )
    how_often = Counter(file.stem.casefold() for file in files)
    for file in files:
        data = file.read_bytes()
        if how_often[file.stem.casefold()] > 1 or _UNFIT_NAME.search(file.stem) or b"\r" in data:
            continue
        yield _note(file.relative_to(vault).as_posix(), data.decode("utf-8", "replace"))


def _note(path: str, text: str) -> Note:
    parsed = parse_note(text)
    headings = Counter(heading.heading for heading in parsed.headings)
    name = path.rpartition("/")[2].removesuffix(".md")
    named = [each for each, count in headings.items() if count == 1 and each != name and not _UNFIT_NAME.search(each)]
    targets = [link.link.partition("#")[0].rpartition("/")[2].casefold() for link in parsed.all_links]
    block = find_frontmatter(text)
    lines = text.split("\n")
    how_often = Counter(lines)
    body = text.count("\n", 0, block.end) + 1 if block else 0
    prose = [
        Line(number, line)
        for number, line in enumerate(lines, start=1)
        if number > body and how_often[line] == 1 and _PROSE.fullmatch(line.strip())
    ]
    return Note(
        path=path,
        text=text,
        properties=dict(parsed.frontmatter or {}),
        has_properties=bool(parsed.frontmatter),
        heading=next(iter(named), ""),
        links=tuple(dict.fromkeys(targets)),
        prose=max(prose, key=lambda line: len(line.text), default=None),
    )


def _crowd(notes: Sequence[Note]) -> tuple[Note, ...]:
    """Twenty notes of the folder with the most notes that a tag can be added to."""
    able = [note for note in notes if _changes(lambda text: add_tag(text, "to-review"), note)]
    folders = Counter(note.folder for note in able)
    folder = max(folders, key=lambda each: folders[each], default="")
    if folders[folder] < CROWD:
        raise UnfitVaultError(f"The replay needs a folder with {CROWD} notes that a tag can be added to")
    return tuple(note for note in able if note.folder == folder)[:CROWD]


def _tagged(notes: Sequence[Note]) -> tuple[str, tuple[Note, ...]]:
    """The first tag that enough notes have, in properties from which it can be removed."""
    holders: dict[str, list[Note]] = {}
    for note in notes:
        values = note.properties.get("tags")
        for tag in values if isinstance(values, list) else [values]:
            if isinstance(tag, str) and tag:
                holders.setdefault(tag, []).append(note)
    for tag, able in holders.items():
        removable = [note for note in able if _changes(lambda text, tag=tag: remove_tag(text, tag), note)]  # type: ignore[misc]
        if len(removable) >= FEW:
            return tag, tuple(removable)[:FEW]
    raise UnfitVaultError(f"The replay needs a tag that {FEW} notes have in their properties")


def _label(notes: Sequence[Note]) -> Property:
    """The value that most notes have in common, where it is written plainly."""
    holders: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        for name, value in note.properties.items():
            line = f"{name}: {value}"
            if (
                isinstance(value, str | int)
                and _PLAIN_VALUE.fullmatch(str(value))
                and note.text.count(line) == 1
                and f"\n{line}\n" in note.text
            ):
                holders.setdefault((name, str(value)), []).append(note)
    (name, value), most = max(holders.items(), key=lambda item: len(item[1]), default=(("", ""), []))
    if len(most) < FEW:
        raise UnfitVaultError(f"The replay needs a property with a value that {FEW} notes have")
    return Property(name, value, tuple(most)[:FEW])


def _word(notes: Sequence[Note]) -> str:
    """A word that some notes have, but not all."""
    holders: Counter[str] = Counter(word for note in notes for word in set(_WORD.findall(note.text)))
    found = [word for word, count in holders.items() if FEW <= count <= max(FEW, len(notes) // 4)]
    if not found:
        raise UnfitVaultError(f"The replay needs a word that {FEW} notes have")
    return min(sorted(found), key=lambda word: -len(word))


def _known(note: Note, names: dict[str, Note]) -> dict[str, Note]:
    """The notes that a note links to."""
    return {target: names[target] for target in note.links if target in names and names[target] is not note}


def _changes(edit: Callable[[str], str], note: Note) -> bool:
    """Return whether an edit can be made, and changes something."""
    try:
        return edit(note.text) != note.text
    except InvalidParameters:
        return False


def _most(notes: Sequence[Note], count: int, rank: Callable[[Note], Any], what: str) -> tuple[Note, ...]:
    """The notes that rank highest; of equal ones the first by path."""
    if len(notes) < count:
        raise UnfitVaultError(f"The replay needs {count} {what}")
    return tuple(sorted(notes, key=rank, reverse=True))[:count]


def _best(notes: Sequence[Note], rank: Callable[[Note], Any], what: str) -> Note:
    """The note that ranks highest."""
    best = max(notes, key=rank, default=None)
    if best is None or not rank(best):
        raise UnfitVaultError(f"The replay needs {what}")
    return best
