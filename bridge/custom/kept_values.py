"""Values that browser tools keep between their runs: texts under keys, for each tool apart, in a bounded file."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from bridge.contract.tools import ToolResult
from bridge.custom.process import Answer
from bridge.errors import InvalidParameters, ToolFailure
from bridge.records.folder import RecordFolder
from bridge.records.store import RecordStore

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

    def do(self, tool: str, operation: str, key: str | None, value: str | None) -> Any:
        """Do one thing.

        Args:
            tool: The tool.
            operation: `get`, `set`, `remove`, `clear` or `keys`.
            key: The key of the value; none for `clear` and `keys`.
            value: The value to set.

        Returns:
            The value for `get`, None where there is none; the keys for `keys`; else None.

        Raises:
            InvalidParameters: A key or a value is missing, or there would be too much.
            ExecutionFailed: The disk is full or failed.
        """
        held = self._load(tool)
        if operation == "keys":
            return list(held)
        if operation == "clear":
            return self._save(tool, {}) if held else None
        if key is None:
            raise InvalidParameters(f"The storage needs a key to {operation}")
        if operation == "get":
            return held.get(key)
        if operation == "remove":
            return self._save(tool, {known: held[known] for known in held if known != key}) if key in held else None
        if value is None:
            raise InvalidParameters("The storage keeps texts: give a value")
        return self._save(tool, {**held, key: value})

    def forget(self, tool: str) -> None:
        """Forget the values of a tool that is gone. Raises ExecutionFailed."""
        if self._load(tool):
            self._save(tool, {})

    def _load(self, tool: str) -> dict[str, str]:
        return self._store(tool).load({})

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
        return RecordStore(self._folder, _file(tool), dict[str, str], replace_damaged=True)


def _file(tool: str) -> str:
    """Return the name of a tool's file; names differ in more than their case, on every disk."""
    return f"{hashlib.sha256(tool.encode()).hexdigest()[:32]}.json"


Call = Callable[[str, dict[str, Any]], Awaitable[ToolResult]]
"""Makes a call of the run's caller, as a part of the run; it is asked about and logged like any other."""

_FETCH: Final = "web_fetch"


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
                return _fetched(message, await call(_FETCH, _of_fetch(message)))
            name, given = message.get("name"), message.get("arguments")
            if not isinstance(name, str) or not isinstance(given, dict):
                return _failed("Call a tool by its name and with an object of arguments", "invalid_parameters")
            return _told(await call(name, given))
        except ToolFailure as failure:
            return _failed(failure.message, failure.code or failure.error_type.value)

    return answer


def _of_fetch(message: Mapping[str, Any]) -> dict[str, Any]:
    given = {"url": message.get("url") or "", "method": message.get("method") or "GET", "format": "base64"}
    return given if message.get("body") is None else given | {"postData": message["body"]}


def _fetched(message: Mapping[str, Any], result: ToolResult) -> Mapping[str, Any]:
    data = result.data if isinstance(result.data, dict) else {}
    if result.success:
        page = {"url": data["url"], "status": HTTPStatus.OK, "contentType": data["contentType"]}
        return {"success": True, "result": page | {"body": data["content"]}}
    if data.get("code") == "status":  # an answer all the same, as fetch has it
        page = {"url": message["url"], "status": data["status"], "contentType": "", "body": ""}
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
