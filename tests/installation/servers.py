"""The network of an installation's user: pages, a search server, and a model's server, all on this machine."""

import contextlib
from collections.abc import AsyncIterator

from aiohttp import web

from tests.chat.ollama_server import OllamaStandIn, tells

PAGE = """<!DOCTYPE html><html lang="en"><head><title>Growing tomatoes</title></head><body><nav>Home</nav>
<article><h1>Growing tomatoes</h1>
<p>Tomatoes want six hours of sun a day and water at the root, in the morning.</p>
<p>Tie the stem to a stake when it is as long as your arm, and pinch out what grows between.</p>
</article></body></html>"""


async def _page(_request: web.Request) -> web.Response:
    return web.Response(text=PAGE, content_type="text/html")


async def _found(request: web.Request) -> web.Response:
    hit = {"title": f"About {request.query['q']}", "url": "https://example.org/", "content": "All of it.", "score": 1}
    return web.json_response({"results": [hit]})


@contextlib.asynccontextmanager
async def network() -> AsyncIterator[tuple[str, str]]:
    """The addresses of the server that has the page `/page` and searches, and of the model's."""
    app = web.Application()
    app.add_routes([web.get("/page", _page), web.get("/search", _found)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        async with OllamaStandIn(script=lambda _asked: tells("Water them in the morning.")).serve() as model:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}", model.url
    finally:
        await runner.cleanup()
