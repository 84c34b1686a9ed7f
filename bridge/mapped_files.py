"""Large files, such as models: found in packages, and mapped, so that the system may have their pages back.

The numbers and notes of a model are read from a file of the format ONNX, which is one message of protocol buffers:
fields with a number, of which few matter here. Nothing of the file is run.
"""

import importlib.util
import mmap
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import NDArray


_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
_mapping = threading.Lock()
_GRAPH: Final = 7
_NOTE: Final = 14
_INITIALIZER: Final = 5
_KEY, _VALUE = 1, 2
_DIMS, _TYPE, _NAME, _RAW = 1, 2, 8, 9
_TYPES: Final = {1: "<f4", 3: "i1"}
"""Floating-point and small whole numbers, by the number that ONNX gives each type."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MORE: Final = 0x80
_LONGEST_VARINT: Final = 10


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


def read_tensors(path: Path) -> "dict[str, NDArray[Any]]":
    """Return the tensors of a model with their names, in the order of the file.

    Args:
        path: The file. It stays mapped for as long as one of its tensors is used.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file, or is damaged.
    """
    found: dict[str, NDArray[Any]] = {}
    try:
        for number, graph in _fields(memoryview(mapped(path))):
            if number == _GRAPH and isinstance(graph, memoryview):
                for part, tensor in _fields(graph):
                    if part == _INITIALIZER and isinstance(tensor, memoryview):
                        found |= _tensor(tensor)
    except (IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"The model's file is damaged: {error}") from error
    return found


def read_note(path: Path, name: str) -> str:
    """Return what the maker of a model noted in its file under a name.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file, is damaged, or has no such note.
    """
    try:
        for number, note in _fields(memoryview(mapped(path))):
            if number == _NOTE and isinstance(note, memoryview):
                told = {key: bytes(value).decode() for key, value in _fields(note) if isinstance(value, memoryview)}
                if told.get(_KEY) == name:
                    return told.get(_VALUE, "")
    except (IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"The model's file is damaged: {error}") from error
    raise ValueError(f"The model's file has no note {name!r}")


def _tensor(message: memoryview) -> "dict[str, NDArray[Any]]":
    """Return one tensor under its name; nothing, when its numbers are of another type."""
    import numpy as np  # noqa: PLC0415 - an extra

    shape: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for number, value in _fields(message):
        if isinstance(value, int):
            if number == _DIMS:
                shape.append(value)
            elif number == _TYPE:
                kind = value
        elif number == _DIMS:
            shape += _varints(value)
        elif number == _NAME:
            name = bytes(value).decode()
        elif number == _RAW:
            raw = value
    if kind not in _TYPES:
        return {}
    return {name: np.frombuffer(raw, _TYPES[kind], prod(shape)).reshape(shape)}


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Give each field's number and value."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        if wire == _BYTES:
            length, at = _varint(message, at)
        elif wire in {_FIXED32, _FIXED64}:
            length = 4 if wire == _FIXED32 else 8
        else:
            raise ValueError(f"A field of the model's file has the unknown kind {wire}")
        if length > len(message) - at:
            raise ValueError("The model's file ends too early")
        yield number, message[at : at + length]
        at += length


def _varints(packed: memoryview) -> Iterator[int]:
    """Give whole numbers that stand one after the other."""
    at = 0
    while at < len(packed):
        value, at = _varint(packed, at)
        yield value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return a whole number of variable length, and where the next thing begins."""
    value = 0
    for shift in range(_LONGEST_VARINT):
        byte = message[at + shift]
        value |= (byte & ~_MORE) << (7 * shift)
        if byte < _MORE:
            return value, at + shift + 1
    raise ValueError("A number in the model's file is too long")
