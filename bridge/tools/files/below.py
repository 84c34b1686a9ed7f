"""The files and folders below a folder: from the index once that has seen everything, else by walking."""

from collections.abc import Callable, Iterator, Sequence

from bridge.index.knowledge import IndexedFile
from bridge.tools.storage import Storage
from bridge.vault.paths import VaultPath


def files_below(
    storage: Storage, folder: VaultPath, check: Callable[[], None], *, hidden: bool = False
) -> Sequence[IndexedFile]:
    """Return every file. Of the whole vault that is the index's own snapshot, as long as that holds it.

    Args:
        storage: The vault.
        folder: Where.
        check: Called often; what it raises ends the walk.
        hidden: Whether files whose names begin with a dot count, too.
    """
    knowledge, start = storage.knowledge, _start(folder)
    if _is_known(storage, hidden=hidden):
        files = knowledge.files()
        return [file for file in files if file.path.startswith(start)] if start else files
    walked: list[IndexedFile] = []
    for _folder, here in storage.walk(folder, include_hidden=hidden):
        check()
        walked += [IndexedFile(str(file.path), file.size, file.mtime_ns, file.mtime_ns) for file in here]
    return walked


def folders_below(
    storage: Storage, folder: VaultPath, check: Callable[[], None], *, hidden: bool = False
) -> Iterator[str]:
    """Yield every folder but this one. Takes what `files_below` takes."""
    start = _start(folder)
    if _is_known(storage, hidden=hidden):
        yield from (each for each in storage.knowledge.folders() if each.startswith(start))
        return
    for each, _files in storage.walk(folder, include_hidden=hidden):
        check()
        if each != folder:
            yield str(each)


def _is_known(storage: Storage, *, hidden: bool) -> bool:
    return not hidden and storage.knowledge.status().last_sweep is not None


def _start(folder: VaultPath) -> str:
    return f"{folder}/" if folder.parts else ""
