"""audit.*: what was done and decided. For hosts only."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.rpc.method import HOST_ONLY, Exchange, Method

Text = Annotated[str, Field(max_length=1000)]


class QueryParams(Params):
    """What to look for. `since` and `until` are ISO 8601 times."""

    tool: Text | None = None
    client: Text | None = None
    kind: Text | None = None
    text: Text | None = None
    since: Text | None = None
    until: Text | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    before: Text | None = None


async def query(exchange: Exchange, params: QueryParams) -> list[Mapping[str, Any]]:
    """The records that fit, newest first."""
    return list(await asyncio.to_thread(exchange.services.audit.query, **dict(params)))


METHODS = (Method("audit.query", query, QueryParams, HOST_ONLY),)
