"""The servers that the user has entered, and what each says of its tools, bounded and made plain before it is used.

The servers are in `mcp.json` in the user's configuration folder, never in the vault:

    {"mcp_servers": {"files": {"command": "npx", "args": ["-y", "some-server"], "description": "Files"},
                     "notes": {"url": "https://notes.example/mcp", "trusted": true}}}

A member that is not known is a fault and not passed over: a misspelled `trusted` or `network` would else do nothing
without a word. The SDK refuses a list of tools as a whole when one of them is malformed, so those are taken out first.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, NamedTuple, Self, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.records.folder import UserFolder
from bridge.vault.text import without_hidden_characters

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


MOST_TOOLS: Final = 200
"""Tools of one server."""
LONGEST_TOOL_NAME: Final = 128
"""Characters, as the protocol has it."""
LONGEST_DESCRIPTION: Final = 2_000
_LONGEST_TOOL: Final = 64
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]")
_HASHED: Final = 6


class Definition(NamedTuple):
    """A tool of a server, as the server describes it.

    Attributes:
        name: What the server calls it.
        title: For people.
        description: For models, in the server's words.
        schema: What it takes.
        read_only: Whether it says that it changes nothing.
        destructive: Whether it says that it destroys.
        idempotent: Whether it says that a second call does nothing more.
    """

    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    @property
    def text(self) -> str:
        """Return all of it as text, the same for the same definition: what is compared, and what a diff shows."""
        says = [name for name in ("read_only", "destructive", "idempotent") if getattr(self, name)]
        head = [f"name: {self.name}", f"title: {self.title}", f"says of itself: {', '.join(says) or 'nothing'}"]
        return "\n".join([*head, self.description, self.takes]) + "\n"

    @property
    def takes(self) -> str:
        """Return its schema as people read it, the same for the same schema."""
        return orjson.dumps(self.schema, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2).decode()

    @property
    def fingerprint(self) -> str:
        """Return a hash of all of it."""
        return hashlib.sha256(self.text.encode(errors="surrogatepass")).hexdigest()


def accepted(tools: Iterable[Mapping[str, Any]]) -> tuple[list[Definition], list[str]]:
    """Return the definitions that can be used, and a sentence for each that cannot.

    Args:
        tools: What the server listed, as JSON.
    """
    from bridge.toolkit.json_schema import DEEPEST_SCHEMA, LARGEST_SCHEMA, is_bounded  # noqa: PLC0415 - heavy, and only for foreign tools

    found: dict[str, Definition] = {}
    faults = []
    for tool in tools:
        name, schema = tool.get("name"), tool.get("inputSchema")
        if len(found) == MOST_TOOLS:
            faults.append(f"it has more than {MOST_TOOLS} tools; the others are left out")
            break
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TOOL_NAME or not name.isprintable():
            faults.append("a tool without a usable name is left out")
        elif name in found:
            faults.append(f"it has two tools {name!r}; the second is left out")
        elif not isinstance(schema, dict) or not is_bounded(schema):
            bounds = f"larger than {LARGEST_SCHEMA:,} bytes, or deeper than {DEEPEST_SCHEMA} levels"
            faults.append(f"the tool {name!r} is left out: its schema is none, {bounds}")
        else:
            found[name] = _definition(name, schema, tool)
    return list(found.values()), faults


def tool_name(server: str, name: str) -> str:
    """Return the name of a server's tool among ours: `mcp__server__tool`.

    A name that holds other characters, or is too long, ends in a hash of itself, so that no two become one.

    Args:
        server: The server's name.
        name: What the server calls the tool.
    """
    plain = _UNFIT.sub("_", name)
    whole = f"mcp__{server}__{plain}"
    if plain == name and len(whole) <= _LONGEST_TOOL:
        return whole
    tail = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_HASHED]
    return f"{whole[: _LONGEST_TOOL - _HASHED - 1]}_{tail}"


def _definition(name: str, schema: dict[str, Any], tool: Mapping[str, Any]) -> Definition:
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    title = tool.get("title") or hints.get("title") or name
    return Definition(
        name=name,
        title=_shown(title, LONGEST_TOOL_NAME).replace("\n", " "),
        description=_shown(tool.get("description"), LONGEST_DESCRIPTION),
        schema=schema,
        read_only=hints.get("readOnlyHint") is True,
        destructive=hints.get("destructiveHint") is True,
        idempotent=hints.get("idempotentHint") is True,
    )


def _shown(text: object, most: int) -> str:
    """Return text of the server's as people and models see it, without characters that only one of them sees."""
    return without_hidden_characters(text if isinstance(text, str) else "")[:most].strip()


_METHOD: Final = "tools/list"
_SHOWN: Final = 100


def take_out_malformed(result: dict[str, Any], version: str | None) -> list[str]:
    """Take the malformed tools out of a result, where it is a list of tools; return a sentence for each.

    Args:
        result: What the server answered. It is changed.
        version: The revision of the protocol that is spoken; None: none has been agreed on.
    """
    tools = result.get("tools")
    if not isinstance(tools, list) or version is None:
        return []
    del tools[MOST_TOOLS + 1 :]  # more are left out anyway
    if _fault(result, version) is None:
        return []
    found = [(tool, _fault({**result, "tools": [tool]}, version)) for tool in tools]
    # Where nothing but the rest of the answer is wrong, it is not the tools' fault.
    if _fault({**result, "tools": []}, version) is not None:
        return []
    result["tools"] = [tool for tool, fault in found if fault is None]
    return [f"the tool {_name(tool)} is left out: {fault}" for tool, fault in found if fault is not None]


def _fault(result: Mapping[str, Any], version: str) -> str | None:
    """Return what of a list is not as the protocol has it."""
    import mcp_types as types  # noqa: PLC0415 - heavy, and only where servers are used
    from mcp_types import methods  # noqa: PLC0415 - the same
    from pydantic import ValidationError  # noqa: PLC0415 - beside them

    try:
        methods.validate_server_result(_METHOD, version, result)
        types.ListToolsResult.model_validate(result, by_name=False)
    except ValidationError as error:
        place = [str(step) for step in error.errors(include_url=False, include_input=False)[0]["loc"][2:]]
        return (
            f"its {'.'.join(place)[:_SHOWN]!r} is missing or not as the protocol has it" if place else "it is no tool"
        )
    except KeyError:
        return None  # a revision without tools, about which the SDK says more
    return None


def _name(tool: object) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    usable = isinstance(name, str) and 0 < len(name) <= LONGEST_TOOL_NAME and name.isprintable()
    return repr(name) if usable else "without a usable name"
