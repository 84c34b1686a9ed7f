"""Every engine finds the same lines: hyperscan what RE2 finds, and a wider pattern at least what PCRE2 finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.index.texts.line_patterns import compile_re2
from bridge.index.texts.pattern_translation import relax, to_hyperscan
from bridge.index.texts.patterns import Pattern, Patterns, compile_hyperscan, hyperscan, pattern_workers
from bridge.index.texts.pcre2_worker import PatternInvalid, TooManySteps, compile_backtracking

pytestmark = pytest.mark.slow

ATOMS = st.sampled_from(
    [
        *("a", "b", "x", "K", "s", "é", " ", ".", "-", "_", "1", "日", "{", "{,2}", "{1", "}", "]", ":", "#", "<"),
        *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\.", r"\\", r"\t", r"\x61", r"\x{e9}", r"\pL"),
        *(
            "[ab]",
            "[^ab]",
            "[a-c]",
            "[]a]",
            "[^]a]",
            "[[:alpha:]]",
            "[[:^digit:]]",
            r"[\w.]",
            r"[^\s]",
            r"[\D]",
            "[a-]",
            r"[\t-\r]",
            r"[^\t-\r]",
            "[[:space:]]",
            "[[:cntrl:]]",
        ),
        *(
            "^",
            "$",
            "(?i)",
            "(?-i)",
            "(?s)",
            "(?U)",
            "(a|b)",
            "(?:ab|)",
            "(?i:a)",
            "(?P<n>a)",
            "(?<m>b)",
            "|",
            "",
            r"\v",
        ),
    ]
)
COUNTS = st.sampled_from(["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}?", "{2,}"])
PATTERNS = st.lists(st.builds(str.__add__, ATOMS, COUNTS), min_size=1, max_size=6).map("".join)
LOOK = st.sampled_from(
    [
        *(
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?<!b)",
            r"(a|b)\1",
            "(?>a+)",
            "a++",
            "a*+b",
            "(?=.*b)",
            r"(?<q>.)\k<q>",
            r"(.)\1+",
        ),
        *(
            "(?<=ab|x)",
            r"(?=\s)",
            r"(?<=[\s.])",
            "(?:(?!b).)*",
            "(?i)(?=A)",
            r"(?=a\b)",
            "(?=x(?!y))",
            "(?<=^a)",
            "a(?=$)",
        ),
    ]
)
PERL = st.lists(st.one_of(st.builds(str.__add__, ATOMS, COUNTS), LOOK), min_size=1, max_size=5).map("".join)
LETTERS = st.sampled_from([*"abxKk1sS .-_é日É", "\u212a", "\u017f", "\t", "\r", "\x0b", "ab", "aa", "{,2}", "{1"])
TEXTS = st.lists(st.lists(LETTERS, max_size=8).map("".join), max_size=8).map(lambda lines: "\n".join([*lines, ""]))


FAR = float("inf")


@pytest.fixture(scope="module")
def searching() -> Patterns:
    return Patterns(pattern_workers(SystemClock()))


@pytest.mark.skipif(hyperscan is None, reason="hyperscan is not installed")
@settings(max_examples=400, deadline=None)
@given(pattern=PATTERNS, text=TEXTS)
def test_hyperscan_finds_the_lines_that_re2_finds(searching: Patterns, pattern: str, text: str) -> None:
    compiled = compile_re2(pattern)
    fast = compile_hyperscan(pattern, compiled) if compiled is not None else None
    if compiled is None or fast is None:
        return
    data = text.encode()
    alone = searching.search(Pattern(pattern, compiled), FAR).places(data, 0, len(data), 1000, utf8=True)
    assert searching.search(Pattern(pattern, compiled, fast), FAR).places(data, 0, len(data), 1000, utf8=True) == alone


@pytest.mark.skipif(hyperscan is None, reason="hyperscan is not installed")
@settings(max_examples=400, deadline=None)
@given(pattern=PATTERNS, text=TEXTS)
def test_hyperscan_reports_the_ends_of_the_lines_that_match(pattern: str, text: str) -> None:
    compiled = compile_re2(pattern)
    fast = compile_hyperscan(pattern, compiled) if compiled is not None else None
    if compiled is None or fast is None:
        return
    data = text.encode()
    wanted = [data.find(b"\n", start) for start, _end in compiled.scan(compiled.regex, data, 1000)]
    assert fast.line_ends(memoryview(data), 1000) == wanted


@settings(max_examples=400, deadline=None)
@given(pattern=PERL, text=TEXTS)
def test_a_relaxed_pattern_finds_every_line_that_pcre2_finds(pattern: str, text: str) -> None:
    wider = relax(pattern)
    compiled = compile_re2(wider) if wider is not None else None
    if compiled is None:
        return
    data = text.encode()
    try:
        exact = compile_backtracking(pattern)
        wanted = exact.scan(exact.regex, data, 1000)
    except (PatternInvalid, TooManySteps):
        return
    found = compiled.scan(compiled.regex, data, 1000)

    def line(start: int) -> int:
        return data.count(b"\n", 0, start)

    assert {line(start) for start, _end in wanted} <= {line(start) for start, _end in found}


@pytest.mark.parametrize(
    ("pattern", "wider"),
    [
        (r"(?<=TODO: )\w+", r"(?:TODO: )\w+"),
        (r"\w+(?=!)", r"\w+(?:!)"),
        ("a(?!b)c", "a(?:)c"),
        (r"(\w)\1", r"(?:\w)(?:.*)"),
        ("(?>a|ab)c", "(?:a|ab)c"),
        ("a++b", "a+b"),
        ("(?i)(?<=a)b", "(?i)(?:a)b"),
        ("x|(?<=a)b", "x|(?:a)b"),
        ("y(?<=a)b", "y(?:)b"),
        ("plain", None),
        (r"(?=a)\Qx\E", None),
        ("(?=a)(?R)?", None),
        (r"(?=[[:alpha:]])a", None),
        ("(?i)(?=é)é", None),
        (r"(?=a)\h", None),
        (r"a(?=b)*c", None),
    ],
)
def test_what_a_pattern_is_relaxed_to(pattern: str, wider: str | None) -> None:
    assert relax(pattern) == wider


@pytest.mark.parametrize(
    "pattern", [r"\B", r"\pL", r"[[:^alpha:]]", r"\Qa\E", "(?i)é", r"\C", r"[\D]", r"a\z", "aa+(?s)??"]
)
def test_what_may_be_read_otherwise_is_not_translated(pattern: str) -> None:
    assert to_hyperscan(pattern) is None


def test_nothing_is_compiled_for_long() -> None:
    for pattern in (r".{500}x", r"[^a]{1000}", r"(a.{50}b){5}"):
        compiled = compile_re2(pattern)
        assert compiled is not None
        assert compile_hyperscan(pattern, compiled) is None
