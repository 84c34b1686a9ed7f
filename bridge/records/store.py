"""A file of records in a folder of the user's own: read once, written whole, and never lost where it is damaged."""

import logging
from functools import cache
from typing import Any, Final, Generic, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from bridge.errors import ExecutionFailed
from bridge.records.folder import RecordFolder

logger = logging.getLogger(__name__)

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
            logger.warning("%s", self.fault)
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
                value if self._member is None else {"version": VERSION, self._member: value},
                option=orjson.OPT_INDENT_2,
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
