"""The person's screen in Obsidian, and the part of it for each client: nothing, unless the person allowed that.

What a client may not read is not there for it: neither the text of a closed note nor its name.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Final, NamedTuple

from bridge.clock import Clock
from bridge.consent.grants import GrantStore
from bridge.contract.consent import ConsentClass, ConsentMode, Coverage, Covers, Operation
from bridge.contract.hosts import OpenFile, Screen, ScreenChanged, ScreenShow
from bridge.errors import PermissionDenied
from bridge.identity.caller import CHAT_ID, Caller, Client
from bridge.own_commands import own_command
from bridge.policy.consent import ConsentCase, Rule, decide
from bridge.policy.targets import named_target
from bridge.settings.model import Settings

_READERS: Final = frozenset({"read", "read_file", "read_note"})
"""The tools by whose answers reading is judged."""
_EXPECTED: Final = ConsentMode.SESSION_ALLOW
OFFERS: Final = 3
"""Files that one client may offer to open within `OFFERS_WINDOW`."""
OFFERS_WINDOW: Final = 60.0
"""Seconds."""


class Seen(NamedTuple):
    """The part of the screen that a client is given.

    Attributes:
        granted: The answer that allows it.
        screen: The person's screen, as far as the client may read it; None: Obsidian does not report it.
    """

    granted: Rule
    screen: Screen | None


class Screens:
    """The latest report of the plugin, and what each client was told of it. May be used from several threads.

    Args:
        grants: The remembered answers.
        clock: The time.
        settings: The settings as they are now.
        is_open: Whether the connection with this id is open: what the plugin told ends with it.
        client: The client with this id as it is now; None where there is none.
        notify: Sends an event to every connection of a client.
        show: Hands to the plugin what a client wants to show; returns whether there is one.
        unsaved: Whether an editor holds text of this file that is not saved; None: it did not say. Blocks.
    """

    def __init__(
        self,
        grants: GrantStore,
        *,
        clock: Clock,
        settings: Callable[[], Settings],
        is_open: Callable[[str], bool],
        client: Callable[[str], Client | None],
        notify: Callable[[str, ScreenChanged], None],
        show: Callable[[ScreenShow], bool],
        unsaved: Callable[[str], bool | None],
    ) -> None:
        self.is_unsaved = unsaved
        self._grants = grants
        self._clock = clock
        self._settings = settings
        self._is_open = is_open
        self._client = client
        self._notify = notify
        self._show = show
        self._lock = threading.Lock()
        self._told: tuple[str, Screen] | None = None
        """The connection that told it, and what it told."""
        self._given: dict[str, OpenFile] = {}
        """The last file that each session was given in which something is selected."""
        self._heard: dict[str, Screen] = {}
        """The screen of which each client was last told that it has changed."""
        self._offered: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=OFFERS))
        """The times of the last offers of each client."""

    def clients(self) -> list[Client]:
        """Return the clients that may see what the person looks at."""
        found = (self._client(grant.client_id or "") for grant in self._grants.sharing(Coverage.LOOKING))
        return [client for client in found if client is not None]

    def tell(self, screen: Screen | None, connection: str) -> list[Client]:
        """Take what the person looks at now.

        Args:
            screen: The screen; None: nothing any more.
            connection: The connection of the plugin that says so.

        Returns:
            The clients that may see it. Without any, nothing is kept.
        """
        clients = self.clients()
        with self._lock:
            self._told = (connection, screen) if screen is not None and clients else None
            if not clients:
                self._given.clear()
        for client in clients:
            seen = self._within(Caller(client, ""), screen or Screen(), lambda _path: True)
            if self._heard.get(client.id) != seen:
                self._heard[client.id] = seen
                self._notify(client.id, ScreenChanged())
        return clients

    def look(self, caller: Caller, may_open: Callable[[str], bool]) -> Seen:
        """Return what a client is given, and remember what is selected in it for an edit of that.

        Args:
            caller: The client.
            may_open: Whether there is a file of this path that may be opened, wherever the path leads.

        Raises:
            PermissionDenied: The person has not allowed it to see what they look at.
        """
        granted = self._granted(caller)
        with self._lock:
            told = self._told
        if told is None or not self._is_open(told[0]):
            return Seen(granted, None)
        seen = self._within(caller, told[1], may_open)
        with self._lock:
            if seen.open is None or seen.open.selection is None or not seen.open.selection.text:
                self._given.pop(caller.session_id, None)
            else:
                self._given[caller.session_id] = seen.open
        return Seen(granted, seen)

    def given(self, caller: Caller) -> OpenFile | None:
        """Return the file and what was selected in it when the client looked last; None where nothing was."""
        with self._lock:
            return self._given.get(caller.session_id)

    def show(self, caller: Caller, path: str, part: str, line: int | None) -> str:
        """Show the person a file that a client has read: as an offer, or at once where they allowed that.

        Args:
            caller: The client.
            path: The file.
            part: A heading, a block or a page of it, as links name them after `#`.
            line: A line of it, from 1.

        Returns:
            What became of it: `opened`, `offered`, `away` where no plugin is connected, or `enough` where the client
            has just made as many offers as a person can be bothered with.
        """
        grant = self._grants.shared(Coverage.SHOWING, caller.client.id)
        unasked = grant is not None or caller.client.is_person
        told = ScreenShow(client=caller.name, path=path, part=part, line=line, unasked=unasked)
        if not unasked:
            return self._offer(caller.client.id, told)
        if not self._show(told):
            return "away"
        if grant is not None:
            self._grants.keep_used(grant.grant_id)
        return "opened"

    def forget(self, session_id: str) -> None:
        """Forget a session that has ended."""
        with self._lock:
            self._given.pop(session_id, None)

    def may_read(self, caller: Caller, path: str) -> bool:
        """Return whether a client may read a file without being denied that; whether it would be asked does not count.

        Args:
            caller: The client.
            path: The file, vault-relative.
        """
        closed = self._grants.closed()
        if closed is not None and closed(path) is not None:
            return False
        case = ConsentCase(
            tool="read",
            operation=Operation.READ,
            consent_class=ConsentClass.ALWAYS,
            covers=Covers.TOOL,
            targets=(named_target(path),),
            caller=caller,
            mode=ConsentMode(self._settings().consent_mode.get("read", _EXPECTED)),
            developer_mode=False,
            acts=(_READERS,),
        )
        return decide(case, self._grants).outcome != "deny"

    def _offer(self, client_id: str, told: ScreenShow) -> str:
        """Offer to open a file, unless the client has made too many offers."""
        with self._lock:
            now, offered = self._clock.monotonic(), self._offered[client_id]
            if len(offered) == OFFERS and now - offered[0] < OFFERS_WINDOW:
                return "enough"
            if not self._show(told):
                return "away"
            offered.append(now)
            return "offered"

    def _granted(self, caller: Caller) -> Rule:
        """Return the answer that lets a client see. Raises PermissionDenied where there is none."""
        client = caller.client
        if client.is_person:
            return Rule("shared:own", "the user's own programs may see what they look at")
        grant = self._grants.shared(Coverage.LOOKING, client.id)
        if grant is not None:
            revoke = f"`vault-bridge policy revoke {grant.grant_id}` takes that back"
            return Rule("shared:looking", f"{grant.sentence} {revoke}", grant.grant_id)
        if client.id == CHAT_ID:
            how = "The open note and what is selected go along with a message of theirs where they leave it attached"
        elif client.is_shared:
            how = "Only a program with a name of its own can be allowed that: `vault-bridge clients add NAME` gives one"
        else:
            how = (
                "They can allow it in Obsidian, in the settings of Vault Bridge under Connected programs, or with "
                + own_command("clients", "update", client.name or client.id, "--looking", "session")
            )
        raise PermissionDenied(
            f"The user has not allowed {caller.name} to see what they look at in Obsidian. {how}. "
            "Or they tell you which note they mean",
            code="not_shared",
        )

    def _within(self, caller: Caller, screen: Screen, may_open: Callable[[str], bool]) -> Screen:
        """Return what of a screen a client may read."""

        def visible(path: str) -> bool:
            return self.may_read(caller, path) and may_open(path)

        front = screen.open if screen.open is not None and visible(screen.open.path) else None
        tabs, recent = ([path for path in paths if visible(path)] for paths in (screen.tabs, screen.recent))
        return Screen.model_construct(open=front, tabs=tabs, recent=recent)
