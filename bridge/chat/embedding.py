"""Ollama's vectors for whoever asks in a thread: the requests are made in the event loop, as all others."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any, Final, TypeVar

from bridge.chat.ollama import QUESTION, OllamaServer
from bridge.errors import ExecutionFailed
from bridge.settings.model import Settings

_T = TypeVar("_T")

_SPARE: Final = 30.0
"""Seconds beyond a request's own limit after which nothing is waited for any more."""


class OllamaEmbeddings:
    """Vectors from Ollama. Every method blocks, and none may be called in the loop's thread.

    Args:
        server: Is asked.
        settings: Say where it is; asked anew for every request.
        loop: The event loop.
    """

    def __init__(self, server: OllamaServer, settings: Callable[[], Settings], loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._settings = settings
        self._loop = loop
        self._lock = threading.Lock()
        self._asked: set[Future[Any]] = set()
        self._closed = False

    def embed(self, model: str, texts: Sequence[str], seconds: float) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts; see `OllamaServer.embed`, whose failures are raised."""
        return self._wait(self._server.embed(model, texts, self._settings(), seconds), seconds)

    def version(self, model: str) -> str:
        """Return the version of a model; see `OllamaServer.version`, whose failures are raised."""
        return self._wait(self._server.version(model, self._settings()), QUESTION.seconds)

    def close(self) -> None:
        """End what is being asked. Nothing can be asked afterwards."""
        with self._lock:
            self._closed = True
            asked = list(self._asked)
        for future in asked:
            future.cancel()

    def _wait(self, asking: Coroutine[Any, Any, _T], seconds: float) -> _T:
        with self._lock:
            if self._closed or self._loop.is_closed():
                asking.close()
                raise ExecutionFailed("Nothing is embedded any more")
            future = asyncio.run_coroutine_threadsafe(asking, self._loop)
            self._asked.add(future)
        try:
            return future.result(seconds + _SPARE)
        except (CancelledError, TimeoutError):
            future.cancel()
            raise ExecutionFailed("The model was not waited for any longer") from None
        finally:
            with self._lock:
                self._asked.discard(future)
