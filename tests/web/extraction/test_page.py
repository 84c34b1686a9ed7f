"""What a person would read of a page: the whole of it, nothing around it, and nothing that cannot be seen."""

import re
import time
from collections import Counter
from pathlib import Path

import pytest

from bridge.web.extraction.hidden import hides
from bridge.web.extraction.reader import PageTooLarge
from bridge.web.extraction.worker import read_page

PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
URL = "https://example.com/a/page"
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def read(html: str, form: str = "markdown") -> str:
    return read_page(html.encode(), URL, "utf-8", form).text


def words(text: str) -> Counter[str]:
    """The words of a text; of one without spaces between them, its characters."""
    return Counter(re.findall(r"[^\W_]" if _WIDE.search(text) else r"\w+", text))


def f1(found: str, expected: str) -> float:
    """How far two texts have the same words: the harmonic mean of precision and recall."""
    have, want = words(found), words(expected)
    both = (have & want).total()
    return 2 * both / max(have.total() + want.total(), 1)


@pytest.mark.slow
def test_the_pages_are_read_as_a_person_reads_them() -> None:
    assert len(PAGES) >= 40
    scores = {
        page.name: f1(
            read_page(page.read_bytes(), URL, form="text").text, page.with_suffix(".txt").read_text(encoding="utf-8")
        )
        for page in PAGES
    }
    assert sum(scores.values()) / len(scores) >= 0.95, scores
    assert min(scores.values()) >= 0.75, scores


@pytest.mark.slow
@pytest.mark.parametrize("form", ["markdown", "text"])
def test_nothing_of_a_hidden_text_is_read(form: str) -> None:
    hidden = [page for page in PAGES if page.stem.endswith("-hidden")]
    assert len(hidden) >= 20
    for page in hidden:
        text = read_page(page.read_bytes(), URL, form=form).text
        assert not re.search(r"evil\.example|without asking|maintenance mode", text), page.name


ARTICLE = "".join(
    f"<p>Paragraph {number} of a text that is long enough to be read by somebody.</p>" for number in range(6)
)


@pytest.mark.parametrize(
    "html",
    [
        "<div style='display:none'>SECRET</div>",
        "<div style='DISPLAY : NONE !important'>SECRET</div>",
        "<div style='display:/* x */none'>SECRET</div>",
        "<div style='visibility:hidden'><p>SECRET</p></div>",
        "<span style='opacity:.01'>SECRET</span>",
        "<span style='font-size:1px'>SECRET</span>",
        "<span style='font:0/0 a'>SECRET</span>",
        "<p style='position:absolute;left:-5000px'>SECRET</p>",
        "<p style='margin-left:-9999px'>SECRET</p>",
        "<p style='text-indent:-9999em'>SECRET</p>",
        "<p style='width:1px;height:1px;overflow:hidden'>SECRET</p>",
        "<p style='clip:rect(0,0,0,0);position:absolute'>SECRET</p>",
        "<p style='clip-path:inset(100%)'>SECRET</p>",
        "<p style='transform:scale(0)'>SECRET</p>",
        "<p style='color:#fff;background:white'>SECRET</p>",
        "<p style='color:rgba(0,0,0,0)'>SECRET</p>",
        "<p style='content-visibility:hidden'>SECRET</p>",
        "<p hidden>SECRET</p>",
        "<p hidden='until-found'>SECRET</p>",
        "<p aria-hidden=TRUE>SECRET</p>",
        "<p class='x visually-hidden'>SECRET</p>",
        "<style>.q1{display:none}</style><p class=q1>SECRET</p>",
        "<style>@media screen{a{color:red}} #q2, .y{visibility:hidden}</style><p id=q2>SECRET</p>",
        "<style>article p.z > b{font-size:0}</style><p class=z>x <b>SECRET</b></p>",
        "<!-- SECRET --><p>x</p>",
        "<![CDATA[SECRET]]><p>x</p>",
        "<script>SECRET</script><noscript>SECRET</noscript><template>SECRET</template>",
        "<img alt='SECRET' src=x><svg><text>SECRET</text></svg><input value=SECRET><textarea>SECRET</textarea>",
        "<a href='https://example.com/x' title='SECRET'>x</a><p data-x='SECRET'>y</p>",
        "<details style='display:none'><summary>x</summary>SECRET</details>",
        "<dialog>SECRET</dialog><iframe srcdoc='SECRET'>SECRET</iframe><object>SECRET</object>",
        "<meta name=description content=SECRET><link title=SECRET>",
        "<p>S\u200bE\u200bCRET\U000e0053\U000e0045\U000e0043\U000e0052\U000e0045\U000e0054</p>".replace(
            "CRET", "crete"
        ),
    ],
)
def test_what_is_not_seen_is_not_read(html: str) -> None:
    for form in ("markdown", "text"):
        text = read(
            f"<html><head><title>T</title></head><body><article><h1>T</h1>{ARTICLE}{html}</article></body>", form
        )
        assert "SECRET" not in text
        assert "Paragraph 5" in text
        assert not re.search("[\u200b\U000e0000-\U000e007f]", text)


