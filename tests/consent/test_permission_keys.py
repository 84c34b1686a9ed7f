"""What a key of the permission file names."""

import unicodedata

import pytest

from bridge.consent.permission_keys import canonical, covering, fold, is_executable, upwards


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
    assert canonical(written) == meant
    assert canonical(meant) == meant


@pytest.mark.parametrize(
    "written",
    ["", "a\nb", "a//b", "../a", "a/./b", "a\\b", "//", "/usr/bin/", "https://", "https:///x", "http://[::1/x"],
)
def test_what_names_nothing_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical(written)


def test_an_absolute_path_of_any_system_is_an_executable() -> None:
    assert [is_executable(name) for name in ("/bin/ls", "/", "a/b", "https://h/", "\\\\server\\x", "D:/x")] == [
        *(True, False, False, False, True, True)
    ]


@pytest.mark.parametrize(
    ("target", "keys"),
    [
        ("a/b/c.md", ["a/b/c.md", "a/b/c.md/", "a/b/", "a/", "/"]),
        ("a/", ["a/", "/"]),
        ("a", ["a", "a/", "/"]),
        ("", ["/"]),
        ("/", ["/"]),
        ("https://h/a/b", ["https://h/a/b", "https://h/a/", "https://h/"]),
        ("https://h/a/", ["https://h/a/", "https://h/"]),
        ("https://h", ["https://h/"]),
        ("/usr/bin/ls", ["/usr/bin/ls"]),
        ("a//b", []),
    ],
)
def test_a_target_is_covered_by_itself_and_the_folders_it_lies_in(target: str, keys: list[str]) -> None:
    assert covering(target) == keys
    assert list(upwards(target)) == list(dict.fromkeys(fold(key) for key in keys))


def test_denials_are_compared_without_case_unicode_form_and_final_slash() -> None:
    assert fold("Zoë/") == fold(unicodedata.normalize("NFD", "zOË"))
    assert fold("/") == ""
    assert list(upwards("Zoë/É.md")) == ["zoë/é.md", "zoë", ""]
