"""The clients that the person gave a name: one credential each, of which only a hash is kept, outside the vault.

A token is 256 random bits behind the client's id (`vb_ID_SECRET`). Because nobody can guess it, a plain SHA-256 is
enough to keep: whoever steals the file has no token and cannot make one.
"""

import hashlib
import hmac
import logging
import re
import secrets
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final

from pydantic import ConfigDict, Field, PlainSerializer, Strict
from pydantic.alias_generators import to_camel

from bridge.clock import Clock, stamp
from bridge.contract.identity import Capability, ClientInfo, Preset
from bridge.errors import ExecutionFailed, InvalidParameters, NotFound
from bridge.identity.caller import CHAT, CHAT_ID, DEMO, HOST, UNNAMED, Client
from bridge.records.folder import RecordFolder, RecordStore
from bridge.vault.text import AS_LATIN, hidden_characters

_OUR_WORDS: Final = (
    *(client.name or "" for client in (CHAT, DEMO, HOST)),
    *(UNNAMED, "You", "You typed in Obsidian", "The user", "Obsidian", "The terminal", "Terminal", "Vault Bridge"),
    *("Vault Bridge Consent", "The bridge", "Another program", "Shared"),
)
"""Names that questions, the log and the history use for other things than clients."""
_SMALL: Final = str.maketrans("вгкмнптαβγεηικνρςτυχωոսօհյզց01|", "brkmhntabyenikvpctuxwnuohjqgoll")  # noqa: RUF001 - lookalikes
"""Small letters of other alphabets, and digits, by the Latin letters that they look like."""
_PAIRS: Final = (("i", "l"), ("rn", "m"), ("vv", "w"), ("cl", "d"))
_WORD: Final = re.compile(r"[^\W\d_]+")
_EAST_ASIAN: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
_ALPHABETS: Final = _EAST_ASIAN | set(
    """
    LATIN CYRILLIC GREEK ARMENIAN HEBREW ARABIC THAANA DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA
    MALAYALAM SINHALA THAI LAO TIBETAN MYANMAR GEORGIAN ETHIOPIC KHMER
    """.split()  # noqa: SIM905 - reads better
)
"""Those that are in everyday use (UAX 31), as the names of their letters begin."""


def look_of(name: str) -> str:
    """Return what a name looks like at a glance: two that come to the same text can be taken for each other."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    look = plain.translate(AS_LATIN).casefold().translate(_SMALL)
    for pair, letter in _PAIRS:
        look = look.replace(pair, letter)
    return "".join(filter(str.isalnum, look)) or look


def fault_of(name: str) -> str | None:
    """Return why nobody should be called so, whoever else there is; None if there is nothing against it."""
    if look_of(name) in _OUR_LOOKS:
        return f"{name!r} is what Vault Bridge calls something else, or looks like it"
    if any(hidden_characters(name)):
        return "A client's name holds no characters that nobody sees"
    for word in _WORD.findall(unicodedata.normalize("NFKC", name)):
        alphabets = {re.split(r"[ -]", unicodedata.name(letter, ""), maxsplit=1)[0] for letter in word}
        if not alphabets <= _ALPHABETS:
            return f"A client's name is written in letters that are in everyday use, and {word!r} is not"
        if len(alphabets) > 1 and not alphabets - _EAST_ASIAN <= {"LATIN"}:
            return f"{word!r} mixes letters of several alphabets, which look alike; write it in one"
    return None


_OUR_LOOKS: Final = frozenset(map(look_of, _OUR_WORDS))


logger = logging.getLogger(__name__)

FILE: Final = "clients.json"
MOST_CLIENTS: Final = 100
LONGEST_NAME: Final = 80
_PREFIX: Final = "vb"
_SEEN_EVERY: Final = timedelta(minutes=1)
"""Precision of the time at which a client was last seen; the file is not written more often for it."""


@dataclass(frozen=True, slots=True)
class _StoredClient:
    """One client as the file holds it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(alias_generator=to_camel)

    id: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]  # the person and the shared credential have others
    name: str
    token_hash: str
    capabilities: Annotated[frozenset[Capability], PlainSerializer(sorted)]
    added: str
    last_seen: str | None = None
    calls_itself: str | None = None
    preset: Preset | None = None
    elicitation: Annotated[bool, Strict()] = False
    drafts: Annotated[bool, Strict()] = False

    @property
    def client(self) -> Client:
        return Client(self.id, self.name, self.capabilities, self.preset, self.elicitation, self.drafts)

    def info(self) -> ClientInfo:
        held = tuple(capability for capability in Capability if capability in self.capabilities)
        return ClientInfo.of(self, client_id=self.id, capabilities=held)


