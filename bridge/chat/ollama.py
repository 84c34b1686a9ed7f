"""Ollama's API, as its documentation describes it: models and what they can do, a reply as it comes, and vectors.

https://docs.ollama.com/api. A reply is a stream of JSON objects, one a line (NDJSON). A failure in its middle is a line
`{"error": …}` under status 200.
"""

import asyncio
import contextlib
import math
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bridge.chat.endpoints import AgreedEndpoints
from bridge.contract.chat import ChatModel, ChatToolCall
from bridge.contract.keys import Provider
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, NetworkFailure, ToolFailure
from bridge.json_values import load
from bridge.keys.store import KeyStore, key_server, origin
from bridge.settings.model import Settings
from bridge.web.door import StreamLimits, WebDoor, WebRequest
from bridge.web.guard import Service

if TYPE_CHECKING:
    from bridge.web.transport import StreamedAnswer


NAME: Final = "Ollama"
LONGEST_LINE: Final = 4 << 20
"""Bytes of one line of a reply."""
MOST_VALUES: Final = 200_000
"""JSON values in one answer or line, nested ones included; vectors aside."""
LONGEST_REPLY: Final = 2_000_000
"""Characters of a reply and of what was thought for it; the largest contexts have room for fewer."""
REPLY: Final = StreamLimits(most=64 << 20, silence=600, seconds=4 * 3600)
"""A reply's limits. A model that is loaded from a slow disk and then reads a long text says nothing for minutes."""
QUESTION: Final = StreamLimits(most=16 << 20, silence=30, seconds=60)
"""Those of an answer about models."""
EMBEDDINGS: Final = 64 << 20
"""Bytes of an answer with vectors."""
MOST_NUMBERS: Final = 16_384
"""Numbers of one vector; the models that there are have up to 4,096."""
LATEST: Final = ":latest"
"""The tag of a model whose name has none."""
CLOUD: Final = "https://ollama.com"
"""The place where Ollama runs models whose tag is or ends in `cloud`; some versions say so in the tag alone."""
LONGEST_ID: Final = 200
"""Characters of a call's id."""
_MOST_SAID: Final = 300
"""Characters of a server's own words that are passed on."""
_SHORT_DIGEST: Final = 12
_MEMORY: Final = ("memory", "vram")
_BROKEN_OFF: Final = "The connection to Ollama was lost in the middle of the answer. What has come is kept; ask again"


