"""audit.*: what was done and decided, and whether the log of it is whole. For hosts only."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from bridge.contract.base import Params
from bridge.rpc.method import HOST_ONLY, Method, RequestContext

Text = Annotated[str, Field(max_length=1000)]


def _number_as_text(value: Any) -> Any:
    """A record's `seq` is a number, a cursor is text: whoever hands the one back as the other is understood."""
    return str(value) if type(value) is int else value


class Filters(Params):
    """Which records. `since` and `until` are ISO 8601 times."""

    tool: Text | None = None
    client: Text | None = None
    kind: Text | None = None
    text: Text | None = None
    since: Text | None = None
    until: Text | None = None


class QueryParams(Filters):
    """A page of them; `before` is the `seq` that the page before ended with."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    before: Annotated[Text, BeforeValidator(_number_as_text)] | None = None


class Form(Params):
    """As what, and into which file."""

    format: Literal["json", "csv"]
    path: Text | None = None


class ExportParams(Filters, Form):
    """Which records, as what, and into which file."""


async def query(exchange: RequestContext, params: QueryParams) -> list[Mapping[str, Any]]:
    """The records that fit, newest first."""
    return list(await asyncio.to_thread(exchange.services.audit.query, **dict(params)))


async def export(exchange: RequestContext, params: ExportParams) -> dict[str, Any]:
    """The records that fit, oldest first: as text, or in a file of `.vault-bridge/exports/`."""
    audit = exchange.services.audit
    filters = {name: value for name, value in dict(params).items() if name not in {"format", "path"}}
    if params.path is None:
        return dict(await asyncio.to_thread(audit.export, params.format, **filters))
    return dict(await asyncio.to_thread(audit.export_to, params.path, params.format, **filters))


async def clear(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """Remove every record."""
    return dict(await asyncio.to_thread(exchange.services.audit.clear, exchange.session.name))


async def verify(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """Whether the log is as it was written."""
    return dict(await asyncio.to_thread(exchange.services.audit.verify))


async def stats(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """Its size and state."""
    return dict(await asyncio.to_thread(exchange.services.audit.stats))


METHODS = (
    Method("audit.query", query, QueryParams, HOST_ONLY),
    Method("audit.export", export, ExportParams, HOST_ONLY),
    Method("audit.clear", clear, roles=HOST_ONLY),
    Method("audit.verify", verify, roles=HOST_ONLY),
    Method("audit.stats", stats, roles=HOST_ONLY),
)
