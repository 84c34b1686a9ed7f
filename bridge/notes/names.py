"""Resolution of links: the vault's files by name, which of them a link leads to, and the link that leads to one.

These are rules 31 to 43 and 72 of docs/obsidian.md.
A link names a file by the end of its path: `[[Note]]`, `[[folder/Note]]`. So the files are kept by their names,
folded: case and Unicode form do not matter. Files of one name are kept in the order in which they are preferred.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from bridge.notes.syntax import SPACE, fits_wikilink, without_extension
from bridge.vault.paths import fold, nfc
from bridge.vault.text import NOTE_EXTENSION

LinkFormat = Literal["shortest", "relative", "absolute"]
"""The user's setting `newLinkFormat` (rule 75)."""

_CROWD = 32
"""As many files of one name as are looked through each time; where there are more, their folders are remembered."""


def link_key(linkpath: str) -> str:
    """Return the name that links to a file are looked up by: the last part of a link's path, folded, without `.md`.

    Every link that may lead to a file has that file's key; not every link that has it leads there.

    Args:
        linkpath: A link without its subpath, or a vault path.
    """
    name = fold(linkpath.rpartition("/")[2]).strip(SPACE)
    while name.endswith(NOTE_EXTENSION):
        name = name[: -len(NOTE_EXTENSION)]
    return name


def split_link(link: str) -> tuple[str, str]:
    """Return a link's path and its subpath, which begins with `#` or is empty (rule 15).

    Args:
        link: The target of a link.
    """
    path, mark, subpath = link.partition("#")
    return path, mark + subpath


