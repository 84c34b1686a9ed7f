"""index.compare: Obsidian's own index beside the bridge's, for the user to see where they differ."""

import asyncio
from typing import Annotated, Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.index_comparison import MOST_FILES, ObsidianFacts
from bridge.rpc.method import HOST_ONLY, Method, RequestContext


class CompareParams(Params):
    """What Obsidian says of some notes; which of them are not saved; and, once, the paths of all notes it knows."""

    files: Annotated[dict[str, ObsidianFacts], Field(max_length=MOST_FILES)]
    unsaved: list[str] = Field(default_factory=list)
    notes: list[str] | None = None


async def compare(exchange: RequestContext, params: CompareParams) -> dict[str, Any]:
    """Where the two indexes do not say the same."""
    found = await asyncio.to_thread(
        exchange.services.compare, params.files, unsaved=frozenset(params.unsaved), known=params.notes
    )
    return found.to_wire()


METHODS = (Method("index.compare", compare, CompareParams, roles=HOST_ONLY),)
