"""The tool `web_fetch`: a page of the web, as what a person would read of it."""

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.contract.tools import ImagePart, McpAnnotations, ResultPart
from bridge.errors import InvalidParameters, NetworkFailure
from bridge.policy.targets import url_target
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, ToolSpec
from bridge.tools.formatting import QUOTING_ROOM, quoted
from bridge.tools.incoming import FetchedPage, taker
from bridge.web.door import WebRequest, WebResponse
from bridge.web.extraction.reader import PageText, decode_text
from bridge.web.services import Cached, WebServices
from bridge.web.url import WebUrl, parse_url

Format = Literal["markdown", "text", "html", "raw", "base64"]
Form = Format | Literal["note"]
"""The format that was asked for; `note` where a tool has asked that makes a note of the page."""
MOST_BODY: Final = 256 * 1024
"""Characters of a POST's body."""
_SHOWN_BODY: Final = 20_000
"""Characters of a body that a question shows; more than that is asked for in vain."""
_SHOWN_TEXT: Final = 1_500
"""Characters of a page that a person is shown before the agent gets it."""
_TITLE_WITHIN = 300
"""Characters of a page in which its title is looked for before it is told besides."""
_SCRIPTED = "The page is written by scripts, which are not run: what is missing here is in no answer of this tool."
_ACCEPTED: Final = "text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.8"
_MARGIN: Final = 30.0
"""Seconds for what comes besides the requests: repetitions, reading the page."""
_TEXTS: Final = ("json", "xml", "javascript", "ecmascript", "yaml", "toml", "csv", "markdown", "x-sh", "sql", "x-tex")
_IMAGES_SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Kinds of pictures that models are shown."""
_LARGEST_IMAGE: Final = 1024 * 1024


class WebFetchParams(Params):
    """The page to fetch, and in which form."""

    url: str = Field(min_length=1, description="https URL of the page")
    method: Literal["GET", "POST"] = Field("GET", description="POST sends postData")
    post_data: str | None = Field(None, max_length=MOST_BODY, description="Body of a POST")
    format: Format = Field(
        "markdown",
        description="Of a web page: markdown or text (its main part), html or raw (all of it). Other text comes as it "
        "is, anything else as base64",
    )
    max_bytes: int | None = Field(None, ge=1, description="Default 500 KB, or the user's setting")
    offset: int = Field(0, ge=0, description="Characters to leave out: an answer's nextOffset")

    @field_validator("method", mode="before")
    @classmethod
    def _upper(cls, value: Any) -> Any:
        return value.upper() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _body_of_a_post(self) -> "WebFetchParams":
        if (self.post_data is not None) != (self.method == "POST"):
            raise ValueError("give postData with the method POST, and with no other")
        return self


class WebFetchTool(ReadTool[WebFetchParams]):
    """The tool that fetches one page.

    Args:
        web: The way to the web.
    """

    spec = ToolSpec(
        name="web_fetch",
        title="Fetch a web page",
        action="fetch/fetched {url|a page}",
        description="Fetch a web page and read its main part. POST sends data and is asked about every time.",
        icon="globe",
        parameters=ModelParameters(WebFetchParams),
        operation=Operation.NETWORK,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.ALWAYS,
        default_rate=20,
        listed_sites=True,
        timeout=660.0 + _MARGIN,
        hints=McpAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True),
    )

    def __init__(self, web: WebServices) -> None:
        self._web = web

    async def prepare(self, params: WebFetchParams, _context: CallContext) -> RequestEffect:
        """Say what will be asked of whom. Whether there is such a host is known only after consent."""
        url = parse_url(params.url)
        passage = self._web.door.passage(url)
        headers = await asyncio.to_thread(self._web.credentials.headers_for, passage.url)
        warnings = []
        if passage.url.written is not None:
            warnings.append(f"The host reads {passage.url.written!r}")
        if passage.url.scheme != url.scheme:
            warnings.append("It is asked for over https instead of http")
        names = ", ".join(headers)
        insists = f"Your own credentials for {passage.url.host} go along ({names})" if headers else ""
        if params.method == "POST" and params.post_data is not None and len(params.post_data) > _SHOWN_BODY:
            raise InvalidParameters(f"A body has at most {_SHOWN_BODY:,} characters, so that a person can look at it")
        exact = f"{params.method} {passage.url}" + (f"\n\n{params.post_data}" if params.post_data else "")
        return RequestEffect(
            (url_target(str(passage.url)),),
            f"Fetch webpage '{passage.url}' ({params.method})?",
            exact,
            warnings=tuple(warnings),
            insists=insists,
            writes=params.method == "POST",
            sends=(params.post_data,) if params.post_data else (),
            address=str(passage.url),
        )

    async def run(self, params: WebFetchParams, context: CallContext) -> Output:
        """Fetch it, or take it from what was fetched a short while ago."""
        began = self._web.clock.monotonic()
        url = self._web.door.passage(parse_url(params.url)).url
        take = taker.get()
        form: Form = "note" if take is not None and params.format == "markdown" else params.format
        key = ("web_fetch", str(url), form)

        def look() -> tuple[Mapping[str, str], Cached | None]:
            headers = self._web.credentials.headers_for(url)
            return headers, self._web.cache.get(*key) if params.method == "GET" and not headers else None

        headers, found = await asyncio.to_thread(look)
        cached = found is not None
        if found is not None:
            content = await self._kept(found, url, context)
        else:
            content = await self._fetched(params, url, headers, context, form)
            if params.method == "GET" and not headers:
                await asyncio.to_thread(self._keep, key, content)
        if take is not None:  # the person is shown it in what is made of it
            whole, taken = content.text, content
            if content.form == "base64":
                whole = ""
                taken = content._replace(text="", data=await asyncio.to_thread(base64.b64decode, content.text))
            take(taken)
            whole = "\n".join([whole, *(address for _shows, address in content.images)])  # its client has read them
            return Output({"url": content.url, "size": content.size}, whole, {"cached": cached})
        if context.settings.review_web_pages:
            await context.review(_review(content))
        milliseconds = round((self._web.clock.monotonic() - began) * 1000)
        return _output(content, params, context, cached=cached, milliseconds=milliseconds)

    async def _kept(self, found: Cached, url: WebUrl, context: CallContext) -> FetchedPage:
        """Return what was fetched before, where this client may be led to the same places."""
        head = dict(found.head)
        origin = url.origin
        for hop in (*head["hops"][1:], head["url"]):
            to = self._web.door.passage(parse_url(hop)).url
            if to.origin != origin:
                await context.authorize(url_target(str(to)), f"Follow a redirect to {to}")
                origin = to.origin
        images = tuple((shows, address) for shows, address in head["images"])
        return FetchedPage(**head | {"hops": tuple(head["hops"]), "images": images}, text=found.content.decode())

    def _keep(self, key: tuple[str, ...], content: FetchedPage) -> None:
        head = {name: value for name, value in content._asdict().items() if name not in {"text", "data"}}
        self._web.cache.put(key, head, content.text.encode("utf-8", "replace"))

    async def _fetched(
        self, params: WebFetchParams, url: WebUrl, headers: Any, context: CallContext, form: Form
    ) -> FetchedPage:
        async def authorize(to: WebUrl, why: str) -> None:
            await context.authorize(url_target(str(to)), f"{why} to {to}")

        await self._web.robots.check(url, context.caller.session_id, asked=context.asked)
        body, sent = params.post_data or "", dict(headers) | {"Accept": _ACCEPTED}
        request = WebRequest(url, params.method, sent, body.encode(), _body_type(body))
        response = await self._web.door.send(request, authorize=authorize)
        if not response.is_success:
            raise _refused(response)
        return await self._content(form, response)

    async def _content(self, wanted: Form, response: WebResponse) -> FetchedPage:
        kind = response.content_type or _sniffed(response.body)
        charset = _charset(response.headers.get("content-type", ""))
        form, body = _form(kind, wanted), response.body
        if form in {"markdown", "text", "note"}:
            page = await asyncio.to_thread(self._web.reader.read, body, str(response.url), charset, form)
        elif form == "base64":
            page = PageText("", await asyncio.to_thread(lambda: base64.b64encode(body).decode("ascii")), 0)
        else:
            text, _encoding = await asyncio.to_thread(decode_text, body, charset, html="html" in kind)
            page = PageText("", text, 0)
        return FetchedPage(
            url=str(response.url),
            kind=kind,
            form=form,
            size=len(body),
            hops=tuple(map(str, response.hops)),
            **asdict(page),
        )


def _review(content: FetchedPage) -> RequestEffect:
    """Return what a person is shown of an answer before the agent gets it."""
    lines = [f"Title: {content.title}"] if content.title else []
    lines += [f"Kind: {content.kind}, {content.size:,} bytes", ""]
    lines.append("(no text)" if content.form == "base64" else content.text[:_SHOWN_TEXT])
    hidden = f"Hidden parts that were left out: {content.removed}"
    return RequestEffect(
        (url_target(content.url),),
        f"Hand on what was fetched from {content.url}",
        "\n".join(lines),
        warnings=(hidden,) if content.removed else (),
        insists="You have set that pages are shown to you before an agent gets them",
    )


def _form(kind: str, wanted: Form) -> str:
    """Return the form that an answer has: what was asked for where it is a web page, else by what it is."""
    if kind.startswith("image/") and kind != "image/svg+xml":
        return "base64"
    if "html" in kind:
        return wanted
    if kind.startswith("text/") or any(part in kind for part in _TEXTS):
        return "base64" if wanted == "base64" else "raw"
    return "base64"


def _output(
    content: FetchedPage, params: WebFetchParams, context: CallContext, *, cached: bool, milliseconds: int
) -> Output:
    settings = context.settings
    most = min(params.max_bytes or settings.web_fetch_max_bytes, settings.web_fetch_max_bytes)
    metadata: dict[str, Any] = {"cached": cached, "fetchTime": milliseconds}
    data: dict[str, Any] = {
        "url": content.url,
        "title": content.title,
        "contentType": content.kind,
        "format": content.form,
        "size": content.size,
    }
    if content.removed:
        data["hiddenRemoved"] = content.removed
    if content.scripted:
        data["scripted"] = True
    if content.form == "base64":
        return _binary(content, data, metadata, most)
    room = max(min(most, settings.max_output_bytes - QUOTING_ROOM), 1)
    part, following = _part(content.text, params.offset, room)
    data["content"] = part
    more = ""
    if following is not None:
        data["nextOffset"] = following
        metadata |= {"truncated": True, "total": len(content.text)}
        more = f"Characters {params.offset + 1} to {following} of {len(content.text)}. Go on with offset {following}."
    elif params.offset:
        metadata["total"] = len(content.text)
    if content.scripted:
        more = f"{_SCRIPTED} {more}".rstrip()
    titled = content.title and not params.offset and content.title not in part[:_TITLE_WITHIN]
    shown = f"Title: {content.title}\n\n{part}" if titled else part
    return Output(data, quoted(shown, content.url, content.removed, more), metadata)


def _binary(content: FetchedPage, data: dict[str, Any], metadata: dict[str, Any], most: int) -> Output:
    if content.size > most:
        raise NetworkFailure(
            f"{content.url} has {content.size:,} bytes of {content.kind or 'data'}, and at most {most:,} are handed "
            "on; setting `webFetchMaxBytes` allows more",
            code="too_large",
        )
    data["content"] = content.text
    text = f"Fetched {content.url} (base64): {content.size:,} bytes of {content.kind or 'data'}, in `data.content`"
    parts: tuple[ResultPart, ...] = ()
    if content.kind in _IMAGES_SHOWN and content.size <= _LARGEST_IMAGE:
        parts = (ImagePart(mime_type=content.kind, data=content.text),)
    return Output(data, text, metadata, parts)


def _part(text: str, offset: int, room: int) -> tuple[str, int | None]:
    """Return so much of a text from a character on, ended at a line if there is one; and where the next part begins."""
    if offset > len(text):
        raise InvalidParameters(f"offset {offset} is beyond the end: the text has {len(text)} characters")
    part = text[offset : offset + room]
    encoded = part.encode("utf-8", "replace")
    if len(encoded) > room:
        part = encoded[:room].decode("utf-8", "ignore")
    if offset + len(part) >= len(text):
        return part, None
    end = part.rfind("\n") + 1
    part = part[:end] if end > len(part) // 2 else part
    return part, offset + max(len(part), 1)


def _refused(response: WebResponse) -> NetworkFailure:
    words = next((f" {each.phrase}" for each in HTTPStatus if each == response.status), "")
    to = response.headers.get("location")
    if to is not None and HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
        return NetworkFailure(
            f"{response.url.host} leads elsewhere, and redirects are not followed (setting `followRedirects`)",
            code="redirect",
        )
    return NetworkFailure(
        f"{response.url.host} answered with {response.status}{words}", code="status", data={"status": response.status}
    )


def _charset(header: str) -> str:
    for part in header.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip()[:40]
    return ""


def _sniffed(body: bytes) -> str:
    """Return the media type of an answer without one: a page, text, or data."""
    if body[:1024].lstrip().lower().startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "text/html"
    return "text/plain" if b"\x00" not in body[:4096] and _is_utf8(body[:4096]) else "application/octet-stream"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start > len(data) - 4
    return True


def _body_type(body: str) -> str:
    text = body.strip()
    if text[:1] in {"{", "["}:
        return "application/json"
    if "=" in text and not any(character.isspace() for character in text):
        return "application/x-www-form-urlencoded"
    return "text/plain; charset=utf-8"
