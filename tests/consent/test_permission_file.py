"""The form of the permission file."""

import pytest

from bridge.consent.permission_file import MAX_BYTES, PermissionFileFault, parse, write

GOOD = b"""\xef\xbb\xbf{
  "Notes/Meeting.md": "rw-",
  "https://example.org/": "r??",
  "/usr/bin/ls": "--x"
}
"""


def test_a_file_is_read_in_its_order_with_or_without_a_byte_order_mark() -> None:
    entries = {"Notes/Meeting.md": "rw-", "https://example.org/": "r??", "/usr/bin/ls": "--x"}
    assert list(parse(GOOD).items()) == list(entries.items())
    assert parse(GOOD.removeprefix(b"\xef\xbb\xbf")) == entries


def test_what_is_written_is_read_back() -> None:
    entries = {"Zoë/é.md": "r--", 'quote".md': "?-?"}
    assert parse(write(entries)) == entries
    assert "Zoë".encode() in write(entries)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "line 1: "),
        (b"{\n  'a': 'r--'\n}", "line 2: "),
        (b'{\n "a": "r--",,\n "b": "r--"}', "line 2: "),
        (b"[]", "line 1: it must hold one JSON object"),
        (b'{"a": "r--"}\n{}', "line 2: "),
        (b'{\n "a": "r--",\n "b": "rwz"\n}', "line 3, key 'b': in 'rwz', 'z' must be 'x'"),
        (b'{\n "a": "wr-"\n}', "line 2, key 'a': in 'wr-', 'w' must be 'r'"),
        (b'{\n "a": "rw"\n}', "line 2, key 'a': the value must be three characters"),
        (b'{\n "a": {"b": "rw-"}\n}', "line 2, key 'a': the value must be three characters"),
        (b'{\n "a": null\n}', "line 2, key 'a': the value must be three characters"),
        (b'{\n "../a": "rw-"\n}', "line 2, key '../a': a path in the vault"),
        (b'{\n "/Private/": "---"\n}', "line 2, key '/Private/': an absolute path names one executable"),
        (b'{\n "a": "rw-",\n "b": "---",\n "a": "---"\n}', "line 4, key 'a': it is there twice"),
        (b'{\n "\\u00e9//": "rw-"\n}', "line 2, key 'é//': "),
        (b'{"\\ud800": "rw-"}', "it is not valid Unicode"),
        (b'{"a": "\xff"}', "it is not UTF-8 at byte 7"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b" " * (MAX_BYTES + 1), "it is larger than"),
    ],
)
def test_a_fault_is_told_with_its_line_and_key(data: bytes, told: str) -> None:
    with pytest.raises(PermissionFileFault) as caught:
        parse(data)
    assert told in str(caught.value)
