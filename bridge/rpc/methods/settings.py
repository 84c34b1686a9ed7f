"""settings.*: read and change the vault's settings. For hosts only."""

import asyncio

from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.settings import SettingsResetParams, SettingsSchema, SettingsUpdated, SettingsUpdateParams
from bridge.contract.tools import ToolSummary
from bridge.rpc.dispatch import Method, RequestContext
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
    registry, caller = context.services.registry, context.session.caller
    tools = tuple(ToolSummary.of(tool.spec) for tool in registry.tools(caller) if tool.spec.listed)
    return SettingsSchema(**schema(offered=True), presets=registry.presets(caller), tools=tools)


METHODS = (
    Method("settings.get", get, Settings, needs=Capability.ADMINISTER),
    Method("settings.update", update, SettingsUpdated, SettingsUpdateParams, Capability.ADMINISTER),
    Method("settings.reset", reset, SettingsUpdated, SettingsResetParams, Capability.ADMINISTER),
    Method("settings.schema", describe, SettingsSchema, needs=Capability.ADMINISTER),
)
