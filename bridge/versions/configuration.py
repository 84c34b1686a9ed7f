"""The files of Obsidian's configuration that are recorded: settings, snippets, themes, and the plugins' code and data.

What says where windows are, and what plugins keep beside their data, is left out: it changes all day and is worth
nothing a day later. Rules are those of docs/obsidian.md.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bridge.vault.files import FileStat, file_stat
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, unsafe_name
from bridge.vault.root import VaultRoot

_PLACE = ".obsidian"
_MARK = "app.json"
_LAYOUTS = "workspace"


class ConfigurationFile(NamedTuple):
    """One of them, as the disk lists it."""

    path: str
    size: int
    mtime_ns: int
    changed_ns: int


def configuration_files(root: VaultRoot) -> list[ConfigurationFile]:
    """Return the configuration files. Links are not followed, and what cannot be listed is left out.

    Args:
        root: The vault.
    """
    with contextlib.suppress(OSError), root.folder(VaultPath.root()) as top, _place(top) as place:
        return list(_walk(place))
    return []


def read_configuration(root: VaultRoot, path: str, limit: int) -> tuple[bytes, FileStat]:
    """Return one of them, up to a limit, and its state then. Raises OSError if it cannot be read.

    Args:
        root: The vault.
        path: The file, as it was listed.
        limit: The most bytes.
    """
    *way, name = path.split("/")
    with contextlib.ExitStack() as held:
        folder = held.enter_context(root.folder(VaultPath.root()))
        for part in way:
            folder = held.enter_context(folder.child(part))
        data, state = folder.read_with_state(name, limit=limit)
        return data, file_stat(folder.path.child(name), state)


def _place(top: Folder) -> Folder:
    """Return the configuration folder: `.obsidian`, or another dot-folder with an `app.json` (rule 3)."""
    for name in [_PLACE, *sorted(name for name in top.names() if name.startswith("."))]:
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            folder = held.enter_context(top.child(name))
            if name == _PLACE or folder.exists(_MARK):
                held.pop_all()
                return folder
    raise FileNotFoundError(_PLACE)


def _walk(place: Folder) -> Iterator[ConfigurationFile]:
    yield from _files(place, _is_settings)
    with _inside(place, "snippets") as snippets:
        yield from _files(snippets, lambda name: name.endswith(".css"))
    for kind, wanted in _CODE.items():
        with _inside(place, kind) as every:
            for name in [] if every is None else sorted(every.names()):
                with _inside(every, name) as one:
                    yield from _files(one, wanted.__contains__)


def _files(folder: Folder | None, is_wanted: Callable[[str], bool]) -> Iterator[ConfigurationFile]:
    if folder is None:
        return
    for entry in folder.entries():
        name = entry.name
        wanted = is_wanted(name) and not name.startswith(".") and unsafe_name(name) is None
        if wanted and entry.is_file(follow_symlinks=False):
            with contextlib.suppress(OSError):
                place = folder.path.child(name)
                state = file_stat(place, folder.stat(name))
                yield ConfigurationFile(str(place), state.size, state.mtime_ns, state.changed_ns)


@contextlib.contextmanager
def _inside(folder: Folder | None, name: str) -> Iterator[Folder | None]:
    """Provide a folder in a folder; None if there is none to enter."""
    opened = None
    if folder is not None:
        with contextlib.suppress(OSError):
            opened = folder.child(name)
    with opened or contextlib.nullcontext():
        yield opened


def _is_settings(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(_LAYOUTS)


_CODE = {
    "plugins": frozenset({"main.js", "manifest.json", "styles.css", "data.json"}),
    "themes": frozenset({"theme.css", "manifest.json"}),
}
