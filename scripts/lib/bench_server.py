"""A bridge in a process of its own, as the bench wants it: with a canned tool, and a ticker that watches the loop.

`python -m scripts.lib.bench_server VAULT HITS [re2]` serves the vault and prints `ready`; with `re2`, greps without
any faster engine. Then each line on its standard
input is answered by one line: the longest time, in seconds, that the event loop was held since the last one.
Reads are allowed and limits are as high as settings go, so that nothing but the work is measured.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import orjson

from bridge.app import Bridge, tune_process
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.identity.caller import PERSON
from bridge.index.texts import patterns
from bridge.memory import bound_heaps, give_memory_back
from bridge.settings.model import MAX_RATE
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.registry import StaticProvider
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, ToolSpec
from scripts.lib.bench_ticker import Ticker


class HowMany(Params):
    """The number of hits."""

    count: int


class CannedHits(ReadTool[HowMany]):
    """Answers with the same hits every time: what is left is what the stack costs."""

    spec = ToolSpec(
        name="bench_hits",
        title="Canned Hits",
        description="The same hits every time.",
        parameters=ModelParameters(HowMany),
        operation=Operation.READ,
        risk=RiskLevel.SAFE,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.ALWAYS_ALLOW,
        covers=Covers.TOOL,
        default_rate=MAX_RATE,
    )

    def __init__(self, hits: Any) -> None:
        self._hits = hits

    async def prepare(self, params: HowMany, context: CallContext) -> ReadEffect:  # noqa: ARG002 - the shape of a tool
        """Nothing is looked at."""
        return ReadEffect((), "Canned hits")

    async def run(self, params: HowMany, context: CallContext) -> Output:  # noqa: ARG002 - the shape of a tool
        """The first of the hits."""
        return Output(self._hits[: params.count], "")


async def _serve(vault: Path, hits: Any, *, by_meaning: bool) -> None:
    bound_heaps()
    async with Bridge(vault) as bridge:
        registry = bridge.services.registry
        await registry.add(StaticProvider(id="bench", tools=[CannedHits(hits)]))
        tools = [tool.spec for tool in registry.tools(PERSON) if tool.spec.listed]
        reading = [tool.name for tool in tools if tool.operation is Operation.READ]
        bridge.settings.update(
            {
                "enabledTools": ["*"],
                "globalRateLimit": MAX_RATE,
                "rateLimits": {tool.name: MAX_RATE for tool in tools},
                "consentMode": dict.fromkeys(reading, ConsentMode.ALWAYS_ALLOW.value),
                "grepMaxMatches": 10_000,
                "enableAuditLog": True,
                # Embedding would be measured with what it runs beside.
                "semanticSearch": "on" if by_meaning else "off",
            }
        )
        tune_process()
        giving = asyncio.create_task(give_memory_back())
        await Ticker().answer()
        giving.cancel()


if __name__ == "__main__":
    if "re2" in sys.argv[3:]:
        patterns.hyperscan = None
    payload = orjson.loads(Path(sys.argv[2]).read_bytes())
    asyncio.run(_serve(Path(sys.argv[1]), payload, by_meaning="by_meaning" in sys.argv[3:]))
