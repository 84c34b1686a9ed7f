"""Access rights and limits of a program that the bridge starts."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bridge.sandbox.system import real_places

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a program, with everything that it starts.

    Attributes:
        seconds: Time that it may run; None for as long as it is wanted.
        grace: Seconds that it is given to end by itself when it is told to.
        memory: Bytes of memory, of all its processes together.
        processes: Number of processes at once.
        file_size: Bytes of one file that it writes.
        disk: Bytes by which all that it may write can grow.
        output: Bytes that it may write to its output and its errors together; None for as many as are read.
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
    """The access rights of a program, besides reading the system's own programs, which all may.

    Attributes:
        read: Files and folders that it may read, with everything below.
        write: Folders that it may write too.
        kept: Places that it may only read, although they lie in `write`.
        hidden: Places that it may not reach, although they lie in one of those.
        shown_at: Other places for something of `read` or `write`, in sandboxes that can move it.
        network: Whether it may use the network.
        limits: The limits of its resources.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    shown_at: tuple[tuple[Path, Path], ...] = ()
    network: bool = False
    limits: Limits = field(default_factory=Limits)

    def guarded(self, hidden: Iterable[Path], scratch: Path | None = None) -> "Profile":
        """Return the same with more hidden places, and real paths throughout, so that no link leads around a rule.

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
        """Return what may be read: a folder with something hidden in it is replaced by the rest of its content."""
        return tuple(_parts(self._given, self.shut_within))

    def writable(self) -> tuple[Path, ...]:
        """Return what may be written, without anything hidden or kept, in the same way."""
        return tuple(_parts(self.write, (*self.kept, *self.shut_within)))

    @property
    def shut_within(self) -> tuple[Path, ...]:
        """Return what is hidden inside something that can be read."""
        return tuple(place for place in self.hidden if any(place.is_relative_to(outer) for outer in self._given))

    @property
    def _given(self) -> tuple[Path, ...]:
        """Return all that can be read: the system's places too."""
        return (*self.read, *self.write, *map(Path, real_places()))


def _real(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in paths))


def _parts(places: Iterable[Path], without: Sequence[Path]) -> Iterator[Path]:
    """Yield places; one with something to leave out is replaced by everything else that is in it now."""
    for place in places:
        if place in without:
            continue
        inner = [path for path in without if path.is_relative_to(place)]
        if not inner:
            yield place
        elif place.is_dir():
            children = (child for child in sorted(place.iterdir()) if not child.is_symlink())
            yield from _parts(children, inner)
