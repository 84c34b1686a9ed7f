"""A server for what the conformance suite asks of a server that a vault has no use for.

It stands in the place of the vault's own, behind the same door: the route, the token, the sessions and the adapter of
the bridge are the product's, and so is whatever of the server this does not replace.
"""

import json
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp.shared.message import ServerMessageMetadata

from bridge.mcp.port import BridgePort
from bridge.mcp.server import VaultServer
from tests.mcp.clients.fixture_tools import PIXEL

Context = ServerRequestContext[Any, Any]
Tool = Callable[[Context, Any], Awaitable[dict[str, Any]]]

AUDIO = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
MISSING_CAPABILITY = -32021
EMBEDDED = {
    "uri": "test://embedded-resource",
    "mimeType": "text/plain",
    "text": "This is an embedded resource content.",
}
MIXED = {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": '{"test":"data","value":123}'}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def result(*content: dict[str, Any]) -> dict[str, Any]:
    return {"content": list(content)}


def asking(message: str, **properties: Any) -> dict[str, Any]:
    """An elicitation as an input that is required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(message: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": text(message)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}}


ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}
NAME = asking("What is your name?", name={"type": "string"})
CAPABILITIES = {"elicitation": ("ask", NAME), "sampling": ("sample", sampling("Hello?")), "roots": ("list", ROOTS)}
"""What each input needs that the client has declared."""
STATES = {
    "test_input_required_result_request_state": [{"confirm": asking("Please confirm", ok={"type": "boolean"})}],
    "test_input_required_result_tampered_state": [{"confirm": asking("Please confirm", ok={"type": "boolean"})}],
    "test_input_required_result_elicitation": [{"user_name": NAME}],
    "test_streaming_elicitation": [{"user_name": NAME}],
    "test_input_required_result_sampling": [{"capital_question": sampling("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": NAME, "greeting": sampling("Generate a greeting"), "client_roots": ROOTS}
    ],
    "test_input_required_result_multi_round": [
        {"step1": asking("Step 1: What is your name?", name={"type": "string"})},
        {"step2": asking("Step 2: What is your favorite color?", color={"type": "string"})},
    ],
    "test_input_required_result_prompt": [
        {"user_context": asking("What context should the prompt use?", context={"type": "string"})}
    ],
}
"""The inputs that each asks for, round by round."""


class FixtureServer(VaultServer):
    """Answers what the suite calls by name, over the bridge's own door.

    Args:
        bridge: As of the product's.
        version: As of the product's.
    """

    def __init__(self, bridge: BridgePort, version: str, **more: Any) -> None:
        super().__init__(bridge, version, **more)
        self._tools: dict[str, Tool] = {
            "test_audio_content": _audio,
            "test_embedded_resource": _embedded,
            "test_multiple_content_types": _mixed,
            "test_tool_with_logging": _log,
            "test_logging_tool": _log,
            "test_sampling": _sample,
            "test_elicitation": _elicit,
            "test_elicitation_sep1034_defaults": _elicit_defaults,
            "test_elicitation_sep1330_enums": _elicit_enums,
            "test_input_required_result_capabilities": _as_declared,
            "test_missing_capability": _needs_sampling,
            **{name: _rounds for name in STATES if not name.endswith("_prompt")},
        }
        handlers: tuple[tuple[str, type[Any], Any], ...] = (
            ("tools/list", types.PaginatedRequestParams, self._fixture_tools),
            ("tools/call", types.CallToolRequestParams, self._call_fixture),
            ("prompts/list", types.PaginatedRequestParams, self._fixture_prompts),
            ("prompts/get", types.GetPromptRequestParams, self._fixture_prompt),
            ("resources/list", types.PaginatedRequestParams, self._fixture_resources),
            ("resources/read", types.ReadResourceRequestParams, self._read_fixture),
        )
        for method, params, handler in handlers:
            self.add_request_handler(method, params, self._served(handler))
        self.add_request_handler("resources/subscribe", types.SubscribeRequestParams, _nothing)
        self.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, _nothing)
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _nothing)

    def get_capabilities(self, *args: Any, **more: Any) -> types.ServerCapabilities:
        """Those of the product, and what the fixtures have besides."""
        resources = types.ResourcesCapability(subscribe=True, list_changed=False)
        told = {"resources": resources, "logging": types.LoggingCapability()}
        return super().get_capabilities(*args, **more).model_copy(update=told)

    async def _fixture_tools(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        schema = {"type": "object", "properties": {}}
        return {"tools": [{"name": name, "description": name, "inputSchema": schema} for name in self._tools]}

    async def _call_fixture(self, ctx: Context, params: Any) -> dict[str, Any]:
        if params.name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return await self._tools[params.name](ctx, params)

    async def _fixture_prompts(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        uri = {"name": "resourceUri", "description": "What to embed", "required": True}
        prompts: list[dict[str, Any]] = [
            {"name": "test_prompt_with_embedded_resource", "arguments": [uri]},
            {"name": "test_prompt_with_image"},
            {"name": "test_input_required_result_prompt"},
        ]
        return {"prompts": prompts}

    async def _fixture_prompt(self, ctx: Context, params: Any) -> dict[str, Any]:
        if params.name == "test_input_required_result_prompt":
            interim = await _rounds(ctx, params)
            return interim if "content" not in interim else _messages(text("Go on."))
        if params.name == "test_prompt_with_image":
            picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
            return _messages(picture, text("Please analyze the image above."))
        uri = (params.arguments or {}).get("resourceUri", "test://embedded-resource")
        resource = {"uri": uri, "mimeType": "text/plain", "text": "Embedded resource content for testing."}
        embedded = {"type": "resource", "resource": resource}
        return _messages(embedded, text("Please process the embedded resource above."))

    async def _fixture_resources(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        uris = ("test://static-text", "test://static-binary", "test://watched-resource")
        return {"resources": [{"uri": uri, "name": uri} for uri in uris]}

    async def _read_fixture(self, _ctx: Context, params: Any) -> dict[str, Any]:
        uri = params.uri
        known: dict[str, dict[str, str]] = {
            "test://static-text": {
                "mimeType": "text/plain",
                "text": "This is the content of the static text resource.",
            },
            "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
        }
        if uri.startswith("test://template/"):
            number = uri.split("/")[3]
            data = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
            return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(data)}]}
        if uri not in known:
            raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
        return {"contents": [{"uri": uri, **known[uri]}]}


async def _nothing(_ctx: Context, _params: Any) -> dict[str, Any]:
    return {}


def _messages(*content: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": part} for part in content]}


async def _audio(_ctx: Context, _params: Any) -> dict[str, Any]:
    return result({"type": "audio", "data": AUDIO, "mimeType": "audio/wav"})


async def _embedded(_ctx: Context, _params: Any) -> dict[str, Any]:
    return result({"type": "resource", "resource": EMBEDDED})


async def _mixed(_ctx: Context, _params: Any) -> dict[str, Any]:
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    return result(text("Multiple content types test:"), picture, {"type": "resource", "resource": MIXED})


async def _log(ctx: Context, _params: Any) -> dict[str, Any]:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        with warnings.catch_warnings():  # it is deprecated, and part of the suite
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            sending = ctx.session.send_log_message("info", said, related_request_id=ctx.request_id)
        await sending
    return result(text("Logged."))


async def _sample(ctx: Context, params: Any) -> dict[str, Any]:
    wanted = sampling(params.arguments["prompt"])["params"]
    request = types.CreateMessageRequest(params=types.CreateMessageRequestParams.model_validate(wanted))
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    said = await ctx.session.send_request(request, types.CreateMessageResult, metadata=related)
    return result(text(f"LLM response: {said.content.model_dump().get('text')}"))


async def _ask_user(ctx: Context, message: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    said = await ctx.session.elicit_form(message, schema, ctx.request_id)
    return result(text(f"Elicitation completed: action={said.action}, content={json.dumps(said.content)}"))


async def _elicit(ctx: Context, params: Any) -> dict[str, Any]:
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    return await _ask_user(ctx, params.arguments["message"], properties, list(properties))


async def _elicit_defaults(ctx: Context, _params: Any) -> dict[str, Any]:
    return await _ask_user(ctx, "Please check", DEFAULTS, [])


async def _elicit_enums(ctx: Context, _params: Any) -> dict[str, Any]:
    return await _ask_user(ctx, "Please choose", ENUMS, [])


async def _rounds(ctx: Context, params: Any) -> dict[str, Any]:
    """Ask for the inputs of each round, and go on when they are there. The state is the number of the round."""
    del ctx
    rounds, state = STATES[params.name], params.request_state
    if state is not None and state not in {f"{params.name} {number}" for number in range(len(rounds))}:
        raise MCPError(types.INVALID_PARAMS, "The requestState is not one that was sent")
    number = 0 if state is None else int(state.rpartition(" ")[2])
    given = params.input_responses or {}
    if set(rounds[number]) <= set(given):
        number += 1
    if number == len(rounds):
        said = [one.model_dump(mode="json") if hasattr(one, "model_dump") else one for one in given.values()]
        return result(text(f"state-ok: {json.dumps(said)}"))
    interim = {"resultType": "input_required", "inputRequests": rounds[number]}
    return interim | {"requestState": f"{params.name} {number}"}


async def _as_declared(ctx: Context, _params: Any) -> dict[str, Any]:
    declared = ctx.session.client_capabilities
    wanted = dict(
        wanted for name, wanted in CAPABILITIES.items() if declared is not None and getattr(declared, name) is not None
    )
    return {"resultType": "input_required", "inputRequests": wanted} if wanted else result(text("Nothing to ask."))


async def _needs_sampling(ctx: Context, _params: Any) -> dict[str, Any]:
    declared = ctx.session.client_capabilities
    if declared is None or declared.sampling is None:
        data: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_CAPABILITY, "The client has not declared sampling", data)
    return result(text("It has."))
