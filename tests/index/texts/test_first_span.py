"""A first match is found the same way by the binding's inner call and by its public one."""

import re2

from bridge.index.texts.line_patterns import NOWHERE, compile_re2, first_span


class Public:
    """A pattern of a binding without the inner call."""

    def __init__(self, pattern: str) -> None:
        compiled = compile_re2(pattern)
        assert compiled is not None
        self.search = compiled.regex.search


def test_both_ways_find_the_same() -> None:
    text = "été a\nab\n".encode()
    for pattern in ("a", "b$", "^", "x", "é", "(?i)A$", "$"):
        compiled = compile_re2(pattern)
        assert compiled is not None
        for start in range(len(text) + 1):
            for end in range(start, len(text) + 1):
                assert first_span(compiled.regex)(text, start, end) == first_span(Public(pattern))(text, start, end)
    assert first_span(re2.compile("x"))(b"abc", 0, 3) == NOWHERE
