"""The records of the log as sentences for people. Everything from outside is in quotation marks, in one line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from bridge.audit.anonymous import HIDDEN_PATH
from bridge.audit.log import NOT_LOGGED
from bridge.audit.records import COUNT, AuditRecord, phrase, quoted
from bridge.contract.consent import Decision
from bridge.identity.caller import HOST_ID, SHARED_ID, UNNAMED
from bridge.settings.model import Settings
from bridge.vault.text import counted


@dataclass(frozen=True, slots=True)
class ToolWords:
    """The words that sentences use for a tool.

    Attributes:
        title: Its title.
        action: The wording of its use; see `phrase`.
        writes: Whether it changes the vault.
    """

    title: str
    action: str
    writes: bool

    @classmethod
    def plain(cls, title: str, *, writes: bool = False) -> "ToolWords":
        """Return the words for a tool of which only the title is known, which may be anybody's text."""
        return cls(title, f"use/used the tool {quoted(title).translate(_NO_PLACES)}", writes=writes)


_NO_PLACES: Final = str.maketrans("", "", "{}[]")


Words = Callable[[str], ToolWords | None]
"""Returns the words for a tool's name; None for a tool that no longer exists."""

_FOLDERS: Final = {"mkdir", "rmdir"}
_HIDDEN: Final = {HIDDEN_PATH, NOT_LOGGED, "[REDACTED]"}
_NAMES: Final = ("path", "name", "source", "title")
"""Parameters that name what a call is about."""

_DECISIONS: Final = {
    Decision.ALLOW_ONCE: "allowed {it}, once",
    Decision.ALLOW_SESSION: "allowed {it}, for the session",
    Decision.ALLOW_ALWAYS: "allowed {it}, until it is taken back",
    Decision.DENY_ONCE: "denied {it}, once",
    Decision.DENY_SESSION: "denied {it}, for the session",
    Decision.DENY_ALWAYS: "denied {it}, until it is taken back",
}

_EDITED: Final = "revised"
"""The rule of a preliminary decision: somebody has edited the text in question."""
_CHOSEN: Final = "chosen"
"""The rule of another: somebody has chosen which side to take where a draft conflicts with other changes."""
_REFUSALS: Final = {
    "timed_out": "nobody answered in time",
    "no_ui": "nobody was there to ask",
    "cancelled": "it was called off",
    "not_allowed_yet": "it needs an answer, and the program did not want to ask",
    "stale": "the file changed while the question was open",
    "tool_disabled": "the tool is off",
    "edited_since": "a file was edited since",
    "rate_limited": "too many calls in a minute",
}
"""Reasons why nothing was done, by the record's code or kind of error."""

_OF_CALLS: Final = {
    "delivery": "{who} was given the result of {tool} again",
    "limit": "{who} had to wait: too many calls of {tool} in a minute",
}

_COUNTED: Final = {
    "delivery": "{who} got results{of} again {times}",
    "limit": "{who} had to wait {times}: too many calls{of} in a minute",
}

_COUNTED_WHY: Final = {
    "invalid_parameters": "the arguments were wrong",
    "rate_limited": "too many calls in a minute",
    "tool_disabled": "the tool is off",
    "cancelled": "they were called off",
}
"""Reasons why calls were refused before any decision, by the record's code or kind of error."""

