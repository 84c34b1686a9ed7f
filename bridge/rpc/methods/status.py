"""limits, vault, sandbox, semantic, bridge.faults and index.compare: what is left, known, holds, and is wrong."""

import asyncio
from dataclasses import asdict

from bridge.clock import stamp
from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.index_comparison import CompareParams, IndexComparison
from bridge.contract.session import Faults, LimitUse, SandboxStatus, SemanticAllowParams, SemanticStatus, VaultStatus
from bridge.keys.servers import origin
from bridge.rpc.dispatch import Method, RequestContext
from bridge.sandbox.probing import probe
from bridge.toolkit.enabled import enabled_tools


def limits(context: RequestContext, _params: Params) -> dict[str, LimitUse]:
    """For each tool the limit, what this session used in the last minute, and what is queued."""
    services, caller = context.services, context.session.caller
    enabled = enabled_tools(services.registry, caller, services.settings.current)
    tools = [tool for tool in services.registry.tools(caller) if not tool.spec.listed or enabled.shows(tool.spec)]
    return services.limits.usage(caller.subject, tools, services.settings.current)


MOST_NAMED = 20
"""Notes known by their names only that are named; all of them are counted."""


async def vault(context: RequestContext, _params: Params) -> VaultStatus:
    """How many notes and files there are, and how far the index is."""
    status = context.services.status()
    given_up = await asyncio.to_thread(context.services.by_name_only)
    return VaultStatus(
        notes=status.notes,
        files=status.files,
        indexed=status.indexed,
        indexing=status.indexing,
        last_sweep=None if status.last_sweep is None else stamp(status.last_sweep),
        in_place=context.services.in_place(),
        by_name_only=len(given_up),
        named_only=tuple(given_up[:MOST_NAMED]) if context.session.caller.client.is_person else (),
        semantic=_semantic(context),
    )


async def sandbox(_context: RequestContext, _params: Params) -> SandboxStatus:
    """What confines programs here. The first time, that is found out by trying."""
    found = await asyncio.to_thread(probe)
    return SandboxStatus(confines=found.confines, sentence=found.sentence, lacks=found.lacks)


def _semantic(context: RequestContext) -> SemanticStatus:
    """What is told of the vectors: a sentence about the person's own servers only to them."""
    services, settings = context.services, context.services.settings.current
    if not services.parts.vectors.is_given:
        return SemanticStatus(state="missing")
    found = SemanticStatus(**asdict(services.vectors.status()))
    if settings.semantic_model and found.state != "off" and not services.embedding_servers.allows(settings):
        # Said at once, not only after the model was tried.
        reason = services.embedding_servers.refusal(settings).message
        found = found.model_copy(update={"state": "not_allowed", "reason": reason})
    if not context.session.caller.client.is_person:
        return found if found.state == "paused" else found.model_copy(update={"reason": ""})
    if found.state != "not_allowed":
        return found
    asked = {"endpoint": origin(settings.chat_endpoint), "sentence": services.embedding_servers.sentence(settings)}
    return found.model_copy(update=asked)


async def rebuild(context: RequestContext, _params: Params) -> SemanticStatus:
    """Prepare all notes for search by meaning anew."""
    context.services.vectors.rebuild()
    return _semantic(context)


async def allow(context: RequestContext, params: SemanticAllowParams) -> SemanticStatus:
    """Agree to have notes embedded on another machine."""
    services = context.services
    await asyncio.to_thread(services.embedding_servers.agree, params.endpoint, services.settings.current)
    facts = {"event": "embedding_allowed", "of": params.endpoint, "by": context.session.name}
    await asyncio.to_thread(services.note, "chat", facts)
    services.vectors.changed()
    return _semantic(context)


async def faults(context: RequestContext, _params: Params) -> Faults:
    """What is wrong with the settings and the permission file, and which programs do not ask that should."""
    services = context.services
    faults = await asyncio.to_thread(services.faults)
    return Faults(faults=tuple(faults), unprotected=tuple(await asyncio.to_thread(services.unprotected)))


async def compare(context: RequestContext, params: CompareParams) -> IndexComparison:
    """Where Obsidian's index and the bridge's differ."""
    return await asyncio.to_thread(
        context.services.compare, params.files, unsaved=frozenset(params.unsaved), known=params.notes
    )


METHODS = (
    Method("limits.status", limits, dict[str, LimitUse]),
    Method("vault.status", vault, VaultStatus),
    Method("sandbox.status", sandbox, SandboxStatus, needs=Capability.ADMINISTER),
    Method("bridge.faults", faults, Faults, needs=Capability.ADMINISTER),
    Method("semantic.rebuild", rebuild, SemanticStatus, needs=Capability.ADMINISTER),
    Method("semantic.allow", allow, SemanticStatus, SemanticAllowParams, Capability.ADMINISTER, person_only=True),
    Method("index.compare", compare, IndexComparison, CompareParams, Capability.ADMINISTER),
)
