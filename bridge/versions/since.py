"""Changes that other programs made to each file since a time, taken together: its state then and its state now."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from bridge.versions.grouping import moves_found
from bridge.versions.states import Effect, Side, TimedEffect, Unknown, Version

ROUNDING = 0.0005
"""Seconds by which a time that was written out may differ."""


class Since(NamedTuple):
    """The changes to files since a time.

    Attributes:
        effects: The sum of what was done to each file, with moves recognised, by path.
        nearest: Of files whose state at that time is not kept: when it was as it is given instead.
        mixed: Files that the bridge changed too in between, so that one cannot be taken back without the other.
    """

    effects: tuple[Effect, ...]
    nearest: dict[str, float]
    mixed: tuple[Effect, ...]


def since(timed: Iterable[TimedEffect], moment: float, versions: Callable[[str], Sequence[Version]]) -> Since:
    """Add up what was done to files.

    Args:
        timed: What was done to each after the moment, the oldest first.
        moment: The time, in seconds since 1970.
        versions: The states that a file had, newest first.
    """
    whole, nearest, mixed = list[Effect](), dict[str, float](), list[Effect]()
    for path, group in groupby(sorted(timed, key=lambda one: one.effect.path), key=lambda one: one.effect.path):
        steps = list(group)
        before, at = _state_at(steps[0], moment, versions(path))
        after = steps[-1].effect.after
        if before == after and not isinstance(before, Unknown):
            continue
        effect = Effect(path, before, after)
        if _is_whole(steps, before):
            whole.append(effect)
            if at is not None:
                nearest[path] = at
        else:
            mixed.append(effect)
    return Since(tuple(moves_found(whole)), nearest, tuple(mixed))


def find_version(versions: Collection[Version], moment: float) -> Version | None:
    """Return the state that a file had at a time; else the nearest one after it that is kept.

    Args:
        versions: Its states, newest first.
        moment: The time, in seconds since 1970.
    """
    moment += ROUNDING
    at = (one for one in versions if _was_at(one, moment) and one.size is not None)
    return next(at, None) or _next_kept(versions, moment)


def _state_at(first: TimedEffect, moment: float, versions: Sequence[Version]) -> tuple[Side, float | None]:
    """Return a file's state at a time, or the nearest kept one with its own time."""
    before = first.effect.before
    kept = {one.digest for one in versions if one.size is not None}
    if first.began > moment:
        if before is None or before in kept:
            return before, None
    else:
        at = next((one for one in versions if _was_at(one, moment)), None)
        if at is not None and at.size is not None:
            return at.digest, None
        if before in kept:  # changes came too fast to keep each: it was so before the first of them
            return before, next((one.since for one in versions if one.digest == before), first.began)
    later = _next_kept([one for one in versions if one.until is not None], moment)
    return (Unknown.BYTES, None) if later is None else (later.digest, later.since)


def _was_at(version: Version, moment: float) -> bool:
    return version.since <= moment and (version.until is None or moment < version.until)


def _next_kept(versions: Collection[Version], moment: float) -> Version | None:
    later = [one for one in versions if one.since > moment and one.size is not None]
    return later[-1] if later else None


def _is_whole(steps: Sequence[TimedEffect], before: Side) -> bool:
    """Return whether nothing else changed a file in between, at least since it was last in the state to restore."""
    for earlier, later in reversed(list(pairwise(steps))):
        if earlier.effect.after != later.effect.before:
            return later.effect.before == before
    return True
