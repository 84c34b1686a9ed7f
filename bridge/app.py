"""The composition root: what a bridge is made of, in the order in which it is built. It is let go in reverse.

Each capability builds its own services, in `bridge/capabilities/`. Where two of them need each other, both hold
something that exists before either (`bridge/ports.py`).
"""

import asyncio
import gc
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self

from bridge.capabilities.acting import OwnEditors, OwnTools, RestoringOthers, Terminal
from bridge.capabilities.base import open_base
from bridge.capabilities.core import Capability, Core, open_calls
from bridge.capabilities.history import open_history, open_index, open_log, watch
from bridge.capabilities.network import open_network, open_programs
from bridge.capabilities.outside import Chat, OtherServers, Web
from bridge.capabilities.searching import DrawnText, PdfFiles, SearchByMeaning
from bridge.capabilities.serving import build_services, serve
from bridge.capabilities.tools import open_tools
from bridge.capabilities.trust import open_trust
from bridge.clock import Clock, SystemClock
from bridge.ports import Late
from bridge.rpc.hub import VaultEvents

if TYPE_CHECKING:
    from bridge.contract.discovery import Discovery
    from bridge.drafts.store import Drafts
    from bridge.index.vault_index import VaultIndex
    from bridge.rpc.services import Services
    from bridge.settings.store import SettingsStore
    from bridge.toolkit.call_registry import CallRegistry
    from bridge.toolkit.handing_in import HandingIn

CAPABILITIES: Final[tuple[type[Capability], ...]] = (
    PdfFiles,
    DrawnText,
    SearchByMeaning,
    Web,
    Terminal,
    OtherServers,
    OwnTools,
    RestoringOthers,
    OwnEditors,
    Chat,
)
"""The capabilities of a bridge beside its core, in the order of their tools. It works without each of them.

What is searched by meaning is let go of before the texts of files are.
"""

SWITCH_SECONDS: Final = 0.0001
"""The time a busy thread may keep the interpreter from the event loop; Python's own default is fifty times that."""

SELDOM: Final = 1 << 30
"""Collections of younger garbage after which all of it would be looked through."""


def tune_process() -> None:
    """Make the event loop quick to answer, in a process that does nothing but serve. Call it after the start.

    Busy worker threads hand the interpreter over sooner, and what was made until now, which lives as long as the
    process, is never again looked through for garbage: that took up to 30 ms at a time. Neither is, in the middle of
    work, all that lives since then, such as the many links of a stranger's note: `give_memory_back` does that.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], SELDOM)


class Bridge:
    """One vault, served. Use it in `async with`, or `start` and `stop` it.

    Args:
        vault: The vault's folder.
        port: Where to listen on 127.0.0.1; 0 takes a free port.
        consent: `deny` refuses whatever would be asked.
        clock: Time.
        brief: Whether it lives only as long as one command.
        capabilities: What it has beside its core.

    Attributes:
        core: The core of every bridge.
        discovery: Where the bridge listens, once it has started.
        services: What the protocol's methods reach.
        handing_in: Hands in what the sessions of clients that work in drafts have left.
    """

    core: Core
    discovery: "Discovery"
    services: "Services"
    handing_in: "HandingIn"

    def __init__(
        self,
        vault: Path,
        *,
        port: int = 0,
        consent: Literal["ask", "deny"] = "ask",
        clock: Clock | None = None,
        brief: bool = False,
        capabilities: Sequence[type[Capability]] = CAPABILITIES,
    ) -> None:
        self._vault = vault
        self._port = port
        self._consent: Literal["ask", "deny"] = consent
        self._clock = clock or SystemClock()
        self._brief = brief
        self._capabilities = capabilities
        self._stack = AsyncExitStack()

    async def start(self) -> None:
        """Start serving.

        Raises:
            StartError: The vault cannot be opened, or another process serves it.
        """
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise

    async def stop(self) -> None:
        """Stop serving: finish what is being written, cancel the rest, let everything go."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _start(self) -> None:
        base = open_base(self._vault, self._stack, clock=self._clock, brief=self._brief)
        trust = await open_trust(base)
        history = await open_history(base)
        events = VaultEvents(base.hub, trust.grants.closed, history.recorder.entry_of)
        index = await open_index(base, history, events)
        log = await open_log(base, index, history.recovery)
        network = open_network(base, log)
        programs = await asyncio.to_thread(open_programs, base, log)
        waiting: Late[CallRegistry] = Late("The calls")
        tools = await open_tools(base, trust, history, index, calls=waiting)
        core = self.core = Core(base, trust, history, index, log, network, programs, tools)
        capabilities = [capability(core) for capability in self._capabilities]
        for capability in capabilities:
            await capability.open()
        calls = open_calls(core, consent=self._consent)
        waiting.fill(calls.registry)
        # Those that waited for a person at the last stop go on before anybody can ask for them.
        await calls.registry.resume(trust.clients.current, run=not self._brief)
        self.services = build_services(core, calls)
        for capability in capabilities:
            await capability.begin(calls)
        base.applied.on(events.applied)  # others hear of a change when everything here knows it
        watch(base, index)
        self.discovery = await serve(core, self.services, self._port)
        self.handing_in = calls.handing_in
        index.start()
        if not self._brief:
            calls.handing_in.start()
        base.started()

    @property
    def index(self) -> "VaultIndex":
        """Return the index of the vault's notes."""
        return self.core.index

    @property
    def settings(self) -> "SettingsStore":
        """Return the settings."""
        return self.core.base.settings

    @property
    def drafts(self) -> "Drafts":
        """Return the drafts of the vault's clients."""
        return self.core.tools.drafts
