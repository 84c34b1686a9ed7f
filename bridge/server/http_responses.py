"""HTTP answers that are not JSON-RPC: errors as JSON, and the few CORS headers that an allowed page needs."""

import orjson
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bridge.server.auth import Authenticator


def json_answer(value: object, status: int = 200) -> web.Response:
    """A JSON body."""
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")


def guard(authenticator: Authenticator) -> Middleware:
    """The middleware in front of every route: the check of origins, preflights, and errors as JSON."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            authenticator.check_origin(request.headers)
            answer = _preflight(request) or await handler(request)
        except web.HTTPException as error:
            answer = _refusal(error)
        origins = request.headers.getall("Origin", [])
        if not answer.prepared and len(origins) == 1 and authenticator.allows(origin := origins[0]):
            answer.headers["Access-Control-Allow-Origin"] = origin
            answer.headers["Vary"] = "Origin"
        return answer

    return guarded


def _preflight(request: web.Request) -> web.Response | None:
    """The answer to a browser that asks whether a page may post, whose origin has been checked."""
    asked = request.method == "OPTIONS" and "Origin" in request.headers
    if not asked or "Access-Control-Request-Method" not in request.headers:
        return None
    allowed = {
        "Access-Control-Allow-Methods": "GET, POST",
        "Access-Control-Allow-Headers": "Authorization, Content-Type",
        "Access-Control-Max-Age": "600",
    }
    if request.headers.get("Access-Control-Request-Private-Network") == "true":
        allowed["Access-Control-Allow-Private-Network"] = "true"
    return web.Response(status=204, headers=allowed)


def _refusal(error: web.HTTPException) -> web.Response:
    answer = json_answer({"error": error.reason, "hint": error.text}, error.status)
    for name in ("WWW-Authenticate", "Sec-WebSocket-Version", "Connection"):
        if name in error.headers:
            answer.headers[name] = error.headers[name]
    return answer
