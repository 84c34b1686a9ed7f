"""The reference for the RPC section: the least that aiohttp and orjson can do, in a process of its own.

`python -m scripts.lib.bench_bare PAYLOAD` prints its port and serves `/ws`: a text frame is sent back as it is, but
`hits` is answered with the payload, encoded anew each time.
"""

import asyncio
import sys
from pathlib import Path

import orjson
from aiohttp import WSMsgType, web

from scripts.lib.bench_ticker import Ticker

HITS = "hits"


def _application(payload: object) -> web.Application:
    async def echo(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            answer = orjson.dumps(payload).decode() if message.data == HITS else message.data
            await socket.send_str(answer)
        return socket

    application = web.Application()
    application.router.add_get("/ws", echo)
    return application


async def _serve(payload: object) -> None:
    runner = web.AppRunner(_application(payload))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ticking = asyncio.create_task(Ticker().run())  # as in ours: a loop that is never idle wakes sooner
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until our parent lets go
    ticking.cancel()


if __name__ == "__main__":
    asyncio.run(_serve(orjson.loads(Path(sys.argv[1]).read_bytes())))
