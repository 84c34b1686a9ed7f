"""The file of the user's own tools: `tools.json` in the user's configuration folder, never in the vault.

    [{"name": "word_count", "description": "...", "code": "...", "parameters": {"type": "object"}, "timeout": 30000,
      "environment": "node", "enabled": true, "createdAt": "...", "updatedAt": "..."}]

A mistake in it is a fault of the whole file: a tool that was left out without a word would look as if it were gone.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import orjson

from bridge.custom.definition import StoredTool, parse
from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.records.folder import UserFolder

FILE: Final = "tools.json"
LARGEST: Final = 8 << 20
"""Bytes of the file."""
MOST: Final = 100
"""Tools."""


class ToolsFile:
    """The file. It is looked at anew each time: the user may edit it by hand.

    Args:
        folder: The user's configuration folder.
        reserved: The names of the bridge's own tools.

    Attributes:
        fault: Why it cannot be used, as a sentence; None while it can.
        path: Where it lies.
    """

    def __init__(self, folder: UserFolder, reserved: Callable[[], Collection[str]]) -> None:
        self.fault: str | None = None
        self.path = folder.path / FILE
        self._folder = folder
        self._reserved = reserved
        self._seen: tuple[int, ...] | None = None
        self._tools: dict[str, StoredTool] = {}

    @property
    def reserved(self) -> frozenset[str]:
        """Return names that no tool of the user's own may have."""
        return frozenset(self._reserved())

    def read(self) -> Mapping[str, StoredTool]:
        """Return the tools by name, in the file's order; none where there is no file, or `fault` says why. Blocks.

        A file that has not changed since the last look is not read again.
        """
        seen = self._stamp()
        if seen is None or seen != self._seen:
            self._tools, self.fault = self._load()
            self._seen = seen
        return self._tools

    def write(self, tools: Mapping[str, StoredTool]) -> None:
        """Put the tools there. Blocks.

        Raises:
            ExecutionFailed: What is there cannot be read, and is not overwritten; or the disk failed.
            InvalidParameters: They are too many, or too large together.
        """
        self._seen = None
        self.read()
        if self.fault is not None:
            raise ExecutionFailed(f"{self.fault}. Correct it by hand, or remove it")
        if len(tools) > MOST:
            raise InvalidParameters(f"There can be at most {MOST} tools of your own")
        members = [tool.to_wire() for tool in tools.values()]
        data = orjson.dumps(members, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        if len(data) > LARGEST:
            raise InvalidParameters(f"{FILE} would be larger than {LARGEST:,} bytes")
        try:
            self._folder.write(FILE, data)
        except OSError as error:
            raise ExecutionFailed(f"{FILE} cannot be written: {error.strerror}. Make room on the disk") from None
        self._seen, self._tools = self._stamp(), dict(tools)

    def _stamp(self) -> tuple[int, ...] | None:
        """Return a mark of this version of the file; empty where there is none, None where that is not known."""
        try:
            state = self.path.stat()
        except FileNotFoundError:
            return ()
        except OSError:
            return None
        return (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)

    def _load(self) -> tuple[dict[str, StoredTool], str | None]:
        try:
            data = self._folder.read(FILE)
            return ({} if data is None else parse_file(data, self.reserved)), None
        except OSError as error:
            return {}, f"{FILE} cannot be read: {error.strerror}"
        except InvalidParameters as error:
            return {}, error.message


def parse_file(data: bytes, reserved: Collection[str] = ()) -> dict[str, StoredTool]:
    """Return the tools that a file holds.

    Args:
        data: Its content.
        reserved: The names of the bridge's own tools.

    Raises:
        InvalidParameters: It is none; the message says where.
    """
    if len(data) > LARGEST:
        raise InvalidParameters(f"{FILE} is larger than {LARGEST:,} bytes")
    try:
        members: Any = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidParameters(f"{FILE} is no JSON: line {error.lineno}, column {error.colno}") from None
    if not isinstance(members, list):
        raise InvalidParameters(f"{FILE} must hold a list of tools")
    if len(members) > MOST:
        raise InvalidParameters(f"{FILE} holds more than {MOST} tools")
    found: dict[str, StoredTool] = {}
    for number, member in enumerate(members, 1):
        tool = parse(member, f"{FILE}, tool {number}", {*reserved, *found})
        found[tool.name] = tool
    return found
