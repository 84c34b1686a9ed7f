"""The addresses outside this machine that the person has agreed to talk to. They are kept on this machine alone.

The address itself is a setting, and a vault's settings may come from elsewhere with the vault. So an address counts
only where its own origin was agreed to here.
"""

import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from bridge.clock import Clock, stamp
from bridge.errors import InvalidParameters, PermissionDenied
from bridge.keys.store import origin
from bridge.records.folder import RecordFolder, RecordStore
from bridge.settings.model import Settings
from bridge.web.guard import names_this_machine
from bridge.web.url import BadUrl, parse_url


class Purpose(NamedTuple):
    """The purpose of talking to a server. To agree to one is not to agree to another.

    Attributes:
        name: Its name in messages about faults.
        file: Where it is kept what was agreed to.
        sentence: The sentence to agree to; `{place}` is the server.
        ask: Where they are asked.
    """

    name: str
    file: str
    sentence: str
    ask: str


CHAT: Final = Purpose(
    "the chat",
    "agreed.json",
    "The chat is set to {place}, which is not on this computer. What you write is sent there, and so is everything "
    "that the model reads for you: texts of notes, names of files, and results of searches. What Vault Bridge asks you "
    "about, it goes on asking.",
    "open the chat in Obsidian, or run `vault-bridge chat` in a terminal; both ask once",
)
EMBEDDING: Final = Purpose(
    "search by meaning",
    "agreed-meaning.json",
    "The model for search by meaning runs at {place}, which is not on this computer. The names and texts of all notes "
    "that agents may read are sent there, again whenever one changes, and so is every question that is searched for.",
    "open Vault Bridge's settings in Obsidian, or run `vault-bridge rebuild` in a terminal; both ask once",
)


@dataclass(frozen=True, slots=True)
class _Record:
    """One address as the file holds it, and since when it is agreed to."""

    origin: str
    since: str

    def __post_init__(self) -> None:
        datetime.fromisoformat(self.since)
        if origin(self.origin) != self.origin:
            raise ValueError(f"{self.origin!r} is no origin")


class AgreedEndpoints:
    """The endpoints that the person has agreed to. May be used from several threads; `agree` blocks.

    Args:
        folder: Where the file lies.
        clock: The time, to note when an address was agreed to.
        purpose: What the servers are talked to for.
    """

    def __init__(self, folder: RecordFolder, clock: Clock, purpose: Purpose = CHAT) -> None:
        self._purpose = purpose
        fault = (
            f"The list of addresses for {purpose.name} ({purpose.file}) cannot be read: {{why}}. Only a model on this "
            "computer can be used. Fix the file or remove it, then restart the bridge"
        )
        self._file = RecordStore(folder, purpose.file, list[_Record], member="endpoints", fault=fault)
        self._clock = clock
        self._lock = threading.Lock()
        self._agreed = {record.origin: record for record in self._file.load([])}

    @property
    def fault(self) -> str | None:
        """Return what is wrong with the file and what to do; None when nothing is. With a fault nothing is agreed."""
        return self._file.fault

    def allows(self, settings: Settings) -> bool:
        """Return whether requests may go to the address that is set."""
        place = origin(settings.chat_endpoint)
        return is_here(place) or place in self._agreed

    def agree(self, endpoint: str, settings: Settings) -> None:
        """Record that the person has agreed to an address.

        Args:
            endpoint: What they agreed to: scheme, host and port.
            settings: Say which address is set now.

        Raises:
            InvalidParameters: Another one is set by now.
            ExecutionFailed: It cannot be remembered.
        """
        place = origin(settings.chat_endpoint)
        if endpoint != place:
            raise InvalidParameters(f"The address of Ollama is {place} by now, not {endpoint!r}; look again")
        with self._lock:
            agreed = {**self._agreed, place: _Record(place, stamp(self._clock.now()))}
            self._file.save([*agreed.values()])
            self._agreed = agreed

    def sentence(self, settings: Settings) -> str:
        """Return the sentence that the person agrees to."""
        return self._purpose.sentence.format(place=origin(settings.chat_endpoint))

    def refusal(self, settings: Settings) -> PermissionDenied:
        """Return the refusal to send anything to the address that is set."""
        why = f"{self.sentence(settings)} Nobody has agreed to that yet: {self._purpose.ask}"
        return PermissionDenied(why, code="denied_by_rule")


def is_here(endpoint: str) -> bool:
    """Return whether an address is on this machine."""
    try:
        return names_this_machine(parse_url(endpoint).host)
    except BadUrl:
        return False
