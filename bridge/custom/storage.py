"""The file of the user's own tools: `tools.json` in the user's configuration folder, never in the vault.

    [{"name": "word_count", "description": "...", "code": "...", "parameters": {"type": "object"}, "timeout": 30000,
      "environment": "node", "enabled": true, "createdAt": "...", "updatedAt": "..."}]

A mistake in it is a fault of the whole file: a tool that was left out without a word would look as if it were gone.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import Field, ValidationError

from bridge.contract.custom import CustomAddParams
from bridge.errors import InvalidParameters
from bridge.records.folder import UserFolder
from bridge.servers.configuration import EditedFile, parsed
from bridge.toolkit.parameters import JsonSchemaParameters, explain

LONGEST_CODE: Final = 256 << 10
"""Bytes of a tool's code, which a person may have to read."""
LONGEST_DESCRIPTION: Final = 4000
LONGEST_RETURNS: Final = 1000
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_OF_SERVERS: Final = "mcp__"
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


class StoredTool(CustomAddParams):
    """A tool as the file holds it."""

    created_at: str = Field(max_length=40)
    updated_at: str = Field(max_length=40)

    def to_wire(self) -> dict[str, Any]:
        """Return the members as the file and the wire have them; `returns` only where it is said."""
        members = self.model_dump(mode="json", by_alias=True)
        return members if self.returns is not None else {key: members[key] for key in members if key != "returns"}


def told(tool: StoredTool, *, confined: bool) -> str:
    """Return a tool, line by line: all of it that decides what a run can do. This is what a person allows.

    Args:
        tool: The tool.
        confined: Whether its code is held by something that keeps it from files and the network.
    """
    returns = [f"returns: {tool.returns}"] if tool.returns else []
    lines = [
        f"name: {tool.name}",
        f"description: {tool.description}",
        *returns,
        f"environment: {tool.environment}, {'held' if confined else 'not held'} by a sandbox",
        f"timeout: {tool.timeout} ms",
        "parameters:",
        json.dumps(tool.parameters, ensure_ascii=False, indent=2),
        "code:",
        tool.code,
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def check(tool: CustomAddParams, taken: Collection[str] = ()) -> None:
    """Check everything about a tool before it is stored but the syntax of its code.

    Args:
        tool: The tool.
        taken: Names of other tools.

    Raises:
        InvalidParameters: It may not; the message says what is wrong.
    """
    _check_name(tool.name, taken)
    _check_texts(tool)
    if tool.parameters.get("type") != "object":
        raise InvalidParameters("The parameters must be a JSON Schema of an object: its `type` must be `object`")
    try:
        JsonSchemaParameters(tool.parameters)
    except ValueError as error:
        raise InvalidParameters(f"The parameters are no JSON Schema that can be used: {error}") from None


def _check_name(name: str, taken: Collection[str]) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidParameters(
            f"{name[:64]!r} cannot be a tool's name: 1 to 64 letters, digits, '_' and '-' of ASCII, which begin "
            "with a letter"
        )
    if name.lower().startswith(_OF_SERVERS):
        raise InvalidParameters(f"{name!r} cannot be a tool's name: {_OF_SERVERS!r} marks tools of other servers")
    if name in taken:
        raise InvalidParameters(f"There is a tool {name!r} already; choose another name")


def _check_texts(tool: CustomAddParams) -> None:
    for label, text, most in (
        ("description", tool.description, LONGEST_DESCRIPTION),
        ("return type", tool.returns or "", LONGEST_RETURNS),
    ):
        if len(text) > most or _CONTROL.search(text):
            raise InvalidParameters(f"The {label} must have at most {most:,} characters and no control characters")
    if not tool.description.strip():
        raise InvalidParameters("A tool needs a description, by which agents know when to use it")
    if not tool.code.strip():
        raise InvalidParameters("A tool needs code")
    try:
        size = len(tool.code.encode())
    except UnicodeEncodeError:
        raise InvalidParameters("The code holds half a character (a lone surrogate)") from None
    if size > LONGEST_CODE or "\x00" in tool.code:
        raise InvalidParameters(f"The code must have at most {LONGEST_CODE:,} bytes and no null characters")


def parse(member: Any, what: str, taken: Collection[str] = ()) -> StoredTool:
    """Parse one tool of the file.

    Args:
        member: What the file holds.
        what: How faults name it.
        taken: Names of other tools.

    Raises:
        InvalidParameters: It is none; the message says what is wrong and never shows the code.
    """
    try:
        tool = StoredTool.model_validate(member, by_alias=True, by_name=False)
    except ValidationError as error:
        raise InvalidParameters(f"{what}: {explain(error, StoredTool)}") from None
    for label, text in (("createdAt", tool.created_at), ("updatedAt", tool.updated_at)):
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise InvalidParameters(f"{what}: {label!r} must be a time in ISO 8601") from None
    try:
        check(tool, taken)
    except InvalidParameters as error:
        raise InvalidParameters(f"{what}: {error.message}") from None
    return tool


FILE: Final = "tools.json"
LARGEST: Final = 8 << 20
"""Bytes of the file."""
MOST: Final = 100
"""Tools."""


class ToolsFile(EditedFile):
    """The file. It is looked at anew each time.

    Args:
        folder: The user's configuration folder.
        reserved: The names of the bridge's own tools.

    Attributes:
        reserved: As given.
    """

    def __init__(self, folder: UserFolder, reserved: Callable[[], Collection[str]]) -> None:
        super().__init__(folder, FILE, LARGEST)
        self.reserved = reserved
        self._seen: tuple[int, ...] | None = None
        self._tools: dict[str, StoredTool] = {}

    def read(self) -> Mapping[str, StoredTool]:
        """Return the tools by name, in the file's order; none where there is no file, or `fault` says why. Blocks.

        A file that has not changed since the last look is not read again.
        """
        seen = self._stamp()
        if seen is None or seen != self._seen:
            self._tools = self._load(lambda data: parse_file(data, self.reserved()))
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
        if len(tools) > MOST:
            raise InvalidParameters(f"There can be at most {MOST} tools of your own")
        self._save([tool.to_wire() for tool in tools.values()])
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


def parse_file(data: bytes, reserved: Collection[str] = ()) -> dict[str, StoredTool]:
    """Return the tools that a file holds.

    Args:
        data: Its content.
        reserved: The names of the bridge's own tools.

    Raises:
        InvalidParameters: It is none; the message says where.
    """
    members = parsed(data, FILE, LARGEST)
    if not isinstance(members, list):
        raise InvalidParameters(f"{FILE} must hold a list of tools")
    if len(members) > MOST:
        raise InvalidParameters(f"{FILE} holds more than {MOST} tools")
    found: dict[str, StoredTool] = {}
    for number, member in enumerate(members, 1):
        tool = parse(member, f"{FILE}, tool {number}", {*reserved, *found})
        found[tool.name] = tool
    return found
