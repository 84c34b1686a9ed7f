"""settings.*: read and change the vault's settings. For hosts only."""

import asyncio

from bridge.contract.base import Params
from bridge.contract.settings import SettingsResetParams, SettingsSchema, SettingsUpdated, SettingsUpdateParams
from bridge.contract.tools import ToolSummary
from bridge.rpc.dispatch import HOST_ONLY, Method, RequestContext
from bridge.settings.model import Settings, schema


def get(context: RequestContext, _params: Params) -> Settings:
    """The settings in force."""
    return context.services.settings.current


async def update(context: RequestContext, params: SettingsUpdateParams) -> SettingsUpdated:
    """Change settings: all of the patch or nothing."""
    settings, warnings = await asyncio.to_thread(
        context.services.settings.update, params.patch, by=context.session.name
    )
    return SettingsUpdated(settings=settings.to_wire(), warnings=tuple(warnings))


async def reset(context: RequestContext, params: SettingsResetParams) -> SettingsUpdated:
    """Back to the defaults."""
    settings = await asyncio.to_thread(context.services.settings.reset, params.section, by=context.session.name)
    return SettingsUpdated(settings=settings.to_wire())


def describe(context: RequestContext, _params: Params) -> SettingsSchema:
    """The JSON Schema of the settings, and every tool that they can be about: also those that are not enabled."""
    tools = tuple(ToolSummary.of(tool) for tool in context.services.registry.tools() if tool.listed)
    return SettingsSchema(**schema(offered=True), tools=tools)


METHODS = (
    Method("settings.get", get, Settings, roles=HOST_ONLY),
    Method("settings.update", update, SettingsUpdated, SettingsUpdateParams, HOST_ONLY),
    Method("settings.reset", reset, SettingsUpdated, SettingsResetParams, HOST_ONLY),
    Method("settings.schema", describe, SettingsSchema, roles=HOST_ONLY),
)
