"""versions.*: earlier versions of files that other programs changed, for the person's own programs alone."""

import asyncio
import base64

from bridge.audit.records import read_time
from bridge.clock import stamp_of
from bridge.contract import versions as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.tools import PendingCall, ToolResult
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.history import meant
from bridge.vault.plan import is_hidden
from bridge.versions.grouping import find_version
from bridge.versions.states import Version

LARGEST = 16 << 20
"""Bytes of a version that are sent."""


async def list_versions(context: RequestContext, params: wire.VersionsListParams) -> wire.FileVersions:
    """Return the states that a file had, newest first.

    The methods `versions.*` are about [what files were before other programs changed them](restore.md), and for the
    person's own programs alone. Returns `{path, versions}`: the states that a file had, named by its path or as a
    [note](tools.md#note-names), newest first, each `{since, until, size, digest}`: from when to when it was seen so
    (`until` is null for the present state), its bytes (null where they are not kept), and their SHA-256.
    """
    path, versions = await asyncio.to_thread(_versions, context, params.path)
    return wire.FileVersions(path=path, versions=tuple(map(_wire, versions)))


async def read_version(context: RequestContext, params: wire.VersionReadParams) -> wire.VersionBytes:
    """Return the bytes that a file had.

    Returns `{path, version, content}`: the bytes, in base64, of the state that a file had at the time `at` (ISO 8601),
    or of the nearest later one that is kept. `version` is as in `versions.list`. At most 16 MB are sent.
    """
    path, version = await asyncio.to_thread(_at, context, params.path, params.at)
    if (version.size or 0) > LARGEST:
        raise InvalidParameters(f"{path!r} had {version.size:,} bytes, and at most {LARGEST:,} are sent; use `to`")
    data = await asyncio.to_thread(context.services.recorder.bytes_of, version.digest)
    if data is None:
        raise NotFound(f"The bytes of this version of {path!r} are not kept")
    return wire.VersionBytes(path=path, version=_wire(version), content=base64.b64encode(data).decode())


async def restore(context: RequestContext, params: wire.VersionRestoreParams) -> ToolResult | PendingCall:
    """Bring the state of a file at a time back, through the ledger.

    Brings that state back: in the file's place, or as the new file `to`. It is a write like any other, with a
    ToolResult, in the history and undone like any.
    """
    path, version = await asyncio.to_thread(_at, context, params.path, params.at)
    arguments = {"path": path, "digest": version.digest.hex()} | ({} if params.to is None else {"to": params.to})
    return await context.services.calls.call(context.session.caller, "restore", arguments)


async def compare(context: RequestContext, params: wire.VersionsCompareParams) -> wire.VersionsCompared:
    """Return what other programs changed since a time, as it would be taken back.

    What other programs changed since the time `at`, taken together as it would be taken back: in all files, or only in
    the folder or file `path`, and not in those of `without` (at most 1,000). What the person typed in Obsidian is left
    out unless `typed` is true. Returns `{at, plan, text, files, left, nearest}`. `files` are what becomes of each file,
    as in `history.diff`. `left` are the files that stay as they are, each `{path, why, diff}`; `diff` says what taking
    it back would do, null where its bytes are not kept. `nearest` are those of which the state at that time is not
    kept, each `{path, at}` with the time of the state that it goes back to. `plan` is the digest of all this, null
    where nothing is to be done, which `text` explains. What the bridge changed is not taken back; a file that it
    changed in between is among `left`.
    """
    return await asyncio.to_thread(_compared, context, params)


async def restore_all(context: RequestContext, params: wire.VersionsRestoreAllParams) -> ToolResult | PendingCall:
    """Make the vault, or a folder, what it was at a time, through the ledger.

    Takes it back, as one write with a ToolResult, in the history and undone like any. `plan` is the digest that
    `versions.compare` gave; if it would be another one by now, the error is `stale`, and nothing is written.
    """
    read_time(params.at, "at")
    arguments = params.model_dump(by_alias=True, exclude_none=True)
    return await context.services.calls.call(context.session.caller, "restore_all", arguments)


async def broken(context: RequestContext, params: wire.VersionsBrokenParams) -> wire.BrokenLinks:
    """Return the links that another program broke, as they would be mended.

    The links that a change by another program broke by moving files, as they would be mended. Returns `{plan, text,
    files, warnings}`: the digest of that, null where nothing is to be done; what would be done, or why nothing; what
    becomes of each file, as in `history.diff`; and what stays as it is.
    """
    try:
        plan = await asyncio.to_thread(context.services.parts.mender.get().plan, params.execution_id)
    except (NotFound, Conflict) as failure:
        return wire.BrokenLinks(plan=None, text=failure.message, files=(), warnings=())
    return wire.BrokenLinks(plan=plan.digest, text=plan.summary, files=plan.previews, warnings=plan.warnings)


