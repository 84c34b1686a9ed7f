"""Two ways of doing a thing, measured alternately in one run, and printed as a ratio with its spread.

The same step can take twice as long a minute later on a shared machine. So no figure stands alone: each side is
measured in turn, at least nine times, and the result is ours over the reference, as medians, with the least and the
most beside them. Nothing here is asserted.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

REPEATS = 9
"""The fewest repeats a figure may rest on."""


_UNITS = ((1.0, "s"), (1e3, "ms"), (1e6, "us"))

MEASURED: dict[str, tuple[float, float]] = {}
"""The results of this run for docs/performance.md: seconds of ours and of the reference, by the name of a row there."""


def note(row: str, ours: float, reference: float) -> None:
    """Keep two times, in seconds, for a row of docs/performance.md."""
    MEASURED[row] = ours, reference


class Spread(NamedTuple):
    """The measurements of one side, in seconds."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> Spread:
        """The spread of some samples."""
        return cls(statistics.median(samples), min(samples), max(samples))

    def __str__(self) -> str:
        """As `1.20 ms (1.10 to 1.90)`, in the unit that fits the median."""
        factor, unit = next((factor, unit) for factor, unit in _UNITS if self.median * factor >= 1 or unit == "us")
        return f"{self.median * factor:.3g} {unit} ({self.least * factor:.3g} to {self.most * factor:.3g})"


async def alternate(
    sides: Mapping[str, Callable[[], Awaitable[float]]], *, repeats: int = REPEATS
) -> dict[str, list[float]]:
    """Measure every side in turn, `repeats` times, after one unmeasured turn to warm up.

    Args:
        sides: By name, what measures itself once and gives the seconds.
        repeats: How often; not less than nine.
    """
    samples: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(max(repeats, REPEATS) + 1):
        for name, measure in sides.items():
            seconds = await measure()
            if turn:
                samples[name].append(seconds)
    return samples


def compare(
    title: str, samples: Mapping[str, Sequence[float]], *, goal: float | None = None, row: str | None = None
) -> str:
    """Some lines: both sides with their spread, and the ratio of the first side to the second.

    Args:
        title: What was measured.
        samples: Seconds by side; ours first, the reference second.
        goal: The ratio that we want to stay under.
        row: The row of docs/performance.md that this is for, if any.
    """
    ours, reference = samples
    ratios = [mine / theirs for mine, theirs in zip(samples[ours], samples[reference], strict=True)]
    medians = statistics.median(samples[ours]), statistics.median(samples[reference])
    ratio = medians[0] / medians[1]
    if row is not None:
        note(row, *medians)
    lines = [f"  {title}"]
    lines += [f"    {name:<34} {Spread.of(samples[name])}" for name in (ours, reference)]
    wanted = f"   goal: at most {goal:g}" if goal is not None else ""
    lines.append(f"    {'ratio':<34} {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}){wanted}")
    return "\n".join(lines)


def percentile(samples: Sequence[float], percent: float) -> float:
    """The value that `percent` of the samples do not exceed."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
