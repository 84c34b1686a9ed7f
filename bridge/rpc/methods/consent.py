"""consent.*, policy.explain and demo.ask: open questions, remembered answers, what the rules say. For hosts only."""

import asyncio
from collections.abc import Mapping, Sequence

from bridge.contract import consent as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability, ClientInfo
from bridge.contract.tools import ExplainParams, Explanation, PendingCall, Refusal, ToolResult
from bridge.errors import InvalidParameters
from bridge.identity.caller import DEMO, EXPLANATION, SHARED, Caller, as_if_calling
from bridge.policy.targets import folder_target
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.clients import end_confirming
from bridge.rpc.methods.servers import distrust_all
from bridge.rpc.services import Services
from bridge.toolkit.tool_call import ToolCall
from bridge.tools.formatting import some
from bridge.vault.person_edits import HunkText
from bridge.vault.text import counted


def pending(context: RequestContext, _params: NoParams) -> Sequence[wire.ConsentRequest]:
    """Return every open question that this screen may answer.

    Returns every open question that the caller may answer: for a client, all but its own.
    """
    return context.services.broker.pending(context.session.caller)


async def respond(context: RequestContext, params: wire.RespondParams) -> wire.ConsentReply:
    """Answer a question; the first valid answer wins.

    Answers a question. `decision` is `allow_once`, `allow_session`, `allow_always`, `deny_once`, `deny_session` or
    `deny_always`, and must be one that the question offers. For a yes to a write, `planDigest` must be that of the
    question. The agent receives `feedback`, with a yes, a yes to a part, or a no: at most 2,000 characters of it, as
    text. With a yes it comes before the result's `text` and in `metadata.feedback`, and is about this call alone; it is
    not kept with an answer for longer. A client neither sees nor answers its own questions. Whether a client may do
    more is shown to the person's own programs alone.

    `option` is the `optionId` of one of the question's options, of that decision; without it, the first option of the
    decision is meant, which is the narrowest.

    `hunks` leaves parts of a write out, with `allow_once` and where the question says `hunksSupported`: `[{"path":
    "Notes/Meeting.md", "keep": [0, 2]}]`, or the same as `{"Notes/Meeting.md": [0, 2]}`. The numbers are those of the
    hunks in that file's `diff`, from 0. A file that is not named is kept whole; one that is created or deleted is left
    out, with the folders that are there for it alone, when `keep` is empty; a file without hunks (a binary one) is
    kept. `planDigest` is still that of the question. From what is kept the bridge makes a new plan with a new digest,
    looks at the files again, and does exactly that; the tool's result says what was left out (`data.leftOut: [{path,
    change, hunks, of, diff}]`, and in `text`). An answer that names hunks that do not exist, or keeps nothing, is
    `accepted: false`, and the question stays open.

    A draft can be sent back: `deny_once` sends all of it back, and `allow_once` with `hunks` and `sendBack` what is
    left out. It stays in the draft, and its client goes on in it. `comments` says something about files or lines,
    `[{"path": "Notes/Meeting.md", "line": 12, "text": "Not on Monday"}]`: `line` is one of the file as the preview has
    it afterwards, from 1, and without it the comment is about the file. The client is told the line as the draft has
    it, and its text where it proposed it. A comment on a file or line that is not there is `accepted: false`. So is a
    yes while `preview.conflicts` has a place that nothing is chosen for ([`consent.resolve`](#consentresolve)), unless
    its file is left out.

    Returns `{accepted, outcome, by, reason, planDigest, grant}`; `planDigest` is that of what will be written, and
    `grant` what now holds, as `consent.grants` returns it. It says so where an answer for good could be kept for the
    session only, because its file cannot be written. The first valid answer wins; later ones, a wrong digest, an
    unknown id and a choice not offered are `accepted: false` and change nothing, with what was wrong in `reason` and
    how the question ended in `outcome` and `by`. A yes is not accepted either when the files have changed meanwhile;
    then the question has ended with the outcome `stale`.
    """
    return await context.services.broker.respond(params, context.session.caller)