class ClientStore:
    """The store of clients: adds, lists, renames and revokes them, and identifies tokens. Several threads may use it.

    Args:
        folder: The folder of the file.
        clock: For the times shown to the person.
        on_change: Called after a client was added, renamed, given a capability or revoked; from the thread that did.
    """

    def __init__(self, folder: RecordFolder, *, clock: Clock, on_change: Callable[[], None] = lambda: None) -> None:
        self._file = RecordStore(folder, FILE, list[_StoredClient], member="clients", fault=_FAULT)
        self._clock = clock
        self._on_change = on_change
        self._lock = threading.RLock()
        self._records = {record.id: record for record in self._file.load([])}

    @property
    def fault(self) -> str | None:
        """Return the file's fault and its remedy, for people; None without a fault. With a fault nobody gets in."""
        return self._file.fault

    def list(self) -> list[ClientInfo]:
        """Return every client, in the order they were added."""
        with self._lock:
            return [record.info() for record in self._records.values()]

    def get(self, client_id: str) -> ClientInfo:
        """Return one client.

        Raises:
            NotFound: There is none with this id.
        """
        with self._lock:
            return self._record(client_id).info()

    def find(self, name: str) -> ClientInfo | None:
        """Return the client with a name; upper and lower case are one."""
        with self._lock:
            wanted = _fold(name)
            return next((record.info() for record in self._records.values() if _fold(record.name) == wanted), None)

    def name_of(self, client_id: str) -> str:
        """Return a client's name, for people; its id where it is no client with a name."""
        with self._lock:
            record = self._records.get(client_id)
        if client_id == CHAT_ID:
            return CHAT.name or CHAT_ID
        return record.name if record else client_id

    def add(self, name: str, preset: Preset | None = None, *, drafts: bool = False) -> tuple[ClientInfo, str]:
        """Add a client, which may call tools and nothing else.

        Args:
            name: What the person calls it.
            preset: The named set of tools that it has; None: the one that all have.
            drafts: Whether it works in drafts.

        Returns:
            The client, and its token, which cannot be had again.

        Raises:
            InvalidParameters: The name is empty, too long, cannot be shown, taken, or can be taken for another one.
            ExecutionFailed: The file has a fault or cannot be written; nothing has changed.
        """
        with self._lock:
            self._check_name(name)
            if len(self._records) >= MOST_CLIENTS:
                raise InvalidParameters(f"There are {MOST_CLIENTS} clients already; revoke one that is not used")
            client_id = secrets.token_hex(6)
            token = f"{_PREFIX}_{client_id}_{secrets.token_urlsafe(32)}"
            record = _StoredClient(
                id=client_id,
                name=name,
                token_hash=_hash(token),
                capabilities=frozenset({Capability.CALL}),
                added=stamp(self._clock.now()),
                preset=preset,
                drafts=drafts,
            )
            self._save({**self._records, client_id: record})
        self._on_change()
        return record.info(), token

    def rename(self, client_id: str, name: str) -> ClientInfo:
        """Give a client another name. Its grants, limits and history stay. Raises what `add` and `get` raise."""

        def renamed(record: _StoredClient) -> _StoredClient:
            self._check_name(name, apart_from=client_id)
            return replace(record, name=name)

        return self._change(client_id, renamed)

    def choose(
        self,
        client_id: str,
        *,
        preset: Preset | None = None,
        elicitation: bool | None = None,
        drafts: bool | None = None,
    ) -> ClientInfo:
        """Give a client other tools, let its user confirm reads in it, or have it work in drafts; None changes nothing.

        Raises what `get` and `add` raise. Only a person may have said that reads may be confirmed so.
        """
        wanted: dict[str, Any] = {"preset": preset, "elicitation": elicitation, "drafts": drafts}
        given = {name: value for name, value in wanted.items() if value is not None}
        return self._change(client_id, lambda record: replace(record, **given))

    def allow(self, client_id: str, capability: Capability) -> ClientInfo:
        """Let a client do more. Only a person may have said so. Raises what `get` and `add` raise."""
        return self._change(client_id, lambda record: replace(record, capabilities=record.capabilities | {capability}))

    def revoke(self, client_id: str) -> ClientInfo:
        """End a credential for good: its token is refused from now on. Raises what `get` and `add` raise."""
        with self._lock:
            record = self._record(client_id)
            self._save({key: other for key, other in self._records.items() if key != client_id})
        self._on_change()
        return record.info()

    def authenticate(self, token: str) -> Client | None:
        """Return the client with this token; None if it is nobody's, or revoked."""
        prefix, _, rest = token.partition("_")
        client_id = rest.partition("_")[0]
        with self._lock:
            record = self._records.get(client_id) if prefix == _PREFIX else None
        known = record.token_hash if record else _hash("")
        matches = hmac.compare_digest(_hash(token), known)
        return record.client if record is not None and matches else None

    def by_id(self, client_id: str) -> Client | None:
        """Return a client as it is now, by its id; None when there is none, or it was revoked."""
        with self._lock:
            record = self._records.get(client_id)
        return record.client if record else None

    def current(self, client: Client) -> Client | None:
        """Return the client as it is now, with its present name and capabilities; None when it was revoked."""
        return self.by_id(client.id)

    def seen(self, client: Client, calls_itself: str | None) -> None:
        """Record that a client is connected. A file that cannot be written is no reason to refuse it."""
        with self._lock:
            record = self._records.get(client.id)
            if record is None:
                return
            now = self._clock.now()
            recent = record.last_seen is not None and record.last_seen > stamp(now - _SEEN_EVERY)
            same = calls_itself is None or record.calls_itself == calls_itself
            if recent and same:
                return
            seen = replace(record, last_seen=stamp(now), calls_itself=calls_itself or record.calls_itself)
            try:
                self._replace(seen)
            except ExecutionFailed as failure:
                logger.warning("when %r was seen cannot be written: %s", record.name, failure)

    def _change(self, client_id: str, change: Callable[[_StoredClient], _StoredClient]) -> ClientInfo:
        with self._lock:
            changed = change(self._record(client_id))
            self._replace(changed)
        self._on_change()
        return changed.info()

    def _check_name(self, name: str, *, apart_from: str | None = None) -> None:
        if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
            raise InvalidParameters(
                f"A client's name has 1 to {LONGEST_NAME} printable characters and no spaces around them"
            )
        others = [record for record in self._records.values() if record.id != apart_from]
        if (same := next((other for other in others if _fold(other.name) == _fold(name)), None)) is not None:
            raise InvalidParameters(f"There is a client called {same.name!r} already; choose another name")
        if (fault := fault_of(name)) is not None:
            raise InvalidParameters(fault)
        if (like := next((other for other in others if look_of(other.name) == look_of(name)), None)) is not None:
            raise InvalidParameters(f"{name!r} looks like the client {like.name!r}; choose another name")

    def _record(self, client_id: str) -> _StoredClient:
        record = self._records.get(client_id)
        if record is None:
            raise NotFound(f"There is no client with the id {client_id!r}")
        return record

    def _replace(self, record: _StoredClient) -> None:
        self._save({**self._records, record.id: record})

    def _save(self, records: dict[str, _StoredClient]) -> None:
        self._file.save([*records.values()])
        self._records = records


_FAULT: Final = (
    f"The list of clients ({FILE}) cannot be read: {{why}}. No client with a name of its own can connect. "
    "Fix the file, or remove it and add the clients again; then restart the bridge"
)


def _hash(token: str) -> str:
    return "sha256:" + hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
