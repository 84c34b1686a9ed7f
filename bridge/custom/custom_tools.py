"""All tools of the user's own: stored, checked, described, run where each belongs, and answered while they run."""

import asyncio
import hashlib
import warnings
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, Protocol

from bridge.clock import Clock, stamp
from bridge.contract.custom import (
    CustomAddParams,
    CustomResult,
    CustomToolInfo,
    CustomToolSaved,
    CustomUpdateParams,
    EnvironmentInfo,
)
from bridge.contract.tools import ToolResult
from bridge.custom.process import Answer, Processes
from bridge.custom.python_worker import compiled
from bridge.custom.storage import StoredTool, ToolsFile, check, parse, told
from bridge.errors import ExecutionFailed, InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.records.folder import RecordFolder, RecordStore
from bridge.servers.servers import ApprovedTexts
from bridge.toolkit.parameters import JsonSchemaParameters

FILE: Final = "tools-approved.json"
ENVIRONMENTS: Final = ("node", "browser", "python")
OFF: Final = (
    "Tools of your own are not allowed here. The user can allow them in the settings, or with "
    "`vault-bridge settings set allowCustomTools=true`"
)
_IN_OBSIDIAN: Final = "Runs in Obsidian, in a Worker that reaches no notes, files or pages but through the bridge"
_FETCH: Final = "web_fetch"
MOST_KEYS: Final = 1000
LARGEST: Final = 1 << 20
"""Bytes that one tool may keep."""


class KeptValues:
    """The kept values of tools. Blocks where it reads or writes.

    Args:
        folder: The user's folder for this vault.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._folder = folder

    def do(self, tool: str, operation: str, key: object, value: object) -> Any:
        """Do one thing.

        Args:
            tool: The tool.
            operation: `get`, `set`, `remove`, `clear` or `keys`.
            key: The key of the value, a text; none for `clear` and `keys`.
            value: The text to set.

        Returns:
            The value for `get`, None where there is none; the keys for `keys`; else None.

        Raises:
            InvalidParameters: A key or a value is missing or no text, or there would be too much.
            ExecutionFailed: The disk is full or failed.
        """
        held = self._store(tool).load({})
        if operation == "keys":
            return list(held)
        if operation == "clear":
            return self._save(tool, {}) if held else None
        if not isinstance(key, str):
            raise InvalidParameters(f"The storage needs a text as key to {operation}")
        if operation == "get":
            return held.get(key)
        if operation == "remove":
            return self._save(tool, {known: held[known] for known in held if known != key}) if key in held else None
        if not isinstance(value, str):
            raise InvalidParameters("The storage keeps texts: give one as value")
        return self._save(tool, {**held, key: value})

    def forget(self, tool: str) -> None:
        """Forget the values of a tool that is gone. Raises ExecutionFailed."""
        if self._store(tool).load({}):
            self._save(tool, {})

    def _save(self, tool: str, held: dict[str, str]) -> None:
        store = self._store(tool)
        try:
            size = len(store.encoded(held))
        except ValueError:
            raise InvalidParameters("What is kept must be text without half characters (lone surrogates)") from None
        if len(held) > MOST_KEYS or size > LARGEST:
            raise InvalidParameters(f"A tool can keep {MOST_KEYS:,} values and {LARGEST:,} bytes; remove some")
        store.load({})  # a damaged file is copied before it is replaced
        store.save(held)

    def _store(self, tool: str) -> RecordStore[dict[str, str]]:
        """Return the file of a tool. It belongs to the tool alone, which begins anew where it is damaged."""
        # The names of files differ in more than their case, on every disk.
        name = f"{hashlib.sha256(tool.encode()).hexdigest()[:32]}.json"
        return RecordStore(self._folder, name, dict[str, str], replace_damaged=True)


Call = Callable[[str, dict[str, Any]], Awaitable[ToolResult]]
"""Makes a call of the run's caller, as a part of the run; it is asked about and logged like any other."""


