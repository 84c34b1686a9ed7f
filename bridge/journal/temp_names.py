"""The names of the hidden files that a step needs for a moment, beside the file it is about.

They lie there and not in the bridge's own folder so that new files get the owner, the group and the access lists that
their folder gives, and so that no rename crosses disks.

- `part`: new bytes being written. Whatever it holds can be thrown away.
- `swap`: new bytes, whole, about to change places with the old ones; after that it is the old file.
- `back`: a file on its way back to its old place.
"""

from collections.abc import Iterator

from bridge.vault.folder import Folder


def part(execution_id: str, step: int) -> str:
    """Where a step writes new bytes."""
    return f".vault-bridge-{execution_id}-{step}.part"


def swap(execution_id: str, step: int) -> str:
    """What a step lets change places with the old file, or where it puts that."""
    return f".vault-bridge-{execution_id}-{step}.swap"


def free_back(folder: Folder, execution_id: str) -> str:
    """A name for a file on its way back that nothing in the folder has."""
    number = 0
    while folder.exists(f".vault-bridge-{execution_id}-{number}.back"):
        number += 1
    return f".vault-bridge-{execution_id}-{number}.back"


def find(folder: Folder, execution_id: str) -> Iterator[tuple[str, int, str]]:
    """The hidden files of a change in a folder: the name, its number and its kind."""
    prefix = f".vault-bridge-{execution_id}-"
    for name in sorted(folder.names()):
        if name.startswith(prefix):
            number, _, suffix = name.removeprefix(prefix).partition(".")
            if number.isdecimal() and suffix in {"part", "swap", "back"}:
                yield name, int(number), suffix
