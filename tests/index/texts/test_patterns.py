"""Which engine takes a pattern, and what is said of one that none takes."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.index.texts import patterns as module
from bridge.index.texts.patterns import Pattern, Patterns
from bridge.workers.pool import WorkerPool

TEXT = b"ab\nTODO: x\naa bb\nprice: 12 EUR\n"

# Each with the note lines that make a backtracking engine take for ever.
CATASTROPHIC = [
    *(r"(a+)+$", r"(a*)*$", r"(a|aa)+$", r"(a|a?)+$", r"(.*a){20}$", r"(a?){30}a{30}", r"(x+x+)+y", r"(.*)*b"),
    *(r"^(([a-z])+.)+[A-Z]([a-z])+$", r"([a-zA-Z]+)*$", r"(a+){1,50}b", r"^(\w+\s?)*$", r"(\d+)*x"),
    *(r"(?:a|b|ab)*c$", r".*.*.*=.*", r"(((a+)+)+)+$"),
    *(r"(a+)+(?=b)", r"(?<=a)(a+)+b", r"(?=a)(a+)+$", r"(?!x)(a|aa)+$"),
]
ADVERSARIAL = b"\n".join([b"a" * 28 + b"!", b"a" * 3000 + b"!", b"x" * 3000, b"1" * 3000, b"ab" * 1500 + b"!", b""])


def lines(patterns: Patterns, pattern: str, soon: float, text: bytes = TEXT) -> list[bytes]:
    """The lines a pattern matches."""
    with patterns.search(patterns.compile(pattern, soon), soon) as search:
        starts = [start for start, _end in search.spans(text, 100)]
    return [text[text.rfind(b"\n", 0, start) + 1 :].split(b"\n")[0] for start in starts]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("TODO", [b"TODO: x"]),
        ("^a", [b"ab", b"aa bb"]),
        (r"\d+(?= EUR)", [b"price: 12 EUR"]),
        (r"(?<!\w)TODO(?!x)", [b"TODO: x"]),
        (r"(?<=a)b", [b"ab"]),
        (r"(\w)\1 (\w)\2", [b"aa bb"]),
        (r"(?<twice>b)\k<twice>", [b"aa bb"]),
        (r"(?>a+)b", [b"ab"]),
        (r"\Aab\z", [b"ab"]),
        ("|".join(["no such word"] * 60 + ["TODO"]), [b"TODO: x"]),
    ],
)
def test_every_kind_of_pattern_finds_its_lines(
    patterns: Patterns, soon: float, pattern: str, found: list[bytes]
) -> None:
    assert lines(patterns, pattern, soon) == found


def test_threads_that_use_more_patterns_than_are_remembered_do_not_disturb_each_other(
    patterns: Patterns, soon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "_compile", lambda text, _deadline: Pattern(text, None))
    every = [f"word {number}" for number in range(module.CACHE_SIZE + 1)]

    def use(_turn: int) -> bool:
        return all(patterns.compile(pattern, soon).text == pattern for pattern in every)

    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert all(threads.map(use, range(200)))
    finally:
        sys.setswitchinterval(often)


def test_look_around_does_not_see_other_lines(patterns: Patterns, soon: float) -> None:
    assert lines(patterns, r"ab(?!\s*TODO)", soon) == [b"ab"]


def test_classes_are_ascii_and_case_folding_unicode_in_the_fallback_too(patterns: Patterns, soon: float) -> None:
    assert lines(patterns, r"(?=x)x|(?i)É|\d", soon, "\u0667\né\n1\n".encode()) == ["é".encode(), b"1"]


def test_the_fallback_takes_lines_that_are_not_utf8(patterns: Patterns, soon: float) -> None:
    text = b"\xff\xfe caf\xe9 (?)\nok\n"
    with patterns.search(patterns.compile(r"(?<=caf)\?", soon), soon) as search:
        assert search.spans(text, 10) == [(6, 7)]


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("(", 1), ("a)", 2), ("[a", 2), ("a**", 3), ("*a", 1), ("x{2,1}", 5), ("é(", 2), (r"\p{Foo}", 7), ("[b-a]", 4)],
)
def test_an_invalid_pattern_is_refused_with_the_position(
    patterns: Patterns, soon: float, pattern: str, position: int
) -> None:
    with pytest.raises(InvalidParameters, match=f"position {position}: ") as refusal:
        patterns.compile(pattern, soon)
    assert refusal.value.data == {"position": position, "pattern": pattern}


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "empty"),
        ("a\nb", "position 1: a line break"),
        ("\ud800", "position 0"),
        ("a" * (module.MAX_LENGTH + 1), "characters"),
    ],
)
def test_a_pattern_no_engine_should_see_is_refused(patterns: Patterns, soon: float, pattern: str, message: str) -> None:
    with pytest.raises(InvalidParameters, match=message):
        patterns.compile(pattern, soon)


@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_a_catastrophic_pattern_is_answered_or_refused_without_the_deadlines_help(
    patterns: Patterns, soon: float, pattern: str
) -> None:
    """The bound is one of steps: RE2 is linear, and PCRE2 stops by itself."""
    try:
        lines(patterns, pattern, soon, ADVERSARIAL)
    except InvalidParameters as refusal:
        assert "fixed number of steps" in str(refusal)  # noqa: PT017 - both outcomes are right


def test_a_pattern_cannot_lift_its_own_bound(patterns: Patterns, soon: float) -> None:
    with pytest.raises(InvalidParameters, match="fixed number of steps"):
        lines(patterns, "(*LIMIT_MATCH=4000000000)(?=a)(a+)+$", soon, ADVERSARIAL)


def test_work_that_would_be_long_is_done_where_it_can_be_killed(
    patterns: Patterns, soon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no work allowed here, a simple pattern goes to a worker too, and finds the same."""
    pattern = patterns.compile("TODO", soon)
    assert pattern.compiled is not None
    monkeypatch.setattr(module, "QUICK_WORK", 0)
    with patterns.search(pattern, soon) as search:
        assert search.spans(TEXT, 10) == [(3, 7)]
        assert search._worker is not None


def test_a_deadline_stops_what_is_being_searched(patterns: Patterns, pool: WorkerPool, soon: float) -> None:
    pattern = patterns.compile(r"(a+)\1+$", soon)
    with (
        pytest.raises(DeadlineExceeded),
        patterns.search(pattern, pool.clock.monotonic() + 0.05) as search,
    ):
        search.spans(b"a" * 100_000 + b"!\n", 10)
    assert lines(patterns, r"(a+)\1+$", soon, b"aa\n") == [b"aa"], "the next search has a new worker"


def test_an_empty_piece_needs_no_worker(patterns: Patterns, soon: float) -> None:
    with patterns.search(patterns.compile("(?=a)", soon), soon) as search:
        assert search.spans(b"", 10) == []
        assert search._worker is None


def test_a_pattern_is_compiled_once(patterns: Patterns, soon: float) -> None:
    assert patterns.compile("a(?=b)", soon) is patterns.compile("a(?=b)", soon)


def test_only_so_many_patterns_are_remembered(patterns: Patterns, soon: float) -> None:
    first = patterns.compile("first", soon)
    for number in range(module.CACHE_SIZE):
        patterns.compile(f"p{number}", soon)
    assert len(patterns._recent) == module.CACHE_SIZE
    assert patterns.compile("first", soon) is not first
