"""The servers that the user has entered: `mcp.json` in the user's configuration folder, never in the vault.

    {"mcp_servers": {"files": {"command": "npx", "args": ["-y", "some-server"], "description": "Files"},
                     "notes": {"url": "https://notes.example/mcp", "trusted": true}}}

A member that is not known is a fault and not passed over: a misspelled `trusted` or `network` would else do nothing
without a word.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Self, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.records.folder import UserFolder

T = TypeVar("T")

FILE: Final = "mcp.json"
LIST: Final = "mcp_servers"
LARGEST: Final = 1 << 20
"""Bytes of the file."""
MOST: Final = 50
"""Servers."""
_NAME: Final = re.compile(r"(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,23}(?<!_)")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST: Final = 4096


def check_name(name: str) -> str:
    """Check a server's name. It becomes a part of its tools' names, between double underscores, and must be short.

    Args:
        name: What the user calls it.

    Raises:
        InvalidParameters: It cannot be one.
    """
    if not _NAME.fullmatch(name):
        raise InvalidParameters(
            f"{name[:60]!r} cannot be a server's name: up to 24 letters, digits, '-' and single '_' of ASCII, which "
            "begin with a letter or digit and do not end with '_'"
        )
    return name


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("holds control characters")
    return text


_Text = Annotated[str, Field(max_length=_LONGEST), AfterValidator(_plain)]
_Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
_Header = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,128}$")]


class ServerEntry(BaseModel):
    """One server, as the user entered it.

    Attributes:
        command: The program, for a server that runs on this machine.
        args: What it is started with.
        env: Variables of its environment. Their values may be keys, and are shown nowhere.
        url: The address, for a server that is reached over HTTP.
        headers: What is sent with each request there. Their values may be keys, and are shown nowhere.
        description: What it is for, in the user's words.
        enabled: Whether `mcp_loader` loads it.
        trusted: Whether its tools may be called without a question.
        folders: Folders outside the vault that the program may read and write, absolute.
        network: Whether the program may use the network.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    command: _Text | None = None
    args: tuple[_Text, ...] = Field(default=(), max_length=200, strict=False)
    env: dict[_Variable, _Text] = Field(default_factory=dict, max_length=100)
    url: _Text | None = None
    headers: dict[_Header, _Text] = Field(default_factory=dict, max_length=50)
    description: Annotated[str, Field(max_length=500)] = ""
    enabled: bool = True
    trusted: bool = False
    folders: tuple[_Text, ...] = Field(default=(), max_length=50, strict=False)
    network: bool = True

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("name either a command or a url")
        if self.url is not None and (self.args or self.env or self.folders):
            raise ValueError("args, env and folders are for a command")
        if self.command is not None and self.headers:
            raise ValueError("headers are for a url")
        return self

    def told(self) -> list[str]:
        """Return what is run or reached, line by line; of variables and headers, maybe secret, only the names."""
        lines = [f"program: {self.command}", *(f"  {each}" for each in self.args)] if self.command else []
        lines += [f"address: {self.url}"] if self.url else []
        lines += [f"variable: {name}" for name in sorted(self.env)]
        lines += [f"header: {name}" for name in sorted(self.headers)]
        lines += [f"folder: {folder}" for folder in sorted(self.folders)]
        return [*lines, *(["may use the network"] if self.network and self.command else [])]

    def is_started_as(self, other: "ServerEntry") -> bool:
        """Return whether both are started or reached in the same way, whatever they are for and whether trusted."""
        own = self.model_copy(update={name: getattr(other, name) for name in ("description", "trusted", "enabled")})
        return own == other

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the values that no log may hold."""
        return (*self.env.values(), *self.headers.values())


class EditedFile:
    """A JSON file in the user's configuration folder, which the user may edit by hand.

    Args:
        folder: The folder.
        name: The file's name.
        largest: The most bytes that it may have.

    Attributes:
        fault: Why it cannot be used, as a sentence; None while it can.
        path: Where it lies.
    """

    def __init__(self, folder: UserFolder, name: str, largest: int) -> None:
        self.fault: str | None = None
        self.path = folder.path / name
        self._folder = folder
        self._largest = largest

    def _load(self, parse_content: Callable[[bytes], dict[str, T]]) -> dict[str, T]:
        """Return what the file holds; nothing where there is no file, or `fault` says why."""
        found: dict[str, T] = {}
        fault: str | None = None
        try:
            data = self._folder.read(self.path.name)
            found = {} if data is None else parse_content(data)
        except OSError as error:
            fault = f"{self.path.name} cannot be read: {error.strerror}"
        except InvalidParameters as error:
            fault = error.message
        self.fault = fault
        return found

    def _save(self, content: Any) -> None:
        """Write the file, unless what is there could not be read."""
        name = self.path.name
        if self.fault is not None:
            raise ExecutionFailed(f"{self.fault}. Correct it by hand, or remove it")
        data = orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        if len(data) > self._largest:
            raise InvalidParameters(f"{name} would be larger than {self._largest:,} bytes")
        try:
            self._folder.write(name, data)
        except OSError as error:
            raise ExecutionFailed(f"{name} cannot be written: {error.strerror}. Make room on the disk") from None


def parsed(data: bytes, name: str, largest: int) -> Any:
    """Return the JSON value that a file holds.

    Args:
        data: Its content.
        name: Its name, for the message.
        largest: The most bytes that it may have.

    Raises:
        InvalidParameters: It is too large, or no JSON; the message says where.
    """
    if len(data) > largest:
        raise InvalidParameters(f"{name} is larger than {largest:,} bytes")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidParameters(f"{name} is no JSON: line {error.lineno}, column {error.colno}") from None


class ServersFile(EditedFile):
    """The file. It is read anew each time.

    Args:
        folder: The user's configuration folder.
    """

    def __init__(self, folder: UserFolder) -> None:
        super().__init__(folder, FILE, LARGEST)

    def read(self) -> dict[str, ServerEntry]:
        """Return the servers by name, in the user's order; none where there is no file, or `fault` says why. Blocks."""
        return self._load(parse)

    def write(self, servers: Mapping[str, ServerEntry]) -> None:
        """Put the servers there. Blocks.

        Raises:
            ExecutionFailed: What is there cannot be read, and is not overwritten; or the disk failed.
            InvalidParameters: They are too many, or too large together.
        """
        self.read()
        if len(servers) > MOST:
            raise InvalidParameters(f"There can be at most {MOST} servers")
        members = {name: entry.model_dump(mode="json", exclude_defaults=True) for name, entry in servers.items()}
        self._save({LIST: members})


