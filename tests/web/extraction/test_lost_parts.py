"""Formulas, footnotes, code and articles in several parts are read whole."""

import pytest

from bridge.web.extraction.worker import read_page

PROSE = "".join(
    f"<p>Paragraph {number} of a text that is long enough to be read by somebody.</p>" for number in range(6)
)
KATEX = (
    '<span class="katex"><span class="katex-mathml"><math display="{display}"><semantics><mi>x</mi>'
    '<annotation encoding="application/x-tex">{tex}</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true">x seen</span></span>'
)
WIKIPEDIA = (
    (
        '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">'
        '<math alttext="{{\\displaystyle E=mc^{{2}}}}"><mi>E</mi></math></span><img alt="E" src="x.svg"></span>'
    )
    .replace("{{", "{")
    .replace("}}", "}")
)


def read(body: str) -> str:
    html = (
        f"<html><head><title>Tea</title></head><body><article><h1>Tea</h1>{PROSE}{body}{PROSE}</article></body></html>"
    )
    return read_page(html.encode(), "https://example.com/a", "utf-8").text


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (f"<p>As {KATEX.format(display='inline', tex='a_1 + b^2')} shows, it is warm.</p>", "As $a_1 + b^2$ shows"),
        (f"<p>Then {WIKIPEDIA} holds for all of the tea.</p>", "Then $E=mc^{2}$ holds"),
        (f"<div>{KATEX.format(display='block', tex='x = y')}</div>", "$$x = y$$"),
        (
            "<p>So <math><mi>y</mi><mo>=</mo><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math> is</p>",
            "So $y=\\frac{a}{{b}^{2}}$ is",
        ),
        ("<p>And so <script type='math/tex'>\\frac{1}{2}</script> of it is left.</p>", "so $\\frac{1}{2}$ of it"),
    ],
    ids=["KaTeX", "Wikipedia", "display", "MathML alone", "MathJax"],
)
def test_a_formula_is_written_as_tex(body: str, written: str) -> None:
    assert written in read(body)
    assert "x seen" not in read(body)


@pytest.mark.parametrize("tex", ["x$ <b>ignore</b>", "y" * 5_000], ids=["ends the formula", "too long"])
def test_what_is_no_formula_is_not_written_as_one(tex: str) -> None:
    assert "$" not in read(f"<p>As {KATEX.format(display='inline', tex=tex)} shows, it is warm.</p>")


def test_a_formula_that_is_not_seen_is_not_written() -> None:
    text = read("<p>It is <math style='display:none'><mtext>evil</mtext></math> warm in <math><mi>d</mi></math>.</p>")
    assert "evil" not in text
    assert "warm in $d$" in text


def test_a_formula_of_endless_depth_is_none_and_what_follows_is_read() -> None:
    deep = "<msqrt>" * 100 + "<mi>x</mi>" + "</msqrt>" * 100
    text = read(f"<p>Before <math>{deep}</math> and after it.</p>")
    assert "Before and after it." in " ".join(text.split())


def test_code_within_a_line_stays_in_its_line() -> None:
    text = read(
        "<p>Use <code>pip install a*b</code> and <tt>x_1</tt> here.</p><ul><li>In <code>a</code> list</li></ul>"
    )
    assert "Use `pip install a*b` and `x_1` here." in text
    assert "- In `a` list" in text


def test_numbered_lists_keep_their_numbers() -> None:
    text = read("<ol start='3'><li>Boil <b>it</b><ul><li>hot</li></ul></li><li>Pour</li></ol><ul><li>Any</li></ul>")
    assert "3. Boil **it**\n   - hot\n4. Pour" in text
    assert "- Any" in text


def test_a_paragraph_with_links_is_not_lost() -> None:
    linked = "".join(f"<a href='/{each}'>word {each} of the first paragraph</a> in it, " for each in range(9))
    assert "the first paragraph" in read(f"<p>Following all of it, {linked} and so on.</p>")


def test_footnotes_are_footnotes() -> None:
    text = read(
        "<p>It was warm<sup><a href='#fn1' id='r1'>1</a></sup> and wet<a href='#fn2'>[2]</a> on that day.</p>"
        "<ol class='footnotes'><li id='fn1'><p>As the paper said. <a href='#r1'>↩</a></p></li>"
        "<li id='fn2'>As a second paper said.</li></ol>"
    )
    assert "warm[^1] and wet[^2] on that day" in text
    assert "[^1]: As the paper said." in text
    assert "[^2]: As a second paper said." in text
    assert "↩" not in text


def test_code_and_tables_are_kept_though_they_are_short() -> None:
    text = read("<pre><code>tea --hot</code></pre><table><tr><th>Kind</th></tr><tr><td>Green</td></tr></table>")
    assert "```\ntea --hot\n```" in text
    assert "| Kind |\n| --- |\n| Green |" in text


def test_an_article_in_several_parts_is_read_whole() -> None:
    parts = [
        "".join(
            f"<p>Part {part}, paragraph {number}, which is long enough to be read by anybody.</p>"
            for number in range(8)
        )
        for part in range(3)
    ]
    body = "<div class='ad'>Buy this</div>".join(
        f"<div><div class='article__body'>{part}</div></div>" for part in parts
    )
    html = f"<html><head><title>T</title></head><body><main><h1>T</h1>{body}</main></body></html>"
    text = read_page(html.encode(), "https://example.com/a", "utf-8").text
    assert [f"Part {part}, paragraph 7" in text for part in range(3)] == [True, True, True]


@pytest.mark.parametrize(
    ("body", "scripted"),
    [
        ("<div id='root'></div><script src='/app.js'></script>", True),
        ("<noscript>Please enable JavaScript</noscript><div>Loading…</div><script>boot()</script>", True),
        ("<div id='root'></div>", False),
        (PROSE + "<script src='/count.js'></script>", False),
    ],
)
def test_a_page_that_scripts_write_says_so(body: str, *, scripted: bool) -> None:
    html = f"<html><head><title>Shop</title></head><body>{body}</body></html>"
    assert read_page(html.encode(), "https://example.com/a", "utf-8").scripted is scripted


@pytest.mark.parametrize(
    "hidden",
    [
        "<semantics><mi>x</mi><annotation-xml>SECRET</annotation-xml></semantics>",
        "<mi>x</mi><mphantom><mtext>SECRET</mtext></mphantom>",
        '<mi>x</mi><mtext style="display: none">SECRET</mtext>',
        "<maction><mi>x</mi><mtext>SECRET</mtext></maction>",
    ],
)
def test_what_a_formula_holds_and_nobody_sees_is_not_read(hidden: str) -> None:
    text = read(f"<p>So <math>{hidden}</math> is the answer to all of it.</p>")
    assert "So $x$ is the answer" in text
    assert "SECRET" not in text
