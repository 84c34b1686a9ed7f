"""Callers and targets for tests, from short words."""

from bridge.clock import Clock, SystemClock
from bridge.consent.client_grants import ClientGrants
from bridge.contract.identity import Capability
from bridge.identity.caller import HOST, Caller, Client
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


def client_grants(
    files: PrivateFiles | None = None, *, clock: Clock | None = None, days: int | None = None
) -> ClientGrants:
    """Answers for single clients, in memory."""
    return ClientGrants(files or PrivateFiles(), clock=clock or SystemClock(), days=lambda: days)
