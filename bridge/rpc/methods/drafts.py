"""drafts.*: what clients have staged, which the person may look into and discard at any time."""

import asyncio
from functools import partial

from bridge.clock import stamp
from bridge.contract.base import Params
from bridge.contract.drafts import DraftDiscarded, DraftInfo, DraftParams, DraftPreview, DraftStep
from bridge.contract.identity import Capability
from bridge.drafts.draft import Draft
from bridge.drafts.store import submission, summary
from bridge.identity.caller import SHARED_ID, UNNAMED
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.services import Services


def list_drafts(context: RequestContext, _params: Params) -> list[DraftInfo]:
    """Return every draft, oldest first.

    Returns the open [drafts](tools.md#draft), oldest first: `{draftId, client, clientId, created, touched, steps,
    files, state, since, words, keptUntil}`. `steps` are the staged changes in order, each `{tool, summary, time}`, and
    `files` the files that differ from the vault. `state` is `open`, `handed_in` (by a client that
    [works in drafts](cli.md#clients-that-work-in-drafts); the person is to decide) or `sent_back`; `since`, when it was
    handed in or sent back; `words`, what the person said with that; `comments`, what they said about files and lines,
    each `{path, line, quote, text}`; and `keptUntil`, when it is discarded if nothing becomes of it.
    """
    return [_info(context, draft) for draft in context.services.drafts.listed(context.session.caller)]


async def preview(context: RequestContext, params: DraftParams) -> DraftPreview:
    """Return what taking a draft would do, as the vault is now.

    Returns what taking a draft would do to each file as the vault is now, `{files, warnings, conflicts}`, as in the
    `preview` of [a question](#asking). `conflicts` are the places where others changed the same meanwhile.
    """
    draft = context.services.drafts.get(params.draft_id, context.session.caller)
    if not draft.steps:
        return DraftPreview()
    made = partial(submission, draft, whose(context.services, draft.head.client_id), choices=draft.head.choices)
    found = await asyncio.to_thread(made)
    if found.plan is None:
        return DraftPreview(conflicts=found.conflicts)
    return DraftPreview(files=found.plan.previews, warnings=found.plan.warnings, conflicts=found.conflicts)


async def discard(context: RequestContext, params: DraftParams) -> DraftDiscarded:
    """End a draft; nothing of it is written.

    Ends a draft; nothing of it is written. Returns `{draftId}`.
    """
    await asyncio.to_thread(context.services.drafts.discard, params.draft_id, context.session.caller)
    return DraftDiscarded(draft_id=params.draft_id)


def _info(context: RequestContext, draft: Draft) -> DraftInfo:
    shown = summary(draft)
    return DraftInfo(
        draft_id=shown.draft_id,
        client=whose(context.services, draft.head.client_id),
        client_id=shown.client_id,
        created=shown.created,
        touched=shown.touched,
        steps=tuple(DraftStep(tool=step.tool, summary=step.summary, time=step.time) for step in draft.steps),
        files=shown.files,
        state=shown.state,
        since=shown.since,
        words=shown.words,
        comments=shown.comments,
        kept_until=stamp(context.services.drafts.kept_until(draft)),
    )


def whose(services: Services, client_id: str) -> str:
    """Return whose something is that is kept with the id of a client, for people."""
    return UNNAMED if client_id == SHARED_ID else services.clients.name_of(client_id) or UNNAMED


METHODS = (
    Method("drafts.list", list_drafts, list[DraftInfo], needs=Capability.ADMINISTER),
    Method("drafts.preview", preview, DraftPreview, DraftParams, needs=Capability.ADMINISTER),
    Method("drafts.discard", discard, DraftDiscarded, DraftParams, needs=Capability.ADMINISTER),
)
