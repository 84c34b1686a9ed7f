"""What the `path` of a file tool means (seed S, "Path Normalization" and "Protected Paths").

Slashes at both ends are taken off, every dot-folder is shut, and a name that differs in case only is found.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import InvalidParameters, NotFound
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path, protected

NOTE = ".md"

_PROTECTED = {".obsidian", ".smarthole"}
"""Seed S's own list: shut also where no such folder exists, so that nothing is made of these names."""


def vault_path(text: str, files: VaultFiles, name: str = "path") -> VaultPath:
    """The place that a parameter names, or the vault itself where it names the root.

    Args:
        text: What the caller wrote. A path that begins with the vault's own folder is taken too (seed O).
        files: The vault's files.
        name: The parameter's name.

    Raises:
        InvalidParameters: It is blank, or no path.
        PermissionDenied: It leads outside the vault or into a dot-folder.
    """
    if not text.strip():
        raise InvalidParameters(f"{name} is required and must be a non-empty string.")
    if not text.strip("/") or text.strip("/") == ".":
        return VaultPath.root()
    path = parse_path(text, vault=files.root.path, strip_slashes=True)
    if path.name.startswith(".") and (text.endswith("/") or path.name.lower() in _PROTECTED):
        raise protected(path)
    return path


def note_path(text: str, files: VaultFiles, name: str = "path") -> VaultPath:
    """The same for a note, whose `.md` may be left out."""
    return with_extension(vault_path(text, files, name))


def with_extension(path: VaultPath) -> VaultPath:
    """The path with `.md`, which is added where it is missing."""
    if not path.parts:
        raise InvalidParameters("The path names the vault itself; name a note in it, such as 'Notes/Ideas.md'")
    return path if path.name.lower().endswith(NOTE) else parse_path(str(path) + NOTE)


@contextmanager
def missing_is_told(sentence: str) -> Iterator[None]:
    """What is not there is told in the words of the seed.

    Args:
        sentence: Such as `Path not found: "nonexistent/file.md"`.
    """
    try:
        yield
    except NotFound as error:
        raise NotFound(sentence, data=error.data) from None
