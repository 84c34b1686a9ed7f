"""What the code of a run may ask of the bridge: calls of tools, pages of the web, and values that it keeps."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from bridge.contract.result import ToolResult
from bridge.custom.kept_values import KeptValues
from bridge.custom.process import Answer
from bridge.errors import ToolFailure

Call = Callable[[str, dict[str, Any]], Awaitable[ToolResult]]
"""Makes a call of the run's caller, as a part of the run; it is asked about and logged like any other."""

_FETCH: Final = "web_fetch"


def answering(tool: str, call: Call, kept: KeptValues) -> Answer:
    """Answers what a run asks.

    Args:
        tool: The tool's name.
        call: Makes its calls.
        kept: What browser tools keep.
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
