"""audit.*: what was done and decided. For hosts only."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from bridge.contract.base import Params
from bridge.rpc.method import HOST_ONLY, Exchange, Method

Text = Annotated[str, Field(max_length=1000)]


def _number_as_text(value: Any) -> Any:
    """A record's `seq` is a number, a cursor is text: whoever hands the one back as the other is understood."""
    return str(value) if type(value) is int else value


class QueryParams(Params):
    """What to look for. `since` and `until` are ISO 8601 times; `before` is the `seq` of a record."""

    tool: Text | None = None
    client: Text | None = None
    kind: Text | None = None
    text: Text | None = None
    since: Text | None = None
    until: Text | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    before: Annotated[Text, BeforeValidator(_number_as_text)] | None = None


async def query(exchange: Exchange, params: QueryParams) -> list[Mapping[str, Any]]:
    """The records that fit, newest first."""
    return list(await asyncio.to_thread(exchange.services.audit.query, **dict(params)))


METHODS = (Method("audit.query", query, QueryParams, HOST_ONLY),)