async def respond_all(context: RequestContext, params: wire.RespondAllParams) -> Sequence[wire.ConsentReply]:
    """Answer several questions, one after the other; each answer counts or not by itself.

    Answers several questions that were shown in one list. `answers` has 1 to 200 objects, each with the parameters of
    [`consent.respond`](#consentrespond). They are taken one after the other, and each counts or not by itself. Returns
    a list with one reply for each, in the same order: `{accepted, outcome, by, reason, planDigest, grant}`, as
    [`consent.respond`](#consentrespond) returns it.
    """
    return [await respond(context, answer) for answer in params.answers]


async def confirm(context: RequestContext, params: wire.ConfirmParams) -> wire.ConsentReply:
    """Say yes for this once to a question of the client's own, where the person lets its user do so.

    Says yes, for this once, to a question of the client's own, as its own user has said in the client itself. That is
    for a client for which the person has turned it on (`elicitation`), and for questions about calls that do nothing
    but read notes; the client hears of each such question by `consent.own`, and the person's screens show it meanwhile.
    The first answer counts. Nothing else can be said so: a no, and anything for longer than once, is the person's.
    Returns `{accepted, outcome, by, reason, planDigest, grant}`, as [`consent.respond`](#consentrespond) does; of other
    questions it says nothing, not even how they ended.
    """
    return await context.services.broker.confirm(params.request_id, by=context.session.caller)


async def revise(context: RequestContext, params: wire.ReviseParams) -> wire.Revision:
    """Put other text into what an open question would write; only the plan that comes of it can be allowed then.

    Puts other text into what a question would write, where it says `editable`: not into moves, deletions, undo and
    redo, and not into a diff that was too long to be sent whole. `hunk` is the number of the hunk in the `diff` of the
    file `path`, from 0, and `text` what its lines are to be afterwards, those around the change included. Whoever may
    answer the question may do this, and may do it again. No file can be added.

    The bridge looks at the files again and makes a new plan, with its own diff, warnings, risk and `planDigest`. Lines
    that stay keep their line ending, new ones get the one that prevails; a NUL is refused. The question stays the same,
    with its `requestId` and the time at which it ends; all screens are sent it anew (`consent.revised`). From then on
    only the new plan can be allowed, once, as a whole or without some of its hunks. The log has each edit with who made
    it.

    The agent's result says what became of the lines that it proposed: `data.revised: [{path, diff, otherLines}]`, and
    in `text`. `diff` has its own lines that were not written (`-`) and what the person wrote in their place (`+`). It
    has no line that was in the file before; `otherLines` counts what else the person changed.

    Returns `{accepted, question, reason}`: the question as it is now, or why the text was not taken. A wrong digest, an
    unknown hunk and a text that cannot be written change nothing. If the files have changed meanwhile, the question
    ends with the outcome `stale`.
    """
    return await _revise(context, params, HunkText(params.path, params.hunk, params.text))


async def resolve(context: RequestContext, params: wire.ResolveParams) -> wire.Revision:
    """Choose what is taken where a draft and someone else changed the same; the plan is made anew with that.

    Chooses what is taken at some of the places in `preview.conflicts`, which are there where a draft and someone else
    changed the same lines or the same file: `vault` (what is there now), `draft` (what the draft has) or `both` (one
    after the other), as the place `offers`. Where two changes of a file do not meet, both are in the plan already.
    `choices` is `[{"placeId": "…", "take": "both"}]`; what was chosen before stays, also when the file changes
    elsewhere. Whoever may answer the question may do this, and do it again.

    The question stays the same, with another plan and `planDigest`, which is what can be allowed from then on; all
    screens are sent it anew (`consent.revised`). They are sent it anew also when a file of a draft changes in the vault
    while it is shown. Returns `{accepted, question, reason}`, as [`consent.revise`](#consentrevise) does.
    """
    return await _revise(context, params, {choice.place_id: choice.take for choice in params.choices})