async def mend(context: RequestContext, params: wire.VersionsMendParams) -> ToolResult | PendingCall:
    """Mend the links that another program broke, through the ledger.

    Mends them, as one write with a ToolResult. `plan` is the digest that `versions.broken` gave; if it would be another
    one by now, the error is `stale`, and nothing is written.
    """
    arguments = params.model_dump(by_alias=True)
    return await context.services.calls.call(context.session.caller, "mend_links", arguments)


async def forget(context: RequestContext, params: wire.VersionsForgetParams) -> wire.VersionsForgotten:
    """Let the earlier versions of a file or folder go for good, or all of them.

    Lets the earlier versions of a file or folder go for good, or all of them; then the recording begins anew. Returns
    `{path, found}`: what was named, and whether there was anything.
    """
    recorder, allowed = context.services.recorder, context.services.parts.allowed_edits
    if params.everything == (params.path is not None):
        raise InvalidParameters("Give either `path` or `everything`")
    if params.path is None:
        await asyncio.to_thread(recorder.forget_everything)
        if allowed.is_given:
            await asyncio.to_thread(allowed.get().forget)
        return wire.VersionsForgotten(path=None, found=True)
    path = params.path.strip("/")
    found = await asyncio.to_thread(recorder.forget, path)
    if allowed.is_given:
        await asyncio.to_thread(allowed.get().forget, path)
    return wire.VersionsForgotten(path=path, found=found)


async def status(context: RequestContext, _params: NoParams) -> wire.VersionsStatus:
    """Return what is kept, and what could not be.

    Returns `{on, since, files, whole, entries, oldest, bytes, budget, fault}`: whether changes by other programs are
    recorded, and since when (null before the first look at the vault is complete); how many files are known, and of how
    many the bytes are kept; how many entries there are, and when the oldest began; what it takes of the disk, and may
    take; and why something is not recorded, as a sentence, or null.
    """
    return await asyncio.to_thread(context.services.recorder.kept)


def _compared(context: RequestContext, params: wire.VersionsCompareParams) -> wire.VersionsCompared:
    moment = read_time(params.at, "at").timestamp()
    restoring = context.services.parts.restoring.get()
    found = restoring.earlier_plan(moment, params.path, params.without or (), typed=params.typed)
    try:
        plan = found.build(params.at)
        digest, text, files = plan.digest, plan.summary, plan.previews
    except (NotFound, Conflict) as failure:
        digest, text, files = None, failure.message, ()
    return wire.VersionsCompared(
        at=stamp_of(moment),
        plan=digest,
        text=text,
        files=files,
        left=found.left,
        nearest=tuple(wire.NearestState(path=path, at=stamp_of(at)) for path, at in found.nearest.items()),
    )


def _versions(context: RequestContext, text: str) -> tuple[str, list[Version]]:
    """Return a file that is meant, and its states."""
    recorder, person = context.services.recorder, context.session.caller.client.is_person
    recorded = recorder.paths()
    hidden = is_hidden(text) and text in recorded  # Obsidian's configuration, which no other method names
    paths = {text} if hidden else meant(text, recorded, context.services.knowledge(person))
    found = {path: recorder.versions(path) for path in sorted(paths)}
    known = {path: versions for path, versions in found.items() if versions}
    if len(known) != 1:
        what = "Several files are meant" if known else "Nothing is kept"
        more = f": {', '.join(map(repr, sorted(known)))}" if known else f" of {text!r}"
        raise NotFound(f"{what}{more}")
    return next(iter(known.items()))


def _at(context: RequestContext, text: str, at: str) -> tuple[str, Version]:
    moment = read_time(at, "at").timestamp()
    path, versions = _versions(context, text)
    version = find_version(versions, moment)
    if version is None:
        raise NotFound(f"No version of {path!r} from that time or later is kept; versions.list shows those that are")
    return path, version


def _wire(version: Version) -> wire.FileVersion:
    until = None if version.until is None else stamp_of(version.until)
    return wire.FileVersion(since=stamp_of(version.since), until=until, size=version.size, digest=version.digest.hex())


METHODS = (
    Method("versions.list", list_versions, wire.FileVersions, Capability.ADMINISTER, person_only=True),
    Method("versions.read", read_version, wire.VersionBytes, Capability.ADMINISTER, person_only=True),
    Method("versions.restore", restore, ToolResult, Capability.ADMINISTER, person_only=True),
    Method("versions.compare", compare, wire.VersionsCompared, Capability.ADMINISTER, person_only=True),
    Method("versions.restoreAll", restore_all, ToolResult, Capability.ADMINISTER, person_only=True),
    Method("versions.broken", broken, wire.BrokenLinks, Capability.ADMINISTER, person_only=True),
    Method("versions.mend", mend, ToolResult, Capability.ADMINISTER, person_only=True),
    Method("versions.forget", forget, wire.VersionsForgotten, Capability.ADMINISTER, person_only=True),
    Method("versions.status", status, wire.VersionsStatus, Capability.ADMINISTER, person_only=True),
)
