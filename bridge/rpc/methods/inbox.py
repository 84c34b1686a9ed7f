"""inbox.list and drafts.*: what waits for the person, in one list, and what clients have staged.

The list is made of what others keep, and keeps nothing itself. Drafts can be looked into and discarded at any time.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final, Literal

from bridge.clock import stamp, stamp_of
from bridge.contract.base import NoParams
from bridge.contract.consent import ConsentRequest
from bridge.contract.drafts import DraftDiscarded, DraftInfo, DraftParams, DraftPreview, DraftStep, InboxLine
from bridge.contract.identity import Capability
from bridge.drafts.draft import Draft
from bridge.drafts.store import submission
from bridge.identity.caller import SHARED_ID, UNNAMED
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.outside_changes import WHO, notice_sent
from bridge.rpc.services import Services
from bridge.versions.notices import Notice
from bridge.versions.states import Origin


def list_drafts(context: RequestContext, _params: NoParams) -> list[DraftInfo]:
    """Return every draft, oldest first.

    Returns the open [drafts](tools.md#draft), oldest first: `{draftId, client, clientId, created, touched, steps,
    files, state, since, words, keptUntil}`. `steps` are the staged changes in order, each `{tool, summary, time}`, and
    `files` the files that differ from the vault. `state` is `open`, `handed_in` (by a client that
    [works in drafts](cli.md#clients-that-work-in-drafts); the person is to decide) or `sent_back`; `since`, when it was
    handed in or sent back; `words`, what the person said with that; `comments`, what they said about files and lines,
    each `{path, line, quote, text}`; and `keptUntil`, when it is discarded if nothing becomes of it.
    """
    return [_draft_info(context, draft) for draft in context.services.drafts.listed(context.session.caller)]


async def preview(context: RequestContext, params: DraftParams) -> DraftPreview:
    """Return what taking a draft would do, as the vault is now.

    Returns what taking a draft would do to each file as the vault is now, `{files, warnings, conflicts}`, as in the
    `preview` of [a question](#asking). `conflicts` are the places where others changed the same meanwhile.
    """
    draft = context.services.drafts.get(params.draft_id, context.session.caller)
    if not draft.steps:
        return DraftPreview()
    client = whose(context.services, draft.head.client_id)
    found = await asyncio.to_thread(submission, draft, client, choices=draft.head.choices)
    if found.plan is None:
        return DraftPreview(conflicts=found.conflicts)
    return DraftPreview(files=found.plan.previews, warnings=found.plan.warnings, conflicts=found.conflicts)


async def discard(context: RequestContext, params: DraftParams) -> DraftDiscarded:
    """End a draft; nothing of it is written.

    Ends a draft; nothing of it is written. Returns `{draftId}`.
    """
    await asyncio.to_thread(context.services.drafts.discard, params.draft_id, context.session.caller)
    return DraftDiscarded(draft_id=params.draft_id)


def _draft_info(context: RequestContext, draft: Draft) -> DraftInfo:
    head = draft.head
    return DraftInfo.of(
        head,
        client=whose(context.services, head.client_id),
        touched=draft.touched,
        steps=tuple(map(DraftStep.of, draft.steps)),
        files=draft.paths,
        kept_until=stamp(context.services.drafts.kept_until(draft)),
    )


def whose(services: Services, client_id: str) -> str:
    """Return whose something is that is kept with the id of a client, for people."""
    return UNNAMED if client_id == SHARED_ID else services.clients.name_of(client_id) or UNNAMED


MOST_LINES: Final = 3
"""Lines of one kind that one client has; more things of it are one line."""
MOST_IDS: Final = 100
"""Things that a line names."""
MOST_TEXT: Final = 300
"""Characters of what a client says, and of what is said of its call."""
_PLURAL: Final = {"question": "questions", "draft": "drafts handed in", "left": "drafts left behind"}


def list_inbox(context: RequestContext, _params: NoParams) -> list[InboxLine]:
    """Return what waits for the person, oldest first.

    For the person's own programs alone. Returns what waits for the person, oldest first, each `{kind, client, clientId,
    count, since, files, summary, reason, keptUntil, ids, questions}`. `kind` is `question`; `draft`, one that was
    handed in; `left`, one that is not handed in, and whose client has gone; or `changes`, those of other programs, as
    `versions.noticed` sends them. `since` says since when it waits, `files` how many files it is about, `reason` why,
    in the client's words, where it gave one, and `keptUntil` when it ends if nobody decides. `ids` are its questions,
    drafts or entries in the history, and `questions` the open questions that decide about it. One client has up to
    three lines of a kind: when it has more things of that kind, they are one line, with their number in `count` and the
    first 100 of their `ids`.

    It is made of what there is at the moment: `consent.requested`, `consent.resolved`, `drafts.changed` and
    `versions.noticed` say that it may have changed. A draft whose client goes away is in it when the client can no
    longer be expected back, of which there is no event.
    """
    return in_lines(_things(context.services))


def in_lines(things: Iterable[InboxLine]) -> list[InboxLine]:
    """Return things that wait, oldest first, in not too many lines for one client.

    Args:
        things: One line each.
    """
    of_client: dict[tuple[str, str], list[InboxLine]] = defaultdict(list)
    for thing in sorted(things, key=lambda one: one.since):
        of_client[thing.kind, thing.client_id].append(thing)
    lines: list[InboxLine] = []
    for same in of_client.values():
        lines += same if len(same) <= MOST_LINES else [_as_one(same)]
    return sorted(lines, key=lambda one: one.since)


def _as_one(things: list[InboxLine]) -> InboxLine:
    """Return one line for many things of a kind, which are given oldest first."""
    first = things[0]
    ends = [one.kept_until for one in things if one.kept_until is not None]
    return first.model_copy(
        update={
            "count": len(things),
            "files": sum(one.files for one in things),
            "summary": f"{len(things):,} {_PLURAL[first.kind]}",
            "reason": None,
            "kept_until": min(ends, default=None),
            "ids": tuple(thing_id for one in things for thing_id in one.ids)[:MOST_IDS],
            "questions": tuple(question for one in things for question in one.questions)[:MOST_IDS],
        }
    )


def _things(services: Services) -> Iterator[InboxLine]:
    asked = services.broker.pending()
    about = {question.draft: question.request_id for question in asked if question.draft is not None}
    for draft in services.drafts.worked_on():
        question = about.pop(draft.head.draft_id, None)
        if question is not None or draft.head.state == "handed_in":
            yield _draft(services, draft, "draft", question)
        elif _is_left(services, draft):
            yield _draft(services, draft, "left")
    yield from (_question(one) for one in asked if one.draft is None or one.draft in about)
    yield from _not_asked(services)
    notice = services.parts.notices.get().current if services.parts.notices.is_given else None
    if notice is not None:
        yield _changes(notice, services.settings.current.outside_versions_days)


def _is_left(services: Services, draft: Draft) -> bool:
    """Return whether the draft has staged changes and its client cannot be expected to return to it."""
    client, steps = draft.head.client_id, draft.steps
    if draft.head.state != "open" or not steps or services.hub.connected(client):
        return False
    gone = services.clock.now() - datetime.fromisoformat(steps[-1].time)
    return gone >= services.drafts.session_lasts(client)


def _draft(services: Services, draft: Draft, kind: Literal["draft", "left"], question: str | None = None) -> InboxLine:
    head, steps = draft.head, draft.steps
    more = f", and {len(steps) - 1:,} more" if len(steps) > 1 else ""
    return InboxLine(
        kind=kind,
        client=whose(services, head.client_id),
        client_id=head.client_id,
        since=head.since or draft.touched,
        files=len(draft.paths),
        summary=f"{_cut(steps[0].summary)}{more}" if steps else "Nothing is staged",
        reason=_cut(head.reason) if head.reason else None,
        kept_until=stamp(services.drafts.kept_until(draft)),
        ids=(head.draft_id,),
        questions=() if question is None else (question,),
    )


def _question(question: ConsentRequest) -> InboxLine:
    return InboxLine.of(
        question,
        kind="question",
        since=question.created_at,
        files=len(question.preview.files) if question.preview is not None else 0,
        summary=_cut(question.summary),
        reason=_cut(question.reason) if question.reason else None,
        kept_until=question.expires_at,
        ids=(question.request_id,),
        questions=(question.request_id,),
    )


def _not_asked(services: Services) -> Iterator[InboxLine]:
    """Yield what waited when the last bridge stopped, and is not asked about by this one, which lives too short."""
    for ticket in services.calls.not_taken_up():
        yield InboxLine.of(
            ticket,
            kind="question",
            client=whose(services, ticket.client_id),
            summary=_cut(ticket.summary),
            reason=_cut(ticket.reason) if ticket.reason else None,
            kept_until=ticket.until,
            ids=(ticket.call_id,),
        )


def _changes(notice: Notice, days: int) -> InboxLine:
    """Return the inbox line for other programs' changes that the person has not looked at."""
    sent, tallies = notice_sent(notice), notice.tallies
    first = min(tally.ended for tally in tallies)
    return InboxLine(
        kind="changes",
        client=WHO[Origin.PROGRAM],
        since=stamp_of(first),
        files=sum(tally.changed + tally.deleted + tally.moved for tally in tallies),
        summary=f"{sent.message}{' while the bridge was not running' if sent.unattended else ''}",
        kept_until=stamp_of(first + timedelta(days=days).total_seconds()),
        ids=sent.entries[::-1][:MOST_IDS],
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"


METHODS = (
    Method("inbox.list", list_inbox, list[InboxLine], Capability.ADMINISTER, person_only=True),
    Method("drafts.list", list_drafts, list[DraftInfo], Capability.ADMINISTER),
    Method("drafts.preview", preview, DraftPreview, Capability.ADMINISTER),
    Method("drafts.discard", discard, DraftDiscarded, Capability.ADMINISTER),
)
