"""A figure of the bench is a ratio of medians, each side measured in turn."""

from collections.abc import Awaitable, Callable

from scripts.lib.bench_measure import REPEATS, Spread, alternate, compare, percentile


def measured(name: str, seconds: float, order: list[str]) -> Callable[[], Awaitable[float]]:
    async def measure() -> float:
        order.append(name)
        return seconds

    return measure


async def test_sides_are_measured_in_turn_after_one_turn_to_warm_up() -> None:
    order: list[str] = []
    samples = await alternate({"ours": measured("ours", 2.0, order), "bare": measured("bare", 1.0, order)})
    assert order == ["ours", "bare"] * (REPEATS + 1)
    assert samples == {"ours": [2.0] * REPEATS, "bare": [1.0] * REPEATS}


async def test_fewer_repeats_than_nine_are_not_accepted() -> None:
    order: list[str] = []
    assert len((await alternate({"ours": measured("ours", 1.0, order)}, repeats=2))["ours"]) == REPEATS


def test_the_ratio_is_ours_over_the_reference_with_its_spread_and_its_goal() -> None:
    printed = compare("ping", {"ours": [0.002, 0.004, 0.006], "bare": [0.001, 0.002, 0.002]}, goal=2.5)
    assert printed.splitlines() == [
        "  ping",
        "    ours                               4 ms (2 to 6)",
        "    bare                               2 ms (1 to 2)",
        "    ratio                              2.00 (2.00 to 3.00)   goal: at most 2.5",
    ]


def test_a_spread_is_told_in_the_unit_of_its_median() -> None:
    assert [str(Spread.of([value])) for value in (0.00005, 0.005, 5.0)] == [
        "50 us (50 to 50)",
        "5 ms (5 to 5)",
        "5 s (5 to 5)",
    ]


def test_a_percentile_is_one_of_the_samples() -> None:
    assert percentile(list(range(100)), 99) == 99
    assert percentile([3, 1, 2], 50) == 2
