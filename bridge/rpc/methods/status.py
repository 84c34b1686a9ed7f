"""limits, vault, sandbox, semantic, bridge.faults and index.compare: what is left, known, holds, and is wrong."""

import asyncio

from bridge.clock import stamp
from bridge.contract import session as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.keys.store import origin
from bridge.rpc.dispatch import Method, RequestContext
from bridge.sandbox.sandbox import probe
from bridge.toolkit.registry import enabled_tools


def limits(context: RequestContext, _params: NoParams) -> dict[str, wire.LimitUse]:
    """Return for each tool the limit, what this session used in the last minute, and what is queued.

    Returns `{limit, used, queued}` by the name of each tool, and under `*` for all of them together. `limit` is calls a
    minute, `used` this session's calls in the last 60 seconds, `queued` its calls that wait.
    """
    services, caller = context.services, context.session.caller
    enabled = enabled_tools(services.registry, caller, services.settings.current)
    tools = [tool for tool in services.registry.tools(caller) if not tool.spec.listed or enabled.shows(tool.spec)]
    return services.limits.usage(caller.subject, tools, services.settings.current)


MOST_NAMED = 20
"""Notes known by their names only that are named; all of them are counted."""


async def vault(context: RequestContext, _params: NoParams) -> wire.VaultStatus:
    """Return how many notes and files there are, and how far the index is.

    Returns how much the bridge knows of the vault: `{notes, files, indexed, indexing, lastSweep, byNameOnly, namedOnly,
    inPlace, semantic}`. `notes` counts the Markdown files, `files` all files but hidden ones, `indexed` the notes whose
    content is known. `indexing` is true while files are still to be read: answers may lack something meanwhile, and
    tool results say so with `indexing` in their `metadata`. `lastSweep` is the time of the last comparison with the
    whole disk, null before the first. `byNameOnly` counts the notes and canvases that were given up, because they
    cannot be read or are too much to be understood: they are known by their names only. `namedOnly` lists the first 20
    of them for the person's own programs, and is empty for agents. `inPlace` is false while the vault's folder is not
    where it was when the bridge started; then nothing is written.

    `semantic` is how far search by meaning is: `{state, reason, model, done, total, passages, size, endpoint,
    sentence}`. `state` is `off`; `missing`, where no model is installed; `waiting`, while the index is built;
    `embedding`, while notes are prepared; `paused`, with `battery` or `load` in `reason`; `ready`; `failed`, with a
    sentence in `reason`; or `not_allowed`, where the model that is set runs on another computer and nobody has
    [agreed](#semanticallow) to that: then `endpoint` is its server and `sentence` what would be agreed to. Agents get
    no sentences and no `endpoint`. `done` of `total` notes are prepared, as `passages` passages in files of `size`
    bytes together.
    """
    status = context.services.status()
    given_up = await asyncio.to_thread(context.services.by_name_only)
    return wire.VaultStatus.of(
        status,
        last_sweep=None if status.last_sweep is None else stamp(status.last_sweep),
        in_place=context.services.in_place(),
        by_name_only=len(given_up),
        named_only=tuple(given_up[:MOST_NAMED]) if context.session.caller.client.is_person else (),
        semantic=_semantic(context),
    )


async def sandbox(_context: RequestContext, _params: NoParams) -> wire.SandboxStatus:
    """Return what confines programs here. The first time, that is found out by trying.

    Returns `{confines, sentence, lacks}`: whether the programs that agents have started (commands, other servers, tools
    of the user's own) are confined on this computer, by what, and a sentence for each thing that they can do all the
    same. The bridge finds out by trying, once.
    """
    return wire.SandboxStatus.of(await asyncio.to_thread(probe))


def _semantic(context: RequestContext) -> wire.SemanticStatus:
    """Return what is told of the vectors: a sentence about the person's own servers only to them."""
    services, settings = context.services, context.services.settings.current
    if not services.parts.vectors.is_given:
        return wire.SemanticStatus(state="missing")
    found, servers = services.parts.vectors.get().status(), services.parts.embedding_servers.get()
    if settings.semantic_model and found.state != "off" and not servers.allows(settings):
        # Said at once, not only after the model was tried.
        found = found.model_copy(update={"state": "not_allowed", "reason": servers.refusal(settings).message})
    if not context.session.caller.client.is_person:
        return found if found.state == "paused" else found.model_copy(update={"reason": ""})
    if found.state != "not_allowed":
        return found
    asked = {"endpoint": origin(settings.chat_endpoint), "sentence": servers.sentence(settings)}
    return found.model_copy(update=asked)


