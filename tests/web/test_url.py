"""URLs: one spelling each, and everything that two programs could read differently refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.policy.targets import url_target
from bridge.web.url import BadUrl, parse_url


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://EXAMPLE.com:443/A", "https://example.com/A"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:8080/a?b=c#part", "http://example.com:8080/a?b=c"),
        ("https://example.com./a", "https://example.com/a"),
        ("https://example.com/a/../b/./c", "https://example.com/b/c"),
        ("https://example.com/%2e%2e/%7Ename", "https://example.com/~name"),
        ("https://example.com/a b?c d", "https://example.com/a%20b?c%20d"),
        ("https://example.com/straße?q=ä", "https://example.com/stra%C3%9Fe?q=%C3%A4"),
        ("https://example.com/100%?50%", "https://example.com/100%25?50%25"),
        ("https://example.com?", "https://example.com/?"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://\uff25\uff38\uff21\uff2d\uff30\uff2c\uff25\uff0ecom/", "https://example.com/"),
        ("https://example。com/", "https://example.com/"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://r3---sn-4g5e.example.com/", "https://r3---sn-4g5e.example.com/"),
        ("https://under_score.example.com/", "https://under_score.example.com/"),
        ("https://[2606:2800:220:1::1]:8443/", "https://[2606:2800:220:1::1]:8443/"),
        ("https://[2606:2800:0220:0001:0000:0000:0000:0001]/", "https://[2606:2800:220:1::1]/"),
        ("http://127.0.0.1:11434/api", "http://127.0.0.1:11434/api"),
    ],
)
def test_a_url_has_one_spelling(text: str, spelling: str) -> None:
    assert str(parse_url(text)) == spelling
    assert str(parse_url(spelling)) == spelling


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "example.com", "//example.com/", "/etc/passwd", "javascript:alert(1)", "file:///etc/passwd"),
        *("ftp://example.com/", "data:text/html,x", "http:example.com", "http:/example.com", "http:///example.com"),
        *("https://", "https:///", "https://:443/", "https://.", "https://..", "https://a..b/", "https://-a.com/"),
        *("https://user@example.com/", "https://user:pass@example.com/", "https://a@b@c/", "https://example.com@evil/"),
        *("https://example.com\\@evil.com/", "https:\\\\example.com", "https://example.com/\\..", "https://a\\b/"),
        *(" https://example.com/", "https://example.com/ ", "https://exa mple.com/", "https://example.com\t/"),
        *(
            "https://example.com/\n",
            "https://example.com/\r\nHost: evil",
            "https://example.com/\x00",
            "\x01https://a.b/",
        ),
        *("https://example.com/\u202e", "https://exam\u200bple.com/", "https://a\u00adb.com/", "https://a.b/\u2028"),
        *("https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://example.com:8 0/"),
        *("https://example.com:-1/", "https://example.com:٤٤٣/", "https://example.com:80:80/", "https://a.b:1e3/"),
        *("http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://127.1/", "http://0177.0.0.1/"),
        *("http://127.0.0.01/", "http://256.1.1.1/", "http://1.2.3/", "http://1.2.3.4.5/", "http://0/", "http://1/"),
        *("http://127.0.0.1.0x0/", "http://①②⑦.⓪.⓪.①.9999/", "http://example.0x/"),
        *("http://[::1/", "http://::1/", "http://[::1]x/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/"),
        *("http://[::ffff:127.0.0.1]/", "http://[127.0.0.1]/", "http://[v1.x]/", "http://[]/", "http://[::1]]/"),
        *("https://%65xample.com/", "https://exam%70le.com/", "https://127.0.0.1%00.example.com/"),
        *(
            "https://xn--a/",
            "https://xn--/",
            "https://xn--80ak6aa92e0.com/",
            "https://ex*mple.com/",
            "https://a,b.com/",
        ),
        f"https://{'a' * 64}.com/",
        f"https://{'a.' * 130}com/",
        f"https://example.com/{'a' * 9000}",
        f"https://example.com/{'é' * 3000}",
        "https://exa\ud800mple.com/",
        "https://♥.example\u2066/",
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(BadUrl, match="cannot be used: "):
        parse_url(text)


def test_letters_in_circles_are_the_digits_that_they_stand_for() -> None:
    assert parse_url("http://①②⑦.⓪.⓪.①/").host == "127.0.0.1"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("https://example.com/", None),
        ("https://bücher.example/", "bücher.example"),
        ("https://例え.example/", "例え.example"),
        ("https://\u0430\u0440\u0440\u04cf\u0435.com/", None),  # all of it Cyrillic, and reads "apple"
        ("https://p\u0430ypal.com/", None),  # one letter of it is
        ("https://\u03c1aypal.com/", None),  # Greek
        ("https://paypaḷ.com/", None),  # a dot below
        ("https://\u0131cloud.com/", None),  # an i without its dot
    ],
)
def test_a_host_is_shown_in_its_own_script_only_where_that_cannot_deceive(text: str, written: str | None) -> None:
    url = parse_url(text)
    assert url.written == written
    assert str(url).isascii()


@pytest.mark.parametrize(
    ("reference", "leads_to"),
    [
        ("/x", "https://example.com:8443/x"),
        ("x", "https://example.com:8443/a/x"),
        ("../x?y#z", "https://example.com:8443/x?y"),
        ("?y", "https://example.com:8443/a/b?y"),
        ("", "https://example.com:8443/a/b?q"),
        ("#part", "https://example.com:8443/a/b?q"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("/ä ö", "https://example.com:8443/%C3%A4%20%C3%B6"),
    ],
)
def test_a_reference_leads_where_rfc_3986_says(reference: str, leads_to: str) -> None:
    assert str(parse_url("https://example.com:8443/a/b?q").joined(reference)) == leads_to


@pytest.mark.parametrize(
    "reference",
    ["file:///etc/passwd", "//user@evil/", "\\\\evil\\x", "/\x00", "javascript:x", f"/{'x' * 9000}", f"?{'é' * 3000}"],
)
def test_a_reference_is_held_to_the_same_rules(reference: str) -> None:
    with pytest.raises(BadUrl):
        parse_url("https://example.com/").joined(reference)


_HOSTS = st.from_regex(r"[a-z0-9]{1,8}(\.[a-z]{2,5}){1,2}", fullmatch=True)


@given(st.sampled_from(["http", "https"]), _HOSTS, st.integers(1, 65535), st.text(max_size=40), st.text(max_size=20))
def test_consent_is_given_for_the_host_and_the_page_that_are_connected_to(
    scheme: str, host: str, port: int, path: str, query: str
) -> None:
    try:
        url = parse_url(f"{scheme}://{host}:{port}/{path}?{query}")
    except BadUrl:
        return
    key = url_target(str(url)).place.key
    site = key.removeprefix("https://").partition("/")[0]
    assert site == (host if port in {80, 443} else f"{host}:{port}")
    assert key.endswith(url.path)


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    for written in (text, f"https://{text}", f"https://example.com/{text}"):
        try:
            url = parse_url(written)
        except BadUrl:
            continue
        assert parse_url(str(url)) == url
        assert str(url).isascii()
