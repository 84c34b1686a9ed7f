"""What the code of a run may ask: tools, pages and kept values, and nothing but their answers comes back."""

from typing import Any

import pytest

from bridge.contract.tools import ToolResult
from bridge.custom.custom_tools import KeptValues, answering
from bridge.errors import ErrorType, NetworkFailure, PermissionDenied, RateLimited, ToolFailure
from tests.identities import PrivateFiles

PAGE = {"url": "https://a.example/", "contentType": "text/html", "content": "PGI+", "title": "", "size": 3}


async def asked(message: dict[str, Any], result: ToolResult) -> tuple[Any, list[tuple[str, dict[str, Any]]]]:
    """The answer, and the calls that were made for it."""
    calls: list[tuple[str, dict[str, Any]]] = []

    async def call(name: str, arguments: dict[str, Any]) -> ToolResult:
        calls.append((name, arguments))
        return result

    return await answering("one", call, KeptValues(PrivateFiles()))(message), calls


async def test_a_tool_gives_its_data_or_else_its_text() -> None:
    message = {"kind": "tool", "name": "read", "arguments": {"path": "a"}}
    answer, calls = await asked(message, ToolResult(success=True, data={"content": "x"}, text="y"))
    assert (answer, calls) == ({"success": True, "result": {"content": "x"}}, [("read", {"path": "a"})])
    assert (await asked(message, ToolResult(success=True, text="y")))[0] == {"success": True, "result": "y"}


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (PermissionDenied("no", code="denied_by_user"), "denied_by_user"),
        (RateLimited("wait", retry_after=3), "rate_limited"),
    ],
)
async def test_a_failure_comes_back_with_its_code(failure: ToolFailure, code: str) -> None:
    answer, _ = await asked({"kind": "tool", "name": "read", "arguments": {}}, ToolResult.failed(failure))
    assert (answer["success"], answer["code"]) == (False, code)
    assert answer["error"] == failure.message


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ({"url": "https://a.example"}, {"url": "https://a.example", "method": "GET"}),
        (
            {"url": "https://a.example", "method": "POST", "body": "x"},
            {"url": "https://a.example", "method": "POST", "postData": "x"},
        ),
    ],
)
async def test_a_fetch_is_a_call_of_the_web_tool_and_so_asked_about_and_guarded(
    message: dict[str, Any], arguments: dict[str, Any]
) -> None:
    answer, calls = await asked({"kind": "fetch", **message}, ToolResult(success=True, data=PAGE))
    assert calls == [("web_fetch", {**arguments, "format": "base64"})]
    assert answer["result"] == {
        "url": "https://a.example/",
        "status": 200,
        "contentType": "text/html",
        "body": "PGI+",
    }


async def test_a_page_that_answers_with_an_error_is_an_answer_and_one_that_was_denied_is_none() -> None:
    gone = NetworkFailure("a.example answered with 404", code="status", data={"status": 404})
    answer, _ = await asked({"kind": "fetch", "url": "https://a.example"}, ToolResult.failed(gone))
    assert (answer["success"], answer["result"]["status"], answer["result"]["body"]) == (True, 404, "")
    denied = ToolResult.failed(PermissionDenied("no", code="denied_by_user"))
    assert (await asked({"kind": "fetch", "url": "https://a.example"}, denied))[0]["code"] == "denied_by_user"


async def test_values_are_kept_for_the_tool_without_any_call() -> None:
    message = {"kind": "storage", "operation": "set", "key": "a", "value": "1"}
    answer, calls = await asked(message, ToolResult(success=True))
    assert (answer, calls) == ({"success": True, "result": None}, [])
    wrong, _ = await asked({"kind": "storage", "operation": "get"}, ToolResult(success=True))
    assert (wrong["success"], wrong["code"]) == (False, ErrorType.INVALID_PARAMETERS.value)


@pytest.mark.parametrize(
    "message", [{}, {"name": 5, "arguments": {}}, {"name": "read"}, {"name": "read", "arguments": []}]
)
async def test_what_is_no_call_is_refused_without_one(message: dict[str, Any]) -> None:
    answer, calls = await asked(message, ToolResult(success=True))
    assert (answer["success"], answer["code"], calls) == (False, "invalid_parameters", [])


@pytest.mark.parametrize(("key", "value"), [({}, "x"), (["k"], "x"), (5, "x"), ("k", 5), ("k", {"a": 1})])
async def test_a_run_that_keeps_anything_but_texts_is_told_so(key: Any, value: Any) -> None:
    """A run of Node.js can write any message where only its answers go."""
    message = {"kind": "storage", "operation": "set", "key": key, "value": value}
    answer, _ = await asked(message, ToolResult(success=True))
    assert (answer["success"], "text" in answer["error"]) == (False, True)
