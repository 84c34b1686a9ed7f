"""The core: what every bridge has, and what a capability that can be left out is built from."""

from dataclasses import dataclass

from bridge.capabilities.base import Base
from bridge.capabilities.history import History
from bridge.capabilities.log import Log
from bridge.capabilities.network import Network
from bridge.capabilities.tools import VaultTools
from bridge.capabilities.trust import Trust
from bridge.index.vault_index import VaultIndex
from bridge.sandbox.programs import Programs


@dataclass(frozen=True)
class Core:
    """The core of every bridge.

    Attributes:
        base: The foundation of everything.
        trust: The callers, and the answers that allow them something.
        history: The history of changes.
        index: The index of the vault.
        log: The audit log.
        network: The door to the network, and the keys.
        programs: Starts programs.
        tools: The tools that look at the vault.
    """

    base: Base
    trust: Trust
    history: History
    index: VaultIndex
    log: Log
    network: Network
    programs: Programs
    tools: VaultTools
