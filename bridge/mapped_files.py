"""Large files, such as models: found in packages, and mapped, so that the system may have their pages back."""

import importlib.util
import mmap
import sys
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
_mapping = threading.Lock()


def packaged_files(package: str, *names: str | Path, needs: Sequence[str] = ()) -> list[Path] | None:
    """Return files of an installed package, which is not imported: it would load much, and may ask the network.

    Args:
        package: Its name.
        names: The files, in the package's folder.
        needs: Other packages without which the files are of no use.

    Returns:
        Their paths; None if one of the files or packages is missing.
    """
    try:
        found = [importlib.util.find_spec(name) for name in (*needs, package)]
    except (ImportError, ValueError):
        return None
    spec = found[-1]
    if spec is None or None in found:
        return None
    for folder in spec.submodule_search_locations or ():
        files = [Path(folder) / name for name in names]
        if all(map(Path.is_file, files)):
            return files
    return None


def will_be_read_again(file: mmap.mmap) -> mmap.mmap:
    """Return a mapped file, of which nothing needs to stay in memory while nobody works: the system has it, too."""
    with _mapping:
        _mapped.add(file)
    return file


def mapped(path: Path) -> mmap.mmap:
    """Return a file that is mapped for reading. Raises OSError."""
    with path.open("rb") as file:
        return will_be_read_again(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def give_mapped_back() -> None:
    """Give back the pages of mapped files, where the system can be told to."""
    if sys.platform != "win32":
        with _mapping:
            files = list(_mapped)
        for file in files:
            file.madvise(mmap.MADV_DONTNEED)