class ModelFailure(NetworkFailure):
    """The model gave no answer, or none that is complete.

    Codes: `no_server`, `no_model`, `no_tools`, `no_ollama`, `refused`, `lost`, `silence`, `format`, `server`.

    Args:
        message: An explanation, and what to do.
        code: The same for programs.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code=code)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The server's facts about a model.

    Attributes:
        calls_tools: Whether it knows functions; None where the server does not say.
        context: Tokens that it can take in at most; None where the server does not say.
    """

    calls_tools: bool | None
    context: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A piece of a reply.

    Attributes:
        text: The model's words.
        thinking: The model's thoughts.
        calls: The calls that it asks for. They come whole.
        is_last: Whether nothing follows.
        is_cut: Of the last piece, whether the reply ends because there was no more room for it.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[ChatToolCall, ...] = ()
    is_last: bool = False
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a model.

    Attributes:
        model: Its name.
        messages: The messages, in the form of the API.
        context: Tokens of its context (`num_ctx`).
        most: Tokens that its reply may have (`num_predict`).
        tools: The functions that it may call, in the form of the API.
    """

    model: str
    messages: Sequence[dict[str, Any]]
    context: int
    most: int
    tools: Sequence[dict[str, Any]] = field(default_factory=tuple)


class OllamaServer:
    """The server that the person has set.

    Args:
        door: Makes the requests.
        keys: Has the key, where the address is the one that the key was set for.
        agreed: The addresses that may be talked to. It is asked before every request, as the address is a setting and
            can become another one in the middle of a turn.
    """

    def __init__(self, door: WebDoor, keys: KeyStore, agreed: AgreedEndpoints) -> None:
        self._door = door
        self._keys = keys
        self._agreed = agreed

    async def models(self, settings: Settings) -> tuple[ChatModel, ...]:
        """Return the models that the server has, in its order: the newest first.

        Raises:
            ModelFailure: It does not say.
        """
        return tuple(
            ChatModel(name=one["name"], size=one["size"] if isinstance(one.get("size"), int) else 0)
            for one in await self._listed(settings)
        )

    async def about(self, model: str, settings: Settings) -> ModelFacts:
        """Return what a model can do.

        Raises:
            ModelFailure: The server does not say, does not have it, or has it run by somebody else.
        """
        answer = await self._ask(settings, await self._post(settings, "/api/show", {"model": model}), model)
        _check_runs_there(model, answer, settings)
        capabilities, info = answer.get("capabilities"), answer.get("model_info")
        lengths = [
            value
            for key, value in (info.items() if isinstance(info, dict) else ())
            if key.endswith(".context_length") and isinstance(value, int) and value > 0
        ]
        calls_tools = "tools" in capabilities if isinstance(capabilities, list) else None
        return ModelFacts(calls_tools, min(lengths, default=None))

    async def reply(self, request: ModelRequest, settings: Settings) -> AsyncGenerator[Reply, None]:
        """Yield a model's reply, piece by piece as it comes. Closing this closes the connection: the model stops.

        Args:
            request: The request.
            settings: Say where.

        Raises:
            ModelFailure: There is no reply, it breaks off, or somebody else would give it.
        """
        await self.about(request.model, settings)  # the server, and what it does with the model, may be others by now
        options = {"num_ctx": request.context, "num_predict": request.most}
        asked = {"model": request.model, "messages": list(request.messages), "stream": True, "options": options}
        if request.tools:
            asked["tools"] = list(request.tools)
        post = await self._post(settings, "/api/chat", asked)
        async with self._open(settings, post, REPLY, request.model) as answer:
            calls = length = 0
            async for line in _lines(answer):
                piece = _piece(line, calls, settings)
                calls += len(piece.calls)
                length += len(piece.text) + len(piece.thinking)
                if length > LONGEST_REPLY:
                    raise ModelFailure("The answer has become too long to go on. What has come is kept", "format")
                yield piece
                if piece.is_last:
                    return
            raise ModelFailure(_BROKEN_OFF, "lost")

    async def embed(self, model: str, texts: Sequence[str], settings: Settings, seconds: float) -> list[list[float]]:
        """Return the vectors of some texts, in their order; all have equally many numbers, and none is infinite.

        Args:
            model: A model for embedding.
            texts: What is longer than the model can take in is cut by the server.
            settings: Say where.
            seconds: The most time it may take.

        Raises:
            ModelFailure: There are none, or not those.
            PermissionDenied: Nobody has agreed to the address.
        """
        shown = [text.encode("utf-8", "replace").decode() for text in texts]
        post = await self._post(settings, "/api/embed", {"model": model, "input": shown, "truncate": True})
        body = await self._body(settings, post, model, StreamLimits(most=EMBEDDINGS, silence=seconds, seconds=seconds))
        return await asyncio.to_thread(_vectors, body, len(texts))

    async def version(self, model: str, settings: Settings) -> str:
        """Return the version of a model on the server, as a short digest; empty where the server does not say.

        Raises:
            ModelFailure: It does not have it, or has it run by somebody else.
            PermissionDenied: Nobody has agreed to the address.
        """
        named = {one["name"].lower(): one for one in await self._listed(settings)}
        found = named.get(model.lower()) or named.get(model.lower() + LATEST)
        if found is None:
            raise _no_model(model)
        _check_runs_there(model, found, settings)
        digest = found.get("digest")
        return digest.removeprefix("sha256:")[:_SHORT_DIGEST] if isinstance(digest, str) else ""

    async def _listed(self, settings: Settings) -> list[dict[str, Any]]:
        """Return what the server says of each of its models that has a name."""
        headers = await asyncio.to_thread(self._key, settings)
        answer = await self._ask(settings, WebRequest(_service(settings).url("/api/tags"), headers=headers))
        listed = answer.get("models")
        if not isinstance(listed, list):
            raise _no_ollama(settings)
        return [one for one in listed if isinstance(one, dict) and isinstance(one.get("name"), str) and one["name"]]

    async def _post(self, settings: Settings, path: str, value: dict[str, Any]) -> WebRequest:
        headers = await asyncio.to_thread(self._key, settings)
        return WebRequest.json(_service(settings).url(path), value, headers)

    async def _ask(self, settings: Settings, request: WebRequest, model: str = "") -> dict[str, Any]:
        body = await self._body(settings, request, model, QUESTION)
        try:
            read = load(body, MOST_VALUES)
        except ValueError:
            raise _no_ollama(settings) from None
        if not isinstance(read, dict):
            raise _no_ollama(settings)
        return read

    async def _body(self, settings: Settings, request: WebRequest, model: str, limits: StreamLimits) -> bytes:
        async with self._open(settings, request, limits, model) as answer:
            return b"".join([piece async for piece in answer.pieces()])

    @contextlib.asynccontextmanager
    async def _open(
        self, settings: Settings, request: WebRequest, limits: StreamLimits, model: str
    ) -> AsyncIterator["StreamedAnswer"]:
        """Yield an answer of success; every failure becomes a sentence that says what to do."""
        if not self._agreed.allows(settings):
            raise self._agreed.refusal(settings)
        try:
            async with self._door.stream(request, service=_service(settings), limits=limits) as answer:
                if answer.status != HTTPStatus.OK:
                    raise _refused(answer.status, await _said(answer), model, settings)
                yield answer
        except ModelFailure:
            raise
        except DeadlineExceeded as failure:
            said = "Ollama has said nothing for too long. A smaller model, or a shorter context, may answer sooner"
            raise ModelFailure(said, "silence") from failure
        except NetworkFailure as failure:
            raise _lost(failure, settings) from failure

    def _key(self, settings: Settings) -> dict[str, str]:
        """Return the header with the API key, where one is set for exactly this server."""
        own = key_server(Provider.OLLAMA, ollama=settings.ollama_web_search_endpoint)
        if not self._keys.has(Provider.OLLAMA) or origin(settings.chat_endpoint) != own:
            return {}
        return {"Authorization": f"Bearer {self._keys.get(Provider.OLLAMA, own)}"}


def _service(settings: Settings) -> Service:
    try:
        return Service.of(NAME, settings.chat_endpoint)
    except InvalidParameters as error:
        raise ModelFailure(error.message, "no_server") from None


async def _lines(answer: "StreamedAnswer") -> AsyncIterator[bytes]:
    """Yield the lines of a stream, each as soon as its end has come; the last one may have none."""
    rest: list[bytes] = []
    size = 0
    async for piece in answer.pieces():
        first, *others = piece.split(b"\n")
        rest.append(first)
        size += len(first)
        if others:
            for line in filter(None, map(bytes.strip, (b"".join(rest), *others[:-1]))):
                yield line
            rest, size = [others[-1]], len(others[-1])
        if size > LONGEST_LINE:
            raise ModelFailure("Ollama sent a line that is too long to be a piece of an answer", "format")
    if line := b"".join(rest).strip():
        yield line


def _piece(line: bytes, calls: int, settings: Settings) -> Reply:
    """Return one line as a piece of a reply."""
    try:
        read = load(line, MOST_VALUES)
    except ValueError:
        raise ModelFailure("Ollama sent a line that is no JSON, so the answer ends here. Ask again", "format") from None
    if not isinstance(read, dict):
        raise _no_ollama(settings)
    if read.get("error"):
        raise _failed(str(read["error"]))
    message = read.get("message")
    message = message if isinstance(message, dict) else {}
    asked = message.get("tool_calls")
    found = [_tool_call(call, calls + at) for at, call in enumerate(asked if isinstance(asked, list) else [])]
    return Reply(
        text=_text(message.get("content")),
        thinking=_text(message.get("thinking")),
        calls=tuple(found),
        is_last=read.get("done") is True,
        is_cut=read.get("done_reason") == "length",
    )


def _tool_call(call: Any, at: int) -> ChatToolCall:
    """Return a call as the model asked for it; with a fault where it cannot be read."""
    function = call.get("function") if isinstance(call, dict) else None
    function = function if isinstance(function, dict) else {}
    given = call.get("id") if isinstance(call, dict) else None
    call_id = given if isinstance(given, str) and 0 < len(given) <= LONGEST_ID else f"call_{at + 1}"
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(arguments, str):  # some servers pass on the model's text
        with contextlib.suppress(ValueError):
            arguments = load(arguments.encode("utf-8", "surrogatepass"), MOST_VALUES)
    if not isinstance(name, str) or not name:
        return ChatToolCall(call_id=call_id, tool="", fault="The call names no tool")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return ChatToolCall(call_id=call_id, tool=name, fault="The arguments are no JSON object. Write the call again")
    return ChatToolCall(call_id=call_id, tool=name, arguments=arguments)


def _text(value: Any) -> str:
    """Return a member that is a text, without what no text can have."""
    return value.encode("utf-8", "ignore").decode() if isinstance(value, str) else ""


async def _said(answer: "StreamedAnswer") -> str:
    """Return the server's message about a failure; empty where it says nothing that can be shown."""
    body = bytearray()
    async for piece in answer.pieces():
        body += piece
        if len(body) > LONGEST_LINE:
            break
    try:
        read = load(bytes(body), MOST_VALUES)
    except ValueError:
        return ""
    return str(read.get("error") or "") if isinstance(read, dict) else ""


