"""The ways out: the door to the network with the keys of the services behind it, and the programs that are started."""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.capabilities.base import Base
from bridge.capabilities.history import keep_private
from bridge.client.token_storage import config_folder
from bridge.contract.discovery import STATE_FOLDER
from bridge.keys.store import KeyStore, MasterKeys, SystemKeyring
from bridge.ports import Signal
from bridge.records.folder import RunFolder, UserFolder, cache_folder, state_folder
from bridge.sandbox.job import remove_tree
from bridge.sandbox.sandbox import Programs, probe
from bridge.servers.servers import HOMES
from bridge.settings.model import requires_sandbox
from bridge.toolkit.audit_step import AuditStep
from bridge.web.door import Exchanged, WebDoor

if TYPE_CHECKING:
    from bridge.web.transport import Transport


class Network(NamedTuple):
    """The way out.

    Attributes:
        door: Makes requests.
        keys: The API keys. None is opened before somebody needs it.
        keys_changed: A key was set, cleared or sealed anew.
        exchanged: A request was made, or refused.
    """

    door: WebDoor
    keys: KeyStore
    keys_changed: Signal[[]]
    exchanged: Signal[[Exchanged]]


def open_network(base: Base, log: AuditStep) -> Network:
    """Build it."""
    exchanged: Signal[[Exchanged]] = Signal()
    keys_changed: Signal[[]] = Signal()

    def noted(request: Exchanged) -> None:
        """Log a request; its query only where the values of parameters are logged."""
        facts: dict[str, Any] = request.for_log(with_query=base.settings.current.log_parameter_values)
        log.note("network", facts)

    exchanged.on(noted)
    door = WebDoor(
        lambda: base.settings.current, transport, base.clock, own_ports=lambda: frozenset(base.ports), log=exchanged
    )
    masters = MasterKeys(lambda: UserFolder(config_folder() / "keys", durable=True), SystemKeyring())
    keys = KeyStore(base.settings, masters, learned=base.secrets.add, changed=keys_changed)
    return Network(door, keys, keys_changed, exchanged)


def transport() -> "Transport":
    """Return what makes requests."""
    from bridge.web.transport import SystemResolver, Transport  # noqa: PLC0415 - slow to import; most bridges never need it

    return Transport(SystemResolver())


def open_programs(base: Base, log: AuditStep) -> Programs:
    """Build it. Whatever a bridge that was killed has left of programs' places is thrown away. Blocks."""
    vault = base.root.path
    scratch = RunFolder(vault, kind="programs").path
    for left in scratch.iterdir():
        if left.name != HOMES:  # servers keep theirs
            remove_tree(left)
    hidden = (state_folder(), cache_folder(vault), config_folder(), vault / STATE_FOLDER)
    configuration = [path for path in vault.glob(".*") if (path / "app.json").exists()]
    return Programs(
        [path for path in (*hidden, *configuration) if path is not None],
        scratch,
        required=lambda: requires_sandbox(base.settings.current),
        find=probe,
        on_end=partial(keep_private, base, log),
    )
