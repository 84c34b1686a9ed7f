"""A proxy before `/mcp` that adds the token, for clients that have no way to send one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host", "te", "upgrade"}


@asynccontextmanager
async def token_proxy(bridge: str, token: str) -> AsyncIterator[str]:
    """Serve it until the end of the block.

    Args:
        bridge: The bridge's HTTP address.
        token: A client's.

    Yields:
        The URL to give to the client.
    """
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:

        async def forward(request: web.Request) -> web.StreamResponse:
            headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
            headers["Authorization"] = f"Bearer {token}"
            for name in ("Host", "Origin"):  # what was sent to us goes on as sent to the bridge, and nothing else does
                value = request.headers.get(name)
                if value is not None:
                    headers[name] = value.replace(ours, bridge.removeprefix("http://"))
            headers.pop("Origin", None) if headers.get("Origin") == bridge else None
            body = await request.read()
            async with http.request(request.method, f"{bridge}/mcp", data=body or None, headers=headers) as answer:
                kept = [(name, value) for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP]
                response = web.StreamResponse(status=answer.status, headers=kept)
                await response.prepare(request)
                async for piece in answer.content.iter_any():
                    await response.write(piece)
                await response.write_eof()
                return response

        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/mcp", forward)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ours = "{}:{}".format(*runner.addresses[0][:2])
        try:
            yield f"http://{ours}/mcp"
        finally:
            await runner.cleanup()
