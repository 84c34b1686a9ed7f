"""The files that the bridge keeps for its user outside the vault: private folders, and records in them.

A private folder holds what a client needs to connect, or the cache. A file of records is read once, written whole, and
never lost where it is damaged.
"""

import contextlib
import hashlib
import logging
import os
import secrets
import stat
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import orjson
import platformdirs
from pydantic import TypeAdapter, ValidationError

from bridge.errors import ExecutionFailed, StartError

STATE_VARIABLE: Final = "VAULT_BRIDGE_STATE"
"""Names another folder for the user's state."""
_logger = logging.getLogger(__name__)


def place(vault: Path, state: Path | None = None, *, kind: str = "run") -> Path:
    """Return where a vault's folder lies, whether it is there or not. The arguments are `RunFolder`'s."""
    name = hashlib.sha256(os.fsencode(os.path.normcase(vault))).hexdigest()[:16]
    return (state or state_folder()).absolute() / kind / name


def state_folder() -> Path:
    """Return where the user's state lies on this system, or where the environment says."""
    return Path(os.environ.get(STATE_VARIABLE) or platformdirs.user_state_path("vault-bridge"))


class RecordFolder(Protocol):
    """A folder of the user's, outside the vault, which nobody else can look into."""

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none. Raise OSError if it cannot be read."""

    def write(self, name: str, data: bytes) -> None:
        """Replace a file as a whole. Raise OSError if that fails; the older file is still there then."""

    def names(self) -> list[str]:
        """Return the names of the files."""

    def remove(self, *names: str) -> None:
        """Remove files that are there."""


class MemoryFolder:
    """A folder that keeps files for as long as this process lives."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        """Return what was written."""
        return self._files.get(name)

    def write(self, name: str, data: bytes) -> None:
        """Keep it."""
        self._files[name] = data

    def names(self) -> list[str]:
        """Return the names of the files."""
        return sorted(self._files)

    def remove(self, *names: str) -> None:
        """Forget what was written."""
        for name in names:
            self._files.pop(name, None)


class UserFolder:
    """A folder of the user's, two below the state folder, which nobody else can look into. Made when missing.

    Args:
        path: Its path.
        durable: Whether what is written is on the disk before it takes its name.
        above: Whether the folder that it is in is ours, too.

    Raises:
        StartError: The folder is a link, belongs to somebody else, or cannot be made.
    """

    def __init__(self, path: Path, *, durable: bool = False, above: bool = True) -> None:
        self.path = path
        self._durable = durable
        try:
            self.path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if above:
                _private(self.path.parent)
            else:
                self.path.parent.mkdir(exist_ok=True)
            _private(self.path)
        except OSError as error:
            raise StartError(
                f"The folder for the bridge's tokens cannot be used: {self.path}: {error.strerror}",
                hint=f"Make it usable, or name another with {STATE_VARIABLE}.",
            ) from None

    def write(self, name: str, data: bytes) -> None:
        """Replace a file as a whole, for this user's eyes only.

        Raises:
            OSError: The disk is full or failed; the older file is still there.
        """
        temporary = self.path / f".{name}.{secrets.token_hex(4)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(data)
                if self._durable:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(self.path / name)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None when there is none. Raises OSError when it cannot be read."""
        with contextlib.suppress(FileNotFoundError):
            return (self.path / name).read_bytes()
        return None

    def names(self) -> list[str]:
        """Return the names of the files there, but for what is half written."""
        return sorted(file.name for file in self.path.iterdir() if not file.name.startswith("."))

    def remove(self, *names: str) -> None:
        """Remove files that are there."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what a bridge that was killed left half written."""
        for left in self.path.glob(".*.tmp"):
            left.unlink(missing_ok=True)


class RunFolder(UserFolder):
    """The folder of one vault's bridge.

    Args:
        vault: The vault's real path; its hash names the folder.
        state: The user's state folder; by default the system's, or what the environment says.
        kind: What is kept there: `run` goes with the bridge, others stay.
        durable: Whether what is written is on the disk before it takes its name.

    Raises:
        StartError: The folder is a link, belongs to somebody else, or cannot be made.
    """

    def __init__(self, vault: Path, state: Path | None = None, *, kind: str = "run", durable: bool = False) -> None:
        super().__init__(place(vault, state, kind=kind), durable=durable)
        self.vault = vault


