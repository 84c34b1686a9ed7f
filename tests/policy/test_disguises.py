"""Names that look like others, or are other spellings of the same, and names made to be costly."""

import time

import pytest

from bridge.policy.targets import common_ladder, named_target, parse_key, url_target

LOCAL = "https://127.0.0.1/"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
    ],
)
def test_an_address_is_denied_however_it_is_written(url: str) -> None:
    assert parse_key(LOCAL).denies(url_target(url))
    assert parse_key(LOCAL).covers(url_target(url))


def test_long_and_short_forms_of_an_address_of_version_6_are_one() -> None:
    assert url_target("http://[0:0:0:0:0:0:0:1]/").place == url_target("http://[::1]/").place


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example\\@good.example/",
        "https://good.example\\.evil.example/",
        "https://ex%61mple.org/",
        "https://a b/",
        "https://exa\u200bmple.org/",
        "https://\u0435xample.org/",
        "https://ex\u00e4mple.org/",
        "https://example\u3002org/",
        "https://[fe80::1%25eth0]/",
        "https://1.2.3.4.5/",
        "https://.example.org/",
        "https://a..b/",
        "https://example.org:99999/",
        "https://",
        f"https://example.org/{'a/' * 5_000}",
    ],
)
def test_a_host_that_could_be_taken_for_another_is_refused(url: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong with it
        url_target(url)


def test_an_international_name_is_written_in_its_ascii_form() -> None:
    ladder = common_ladder([url_target("https://xn--exmple-cua.org/a")])
    assert ladder[1][1][0].key == "https://xn--exmple-cua.org/"
    assert url_target("https://\u24d4xample.org/").place == url_target("https://example.org/").place


def test_a_user_before_the_host_does_not_stand_in_the_question() -> None:
    target = url_target("https://good.example:x@evil.example/a?next=b@c#d@e")
    assert target.label == "https://evil.example/a?next=b@c#d@e"
    assert target.place.key == "https://evil.example/a"


def test_the_ladder_of_ten_thousand_deep_targets_is_made_at_once() -> None:
    began = time.thread_time()
    targets = [named_target(f"Projects/a/b/c/d/e/f/Note {number}.md") for number in range(10_000)]
    ladder = common_ladder(targets)
    assert [(reach.value, len(rungs)) for reach, rungs in ladder] == [("file", 10_000), ("folder", 1), ("vault", 1)]
    deep = [named_target("a/" * 2_000 + f"{number}.md") for number in range(10)]
    assert len(common_ladder(deep)) == 3
    assert time.thread_time() - began < 30


def test_an_endless_path_is_covered_by_nothing_but_itself_and_the_vault() -> None:
    target = named_target("a/" * 1_000_000 + "b.md")
    assert len(target.rungs()) == 2
