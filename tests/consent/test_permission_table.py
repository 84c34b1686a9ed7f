"""What a key of the permission file names, and what the file says of a target."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.consent.permission_file import LETTERS, PermissionTable
from bridge.policy.consent import Letter
from bridge.policy.targets import parse_key
from tests.identities import touching


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Notes/Meeting.md", "Notes/Meeting.md"),
        ("Notes/", "Notes/"),
        ("/", "/"),
        (unicodedata.normalize("NFD", "Zoë/é.md"), unicodedata.normalize("NFC", "Zoë/é.md")),
        ("http://Example.org", "https://example.org/"),
        ("HTTPS://example.org:443/a?b=c#d", "https://example.org/a"),
        ("http://example.org:80/", "https://example.org/"),
        ("http://example.org:8080/x/", "https://example.org:8080/x/"),
        ("https://user:pass@example.org/x", "https://example.org/x"),
        ("https://example.org./x", "https://example.org/x"),
        ("https://example.org/a/../b/./c", "https://example.org/b/c"),
        ("https://example.org/a/%2e%2E/b", "https://example.org/b"),
        ("https://example.org/a/..", "https://example.org/"),
        ("https://example.org/%7eada/%2f", "https://example.org/~ada/%2F"),
        ("https://[::1]:9000/x", "https://[::1]:9000/x"),
        ("/usr/bin/ls", "/usr/bin/ls"),
        ("C:\\Windows\\System32\\cmd.exe", "C:\\Windows\\System32\\cmd.exe"),
    ],
)
def test_one_thing_has_one_spelling(written: str, meant: str) -> None:
    assert parse_key(written).key == meant
    assert parse_key(meant).key == meant


@pytest.mark.parametrize(
    "written",
    ["", "a\nb", "a//b", "../a", "a/./b", "a\\b", "//", "/usr/bin/", "https://", "https:///x", "http://[::1/x"],
)
def test_what_names_nothing_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_key(written)


TABLE = PermissionTable(
    {
        "Notes/": "rw?",
        "Notes/Secret/": "---",
        "Notes/Secret/Shared.md": "r??",
        "Notes/Plan.md": "?-?",
        "Diary.md": "r--",
        "/Private.md": "---",
        "https://example.org/docs/": "r??",
        "https://example.org/docs/admin": "-??",
        "/usr/bin/ls": "--x",
    }
)


@pytest.mark.parametrize(
    ("target", "letter", "denied", "allowed"),
    [
        ("Notes/a.md", "r", None, "Notes/"),
        ("Notes/deep/a.md", "w", None, "Notes/"),
        ("Notes", "r", None, "Notes/"),
        ("Notes/a.md", "x", None, None),
        ("Other.md", "r", None, None),
        ("NotesX/a.md", "r", None, None),
        ("notes/a.md", "r", None, None),
        ("Notes/Plan.md", "w", "Notes/Plan.md", "Notes/"),
        ("Notes/Plan.md", "r", None, "Notes/"),
        ("notes/PLAN.md", "w", "Notes/Plan.md", None),
        ("Notes/Secret/x.md", "r", "Notes/Secret/", "Notes/"),
        ("Notes/Secret", "r", "Notes/Secret/", "Notes/"),
        ("Notes/Secret/Shared.md", "r", "Notes/Secret/", "Notes/Secret/Shared.md"),
        ("Diary.md", "w", "Diary.md", None),
        ("Private.md", "r", "/Private.md", None),
        ("http://example.org/docs/a?b=c", "r", None, "https://example.org/docs/"),
        ("https://example.org/docs", "r", None, None),
        ("https://example.org/docs/../x", "r", None, None),
        ("https://example.org/docs/admin/x", "r", "https://example.org/docs/admin", "https://example.org/docs/"),
        ("https://example.org/", "r", None, None),
        ("/usr/bin/ls", "x", None, "/usr/bin/ls"),
        ("/usr/bin/ls", "w", "/usr/bin/ls", None),
        ("/usr/bin/rm", "x", None, None),
        ("a//b", "r", None, None),
    ],
)
def test_the_nearest_letter_allows_and_a_minus_anywhere_above_denies(
    target: str, letter: Letter, denied: str | None, allowed: str | None
) -> None:
    denial, grant = TABLE.denial(touching(target), [letter]), TABLE.grant(touching(target), [letter])
    assert (denial and denial.key, grant and grant.key) == (denied, allowed)


def test_one_denied_target_denies_and_all_must_be_allowed() -> None:
    assert TABLE.denial(touching("Notes/a.md", "Diary.md"), ["w"]) is not None
    assert TABLE.grant(touching("Notes/a.md", "Other.md"), ["w"]) is None
    assert TABLE.grant(touching("Notes/a.md", "Notes/b.md"), ["r", "w"]) is not None
    assert TABLE.grant(touching("https://example.org/docs/"), ["r", "w"]) is None
    assert TABLE.grant([], ["r"]) is None
    assert TABLE.denial([], ["r"]) is None
    assert TABLE.denial(touching("Notes/a.md", "Notes/b.md", "Notes/Secret/x.md"), ["w"]) is not None


def test_the_whole_vault_has_a_key() -> None:
    table = PermissionTable({"/": "r-?"})
    assert table.grant(touching("deep/down/x.md"), ["r"]) is not None
    assert table.denial(touching(""), ["w"]) is not None
    assert table.grant(touching("https://example.org/"), ["r"]) is None
    assert table.grant(touching("/usr/bin/ls"), ["r"]) is None


def test_keys_that_name_the_same_thing_count_together_and_a_denial_wins() -> None:
    table = PermissionTable({"http://example.org/": "r??", "https://example.org/": "?-?"})
    assert table.grant(touching("https://example.org/x"), ["r"]) is not None
    assert table.denial(touching("https://example.org/x"), ["w"]) is not None
    assert table.keys_for(parse_key("https://example.org/")) == ["http://example.org/", "https://example.org/"]
    assert table.keys_for(parse_key("http://new.example.org")) == ["https://new.example.org/"]


def test_denials_alone_deny_as_before_and_allow_nothing() -> None:
    only = TABLE.denials()
    assert only.denial(touching("Notes/Secret/x.md"), ["r"]) is not None
    assert only.denial(touching("Diary.md"), ["x"]) is not None
    assert only.grant(touching("Notes/a.md"), ["r"]) is None


KEYS = st.lists(st.sampled_from(["a", "B", "c.md"]), min_size=1, max_size=3).map("/".join)
CODES = st.tuples(*(st.sampled_from([letter, "-", "?"]) for letter in LETTERS)).map("".join)


@settings(max_examples=150)
@given(
    codes=st.dictionaries(st.builds(str.__add__, KEYS, st.sampled_from(["", "/"])), CODES, max_size=6),
    denied=KEYS,
    target=KEYS,
)
def test_a_further_denial_never_allows_more_and_holds_for_everything_below(
    codes: dict[str, str], denied: str, target: str
) -> None:
    stricter = PermissionTable({key: code for key, code in codes.items() if key != denied} | {denied: "---"})
    below = (target + "/").lower().startswith((denied + "/").lower())
    for letter in LETTERS:
        if below:
            assert stricter.denial(touching(target), [letter]) is not None
        if PermissionTable(codes).denial(touching(target), [letter]) is not None and denied not in codes:
            assert stricter.denial(touching(target), [letter]) is not None


@given(codes=st.dictionaries(st.builds(str.__add__, KEYS, st.sampled_from(["", "/"])), CODES, max_size=6), path=KEYS)
def test_the_quick_look_at_a_path_says_what_the_table_says(codes: dict[str, str], path: str) -> None:
    table = PermissionTable(codes)
    assert (table.closes(path) is None) == (table.denial(touching(path), ["r"]) is None)