_EVENTS: Final = {
    ("bridge", "started"): "The bridge started",
    ("bridge", "stopped"): "The bridge stopped",
    ("bridge", "made_private"): "Something had changed who may read files of the bridge, which are private again: {of}",
    ("log", "cleared"): "The log was cleared",
    ("log", "retention"): "Old records were removed from the log",
    ("log", "thinned"): "Records that change and decide nothing were removed to make room",
    ("log", "rotation"): "Old records were removed from the log",
    ("client", "added"): "{who} was added",
    ("client", "renamed"): "A program was renamed to {who}",
    ("client", "widened"): "{who} was allowed to do more",
    ("client", "updated"): "{who} was given other tools, or other rights",
    ("client", "revoked"): "{who} was revoked",
    ("sending", "sent"): "A text of {of} was sent to {who}",
    ("sending", "delivered"): "{who} was given the text of {of} that was sent to it",
    ("sending", "disconnected"): "{who} disconnected before it was given the text of {of} that was sent to it",
    ("sending", "closed"): "{who} was not given the text of {of} that was sent to it, as that was closed or gone",
    ("sending", "replaced"): "{who} was sent something else in the place of the text of {of}",
    ("sending", "ended"): "{who} was not given the text of {of} that was sent to it, as everything was ended",
    ("server", "added"): "The MCP server {of} was entered",
    ("server", "removed"): "The MCP server {of} was removed",
    ("server", "trusted"): "The MCP server {of} was trusted",
    ("server", "distrusted"): "The MCP server {of} is not trusted any more",
    ("server", "enabled"): "The MCP server {of} was switched on",
    ("server", "disabled"): "The MCP server {of} was switched off",
    ("chat", "endpoint_allowed"): "The chat was allowed to use a model at {of}",
    ("chat", "embedding_allowed"): "Search by meaning was allowed to use a model at {of}",
    ("custom", "added"): "The tool of your own {of} was added",
    ("custom", "updated"): "The tool of your own {of} was changed",
    ("custom", "removed"): "The tool of your own {of} was removed",
    ("custom", "enabled"): "The tool of your own {of} was switched on",
    ("custom", "disabled"): "The tool of your own {of} was switched off",
    ("custom", "tested"): "The tool of your own {of} was tried out",
    ("key", "set"): "The API key for {of} was set",
    ("key", "cleared"): "The API key for {of} was cleared",
    ("key", "rotated"): "The API keys were encrypted anew",
}

_RIGHTS: Final = {
    "preset": "{who} was given other tools: those of the preset {preset}",
    "drafts": "{who} {was} to work in drafts",
    "elicitation": "{who} {was} to ask its own user about calls that only read notes",
    "looking": "{who} {was} to see what you look at in Obsidian",
    "showing": "{who} {was} to open notes in Obsidian without a click",
    "call": "{who} {was} to call tools",
    "answer": "{who} {was} to answer the questions of other programs",
    "administer": "{who} {was} to change settings and to read the log and the history",
}
"""What a client was given or not any more, by the record's `what`. Records of earlier versions do not say."""

_SETTINGS: Final = {field.alias or name: field.title or name for name, field in Settings.model_fields.items()}
"""The settings' titles."""


def sentence(record: AuditRecord, words: Words) -> str:
    """Return what a record says, as a sentence without a full stop.

    Args:
        record: A record of the log, from this version or an earlier one; an execution may have its `decisions`.
        words: The words for the tools.
    """
    kind = str(record.get("kind", "execution"))
    if kind in {"execution", "decision"}:
        return (_execution if kind == "execution" else _decision)(record, words)
    if kind in _OF_CALLS:
        return _OF_CALLS[kind].format(who=record_caller(record), tool=_title(record, words))
    if kind in {"settings", "grant"}:
        return (_settings if kind == "settings" else _grant)(record)
    if kind == COUNT:
        return _counted(record, words)
    return _event(record, kind)


def _execution(record: AuditRecord, words: Words) -> str:
    tool, who = _tool(record, words), record_caller(record)
    done, wanted = (phrase(tool.action, lambda name: _value(record, name), past=past) for past in (True, False))
    if not record.get("success"):
        return f"{who} wanted to {wanted}. {_why_not(record)}"
    if record.get("draft"):
        return f"{who} staged in a draft, which writes nothing: {wanted}"
    if record.get("staged"):
        return f"{who} staged in a chain, which asks about all of it at its end: {wanted}"
    if not tool.writes or record.get("files"):
        return f"{who} {done}{_answered(record)}"
    if isinstance(action := _facts(record, "parameters").get("action"), str):
        # It does several things, and this was one that changes nothing.
        return f"{who} used {quoted(tool.title)}: {quoted(action)}"
    about = _value(record, "files")
    return f"{who} changed nothing{f' in {quoted(about)}' if about else ''}: it was so already"


