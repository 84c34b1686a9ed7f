"""settings.*, keys.* and search.services: the vault's settings, and the API keys of services on the network.

For those who administer. No method returns a key.
"""

import asyncio

from bridge.contract import keys as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.tools import SettingsResetParams, SettingsSchema, SettingsUpdated, SettingsUpdateParams
from bridge.rpc.dispatch import Method, RequestContext
from bridge.settings.model import EffectiveSettings, Settings, SettingsInForce, schema
from bridge.toolkit.registry import idle_settings
from bridge.toolkit.schema import setting
from bridge.toolkit.tool import ToolSpec


def get(context: RequestContext, _params: NoParams) -> SettingsInForce:
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
        context.services.settings.update, params.patch, by=context.session.name, confirms=caller.client.is_person
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


def describe(context: RequestContext, _params: NoParams) -> SettingsSchema:
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


async def set_key(context: RequestContext, params: wire.KeySetParams) -> wire.KeyStatus:
    """Keep a key, encrypted, in the place of the one there is.

    Keeps the API key of `ollama`, `brave` or `google`, in the place of the one there is. It has 8 to 4,096 printable
    ASCII characters. It is encrypted and put into the vault's settings; the master key is in the system's keyring, or
    in a file outside the vault ([security.md](security.md#api-keys)). It is bound to the server that it is for: where
    another address is set later, it is not sent there. Returns `{provider, title, server, isSet, keptIn, fault}`:
    `server` is the only server that the key is sent to, `keptIn` says where the master key is (`keyring` or `file`),
    and `fault` why the key does not open here. No method returns a key.
    """
    keys, by = context.services.keys, context.session.name
    status = await asyncio.to_thread(keys.set, params.provider, params.key.get_secret_value(), by)
    await context.note("key", "set", of=status.title)
    return status


async def clear_key(context: RequestContext, params: wire.KeyParams) -> wire.KeyStatus:
    """Forget a key.

    Forgets a key, also one that does not open. The master key goes with the last key that was encrypted with it.
    Returns `{provider, title, server, isSet, keptIn, fault}`.
    """
    status = await asyncio.to_thread(context.services.keys.clear, params.provider, context.session.name)
    await context.note("key", "cleared", of=status.title)
    return status


async def key_status(context: RequestContext, params: wire.KeyStatusParams) -> list[wire.KeyStatus]:
    """Return what is known of the key of each provider.

    Returns what is known of the key of each provider: a list of `{provider, title, server, isSet, keptIn, fault}`. With
    `open`, it is tried whether they open, for which the system's keyring may ask to be unlocked; without, `keptIn` and
    `fault` are null.
    """
    return await asyncio.to_thread(context.services.keys.all, opened=params.open)


async def rotate_keys(context: RequestContext, _params: NoParams) -> list[wire.KeyStatus]:
    """Encrypt all keys with a new master key, and remove the old one.

    Encrypts all keys anew with a new master key, and removes the old one: copies of the old settings cannot be opened
    any more. Nothing changes if one of the keys does not open. Returns a list as `keys.status` does: `{provider, title,
    server, isSet, keptIn, fault}`.
    """
    statuses = await asyncio.to_thread(context.services.keys.rotate, context.session.name)
    await context.note("key", "rotated")
    return statuses


async def test_key(context: RequestContext, params: wire.KeyTestParams) -> wire.KeyTest:
    """Return whether a service answers with what is set; it is asked to search for one result.

    Asks a service that searches the web (`ollama`, `searxng`, `brave`, `duckduckgo`, `google`) for one result, with
    what is set, and returns `{provider, outcome, message}`. `outcome` is `connected` (it answers, though perhaps only
    that it wants fewer searches), `refused` (it says no, or something is not set) or `unreachable`.
    """
    return await context.services.parts.search.get().test(params.provider, context.services.settings.current)


def search_services(context: RequestContext, _params: NoParams) -> list[wire.SearchServiceInfo]:
    """Return the services that can search the web.

    Returns the services that can search the web, each `{service, title, terms, link, needsKey, hasFreshness, missing}`:
    `terms` says what using it means, `link` where there is more or where keys come from, and `missing` what has to be
    set first.
    """
    return context.services.parts.search.get().infos(context.services.settings.current)


METHODS = (
    Method("settings.get", get, SettingsInForce, Capability.ADMINISTER),
    Method("settings.update", update, SettingsUpdated, Capability.ADMINISTER),
    Method("settings.reset", reset, SettingsUpdated, Capability.ADMINISTER),
    Method("settings.schema", describe, SettingsSchema, Capability.ADMINISTER),
    Method("keys.set", set_key, wire.KeyStatus, Capability.ADMINISTER),
    Method("keys.clear", clear_key, wire.KeyStatus, Capability.ADMINISTER),
    Method("keys.status", key_status, list[wire.KeyStatus], Capability.ADMINISTER),
    Method("keys.test", test_key, wire.KeyTest, Capability.ADMINISTER),
    Method("search.services", search_services, list[wire.SearchServiceInfo], Capability.ADMINISTER),
    Method("keys.rotate", rotate_keys, list[wire.KeyStatus], Capability.ADMINISTER),
)
