"""settings.*: read and change the vault's settings. For hosts only."""

import asyncio
from typing import Any

from bridge.contract.base import Params
from bridge.rpc.method import HOST_ONLY, Method, RequestContext
from bridge.settings.model import Section, schema


class UpdateParams(Params):
    """Merged deeply into what is set, validated as a whole."""

    patch: dict[str, Any]


class ResetParams(Params):
    """One section, or everything."""

    section: Section | None = None


def get(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """The settings in force."""
    return exchange.services.settings.current.to_wire()


async def update(exchange: RequestContext, params: UpdateParams) -> dict[str, Any]:
    """Change settings: all of the patch or nothing."""
    settings, warnings = await asyncio.to_thread(
        exchange.services.settings.update, params.patch, by=exchange.session.name
    )
    return {"settings": settings.to_wire(), "warnings": warnings}


async def reset(exchange: RequestContext, params: ResetParams) -> dict[str, Any]:
    """Back to the defaults."""
    settings = await asyncio.to_thread(exchange.services.settings.reset, params.section, by=exchange.session.name)
    return {"settings": settings.to_wire(), "warnings": []}


def describe(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """The JSON Schema of the settings, and every tool that they can be about: also those that are not enabled."""
    tools = [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "risk": tool.risk,
            "consentClass": tool.consent_class,
        }
        for tool in exchange.services.registry.tools()
        if tool.listed
    ]
    return schema(offered=True) | {"tools": tools}


METHODS = (
    Method("settings.get", get, roles=HOST_ONLY),
    Method("settings.update", update, UpdateParams, HOST_ONLY),
    Method("settings.reset", reset, ResetParams, HOST_ONLY),
    Method("settings.schema", describe, roles=HOST_ONLY),
)
