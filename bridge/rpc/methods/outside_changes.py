"""Other programs' changes: as entries of the history, as notices to the person, and Obsidian's reports of its own."""

import asyncio
from collections.abc import Sequence

from bridge.audit.records import read_time
from bridge.clock import stamp_of
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.tools import ChangeDiff, ChangeEntry
from bridge.contract.versions import ObsidianWritesHeard, ObsidianWritesParams, OutsideNotice
from bridge.errors import NotFound
from bridge.index.losses import broken_links
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.services import Services
from bridge.versions.allowed_edits import comparison_words
from bridge.versions.grouping import ObsidianWrite, followed
from bridge.versions.notices import Notice
from bridge.versions.restoring import summary
from bridge.versions.states import PREFIX, Entry, Origin

WHO = {Origin.TYPED: "You typed in Obsidian", Origin.OBSIDIAN: "Obsidian", Origin.PROGRAM: "Another program"}
"""The author, as far as anybody knows."""

_PERSON = True  # entries are for the person alone, who may know of every file

_COUNTED = 1000  # files of an entry whose lines are counted; of more only the first of them are


def files_of(entry: Entry) -> tuple[str, ...]:
    """Return the paths that an entry is about."""
    return tuple(dict.fromkeys(place for effect in entry.effects for place in effect.places))


def outside_entries(
    services: Services, *, before: str | None, since: str | None, origin: str | None = None
) -> Sequence[Entry]:
    """Return the entries of a time, newest first.

    Args:
        services: The vault's services.
        before: Only those older than this entry, or this ISO 8601 time.
        since: Only those that ended after this ISO 8601 time.
        origin: Only those of this origin.

    Raises:
        InvalidParameters: A time cannot be read.
    """
    entries = services.recorder.entries() if services.parts.restoring.is_given else []
    named = next((one for one in entries if one.id == before), None)
    if named is not None:
        entries = [one for one in entries if one.number < named.number]
    elif before is not None:
        end = read_time(before, "before").timestamp()
        entries = [one for one in entries if one.ended < end]
    if since is not None:
        begin = read_time(since, "since").timestamp()
        entries = [one for one in entries if one.ended >= begin]
    return [one for one in entries if origin in {None, one.origin.value}]


def entry_time(services: Services, entry_id: str) -> str:
    """Return when an entry ended, ISO 8601 in UTC. Raises NotFound when there is none."""
    return stamp_of(_entry(services, entry_id).ended)


def outside_shown(services: Services, entries: Sequence[Entry]) -> list[ChangeEntry]:
    """Return entries as they are sent. Blocks: lines are counted."""
    moved = any(effect.new_path for one in entries for effect in one.effects)
    every = services.recorder.entries() if moved else []
    return [_shown(services, one, every) for one in entries]


def outside_diff(services: Services, entry_id: str) -> ChangeDiff:
    """Return what an entry did to each file. Raises NotFound when there is no such entry."""
    services.recorder.end_entry()
    services.parts.notices.get().reviewed(entry_id)
    return services.parts.restoring.get().diff(_entry(services, entry_id))


def _entry(services: Services, entry_id: str) -> Entry:
    found = services.recorder.entry(entry_id)
    if found is None:
        raise NotFound(f"There is no change {entry_id!r} in the history; history.list shows those there are")
    return found


def _shown(services: Services, entry: Entry, every: Sequence[Entry]) -> ChangeEntry:
    files, restoring = files_of(entry), services.parts.restoring.get()
    added, removed = restoring.lines(entry, _COUNTED)
    when = " while the bridge was not running" if entry.unattended else ""
    allowed = services.parts.allowed_edits
    compared = allowed.get().compare(entry, services.recorder.versions) if allowed.is_given else None
    exactly = compared is not None and not compared.otherwise and set(files) <= set(compared.as_allowed)
    who = " and ".join(compared.clients) if compared is not None and exactly else WHO[entry.origin]
    broken = _broken(services, entry, every)
    return ChangeEntry(
        execution_id=entry.id,
        tool="",
        client=who,
        time=stamp_of(entry.ended),
        state="undone" if restoring.is_undone(entry) else "applied",
        files=files,
        added=added,
        removed=removed,
        can_undo=restoring.can_undo(entry),
        client_id="",
        who=who,
        summary=f"{summary(entry.effects)}{when}{comparison_words(compared, files)}{_said(broken)}",
        outside=True,
        broken_links=broken,
        origin=entry.origin.value,
    )


def _broken(services: Services, entry: Entry, every: Sequence[Entry]) -> int:
    """Return how many links the moves of an entry broke that are not mended."""
    if not any(effect.new_path for effect in entry.effects):
        return 0
    return broken_links(followed(entry, every), services.knowledge(_PERSON)).links


def _said(broken: int) -> str:
    return f"; {broken} link{' is' if broken == 1 else 's are'} broken by it" if broken else ""


async def notice(context: RequestContext, _params: NoParams) -> OutsideNotice:
    """Return what the person is to be told of other programs' changes.

    Returns `{entries, message, began, ended, unattended}`: what the person is to be told now of other programs'
    changes, as `versions.noticed` sends it. Without `entries` that is nothing.
    """
    return notice_sent(context.services.parts.notices.get().current)


async def fine(context: RequestContext, _params: NoParams) -> OutsideNotice:
    """Note that the person has seen it, and return what is to be told now.

    The person has seen the notice, so it is over on every screen. In the ten minutes after that there is no other,
    unless an entry deletes as many files as the setting `outsideNoticeFiles` says. To ask for the diff of one of its
    entries, or to undo all of them, ends it too. Returns `{entries, message, began, ended, unattended}`, what is to be
    told now.
    """
    await asyncio.to_thread(context.services.parts.notices.get().answered)
    return notice_sent(context.services.parts.notices.get().current)


async def wrote(context: RequestContext, params: ObsidianWritesParams) -> ObsidianWritesHeard:
    """Take Obsidian's reports of what it writes.

    Obsidian says what it writes: `writes` has up to 1,000 of `{path, digest?, source?, typed?}`, the oldest first.
    `digest` is the SHA-256, in hex, of all the bytes of a file that was written, and `typed` says that an editor saved
    it. Without a `digest`, the file or folder was deleted, or was moved here from `source`. It is believed only of a
    file that the bridge sees to be so, within half a minute before or after; then the change is not another program's
    in the history. Returns `{heard}`: how many there were.
    """
    writes = [
        ObsidianWrite(one.path, None if one.digest is None else bytes.fromhex(one.digest), one.source, one.typed)
        for one in params.writes
    ]
    await asyncio.to_thread(context.services.recorder.hear, writes)
    return ObsidianWritesHeard(heard=len(writes))


def notice_sent(found: Notice | None) -> OutsideNotice:
    """Return a notice as it is sent.

    Args:
        found: What is to be told; None: nothing.
    """
    if found is None:
        return OutsideNotice()
    tallies = found.tallies
    return OutsideNotice(
        entries=tuple(f"{PREFIX}{one.number}" for one in tallies),
        message=found.message,
        began=stamp_of(min(one.began for one in tallies)),
        ended=stamp_of(max(one.ended for one in tallies)),
        unattended=all(one.unattended for one in tallies),
    )


METHODS = (
    Method("versions.notice", notice, OutsideNotice, Capability.ADMINISTER, person_only=True),
    Method("versions.fine", fine, OutsideNotice, Capability.ADMINISTER, person_only=True),
    Method("versions.wrote", wrote, ObsidianWritesHeard, Capability.ADMINISTER, person_only=True),
)