def answering(tool: str, call: Call, kept: KeptValues) -> Answer:
    """Return the function that answers what a run asks.

    Args:
        tool: The tool's name.
        call: Makes its calls.
        kept: The values that browser tools keep.
    """

    async def answer(message: Mapping[str, Any]) -> Mapping[str, Any]:
        kind = message.get("kind", "tool")
        try:
            if kind == "storage":
                asked = (str(message.get("operation")), message.get("key"), message.get("value"))
                return {"success": True, "result": await asyncio.to_thread(kept.do, tool, *asked)}
            if kind == "fetch":
                url, method, body = message.get("url") or "", message.get("method") or "GET", message.get("body")
                posted = {} if body is None else {"postData": body}
                return _fetched(url, await call(_FETCH, {"url": url, "method": method, "format": "base64"} | posted))
            name, given = message.get("name"), message.get("arguments")
            if not isinstance(name, str) or not isinstance(given, dict):
                return _failed("Call a tool by its name and with an object of arguments", "invalid_parameters")
            return _told(await call(name, given))
        except ToolFailure as failure:
            return _failed(failure.message, failure.code or failure.error_type.value)

    return answer


def _fetched(url: str, result: ToolResult) -> Mapping[str, Any]:
    data = result.data if isinstance(result.data, dict) else {}
    if result.success:
        page = {
            "url": data["url"],
            "status": HTTPStatus.OK,
            "contentType": data["contentType"],
            "body": data["content"],
        }
        return {"success": True, "result": page}
    if data.get("code") == "status":  # an answer all the same, as fetch has it
        page = {"url": url, "status": data["status"], "contentType": "", "body": ""}
        return {"success": True, "result": page}
    return _told(result)


def _told(result: ToolResult) -> Mapping[str, Any]:
    if result.success:
        return {"success": True, "result": result.text if result.data is None else result.data}
    data = result.data if isinstance(result.data, dict) else {}
    kind = result.error_type.value if result.error_type is not None else "execution_failed"
    return _failed(result.error or "The call failed", str(data.get("code") or kind))


def _failed(error: str, code: str) -> Mapping[str, Any]:
    return {"success": False, "error": error, "code": code}


def tool_approvals(folder: RecordFolder) -> ApprovedTexts:
    """Return the tools that were allowed, each as `told` describes it.

    Args:
        folder: The user's configuration folder.
    """
    fault = f"{FILE} cannot be used, so every tool of your own counts as new: {{why}}"
    return ApprovedTexts(folder, FILE, "tools", fault)


class Browser(Protocol):
    """The interface that runs code in Obsidian."""

    @property
    def missing(self) -> str | None:
        """Return what to do where no Obsidian that can run code is connected, as a sentence; None where one is."""

    async def run(
        self, tool: str, code: str, parameters: Mapping[str, Any], milliseconds: int, answer: Answer
    ) -> CustomResult:
        """Run code once; see `Processes.run`."""