async def _revise(
    context: RequestContext, params: wire.PlanParams, revision: HunkText | Mapping[str, wire.Take]
) -> wire.Revision:
    broker, by = context.services.broker, context.session.caller
    return await broker.revise(params.request_id, revision, plan_digest=params.plan_digest, by=by)


async def grants(context: RequestContext, _params: NoParams) -> Sequence[wire.Grant]:
    """Return what people have said before and still holds."""
    return await asyncio.to_thread(context.services.grants.list)


async def revoke(context: RequestContext, params: wire.RevokeParams) -> wire.Revoked:
    """Forget a remembered answer.

    Forgets a remembered answer. Returns `{revoked}`.
    """
    services = context.services
    held = await asyncio.to_thread(services.grants.list)
    revoked = await asyncio.to_thread(services.grants.revoke, params.grant_id, by=context.session.name)
    if revoked:
        grant = next((grant.to_wire() for grant in held if grant.grant_id == params.grant_id), {})
        await context.note("grant", "revoked", **_said_by(context), grant=grant)
        _changed(context)
    return wire.Revoked(revoked=revoked)


def auto_approve(context: RequestContext, params: wire.AutoApproveParams) -> wire.AutoApproved:
    """Approve an operation of tools of the class *session* without asking, until the bridge stops; or no longer.

    Approves an operation, `create` or `update`, without asking until the bridge stops, or no longer: of tools of the
    class `session` only, for the client that the person calls `client`, or for every one. A denial still denies, and
    tools of the class `never` still ask. Returns `{enabled, grant}`.
    """
    services, operation = context.services, wire.Operation(params.operation)
    client = None if params.client is None else known_client(services, params.client)
    client_id, name = (None, None) if client is None else (client.client_id, client.name)
    grant = services.grants.session.auto_approve(operation, client_id, enabled=params.enabled, name=name)
    facts = {"operation": params.operation, "enabled": params.enabled, "for": params.client}
    services.note("grant", _said_by(context) | {"event": "auto_approve", "grant": facts})
    _changed(context)
    return wire.AutoApproved(enabled=params.enabled, grant=grant)


async def allow_reading(context: RequestContext, params: wire.AllowReadingParams) -> wire.ReadingAllowed:
    """Let a client read some folders without asking, for good; it is the person's newest word on what it reads."""
    services = context.services
    try:
        places = tuple(folder_target(path).place for path in dict.fromkeys(params.where))
    except ValueError as error:
        raise InvalidParameters(f"That is no folder of the vault: {error}") from None
    caller = as_if_calling(known_client(services, params.client))
    by = context.session.name
    grant = await asyncio.to_thread(services.grants.allow_reading, caller, places, by=by)
    facts = {"reading": [place.key for place in places], "for": caller.name}
    await context.note("grant", "reading", **_said_by(context), grant=facts)
    _changed(context)
    return wire.ReadingAllowed(grant=grant)


async def end_all(context: RequestContext, _params: NoParams) -> wire.AllEnded:
    """End everything that agents may do without asking you: what was allowed for longer, developer mode, and trust.

    Takes back everything that agents may do without asking you: every remembered answer that allows something, for
    whomever and wherever it is kept, developer mode, trust in other servers, and what a client's own user may confirm
    in it. What was denied stays denied. Returns `{ended, text}`: the answers, as `consent.grants` lists them, and what
    ended as a sentence.
    """
    services, by = context.services, context.session.name
    ended = await asyncio.to_thread(services.grants.end_all, by=by)
    await asyncio.to_thread(services.outbox.end_all)
    developer = services.settings.current.developer_mode
    if developer:
        await asyncio.to_thread(services.settings.update, {"developerMode": False}, by=by)
    servers, confirming = await distrust_all(context), await end_confirming(context)
    facts = {"ended": [grant.sentence for grant in ended], "developerMode": developer}
    facts |= {"servers": servers, "confirming": confirming}
    await context.note("grant", "ended_all", **_said_by(context), grant=facts)
    _changed(context)
    what = f"{counted(len(ended), 'answer')} ended" if ended else "Nothing was allowed without asking"
    off = "; developer mode is off" if developer else ""
    if servers:
        off += f"; no server is trusted any more ({some(servers)})"
    if confirming:
        off += f"; nothing is confirmed in a program any more ({some(confirming)})"
    return wire.AllEnded(ended=ended, text=f"{what}{off}. Every program asks from now on.")