class Names:
    """Every file of a vault by name. Readers may be in other threads than the one writer.

    Files in dot-folders and hidden files are none of them (rule 2).

    Args:
        paths: The vault's files.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._groups = _grouped([path for path in paths if not (path.startswith(".") or "/." in path)])
        self._crowds: dict[str, _ByFolder] = {}
        self._find: Callable[[str], tuple[str, ...] | None] = self._groups.get

    def add(self, path: str) -> None:
        """Add a file. Does nothing if it is known.

        Args:
            path: Its vault path.
        """
        if not _is_hidden(path):
            key = _file_key(path)
            self._groups[key] = _inserted(self._groups.get(key, ()), path)

    def discard(self, path: str) -> None:
        """Remove a file. Does nothing if it is not known.

        Args:
            path: Its vault path.
        """
        key = _file_key(path)
        if left := tuple(other for other in self._groups.get(key, ()) if other != path):
            self._groups[key] = left
        else:
            self._groups.pop(key, None)
            self._crowds.pop(key, None)

    def __contains__(self, path: str) -> bool:
        return path in (self._find(_file_key(path)) or ())

    def resolve(self, linkpath: str, source: str) -> str | None:
        """Return the file that a link leads to (rules 31 to 43); None when it leads nowhere.

        Args:
            linkpath: The link without its subpath, decoded.
            source: The file it is in.
        """
        if not linkpath:
            return source
        linkpath = linkpath.strip(SPACE)  # rule 15
        if not linkpath:
            return None
        key = linkpath.lower() if linkpath.isascii() else fold(linkpath)
        plain, note = self._find(key), self._find(key + NOTE_EXTENSION)
        # Most links are the name of one file, and no other has it.
        if plain is None:
            if note is not None and len(note) == 1:
                return note[0]
        elif note is None and len(plain) == 1:
            return plain[0]
        if plain is None and note is None and "/" not in key:
            return None
        return self._only(key) or next(self._choices(linkpath, source), None)

    def named(self, name: str) -> Sequence[str]:
        """Return every file of a name, extension included, in whatever folder; the shortest path first.

        Args:
            name: The name; case and Unicode form do not matter.
        """
        return self._find(fold(name)) or ()

    def candidates(self, linkpath: str, source: str = "") -> Sequence[str]:
        """Return every file that a link could mean (rules 35 and 36).

        Args:
            linkpath: The link without its subpath, decoded.
            source: The file it is in.

        Returns:
            Vault paths, the one Obsidian would choose first.
        """
        if not linkpath:
            return (source,)
        linkpath = linkpath.strip(SPACE)
        if not linkpath:
            return ()
        return tuple(dict.fromkeys([*self._choices(linkpath, source), *self._meant(linkpath, source)]))

    def moved(self, moves: Mapping[str, str | None]) -> "Names":
        """Return the names as they will be: a view on these in which files are elsewhere or gone.

        Args:
            moves: Where each file goes; None for one that goes away. To add a file, move it
                from where none is.
        """
        return _MovedNames(self, moves)

    # -- choosing -----------------------------------------------------------------------------------------------

    def _only(self, key: str) -> str | None:
        """Return the only file that a link with folders can mean; None if it needs a closer look."""
        name = key.rpartition("/")[2]
        group = self._find(name + NOTE_EXTENSION)
        if group is None or len(group) > 1 or self._find(name) is not None or key.startswith(("/", ".")):
            return None
        path = fold(group[0])
        return group[0] if path == key + NOTE_EXTENSION or path.endswith("/" + key + NOTE_EXTENSION) else None

    def _choices(self, linkpath: str, source: str) -> Iterator[str]:
        """Yield what Obsidian would choose, the best choice first; more than one only if forms differ."""
        folder = source.rpartition("/")[0]
        for text, anchored in _reading(linkpath, source):
            targets = [self._target(text, form) for form in ("", NOTE_EXTENSION)]
            for target in targets:  # rules 35, 40 and 41: a whole path
                yield from target.spelled(target.folders.paths.get(target.folder, ()))
            if anchored:
                continue
            for target in targets:
                own = [path for path in target.folders.paths.get(fold(folder), ()) if path.rpartition("/")[0] == folder]
                if own and target.fits(fold(folder)):  # rule 37
                    yield from target.spelled(own)
                for other in target.fitting():  # rules 36, 38 and 39
                    yield from target.spelled(target.folders.paths[other])
                    break

    def _meant(self, linkpath: str, source: str) -> Iterator[str]:
        """Yield everything that fits, in the order of preference."""
        for text, anchored in _reading(linkpath, source):
            targets = [self._target(text, form) for form in ("", NOTE_EXTENSION)]
            for target in targets:
                for folder in [target.folder] if anchored else target.fitting():
                    yield from target.folders.paths.get(folder, ())

    def _target(self, text: str, form: str) -> "_Target":
        folder, _, key = fold(text + form).rpartition("/")
        group = self._find(key) or ()
        if len(group) <= _CROWD:
            return _Target(text, form, folder, _ByFolder.of(group))
        known = self._crowds.get(key)
        if known is None or known.group is not group:
            known = self._crowds[key] = _ByFolder.of(group)
        return _Target(text, form, folder, known)


class _MovedNames(Names):
    """Names in which some files are elsewhere. It holds what differs, and asks for the rest."""

    def __init__(self, base: Names, moves: Mapping[str, str | None]) -> None:
        super().__init__()
        self._base = base.named
        self._find = self._look
        gone, come = dict[str, set[str]](), dict[str, list[str]]()
        for old, new in moves.items():
            gone.setdefault(_file_key(old), set()).add(old)
            if new is not None and not _is_hidden(new):
                come.setdefault(_file_key(new), []).append(new)
        for key in gone.keys() | come.keys():
            left = [path for path in self._base(key) if path not in gone.get(key, ())]
            self._groups[key] = _ordered([*left, *come.get(key, ())])

    def add(self, path: str) -> None:
        """Add a file in this view."""
        self._own(path)
        super().add(path)

    def discard(self, path: str) -> None:
        """Remove a file in this view."""
        key = self._own(path)
        self._groups[key] = tuple(other for other in self._groups[key] if other != path)

    def _own(self, path: str) -> str:
        key = _file_key(path)
        self._groups.setdefault(key, tuple(self._base(key)))
        return key

    def _look(self, key: str) -> tuple[str, ...] | None:
        group = self._groups.get(key)
        return (tuple(self._base(key)) if group is None else group) or None


class _ByFolder(NamedTuple):
    """The files of one name by their folders, folded; in the order of preference.

    Attributes:
        group: The files.
        paths: The files in each folder.
        ends: The folders by their last names.
    """

    group: tuple[str, ...]
    paths: dict[str, list[str]]
    ends: dict[str, list[str]]

    @classmethod
    def of(cls, group: tuple[str, ...]) -> "_ByFolder":
        """Sort the files of one name by their folders."""
        made = cls(group, {}, {})
        for path in group:
            folder = fold(path.rpartition("/")[0])
            if folder not in made.paths:
                made.ends.setdefault(folder.rpartition("/")[2], []).append(folder)
            made.paths.setdefault(folder, []).append(path)
        return made


class _Target(NamedTuple):
    """A name that a link may mean, and the files of that name.

    Attributes:
        text: The link's path, as written.
        form: The addition to it: nothing, or `.md`.
        folder: Its folders, folded.
        folders: The folders of files with its name.
    """

    text: str
    form: str
    folder: str
    folders: _ByFolder

    def fits(self, folder: str) -> bool:
        """Return whether the link's folders are the last of a folder's (rule 36)."""
        return not self.folder or folder == self.folder or folder.endswith("/" + self.folder)

    def fitting(self) -> Iterable[str]:
        """Return the folders whose paths end with the link's folders, the preferred one first."""
        if not self.folder:
            return self.folders.paths
        return filter(self.fits, self.folders.ends.get(self.folder.rpartition("/")[2], ()))

    def spelled(self, twins: Sequence[str]) -> Sequence[str]:
        """Return the file spelled most like the link, of several that differ in case or Unicode form only."""
        return [min(twins, key=self._unlike)] if len(twins) > 1 else twins

    def _unlike(self, path: str) -> tuple[bool, bool, str]:
        stem = path[: len(path) - len(self.form)]
        return not stem.endswith(self.text), not nfc(stem).endswith(nfc(self.text)), path