def _why_not(record: AuditRecord) -> str:
    """Return why a call did nothing."""
    code, kind = str(record.get("code")), str(record.get("errorType"))
    if code == "denied_by_user":
        denial = next((one for one in _decisions(record) if one.get("decision")), {})
        return f"{_person(denial)} denied it{_words(denial)}"
    if code == "denied_by_rule":
        return "Refused: your rules forbid it"
    if code in _REFUSALS or kind in _REFUSALS:
        return f"Refused: {_REFUSALS[code if code in _REFUSALS else kind]}"
    error = _facts(record, "result").get("error")
    return f"It failed: {quoted(error)}" if isinstance(error, str) and error not in {*_HIDDEN, ""} else "It failed"


def _answered(record: AuditRecord) -> str:
    """Return a person's answer to the call, worded to follow what was done."""
    answer = next((one for one in reversed(_decisions(record)) if str(one.get("decision")) in {*Decision}), None)
    if answer is None:
        return ""
    who = _person(answer)
    said = _DECISIONS[Decision(answer["decision"])].format(it="it") + _words(answer, ",")
    edits = [_person(one) for one in _decisions(record) if one.get("rule") == _EDITED]
    if edits and edits[-1] == who:
        said = f"edited the text and {said}"
    elif edits:
        return f"; {_inside(edits[-1])} edited the text, and {_inside(who)} {said}"
    return f"; {_inside(who)} {said}"


def _words(answer: AuditRecord, before: str = "") -> str:
    """Return what the person told the agent with an answer."""
    said = answer.get("feedback")
    return f"{before} and said {quoted(said)}" if said else ""


def _inside(who: str) -> str:
    """Return a person's name within a sentence."""
    return "you" if who == "You" else who


def _decision(record: AuditRecord, words: Words) -> str:
    """Return a sentence for a decision about a call without a further record, or shown by itself."""
    about = _value(record, "files")
    title = _title(record, words)
    what = f"{title} for {quoted(about)}" if about else title
    answer = str(record.get("decision"))
    if answer in {*Decision}:
        return f"{_person(record)} {_DECISIONS[Decision(answer)].format(it=what)}{_words(record, ',')}"
    if record.get("outcome") == "allow":
        return f"{what} was allowed without a question"
    rule = record.get("rule")
    if rule == _EDITED:
        return f"{_person(record)} edited the text of {what}"
    if rule == _CHOSEN:
        return f"{_person(record)} chose what is taken, in {what}"
    return f"{what} was refused: {_REFUSALS.get(str(rule), 'your rules forbid it')}"


def _settings(record: AuditRecord) -> str:
    keys = list(_facts(record, "changes"))
    names = quoted([_SETTINGS.get(key, key) for key in keys]) if keys else "the settings"
    return f"{_person(record)} changed {names}" if record.get("by") else f"The settings were changed: {names}"


def _grant(record: AuditRecord) -> str:
    facts = _facts(record, "grant")
    if record.get("event") == "auto_approve":
        on = facts.get("enabled")
        return f"{_person(record)} {'let agents go on without questions' if on else 'has agents ask again'}"
    if record.get("event") == "ended_all":
        return f"{_person(record)} had every program ask again about everything"
    if record.get("event") == "reading":
        places = facts.get("reading")
        named = quoted(list(map(str, places))) if isinstance(places, list) and places else ""
        read = f"read {named} without asking" if named else "ask each time before it reads"
        return f"{_person(record)} let {_line(facts.get('for', 'a program'))} {read}"
    return f"{_person(record)} took a remembered answer back"


def _counted(record: AuditRecord, words: Words) -> str:
    """Return a sentence for many similar records in a short time: refused calls, waits, or deliveries."""
    number = record.get("count")
    times = counted(number if isinstance(number, int) else 0, "more time")
    who = record_caller(record) if record.get("client") else "Others"
    of = f" of {_title(record, words)}" if record.get("tool") else ""
    if (said := _COUNTED.get(str(record.get("of")))) is not None:
        return said.format(who=who, of=of, times=times)
    reasons = (_COUNTED_WHY.get(str(record.get(name))) for name in ("code", "errorType"))
    why = next(filter(None, reasons), "they could not be made")
    return f"{who} made calls{of} {times}. Refused: {why}"