async def rebuild(context: RequestContext, _params: NoParams) -> wire.SemanticStatus:
    """Prepare all notes for search by meaning anew.

    Throws away what was prepared for search by meaning and prepares all notes anew, in the background. Returns
    `semantic` as [`vault.status`](#vaultstatus) has it, at once: `{state, reason, model, done, total, passages, size,
    endpoint, sentence}`.
    """
    context.services.parts.vectors.get().rebuild()
    return _semantic(context)


async def allow(context: RequestContext, params: wire.SemanticAllowParams) -> wire.SemanticStatus:
    """Agree to have notes embedded on another machine.

    The person has agreed to the `endpoint` that [`vault.status`](#vaultstatus) names, and notes are sent there from now
    on. It is kept on this machine, not in the settings, and is none of the agreements to [`chat.allow`](#chatallow).
    Returns `semantic`, as `semantic.rebuild` does: `{state, reason, model, done, total, passages, size, endpoint,
    sentence}`.
    """
    services = context.services
    await asyncio.to_thread(services.parts.embedding_servers.get().agree, params.endpoint, services.settings.current)
    await context.note("chat", "embedding_allowed", of=params.endpoint)
    services.parts.vectors.get().changed()
    return _semantic(context)


async def faults(context: RequestContext, _params: NoParams) -> wire.Faults:
    """Return what is wrong with the settings and the permission file, and which programs do not ask that should.

    Returns `{faults, unprotected}`: what is wrong with the settings and with the permission file, and which programs
    may edit the vault without asking although they were [told to ask](protect.md), each as a sentence that says what to
    do.
    """
    services = context.services
    faults = await asyncio.to_thread(services.faults)
    return wire.Faults(faults=tuple(faults), unprotected=tuple(await asyncio.to_thread(services.unprotected)))


async def compare(context: RequestContext, params: wire.CompareParams) -> wire.IndexComparison:
    """Return where Obsidian's index and the bridge's differ.

    Compares Obsidian's own index with the bridge's for some notes (at most 2,000 in one call). `files` is, for each
    path, `{resolved, unresolved, tags, mtime, size}` as Obsidian's `metadataCache` has them: how many links lead to
    each file, how many there are to each path without a file, the tags (null when the note is not read yet); and the
    file's time in milliseconds and its size. `unsaved` names the notes that are open with text that is not on disk.
    `notes`, sent once, lists all notes that Obsidian knows, to find those that only one of the two knows. Notes that
    are closed to the client are not compared.

    Returns `{compared, links, tags, differences, more, uncompared}`:

    - `differences`: each `{path, kind, target, obsidian, bridge}` with both counts. `kind` is `link` (links to the file
      `target`), `unresolved` (links to the path `target`, where no file is), `tag` (uses of the tag `target`),
      `tag_order` (the same tags in another order) or `note` (one of the two does not know the note). `more` is how many
      there are beyond 5,000.
    - `uncompared`: notes that cannot be compared now, each `{path, reason}`: `unsaved`, `changed` (one of the two has
      not read the note as it is) or `unread`.
    - `compared`, `links`, `tags`: how many notes, links and tags were compared.
    """
    compare, knowledge = context.services.compare, context.services.knowledge(context.session.caller.client.is_person)
    unsaved = frozenset(params.unsaved)
    return await asyncio.to_thread(compare, knowledge, params.files, unsaved=unsaved, known=params.notes)


METHODS = (
    Method("limits.status", limits, dict[str, wire.LimitUse]),
    Method("vault.status", vault, wire.VaultStatus),
    Method("sandbox.status", sandbox, wire.SandboxStatus, Capability.ADMINISTER),
    Method("bridge.faults", faults, wire.Faults, Capability.ADMINISTER),
    Method("semantic.rebuild", rebuild, wire.SemanticStatus, Capability.ADMINISTER),
    Method("semantic.allow", allow, wire.SemanticStatus, Capability.ADMINISTER, person_only=True),
    Method("index.compare", compare, wire.IndexComparison, Capability.ADMINISTER),
)