def parse(data: bytes) -> dict[str, ServerEntry]:
    """Return the servers that a file holds.

    Args:
        data: Its content.

    Raises:
        InvalidParameters: It is none; the message says where.
    """
    content = parsed(data, FILE, LARGEST)
    members = content.get(LIST) if isinstance(content, dict) else None
    if not isinstance(members, dict) or set(content) != {LIST}:
        raise InvalidParameters(f'{FILE} must hold {{"{LIST}": {{...}}}} and nothing else')
    if len(members) > MOST:
        raise InvalidParameters(f"{FILE} names more than {MOST} servers")
    return {check_name(name): entry(name, member) for name, member in members.items()}


def entry(name: str, member: Any) -> ServerEntry:
    """Return the entry of one server.

    Args:
        name: Its name.
        member: What the file, or a caller, says of it.

    Raises:
        InvalidParameters: That is none; the message names the member and never a value.
    """
    try:
        return ServerEntry.model_validate(member)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = "is not known" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        raise InvalidParameters(f"{FILE}, server {name!r}: {f'{where!r}: ' if where else ''}{what}") from None


_OTHER: Final = re.compile(r"[^A-Za-z0-9-]+")
_PLACEHOLDER: Final = re.compile(r"\$\{[^}]*\}|\{env:[^}]*\}")
_LONGEST_NAME: Final = 24


def fitting_name(name: str) -> str:
    """Return a name of ours for a server that is called otherwise elsewhere.

    Args:
        name: Its name there.

    Raises:
        InvalidParameters: Nothing of it can be used.
    """
    return check_name(_OTHER.sub("-", name).strip("-")[:_LONGEST_NAME].strip("-"))


def imported(name: str, member: Any) -> ServerEntry:
    """Return an entry of another program's as one of ours. It is not trusted, whatever it was there.

    Args:
        name: The server's name.
        member: The entry, in any of the forms that programs have.

    Raises:
        InvalidParameters: It cannot be used here; the message says why, without a value.
    """
    if not isinstance(member, dict):
        raise InvalidParameters(f"The entry of {name!r} is no object")
    command, args = member.get("command"), member.get("args") or []
    if isinstance(command, list):
        command, *args = command or [None]
    url = member.get("url") or member.get("httpUrl") or member.get("serverUrl")
    if member.get("type") == "sse":
        raise InvalidParameters(f"{name!r} is reached over SSE, which MCP has given up; look for its newer address")
    if isinstance(command, str):
        taken = {"command": command, "args": args, "env": member.get("env") or member.get("environment") or {}}
    else:
        taken = {"url": url, "headers": member.get("headers") or member.get("http_headers") or {}}
    if _PLACEHOLDER.search(repr(taken)):
        raise InvalidParameters(f"{name!r} has a placeholder for a value that its program asks for; enter it by hand")
    return entry(name, {key: value for key, value in taken.items() if value})