def _reading(text: str, source: str) -> Iterator[tuple[str, bool]]:
    """Yield the path that a link means, and whether it is a whole path from the vault down; nothing if it leads out."""
    if text.startswith("/"):
        yield text[1:], True
    elif text.startswith(("./", "../")):
        if (path := _from_folder(text, source)) is not None:
            yield path, True
    else:
        yield text, False


def _from_folder(text: str, source: str) -> str | None:
    """Return a relative path from the vault down; None when it leads out of it."""
    way, parts = source.split("/")[:-1], text.split("/")
    if parts[-1] in {".", ".."}:
        return None  # that is a folder
    for part in parts:
        if part == "..":
            if not way:
                return None
            way.pop()
        elif part != ".":
            way.append(part)
    return "/".join(way) or None


def _file_key(path: str) -> str:
    return fold(path.rpartition("/")[2])


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _grouped(paths: list[str]) -> dict[str, tuple[str, ...]]:
    """Return files by name. Nearly every name has one file, so only the others are handled one by one."""
    keys = [p.rpartition("/")[2].lower() if p.isascii() else _file_key(p) for p in paths]
    groups: dict[str, tuple[str, ...]] = dict(zip(keys, zip(paths, strict=True), strict=True))
    if len(groups) < len(keys):
        crowds: dict[str, list[str]] = {}
        for key, path in zip(keys, paths, strict=True):
            (last,) = groups[key]
            if path != last:
                crowds.setdefault(key, [last]).append(path)
        groups |= {key: _ordered(crowd) for key, crowd in crowds.items()}
    return groups


def _ordered(group: list[str]) -> tuple[str, ...]:
    return (group[0],) if len(group) == 1 else tuple(sorted(set(group), key=_preference))


def _inserted(group: tuple[str, ...], path: str) -> tuple[str, ...]:
    if path in group:
        return group
    place = bisect_left(group, _preference(path), key=_preference)
    return (*group[:place], path, *group[place:])


def _preference(path: str) -> tuple[int, str, str]:
    """Return a sort key: the shortest path first (rule 38, in UTF-16 units), then by the alphabet (rule 39)."""
    if path.isascii():
        return len(path), path.lower(), path
    composed = nfc(path)
    return len(composed) + sum(character > "\uffff" for character in composed), fold(path), path


def link_path(target: str, source: str, names: Names, form: LinkFormat, *, markdown: bool) -> str | None:
    """Return the path that a link to a file is written with (rule 72), as it is before any encoding.

    Where that would lead elsewhere, because another file is preferred, or no such link can be written, it is written
    so that it leads there all the same: from the vault down, with its extension, with a `/` before it; or from the
    folder that the link is in, where the path that is left can be written.

    Args:
        target: The file.
        source: The file that the link is in.
        names: The vault's files.
        form: What the user wants.
        markdown: Whether the link is a Markdown link, which keeps `.md`.

    Returns:
        None when no path leads there: it is no file of the vault, or no link can hold its name.
    """
    found = (
        written
        for path in _wished(target, source, names, form)
        for written in ([path] if markdown else dict.fromkeys([without_extension(path), path]))
        if "#" not in written and names.resolve(written, source) == target
    )
    first = next(found, None)
    fits = markdown or first is None or fits_wikilink(first)
    return first if fits else next(filter(fits_wikilink, found), first)


def _wished(target: str, source: str, names: Names, form: LinkFormat) -> Iterator[str]:
    """Yield the paths that may be written, the one that Obsidian would write first."""
    name, relative = target.rpartition("/")[2], _relative(target, source)
    from_here = relative if relative.startswith("../") else "./" + relative
    if form == "relative":
        yield relative
        yield from_here
    elif form == "shortest" and len(names.named(name)) == 1:
        yield name
    yield target
    yield "/" + target
    yield name  # where a folder's name is what no link can hold (rules 37 and 40)
    yield from_here
    tail = target
    while "/" in tail:  # the end of the path, as far as it can be written (rule 36)
        tail = tail.partition("/")[2]
        yield tail


def _relative(target: str, source: str) -> str:
    here, there = source.split("/")[:-1], target.split("/")
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, there[:-1], strict=False)))
    return "/".join([".."] * (len(here) - common) + there[common:])
