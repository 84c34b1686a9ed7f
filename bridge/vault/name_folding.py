"""Comparison of names: Unicode forms and upper and lower case."""

import unicodedata
from collections.abc import Iterator

from bridge.vault.folder import Folder


def nfc(name: str) -> str:
    """Return the name in composed form, which lookups compare in (rule 10 of docs/obsidian.md).

    Args:
        name: A name or a path.
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def fold(name: str) -> str:
    """Return the form that two names share when they differ only in case or Unicode form.

    Lower case and not full case folding: `Straße` and `Strasse` are two notes. The two small sigmas are one letter
    (rule 33).

    Args:
        name: A name or a path.
    """
    return name.lower() if name.isascii() else nfc(nfc(name).lower().replace("ς", "σ"))  # noqa: RUF001 (Greek is meant)


def has_exact_spelling(folder: Folder, name: str) -> bool:
    """Return whether a name that the disk answers to is really spelled like this.

    Disks that ignore case or Unicode form answer to other spellings, and Windows' file systems to short names
    (`OBSIDI~1`), on any operating system; so `.obsidian` could be entered by a name without a dot. Only listing the
    folder is certain, but slow; so first the disk is asked for another spelling. If that does not exist, the disk
    distinguishes spellings.

    Args:
        folder: The folder it is in.
        name: The name, which the disk has answered to.
    """
    others = set(_other_spellings(name))
    if others and not any(folder.exists(other) for other in others):
        return True
    if not others and _has_one_spelling(name):
        return True
    return name in folder.names()


def _other_spellings(name: str) -> Iterator[str]:
    """Yield names that only a disk which ignores differences would answer to."""
    forms = {name.swapcase()}
    if not name.isascii():
        if any(unicodedata.category(character) in {"Cf", "Mn", "Cn"} for character in name):
            return
        forms |= {unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)}
    yield from forms - {name}


def _has_one_spelling(name: str) -> bool:
    """Return whether no disk takes this name for another: it has no `~` and no invisible or combining characters."""
    return "~" not in name and (
        name.isascii() or not any(unicodedata.category(character) in {"Cf", "Mn", "Cn"} for character in name)
    )