def _private(folder: Path) -> None:
    """Make sure of a real folder that is ours and that nobody else can look into."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise StartError(
            f"{folder} is a link or a file where the bridge needs a folder of its own",
            hint="Remove it; tokens are not written where another program chose the place.",
        )
    if hasattr(os, "geteuid"):
        if state.st_uid != os.geteuid():
            raise StartError(f"{folder} belongs to another user", hint=f"Name another with {STATE_VARIABLE}.")
        if stat.S_IMODE(state.st_mode) != stat.S_IRWXU:
            folder.chmod(stat.S_IRWXU)


def cache_place(vault: Path) -> Path:
    """Return where the folder of the index is, whether it is there or not.

    Args:
        vault: The vault's real path; its hash names the folder.
    """
    state = os.environ.get(STATE_VARIABLE)
    return place(vault, Path(state) if state else platformdirs.user_cache_path("vault-bridge"), kind="cache")


def cache_folder(vault: Path) -> Path | None:
    """Return the folder of the index, for this user only, made when missing; None when it cannot be used.

    Args:
        vault: The vault's real path.
    """
    try:
        return UserFolder(cache_place(vault)).path
    except StartError as error:
        _logger.warning("The index cannot be kept: %s", error)
        return None


VERSION: Final = 1
"""The version of the files' form."""
LARGEST: Final = 64 << 20
"""Bytes of a file, where its owner sets no other limit."""
DAMAGED: Final = ".damaged"
"""Ends the name of the copy of a damaged file that is about to be replaced."""

T = TypeVar("T")


class RecordStore(Generic[T]):
    """One file of records. Blocks where it reads or writes.

    A file that cannot be used counts as empty, so whatever is kept in it must be a permission, not a restriction, or
    its owner must look at `fault`.

    Args:
        folder: The folder.
        name: The file's name.
        form: The type of the content: anything that pydantic can validate.
        member: The member that holds the content beside the version; None if the file holds nothing else.
        fault: The sentence for people when the file cannot be used; `{why}` stands for the reason.
        replace_damaged: Whether a damaged file may be replaced. A copy of it is kept then. Otherwise nothing is saved
            until somebody has repaired or removed it.
        largest: The most bytes that the file may have.

    Attributes:
        fault: That sentence; None while the file can be used.
    """

    def __init__(
        self,
        folder: RecordFolder,
        name: str,
        form: type[T],
        *,
        member: str | None = None,
        fault: str = "",
        replace_damaged: bool = False,
        largest: int = LARGEST,
    ) -> None:
        self.fault: str | None = None
        self._folder = folder
        self._name = name
        self._form: Any = form
        self._member = member
        self._sentence = fault or f"{name} cannot be used: {{why}}"
        self._replace_damaged = replace_damaged
        self._largest = largest

    def load(self, empty: T) -> T:
        """Return what the file holds.

        Args:
            empty: Returned if there is no file or, which sets `fault`, it cannot be used.
        """
        self.fault = None
        try:
            data = self._folder.read(self._name)
            return empty if data is None else self._decoded(data)
        except (OSError, ValueError, TypeError, KeyError) as error:
            self.fault = self._sentence.format(why=_why(error))
            _logger.warning("%s", self.fault)
            return empty

    def save(self, content: T) -> int:
        """Replace what the file holds; return the file's size in bytes.

        Raises:
            ExecutionFailed: The file is damaged, would be too large or cannot be written. It is as it was.
        """
        if self.fault is not None and not self._replace_damaged:
            raise ExecutionFailed(self.fault)
        data = self.encoded(content)
        if len(data) > self._largest:
            raise ExecutionFailed(f"{self._name} would be larger than {self._largest:,} bytes; remove what is not used")
        try:
            if self.fault is not None and (damaged := self._folder.read(self._name)) is not None:
                self._folder.write(self._name + DAMAGED, damaged)
            self._folder.write(self._name, data)
        except OSError as error:
            raise ExecutionFailed(f"{self._name} cannot be written: {error.strerror}. Make room on the disk") from None
        self.fault = None
        return len(data)

    def encoded(self, content: T) -> bytes:
        """Return the bytes of a file with this content. Raise ValueError if a text of it is no Unicode."""
        value = _adapter(self._form).dump_python(content, mode="json", by_alias=True, fallback=str)
        try:
            return orjson.dumps(
                value if self._member is None else {"version": VERSION, self._member: value}, option=orjson.OPT_INDENT_2
            )
        except TypeError as error:
            raise ValueError(str(error)) from None

    def _decoded(self, data: bytes) -> T:
        if len(data) > self._largest:
            raise ValueError(f"it is larger than {self._largest:,} bytes")
        content: Any = orjson.loads(data)
        if self._member is not None:
            if not isinstance(content, dict):
                raise TypeError("it is no JSON object")
            if content["version"] != VERSION:
                raise ValueError(f"its version is {content['version']!r}, and this program knows version {VERSION}")
            content = content[self._member]
        found: T = _adapter(self._form).validate_python(content)
        return found


@cache
def _adapter(form: Any) -> TypeAdapter[Any]:
    """Return what validates a form. It is made when it is first needed: a start without a file does not pay for it."""
    return TypeAdapter(form)


def _why(error: Exception) -> str:
    """Return what is wrong with a file, in a line that repeats no value of it."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