def _shown(said: str) -> str:
    """Return a server's own words, in one line that can be shown."""
    line = " ".join("".join(char if char.isprintable() else " " for char in said[: 4 * _MOST_SAID]).split())
    return line if len(line) <= _MOST_SAID else line[:_MOST_SAID] + "…"


def _refused(status: int, said: str, model: str, settings: Settings) -> ToolFailure:
    """Translate a status other than success."""
    low = said.lower()
    if status == HTTPStatus.NOT_FOUND and model and "not found" in low:
        return _no_model(model)
    if status == HTTPStatus.BAD_REQUEST and "does not support tools" in low:
        return ModelFailure(f"The model {model!r} knows no functions", "no_tools")
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return ModelFailure(
            f"Ollama at {origin(settings.chat_endpoint)} refuses the request ({status}). If it wants a key, it has to "
            "be the address for which the key is set: `vault-bridge keys set ollama`",
            "refused",
        )
    if not said:
        return _no_ollama(settings)
    return _failed(said)


def _no_model(model: str) -> ModelFailure:
    return ModelFailure(
        f"The model {model!r} is not there. Pull it with `ollama pull {model}`, or choose another one; "
        "`vault-bridge chat --models` lists those that are there",
        "no_model",
    )


def _check_runs_there(model: str, told: dict[str, Any], settings: Settings) -> None:
    """Refuse a model that the server passes on to another one, to which nobody has agreed.

    Args:
        model: Its name.
        told: What the server says of it.
        settings: Say which server it is.
    """
    host, tag = told.get("remote_host"), model.lower().rpartition(":")[2] if ":" in model else ""
    if not host and (told.get("remote_model") or tag == "cloud" or tag.endswith("-cloud")):
        host = CLOUD
    with contextlib.suppress(ValueError):  # what is no address is another one
        host = host and origin(str(host))
    if host and host != origin(settings.chat_endpoint):
        raise ModelFailure(
            f"The model {model!r} does not run on this server: Ollama would pass on to {_shown(str(host))} what it is "
            "sent. Choose a model that is pulled, or set the other server's address as `chatEndpoint`: you are asked "
            "about that first",
            "refused",
        )


