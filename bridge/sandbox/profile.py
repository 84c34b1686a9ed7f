"""What a program that the bridge starts may reach, and how much it may take."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bridge.sandbox.system import real_places

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a program may take, with everything that it starts.

    Attributes:
        seconds: How long it may run; None: as long as it is wanted.
        grace: Seconds that it is given to end by itself when it is told to.
        memory: Bytes of memory, of all its processes together.
        processes: How many processes at once.
        file_size: Bytes of one file that it writes.
        disk: Bytes by which all that it may write can grow.
        output: Bytes that it may write to its output and its errors together; None: as many as are read.
    """

    seconds: float | None = None
    grace: float = 1.0
    memory: int = 2048 * MEGABYTE
    processes: int = 128
    file_size: int = 512 * MEGABYTE
    disk: int = 1024 * MEGABYTE
    output: int | None = 4 * MEGABYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a program may reach, besides the system's own programs, which every one may read.

    Attributes:
        read: Files and folders that it may read, with everything below.
        write: Folders that it may write too.
        kept: What it may at most read, although it lies in `write`.
        hidden: What it may not reach, although it lies in one of those.
        shown_at: Where something of `read` or `write` is seen instead, by sandboxes that can do that.
        network: Whether it may use the network.
        limits: How much it may take.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    shown_at: tuple[tuple[Path, Path], ...] = ()
    network: bool = False
    limits: Limits = field(default_factory=Limits)

    def guarded(self, hidden: Iterable[Path], scratch: Path | None = None) -> "Profile":
        """The same with more that is hidden, and with real paths throughout, so that no link leads around a rule.

        Args:
            hidden: What no program may reach.
            scratch: A folder in there of which programs may be given parts.

        Raises:
            ValueError: Something that it gives is hidden itself.
        """
        shut = _real(hidden)
        own = None if scratch is None else Path(os.path.realpath(scratch))
        read, write = _real(self.read), _real(self.write)
        for given in (*read, *write):
            is_own = own is not None and given != own and given.is_relative_to(own)
            if not is_own and any(given.is_relative_to(place) for place in shut):
                raise ValueError(f"{given.name} belongs to the bridge, and no program is given that")
        return Profile(
            read=read,
            write=write,
            kept=_real(self.kept),
            hidden=(*_real(self.hidden), *shut),
            shown_at=tuple((Path(os.path.realpath(real)), shown) for real, shown in self.shown_at),
            network=self.network,
            limits=self.limits,
        )

    def readable(self) -> tuple[Path, ...]:
        """What may be read, without anything hidden: folders that hold such are replaced by what else is in them."""
        return tuple(_parts(self._given, self.shut_within))

    def writable(self) -> tuple[Path, ...]:
        """What may be written, without anything hidden or kept, in the same way."""
        return tuple(_parts(self.write, (*self.kept, *self.shut_within)))

    @property
    def shut_within(self) -> tuple[Path, ...]:
        """What is hidden and lies in something that can be read."""
        return tuple(place for place in self.hidden if any(place.is_relative_to(outer) for outer in self._given))

    @property
    def _given(self) -> tuple[Path, ...]:
        """All that can be read: the system's places too."""
        return (*self.read, *self.write, *map(Path, real_places()))


def _real(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in paths))


def _parts(places: Iterable[Path], without: Sequence[Path]) -> Iterator[Path]:
    """Places, with those that hold something to be left out replaced by everything else that is in them now."""
    for place in places:
        if place in without:
            continue
        inner = [path for path in without if path.is_relative_to(place)]
        if not inner:
            yield place
        elif place.is_dir():
            children = (child for child in sorted(place.iterdir()) if not child.is_symlink())
            yield from _parts(children, inner)
