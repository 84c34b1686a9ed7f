"""settings.*: read and change the vault's settings. For hosts only."""

import asyncio

from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.tools import SettingsResetParams, SettingsSchema, SettingsUpdated, SettingsUpdateParams
from bridge.rpc.dispatch import Method, RequestContext
from bridge.settings.model import EffectiveSettings, Settings, SettingsInForce, schema
from bridge.toolkit.idle_settings import idle as idle_settings
from bridge.toolkit.schema import setting
from bridge.toolkit.tool import ToolSpec


def get(context: RequestContext, _params: Params) -> SettingsInForce:
    """Return the settings in force.

    Returns all settings, by the names of [settings.md](settings.md). `effective` has `consentMode` and `rateLimits`
    once more with every tool there is, also those for which nothing is set.
    """
    return _in_force(context, context.services.settings.current)


async def update(context: RequestContext, params: SettingsUpdateParams) -> SettingsUpdated:
    """Change settings: all of the patch or nothing.

    Merges `patch` deeply into the settings (lists are replaced), validates them as a whole, and applies all or nothing,
    at once. Returns `{settings, warnings}`, the settings as `settings.get` has them; the warnings are about values of
    the patch that are risky, or have no effect in this version.
    """
    registry, caller = context.services.registry, context.session.caller
    settings, warnings = await asyncio.to_thread(
        context.services.settings.update,
        params.patch,
        by=context.session.name,
        confirms=caller.client.is_person,
    )

    def spec(name: str) -> ToolSpec | None:
        tool = registry.get(name, caller)
        return tool.spec if tool is not None and tool.spec.is_governed else None

    idle = idle_settings(params.patch, spec, lambda name: registry.nearest(name, caller))
    return SettingsUpdated(settings=_in_force(context, settings).to_wire(), warnings=(*warnings, *idle))


async def reset(context: RequestContext, params: SettingsResetParams) -> SettingsUpdated:
    """Reset to the defaults.

    Sets one section, or everything, back to the defaults. Returns `{settings, warnings}`.
    """
    settings = await asyncio.to_thread(context.services.settings.reset, params.section, by=context.session.name)
    return SettingsUpdated(settings=_in_force(context, settings).to_wire())


def describe(context: RequestContext, _params: Params) -> SettingsSchema:
    """Return the JSON Schema of the settings, and every tool that they can be about: also those that are not enabled.

    Returns the JSON Schema of the settings that have an effect in this version, good enough to draw a form from. Each
    setting has `title`, `section`, `description`, `default` and bounds, some have `unit`, `none` (what null means),
    `risk` (what to say before it is switched on) or `readOnly`; `sections` are `{id, title, description}` in order,
    `presets` the named sets for `enabledTools`, as the tools declare them, and `tools` all tools, enabled or not, each
    `{name, title, description, risk, consentClass, group, enabled, mode, modes, rate, defaultRate}`: in which group of
    the form it belongs, and of the modes those that differ for it.
    """
    registry, caller, settings = context.services.registry, context.session.caller, context.services.settings.current
    tools = tuple(setting(tool.spec, settings) for tool in registry.tools(caller) if tool.spec.is_governed)
    return SettingsSchema(**schema(offered=True), presets=registry.presets(caller), tools=tools)


def _in_force(context: RequestContext, settings: Settings) -> SettingsInForce:
    """Return the settings with the mode and the limit of every tool that they can be about."""
    specs = [tool.spec for tool in context.services.registry.tools(context.session.caller) if tool.spec.listed]
    effective = EffectiveSettings(
        consent_mode={spec.name: spec.mode(settings) for spec in specs},
        rate_limits={spec.name: spec.rate(settings) for spec in specs},
    )
    return SettingsInForce(**dict(settings), effective=effective)


METHODS = (
    Method("settings.get", get, SettingsInForce, needs=Capability.ADMINISTER),
    Method("settings.update", update, SettingsUpdated, SettingsUpdateParams, Capability.ADMINISTER),
    Method("settings.reset", reset, SettingsUpdated, SettingsResetParams, Capability.ADMINISTER),
    Method("settings.schema", describe, SettingsSchema, needs=Capability.ADMINISTER),
)
