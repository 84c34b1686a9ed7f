"""Notices to the person of other programs' changes, marked as seen; and Obsidian's reports of its own writes."""

import asyncio

from bridge.clock import stamp_of
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.versions import ObsidianWritesHeard, ObsidianWritesParams, OutsideNotice
from bridge.rpc.dispatch import Method, RequestContext
from bridge.versions.notices import Notice
from bridge.versions.origins import ObsidianWrite
from bridge.versions.states import PREFIX


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
    Method("versions.notice", notice, OutsideNotice, NoParams, Capability.ADMINISTER, person_only=True),
    Method("versions.fine", fine, OutsideNotice, NoParams, Capability.ADMINISTER, person_only=True),
    Method("versions.wrote", wrote, ObsidianWritesHeard, ObsidianWritesParams, Capability.ADMINISTER, person_only=True),
)