@pytest.mark.parametrize(
    "style",
    [
        *("display:block", "color:#333;background:#fff", "font-size:12px", "opacity:.9", "position:relative;left:10px"),
        *(
            "margin-top:-20px;position:relative",
            "height:400px;overflow:hidden",
            "text-indent:2em",
            "visibility:visible",
        ),
    ],
)
def test_what_is_seen_is_not_taken_for_hidden(style: str) -> None:
    assert not hides(style)


def test_markdown_keeps_what_a_note_would() -> None:
    text = read(
        f"""<title>Tea</title><main><h1>Tea</h1>{ARTICLE}<h2>Steps</h2><ol><li>Boil</li><li>Pour</li></ol>
        <p>See <a href="../more?x=1#y">more</a> and <a href="javascript:alert(1)">this</a>.</p>
        <table><tr><th>Kind</th><th>Minutes</th></tr><tr><td>Green</td><td>2</td></tr></table>
        <pre><code>tea --hot</code></pre><blockquote><p>Wait.</p></blockquote></main>"""
    )
    assert text.startswith("# Tea\n\nParagraph 0")
    for part in (
        "## Steps",
        "1. Boil\n2. Pour",
        "[more](https://example.com/more?x=1#y) and this.",
        "| Kind | Minutes |\n| --- | --- |\n| Green | 2 |",
        "```\ntea --hot\n```",
        "> Wait.",
    ):
        assert part in text


def test_pictures_are_left_out_because_a_note_would_load_them() -> None:
    text = read(f"<article>{ARTICLE}<p>Look <img src='https://evil.example/?q=1' alt='at'> here</p></article>")
    assert "evil" not in text


@pytest.mark.parametrize(
    ("data", "named", "expected"),
    [
        ("Füße", "utf-8", "Füße"),
        ("Füße", "", "Füße"),
        ("F\u00fc\u00dfe \u201egut\u201c", "windows-1252", "F\u00fc\u00dfe \u201egut\u201c"),
        ("Привет, мир", "windows-1251", "Привет, мир"),
        ("Привет, мир", "koi8-r", "Привет, мир"),
        ("日本語のページ", "shift_jis", "日本語のページ"),
        ("中文网页", "gb2312", "中文网页"),
        ("한국어", "euc-kr", "한국어"),
    ],
)
def test_the_encoding_is_the_one_that_the_header_or_the_page_names(data: str, named: str, expected: str) -> None:
    codec = {"gb2312": "gb18030", "": "utf-8"}.get(named, named)
    page = f"<html><head><title>x</title></head><body><p>{data}</p></body></html>"
    assert expected in read_page(page.encode(codec), URL, named).text
    marked = page.replace("<title>", f"<meta charset='{named}'><title>") if named else page
    assert expected in read_page(marked.encode(codec), URL).text


def test_an_encoding_that_runs_code_or_is_none_is_not_used() -> None:
    for named in ("zip", "hex", "rot13", "idna", "utf-7", "nonsense", "\x00"):
        assert "hello" in read_page(b"<p>hello</p>", URL, named).text


@pytest.mark.parametrize("html", ["", "   ", "\x00", "<", "<html>", "<!-- -->", "plain text", "<p>", "<frameset>"])
def test_a_page_without_anything_is_no_fault(html: str) -> None:
    assert isinstance(read(html), str)


@pytest.mark.slow
def test_too_many_elements_are_refused() -> None:
    with pytest.raises(PageTooLarge):
        read("<p>x</p>" * 210_000)


@pytest.mark.slow
def test_a_long_text_with_very_many_comments_is_read_about_as_fast_as_without() -> None:
    def spent(after: str) -> float:
        began = time.process_time()
        assert "Word and more" in read(f"<article>{ARTICLE}<p>{'Word and more. ' * 20_000}{after}</p></article>")
        return time.process_time() - began

    spent("")  # the first page loads what is needed
    assert spent("<!---->" * 20_000) < 10 * spent("")
