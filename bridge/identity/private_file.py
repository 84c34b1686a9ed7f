"""A JSON file of the user's own, outside the vault: read once, written whole, never overwritten where it is damaged."""

import logging
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar

import orjson

from bridge.errors import ExecutionFailed

logger = logging.getLogger(__name__)

VERSION: Final = 1
"""Of the files' form."""

T = TypeVar("T")


class PrivateFolder(Protocol):
    """A folder of the user's, outside the vault, which nobody else can look into."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Put a file there whole. Raises OSError."""
        ...


class PrivateFile(Generic[T]):
    """A list of members under one name.

    Args:
        folder: Where it lies.
        name: Its name.
        list_name: What the list is called in it.
        read: Makes what the file holds of the list; raises KeyError, TypeError or ValueError when its form is not ours.
        fault: The sentence for people when the file cannot be used, made from what is wrong with it.

    Attributes:
        fault: That sentence; None while the file can be used.
    """

    def __init__(
        self,
        folder: PrivateFolder,
        name: str,
        list_name: str,
        *,
        read: Callable[[Any], dict[str, T]],
        fault: Callable[[Exception], str],
    ) -> None:
        self.fault: str | None = None
        self._folder = folder
        self._name = name
        self._list_name = list_name
        self._read = read
        self._describe = fault

    def load(self) -> dict[str, T]:
        """What it holds; nothing when it is missing or, which sets `fault`, when it cannot be used."""
        try:
            data = self._folder.read(self._name)
            return {} if data is None else self._read(self._members(data))
        except (OSError, ValueError, TypeError, KeyError) as error:
            self.fault = self._describe(error)
            logger.warning("%s", self.fault)
            return {}

    def save(self, members: list[dict[str, Any]]) -> None:
        """Write the list.

        Raises:
            ExecutionFailed: The file has a fault or cannot be written; it is as it was.
        """
        if self.fault is not None:
            raise ExecutionFailed(self.fault)
        content = {"version": VERSION, self._list_name: members}
        try:
            self._folder.write(self._name, orjson.dumps(content, option=orjson.OPT_INDENT_2))
        except OSError as error:
            raise ExecutionFailed(f"{self._name} cannot be written: {error.strerror}. Make room on the disk") from None

    def _members(self, data: bytes) -> Any:
        content = orjson.loads(data)
        if content["version"] != VERSION:
            raise ValueError(f"its version is {content['version']!r}, and this program knows version {VERSION}")
        return content[self._list_name]