def _event(record: AuditRecord, kind: str) -> str:
    """Return what happened to the bridge, the log, a client or the network."""
    event = str(record.get("event") or "")
    known = _EVENTS.get((kind, event))
    if kind == "client" and str(record.get("what")) in _RIGHTS:
        was = "was allowed" if record.get("may") else "is not allowed any more"
        words = _RIGHTS[str(record["what"])]
        return words.format(who=record_caller(record), was=was, preset=_line(record.get("preset")))
    if known is None:
        said = record.get("message") or event or kind
        return f"{kind.capitalize()}: {quoted(said)}"
    removed = record.get("records")
    many = f": {counted(removed, 'record')}" if kind == "log" and isinstance(removed, int) else ""
    return known.format(who=record_caller(record), of=_line(record.get("of"))) + many


# -- who and what -----------------------------------------------------------------------------------------------


def caller_words(client: str, client_id: str | None) -> str:
    """Return who called: the person, a client by the name that the person gave it, or a program by its own name.

    Args:
        client: The caller's name, as `Caller.name` has it.
        client_id: The id of its credential; None in the records of earlier versions.
    """
    if client_id == HOST_ID:
        return "You"
    if client.startswith(UNNAMED):
        said = client.removeprefix(UNNAMED).removeprefix(", calls itself ").strip("'\"")
        return f"{quoted(said)} (not verified)" if said else "An unnamed program"
    if client_id is None or client_id == SHARED_ID:
        return quoted(client) if client else "An unnamed program"
    return _line(client)


def record_caller(record: AuditRecord) -> str:
    """Return the client that a record is about: see `caller_words`."""
    client_id = HOST_ID if record.get("role") == "host" else record.get("clientId")
    return caller_words(str(record.get("client") or ""), client_id)


def _person(record: AuditRecord) -> str:
    """Return who answered or changed something: the person or a client; earlier records have only the name."""
    by, known = record.get("by"), record.get("byId")
    if known == HOST_ID:
        return "You"
    if record.get("elicited"):  # whoever it was said so there
        return f"{_line(by)}, for its own user,"
    return _line(by) if by and known else quoted(by) if by else "Somebody"


def _line(value: Any) -> str:
    """Return a name that the person or the bridge gave, in one line."""
    return " ".join(str(value).split())


def _tool(record: AuditRecord, words: Words) -> ToolWords:
    name = str(record.get("tool") or "")
    return words(name) or ToolWords.plain(name)


def _title(record: AuditRecord, words: Words) -> str:
    return _tool(record, words).title or "a tool"


def _value(record: AuditRecord, name: str) -> Any:
    """Return the value for a name in a tool's action; None if the log does not have it."""
    if name == "count":
        return _count(_facts(record, "result"))
    given = _facts(record, "parameters")
    if name == "files":
        named = next((given[key] for key in _NAMES if given.get(key)), None)
        held: Any = _changed(record) or named or _targets(record)
    else:
        held = given.get(name)
    if isinstance(held, list):
        held = [item for item in held if isinstance(item, str) and item not in _HIDDEN]
    return held if isinstance(held, list) or (isinstance(held, str) and held not in _HIDDEN) else None


def _changed(record: AuditRecord) -> list[str]:
    """Return the files that a call changed, without folders where there are any."""
    changed = record.get("files")
    files = [one for one in changed if isinstance(one, dict)] if isinstance(changed, list) else []
    own = [one for one in files if str(one.get("change")) not in _FOLDERS] or files
    return [str(one.get("newPath") or one.get("path")) for one in own]


def _targets(record: AuditRecord) -> list[str]:
    """Return the targets of the decision."""
    lists = (one.get("targets") for one in (record, *_decisions(record)))
    return next(([str(target) for target in found] for found in lists if isinstance(found, list) and found), [])


def _decisions(record: AuditRecord) -> list[AuditRecord]:
    found = record.get("decisions")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, Iterable) else []


def _facts(record: AuditRecord, name: str) -> AuditRecord:
    """Return a member that is an object; an empty one where it is none."""
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _count(result: AuditRecord) -> int | None:
    """Return how many things a result lists, by its shape in the log."""
    if isinstance(result.get("items"), int):
        return int(result["items"])
    lists = [one["items"] for one in result.values() if isinstance(one, dict) and isinstance(one.get("items"), int)]
    return lists[0] if len(lists) == 1 else None
