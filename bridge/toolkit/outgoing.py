"""Outgoing data: whether it carries text of notes, and whether it is all as the caller has read it.

A request says what it sends (`RequestEffect.sends`, and `address` for a page); everything else is decided here.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import parse_qsl

from bridge.consent.web_readers import AgentsAddresses
from bridge.identity.caller import Caller
from bridge.index.carried_text import CarriedText
from bridge.policy.risk import added_lines, address_key, addresses
from bridge.toolkit.tool import RequestEffect
from bridge.vault.diff import parse_hunks
from bridge.vault.plan import ChangeKind, ChangePlan, Hazard
from bridge.web.url import BadUrl, parse_url

MOST_READ: Final = 20_000
"""Addresses that are remembered of what one client has read; beyond that the oldest is as if it had not been read."""
_LONGEST: Final = 4 << 20  # characters of an answer that are looked through for addresses


@dataclass(slots=True)
class Outgoing:
    """The watch over what leaves. Every method blocks and may be called from any thread.

    Args:
        carried: Compares with the texts of the vault.
        written: The addresses that agents wrote.
    """

    carried: CarriedText
    written: AgentsAddresses
    _read: dict[str, dict[int, None]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def compared(self, effect: RequestEffect, caller: Caller) -> RequestEffect:
        """Return a request, with why it must be asked about, and whether all that it sends was read as it is."""
        sent = list(effect.sends)
        is_known = not "".join(sent)
        if effect.address:
            whole = self._is_known(effect.address, caller)
            is_known = is_known and whole
            sent += [] if whole else self._parts(effect.address, caller)
        found = self.carried.find(*sent)
        effect = effect._replace(sends_known=is_known)
        if found is None:
            return effect
        why = f"It carries text that also stands in {found}"
        return effect._replace(insists=f"{effect.insists}. {why}" if effect.insists else why)

    def read(self, caller: Caller, effect: RequestEffect | None, texts: Iterable[str]) -> None:
        """Remember the addresses in an answer from the network: the caller is about to read them."""
        keys = [hash(key) for text in texts for key in addresses(text[:_LONGEST])]
        if effect is not None and effect.address:
            keys.append(hash(address_key(effect.address)))
        with self._lock:
            kept = self._read.setdefault(caller.subject, {})
            kept.update(dict.fromkeys(keys))
            for key in list(kept)[: max(len(kept) - MOST_READ, 0)]:
                del kept[key]

    def warned(self, plan: ChangePlan) -> ChangePlan:
        """Return a plan, with a warning where an address in its new text carries text of a note."""
        warnings: list[str] = []
        for path, keys in _written(plan):
            new = [key for key in keys if not self.carried.holds(key)]
            if (found := self.carried.find(*new)) is not None:
                warnings.append(f"An address in the new text of {path!r} carries text that also stands in {found}")
        if not warnings:
            return plan
        hazards = (*plan.hazards, *(Hazard.CARRIES for _ in warnings))
        return replace(plan, warnings=(*plan.warnings, *warnings), hazards=hazards)

    def writing(self, caller: Caller, plan: ChangePlan) -> None:
        """Record the addresses that an agent put together, before its plan is carried out: they are its own then.

        Raises:
            ExecutionFailed: That cannot be kept; the plan must not be carried out.
        """
        if (caller.client.is_person and plan.draft is None) or plan.reversal is not None or plan.restores:
            return
        keys = {key for _path, found in _written(plan) for key in found}
        seen = self._read.get(caller.subject, {})
        if new := {key for key in keys if hash(key) not in seen}:
            self.written.add(new)

    def _is_known(self, address: str, caller: Caller) -> bool:
        """Return whether an address is unchanged from what the caller has read, or is the person's, in a note."""
        key = address_key(address)
        if self.written.has(key):
            return False
        return hash(key) in self._read.get(caller.subject, {}) or self.carried.holds(key)

    def _parts(self, address: str, caller: Caller) -> list[str]:
        """Return the parts of an address to compare: all that are not known by themselves."""
        try:
            url = parse_url(address)
        except BadUrl:
            return [address]
        query = url.query or ""
        values = "".join(value for _name, value in parse_qsl(query, keep_blank_values=True))
        parts = [query, values]
        if self._is_known(f"{url.netloc}{url.path}", caller):
            return parts
        parts += [url.path, f"{url.path}{values}"]
        if not self._is_known(f"{url.netloc}/", caller):
            host = url.written or url.host
            parts += [host, f"{host}{url.path}{values}"]
        return parts


def strings(value: Any) -> Iterator[str]:
    """Yield the texts of a JSON value: all that it says one behind the other, and all names of its members."""
    names: list[str] = []
    yield "\n".join(_said(value, names))
    yield "\n".join(names)


def _said(value: Any, names: list[str]) -> Iterator[str]:
    match value:
        case dict():
            names += map(str, value)
            for member in value.values():
                yield from _said(member, names)
        case list() | tuple():
            for member in value:
                yield from _said(member, names)
        case None | bool():
            return
        case _:
            yield str(value)


def _written(plan: ChangePlan) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the addresses that a plan adds to each file, but those that stood in what it takes away."""
    removed = {
        key
        for preview in plan.previews
        for hunk in parse_hunks(preview.diff)
        for key in addresses("\n".join(line[1:] for line in hunk.text.split("\n") if line.startswith("-")))
    }
    for change, preview in zip(plan.changes, plan.previews, strict=False):
        if change.kind in {ChangeKind.CREATE, ChangeKind.MODIFY}:
            lines = added_lines(preview, plan.blobs[change.after or ""])
            found = {key for _number, line in lines for key in addresses(line)} - removed
            if found:
                yield change.new_path or change.path, sorted(found)