async def explain(context: RequestContext, params: ExplainParams) -> Explanation | Refusal:
    """Return what would become of an agent's call, and which rule decides; nothing is done, asked, logged or counted.

    Explains what would become of a call by the client that the person calls `client`, or by a program without a name,
    and which rule decides; it does, asks and logs nothing. Returns `{outcome, rule, why, choices, targets, operation,
    class, mode, summary, elicitation}`. `outcome` is `allow`, `ask` or `deny`, or `fail` if the call would not get that
    far. In that case, and if the call is refused before the rules are asked, there are only `outcome`, `rule` and
    `why`.
    """
    services = context.services
    caller = (
        Caller(SHARED, EXPLANATION) if params.client is None else as_if_calling(known_client(services, params.client))
    )
    servers = services.parts.servers
    if servers.is_given and (reason := servers.get().why_unknown(params.name)) is not None:
        return Refusal(outcome="fail", rule="not_connected", why=reason)
    return await services.pipeline.explain(ToolCall(caller, params.name, params.arguments))


def known_client(services: Services, name: str) -> ClientInfo:
    """Return the client that the person calls so, or that has this id.

    Raises:
        NotFound: There is none.
    """
    found = services.clients.find(name)
    return found if found is not None else services.clients.get(name)


def _changed(context: RequestContext) -> None:
    """Apply what the rules say now: tell the screens, and end the questions that need not be asked any more."""
    services, caller = context.services, context.session.caller
    services.hub.notify_hosts(wire.GrantsChanged(bounded=services.grants.session.bounded()))
    services.broker.follow_rules(by=caller.name, by_id=caller.client.id)


def _said_by(context: RequestContext) -> dict[str, str]:
    caller = context.session.caller
    return {"by": caller.name, "byId": caller.client.id}


async def demonstrate(context: RequestContext, _params: NoParams) -> ToolResult | PendingCall:
    """Propose the demo note, and say what became of it.

    Asks the person one harmless question, with the diff, as an agent would: whether a note `Vault Bridge demo.md` may
    be created at the top of the vault (with a number in its name if there is one). It goes through consent, journal and
    log like any write, is asked about every time, works whichever tools are enabled, and can be undone. The client that
    asks is "The demonstration of Vault Bridge"; it has no token. Returns the ToolResult once the person has answered.
    """
    caller = Caller(DEMO, connection=DEMO.id)
    context.services.session_ended(caller.session_id)  # a no of last time does not answer for this time
    why = "This is a demonstration. Nothing but this note is made, and you can undo it."
    return await context.services.calls.call(caller, "demo_note", {}, reason=why)


METHODS = (
    Method("consent.pending", pending, list[wire.ConsentRequest], Capability.ANSWER),
    Method("consent.respond", respond, wire.ConsentReply, Capability.ANSWER),
    Method("consent.respondAll", respond_all, list[wire.ConsentReply], Capability.ANSWER),
    Method("consent.revise", revise, wire.Revision, Capability.ANSWER),
    Method("consent.resolve", resolve, wire.Revision, Capability.ANSWER),
    Method("consent.confirm", confirm, wire.ConsentReply),
    Method("consent.grants", grants, list[wire.Grant], Capability.ADMINISTER),
    Method("consent.revoke", revoke, wire.Revoked, Capability.ADMINISTER),
    Method("consent.autoApprove", auto_approve, wire.AutoApproved, Capability.ADMINISTER),
    Method("consent.endAll", end_all, wire.AllEnded, Capability.ADMINISTER),
    Method("consent.allowReading", allow_reading, wire.ReadingAllowed, Capability.ADMINISTER, person_only=True),
    Method("policy.explain", explain, Explanation | Refusal, Capability.ADMINISTER),
    Method("demo.ask", demonstrate, ToolResult, Capability.ADMINISTER),
)