class CustomTools:
    """The user's own tools.

    Args:
        file: Where they are stored.
        approvals: The person's approvals.
        processes: Runs code of Node.js and Python.
        browser: Runs code in Obsidian.
        kept: The values that browser tools keep.
        clock: For when a tool was changed.
        allowed: Whether such tools may run, on this computer.

    Attributes:
        file: As given.
        approvals: As given.
        allowed: As given.
    """

    def __init__(
        self,
        file: ToolsFile,
        approvals: ApprovedTexts,
        processes: Processes,
        browser: Browser,
        kept: KeptValues,
        *,
        clock: Clock,
        allowed: Callable[[], bool],
    ) -> None:
        self.file = file
        self.approvals = approvals
        self.allowed = allowed
        self._processes = processes
        self._browser = browser
        self._kept = kept
        self._clock = clock
        self._changed: Callable[[], None] = lambda: None
        self._one_at_a_time = asyncio.Lock()
        """Whoever changes the file has read it, and nobody changes it meanwhile."""

    def start(self, changed: Callable[[], None]) -> None:
        """Tell of changes from now on.

        Args:
            changed: Called on the event loop when tools were stored or taken away.
        """
        self._changed = changed

    @property
    def all(self) -> Mapping[str, StoredTool]:
        """Return every stored tool by name, as the file has it now."""
        return self.file.read()

    def get(self, name: str) -> StoredTool:
        """Return one of them. Raises NotFound; ToolFailure where the file cannot be used."""
        found = self.all.get(name)
        if found is None:
            if self.file.fault is not None:
                raise InvalidParameters(f"{self.file.fault}. Correct it by hand, or remove it")
            raise NotFound(f"There is no tool {name[:64]!r} of your own")
        return found

    # -- changing -----------------------------------------------------------------------------------------------

    async def add(self, params: CustomAddParams) -> CustomToolSaved:
        """Store a tool. Its code is read and not run.

        Raises:
            InvalidParameters: It cannot be stored; the message says why.
            ExecutionFailed: The file cannot be read or written.
        """
        now = stamp(self._clock.now())
        given = params.model_dump(mode="json", by_alias=True) | {"createdAt": now, "updatedAt": now}
        async with self._one_at_a_time:
            taken = {*self.file.reserved(), *await asyncio.to_thread(lambda: dict(self.all))}
            return await self._store(parse(given, "The tool", taken))

    async def update(self, params: CustomUpdateParams) -> CustomToolSaved:
        """Change a stored tool: what is given, and nothing else. `createdAt` stays.

        Raises:
            NotFound: There is none of this name.
            InvalidParameters: As of `add`; so it is where nothing is given.
            ExecutionFailed: The file cannot be read or written.
        """
        given = params.model_dump(mode="json", by_alias=True, exclude_unset=True)
        emptied = [key for key, value in given.items() if value is None and key != "returns"]
        if emptied or len(given) == 1:
            raise InvalidParameters(f"Give {emptied[0]!r} a value" if emptied else "Say what is to change")
        async with self._one_at_a_time:
            before = await asyncio.to_thread(self.get, params.name)
            members = before.to_wire() | given | {"updatedAt": stamp(self._clock.now())}
            return await self._store(parse(members, "The tool", self.file.reserved()))

    async def remove(self, name: str) -> None:
        """Take a tool away, with what was allowed of it and what it keeps. Raises what `update` raises."""

        def write() -> None:
            self.get(name)
            self.file.write({key: tool for key, tool in self.all.items() if key != name})
            self.approvals.forget(name)
            self._kept.forget(name)

        async with self._one_at_a_time:
            await asyncio.to_thread(write)
        self._changed()

    async def _store(self, tool: StoredTool) -> CustomToolSaved:
        unchecked = await self._check_syntax(tool)
        await asyncio.to_thread(lambda: self.file.write({**self.all, tool.name: tool}))
        self._changed()
        return CustomToolSaved(tool=await asyncio.to_thread(self.info, tool), unchecked=unchecked)

    async def _check_syntax(self, tool: CustomAddParams) -> str | None:
        """Return why the code's syntax was not checked; None where it was. Raises InvalidParameters if it is wrong."""
        if tool.environment == "python":
            await asyncio.to_thread(_check_python, tool.code)
            return None
        try:
            if not self.allowed():
                raise ExecutionFailed("programs are started only where `allowCustomTools` is on")
            read = await self._processes.check_script(tool.code)
        except ToolFailure as failure:
            return f"The syntax of the code was not checked: {failure.message}"
        if not read.success:
            raise InvalidParameters(f"The code cannot be read: {read.error}")
        return None

    # -- telling ------------------------------------------------------------------------------------------------

    def info(self, tool: StoredTool) -> CustomToolInfo:
        """Return a tool, and how it differs from what was allowed. Blocks."""
        return CustomToolInfo.of(tool).model_copy(update={"change": self.change(tool)})

    def told(self, tool: StoredTool) -> str:
        """Return all of a tool that a person allows. Blocks at the first time."""
        return told(tool, confined=tool.environment == "browser" or self._processes.confines)

    def change(self, tool: StoredTool) -> str | None:
        """Return how a tool differs from its approved version, as a diff; all of it if none was; None: not at all."""
        return self.approvals.change(tool.name, self.told(tool))

    def held(self, tool: CustomAddParams) -> tuple[str, ...]:
        """Return what a run of a tool can reach here, as sentences. Blocks at the first time."""
        return (_IN_OBSIDIAN,) if tool.environment == "browser" else self._processes.held

    def environments(self) -> tuple[EnvironmentInfo, ...]:
        """Return where tools can run now. Blocks at the first time."""
        return tuple(self._environment(name) for name in ENVIRONMENTS)

    def _environment(self, name: str) -> EnvironmentInfo:
        if name == "browser":
            missing = self._browser.missing
            sentence = missing or _IN_OBSIDIAN
        else:
            missing = self._processes.missing(name)
            sentence = missing or ". ".join(self._processes.held)
        return EnvironmentInfo.model_validate({"environment": name, "available": missing is None, "sentence": sentence})

    def get_ready(self, tool: CustomAddParams) -> None:
        """Get ready for a run that is about to be allowed."""
        if tool.environment != "browser":
            self._processes.get_ready()

    async def stop(self) -> None:
        """End what waits for runs."""
        await self._processes.stop()

    # -- running ------------------------------------------------------------------------------------------------

    def refuse(self, tool: CustomAddParams) -> None:
        """Refuse a tool that agents cannot call now.

        Raises:
            PermissionDenied: Saying how it can be allowed.
        """
        if not self.allowed():
            raise PermissionDenied(OFF, code="custom_tools_off")
        if not tool.enabled:
            raise PermissionDenied(
                f"The tool {tool.name!r} is switched off. The user can switch it on with "
                f"`vault-bridge custom enable {tool.name}`",
                code="tool_disabled",
            )

    def refuse_unready(self, tool: CustomAddParams) -> None:
        """Refuse a tool whose environment is not there. Raises PermissionDenied."""
        found = self._environment(tool.environment)
        if not found.available:
            code = "no_obsidian" if tool.environment == "browser" else "no_environment"
            raise PermissionDenied(f"{tool.name!r} cannot run: {found.sentence}", code=code)

    async def run(self, tool: CustomAddParams, parameters: Mapping[str, Any], call: Call) -> CustomResult:
        """Run a tool once. Whether it may is not asked here.

        Args:
            tool: The tool.
            parameters: Its parameters, which fit its schema.
            call: Makes its calls of other tools.

        Raises:
            ExecutionFailed: It cannot be started.
            PermissionDenied: Its environment is not there, or a sandbox is missing.
        """
        self.refuse_unready(tool)
        answer = answering(tool.name, call, self._kept)
        if tool.environment == "browser":
            return await self._browser.run(tool.name, tool.code, parameters, tool.timeout, answer)
        return await self._processes.run(tool.environment, tool.code, parameters, tool.timeout, answer)

    async def try_out(self, tool: CustomAddParams, parameters: dict[str, Any], call: Call) -> CustomResult:
        """Run a tool, stored or not, for the person who writes it: switched off, too, and without a question.

        Raises:
            PermissionDenied: Such tools are not allowed; and what `run` raises.
            InvalidParameters: It could not be stored so, or the parameters do not fit its schema.
        """
        if not self.allowed():
            raise PermissionDenied(OFF, code="custom_tools_off")
        check(tool)
        return await self.run(tool, JsonSchemaParameters(tool.parameters).parse(parameters), call)


def _check_python(code: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the code's own, such as an escape that means nothing
            compiled(code)
    except SyntaxError as error:
        where = f" (line {error.lineno})" if error.lineno else ""
        raise InvalidParameters(f"The code cannot be read: SyntaxError: {error.msg}{where}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InvalidParameters(f"The code cannot be read: {type(error).__name__}: {error}") from None
