"""Callers and targets for tests, from short words."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from bridge.clock import Clock, SystemClock
from bridge.consent.client_grants import ClientGrants
from bridge.consent.grants import GrantStore
from bridge.contract.consent import Coverage, Decision, Grant, Holder, Reach, RespondParams
from bridge.contract.identity import Capability
from bridge.identity.caller import HOST, Caller, Client
from bridge.policy.consent import ConsentCase
from bridge.policy.offers import AnswerBounds, offers
from bridge.policy.targets import Rung, Target, command_target, is_executable, named_target, parse_key, url_target

PERSON = Caller(HOST, "link-0", "Obsidian")


def caller(client_id: str = "s1", name: str = "Claude Code") -> Caller:
    """A client with a name of its own."""
    return Caller(Client(client_id, name, frozenset({Capability.CALL})), f"link-{client_id}", name)


def target(text: str) -> Target:
    """A target of the kind that the text looks like."""
    if "://" in text:
        return url_target(text)
    if is_executable(text):
        return command_target(text)
    return named_target(text)


def touching(*texts: str) -> tuple[Target, ...]:
    """Targets, in this order."""
    return tuple(map(target, texts))


def rungs(*keys: str) -> list[Rung]:
    """The rungs that keys of the permission file name."""
    return list(map(parse_key, keys))


def say(
    grants: GrantStore,
    decision: Decision,
    case: ConsentCase,
    feedback: str | None = None,
    *,
    what: Coverage | None = None,
    who: Holder | None = None,
    reach: Reach | None = None,
) -> tuple[Grant, ...]:
    """Give the first answer of a decision that is offered and fits; nothing is said where none is offered."""
    for offer in offers(case, AnswerBounds(), datetime.now(UTC)):
        extent = offer.extent
        is_reach = reach is None or (bool(extent.rungs) and extent.rungs[0].reach is reach)
        if offer.decision is decision and what in {None, extent.what} and who in {None, extent.who} and is_reach:
            return grants.remember(decision, extent, case, feedback)
    return ()


class PrivateFiles:
    """A private folder in memory, which can fail like a full disk."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.full = False
        self.written = 0

    def read(self, name: str) -> bytes | None:
        return self.held.get(name)

    def write(self, name: str, data: bytes) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        self.written += 1
        self.held[name] = data

    def remove(self, *names: str) -> None:
        for name in names:
            self.held.pop(name, None)

    def names(self) -> list[str]:
        return sorted(self.held)


def client_grants(
    files: PrivateFiles | None = None,
    *,
    clock: Clock | None = None,
    days: int | None = None,
    name_of: Callable[[str], str | None] = lambda client_id: client_id,
) -> ClientGrants:
    """Answers for single clients, in memory."""
    return ClientGrants(
        files or PrivateFiles(),
        clock=clock or SystemClock(),
        days=lambda: days,
        name_of=lambda client_id: name_of(client_id) or client_id,
    )


def answer_to(request_id: str, decision: Decision, plan_digest: str | None, **more: Any) -> RespondParams:
    """The answer to a question, as a screen sends it."""
    return RespondParams.model_validate(
        {"requestId": request_id, "decision": decision, "planDigest": plan_digest} | more
    )
