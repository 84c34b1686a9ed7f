"""Every method of the protocol, as `docs/protocol.md` describes them. Each file is imported when it is first needed."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from bridge.rpc.dispatch import Method

FILES: Final = {
    "session": (
        "ping session.info session.name session.attach events.subscribe screen.tell screen.clients screen.compose "
        "screen.send screen.take"
    ),
    "tools": (
        "tools.list tools.call tools.chain tools.result tools.preview tools.cancel templates.list templates.run "
        "templates.save templates.remove"
    ),
    "history": "history.list history.undo history.redo history.diff history.undoAll",
    "versions": (
        "versions.list versions.read versions.restore versions.compare versions.restoreAll versions.broken "
        "versions.mend versions.forget versions.status"
    ),
    "outside_changes": "versions.notice versions.fine versions.wrote",
    "status": "limits.status vault.status sandbox.status bridge.faults semantic.rebuild semantic.allow index.compare",
    "consent": (
        "consent.pending consent.respond consent.respondAll consent.revise consent.resolve consent.confirm "
        "consent.grants consent.revoke consent.autoApprove consent.endAll consent.allowReading policy.explain demo.ask"
    ),
    "settings": (
        "settings.get settings.update settings.reset settings.schema keys.set keys.clear keys.status keys.test "
        "search.services keys.rotate"
    ),
    "clients": "clients.list clients.add clients.rename clients.update clients.revoke clients.allow",
    "agents": "agents.list agents.preview agents.connect agents.disconnect",
    "audit": "audit.query audit.export audit.clear audit.verify audit.activity audit.stats",
    "inbox": "inbox.list drafts.list drafts.preview drafts.discard",
    "web": "cache.stats cache.clear web.readers web.clear web.sites",
    "servers": (
        "servers.list servers.add servers.remove servers.test servers.trust servers.enable servers.found "
        "servers.import custom.list custom.add custom.update custom.remove custom.test custom.call"
    ),
    "chat": "chat.send chat.cancel chat.list chat.read chat.delete chat.export chat.models chat.allow",
}
"""The files here, and the methods of each, in the order of its `METHODS`."""


class _Methods(Mapping[str, Method]):
    """The methods by name. One that is asked for brings those of its file."""

    def __init__(self) -> None:
        self._files = {name: file for file, names in FILES.items() for name in names.split()}
        self._loaded: dict[str, Method] = {}

    def __getitem__(self, name: str) -> Method:
        if name not in self._loaded:
            module = import_module(f"{__name__}.{self._files[name]}")
            self._loaded |= {method.name: method for method in module.METHODS}
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files


METHODS: Final[Mapping[str, Method]] = _Methods()