def _vectors(body: bytes, count: int) -> list[list[float]]:
    """Return so many vectors that can be compared."""
    try:
        read = load(body, (count + 1) * (MOST_NUMBERS + 1))
    except ValueError:
        read = None
    rows = read.get("embeddings") if isinstance(read, dict) else None
    if not isinstance(rows, list) or len(rows) != count:
        raise ModelFailure("Ollama did not answer with as many vectors as it was asked for", "format")
    lengths = {len(row) if isinstance(row, list) else 0 for row in rows}
    if len(lengths) > 1 or not all(0 < length <= MOST_NUMBERS for length in lengths):
        raise ModelFailure("Ollama answered with vectors of different or impossible lengths", "format")
    if not all(type(number) in {int, float} and math.isfinite(number) for row in rows for number in row):
        raise ModelFailure("Ollama answered with vectors that hold something else than numbers", "format")
    return rows


def _failed(said: str) -> ModelFailure:
    """Translate a failure that the server itself reports."""
    advice = "Ask again; if it stays so, look at Ollama's own log"
    if any(word in said.lower() for word in _MEMORY):
        advice = "Choose a smaller model, or set a lower `chatContextLength`"
    return ModelFailure(f"Ollama could not answer. It says: “{_shown(said)}”. {advice}", "server")


def _no_ollama(settings: Settings) -> ModelFailure:
    return ModelFailure(
        f"What answers at {origin(settings.chat_endpoint)} is not Ollama. Set its address: "
        "`vault-bridge settings set chatEndpoint=http://localhost:11434`",
        "no_ollama",
    )


def _lost(failure: NetworkFailure, settings: Settings) -> ModelFailure:
    """Return a failure of the connection."""
    place = origin(settings.chat_endpoint)
    if failure.code in {"connect", "dns"}:
        return ModelFailure(
            f"No Ollama server answers at {place}. Start it (`ollama serve`, or the Ollama app), or set its address: "
            "`vault-bridge settings set chatEndpoint=http://localhost:11434`",
            "no_server",
        )
    if failure.code == "protocol":
        return ModelFailure(_BROKEN_OFF, "lost")
    return ModelFailure(f"Ollama at {place} gave no answer that can be used. {failure.message}", "format")


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
                raise ExecutionFailed("The bridge is stopping, so it asks no model any more")
            future = asyncio.run_coroutine_threadsafe(asking, self._loop)
            self._asked.add(future)
        try:
            return future.result(seconds + _SPARE)
        except (CancelledError, TimeoutError):
            future.cancel()
            raise ExecutionFailed("The model did not answer in time, or the bridge is stopping") from None
        finally:
            with self._lock:
                self._asked.discard(future)
