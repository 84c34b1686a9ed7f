"""A half remembered name finds its file: by words, by letters, in spite of typing errors."""

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from bridge.errors import DeadlineExceeded
from bridge.index.search.fuzzy import FuzzyPaths, fold

PATHS = [
    "Areas/Health/Sleep log.md",
    "Daily/2024-03-01.md",
    "Notes/Café in Zürich.md",
    "Notes/Meeting.md",
    "Notes/Meeting with Ada.md",
    "Notes/Weekly team meeting.md",
    "Projects/Garden/Irrigation plan.md",
    "Projects/Garden/Tomato varieties.md",
    "Projects/Vault bridge/Protocol.md",
    "Reading/The Name of the Rose.md",
]


def rank(query: str, paths: Sequence[str], check: Callable[[], None] = lambda: None) -> list[str]:
    """The paths that are found."""
    return [paths[place] for place in FuzzyPaths(paths).rank(query, check)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("meeting", "Notes/Meeting.md"),
        ("MEETING", "Notes/Meeting.md"),
        ("ada meeting", "Notes/Meeting with Ada.md"),
        ("garden tomato", "Projects/Garden/Tomato varieties.md"),
        ("Notes/Meeting.md", "Notes/Meeting.md"),
        ("cafe zurich", "Notes/Café in Zürich.md"),
        ("irrplan", "Projects/Garden/Irrigation plan.md"),
        ("tnotr", "Reading/The Name of the Rose.md"),
        ("protocl", "Projects/Vault bridge/Protocol.md"),
        ("irigation plan", "Projects/Garden/Irrigation plan.md"),
        ("tomatoe varietys", "Projects/Garden/Tomato varieties.md"),
        ("sleeplgo", "Areas/Health/Sleep log.md"),
        ("2024-03", "Daily/2024-03-01.md"),
    ],
)
def test_the_file_meant_comes_first(query: str, first: str) -> None:
    assert rank(query, PATHS)[0] == first


@pytest.mark.parametrize("query", ["", "   ", "qqqqqqq", "xyzzy plugh"])
def test_a_query_that_means_nothing_finds_nothing(query: str) -> None:
    assert rank(query, PATHS) == []


def test_a_later_stage_is_not_asked_when_an_earlier_one_found_something() -> None:
    assert set(rank("meeting", PATHS)) == {path for path in PATHS if "meeting" in path.lower()}


def test_equally_good_paths_come_in_the_order_of_their_names() -> None:
    assert rank("x", ["b/x.md", "a/x.md"]) == ["a/x.md", "b/x.md"]


def test_folding_takes_away_case_accents_and_width() -> None:
    assert fold("ÉCOLE \uff46ull Straße") == "ecole full strasse"


def test_the_search_stops_when_its_time_is_over() -> None:
    def stop() -> None:
        raise DeadlineExceeded("enough")

    with pytest.raises(DeadlineExceeded):
        rank("meeting", PATHS, stop)


WORDS = (
    *("garden", "river", "history", "mountain", "protocol", "bridge", "winter", "summer", "letter", "music", "kitchen"),
    *("market", "window", "paper", "ocean", "forest", "travel", "budget", "health", "theory", "physics", "poetry"),
    *("castle", "harbor", "engine", "planet", "copper", "velvet", "island", "meadow", "signal", "pepper", "ribbon"),
    *("tunnel", "valley", "walnut", "zephyr", "anchor", "basket", "candle", "dragon", "ember", "falcon", "sketch"),
)


def _vault(rnd: random.Random) -> list[str]:
    names = {" ".join(rnd.sample(WORDS, 3)).capitalize() for _ in range(800)}
    return [f"{rnd.choice(WORDS).capitalize()}/{name}.md" for name in sorted(names)]


def _queries(path: str, rnd: random.Random) -> Iterator[str]:
    """Five ways to remember a name: beginnings of words, another order, a typing error, squashed, by its folder."""
    folder, name = path.removesuffix(".md").lower().split("/")
    words = name.split()
    yield " ".join(word[:4] for word in words)
    yield " ".join(words[::-1])
    at = rnd.randrange(1, len(name) - 2)
    yield name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    yield "".join(word[:3] for word in words)
    yield f"{folder} {words[0]} {words[-1]}"


def test_the_file_meant_is_among_the_first_five() -> None:
    rnd = random.Random(11)  # noqa: S311 - a seeded sample, not a secret
    paths = _vault(rnd)
    asked = [(path, query) for path in rnd.sample(paths, 20) for query in _queries(path, rnd)]
    hits = sum(path in rank(query, paths)[:5] for path, query in asked)
    assert hits / len(asked) >= 0.95


def test_paths_that_were_known_before_are_found_as_if_they_were_new() -> None:
    before = FuzzyPaths(PATHS[:6])
    again = FuzzyPaths(PATHS[3:], before)
    assert [again.rank(query) for query in ("meeting", "protocl", "tnotr")] == [
        FuzzyPaths(PATHS[3:]).rank(query) for query in ("meeting", "protocl", "tnotr")
    ]


def test_a_query_that_fits_thousands_of_paths_ranks_the_nearest_and_forgets_none() -> None:
    paths = [f"Folder/note {number}.md" for number in range(3000)]
    found = rank("note 7", paths)
    assert found[0] == "Folder/note 7.md"
    assert set(found) == {path for path in paths if "7" in path}
    assert len(rank("o", paths)) == len(paths)
