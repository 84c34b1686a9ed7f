"""The permission file: its form, and how it is read live."""

import os
import stat
from pathlib import Path

import pytest

from bridge.clock import Clock
from bridge.consent.permission_file import (
    MAX_BYTES,
    PermissionFile,
    PermissionFileFault,
    dump_permissions,
    parse_permissions,
)
from bridge.errors import ExecutionFailed
from bridge.vault.disk import Disk
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot
from tests.identities import rungs, touching

GOOD = b"""\xef\xbb\xbf{
  "Notes/Meeting.md": "rw-",
  "https://example.org/": "r??",
  "/usr/bin/ls": "--x"
}
"""


def test_a_file_is_read_in_its_order_with_or_without_a_byte_order_mark() -> None:
    entries = {"Notes/Meeting.md": "rw-", "https://example.org/": "r??", "/usr/bin/ls": "--x"}
    assert list(parse_permissions(GOOD).items()) == list(entries.items())
    assert parse_permissions(GOOD.removeprefix(b"\xef\xbb\xbf")) == entries


def test_what_is_written_is_read_back() -> None:
    entries = {"Zoë/é.md": "r--", 'quote".md': "?-?"}
    assert parse_permissions(dump_permissions(entries)) == entries
    assert "Zoë".encode() in dump_permissions(entries)


@pytest.mark.parametrize(
    ("data", "message"),
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
        (b'{"a": ' + b"1" * 5_000 + b"}", "a number in it is too long"),
        (b" " * (MAX_BYTES + 1), "it is larger than"),
    ],
)
def test_a_fault_is_reported_with_its_line_and_key(data: bytes, message: str) -> None:
    with pytest.raises(PermissionFileFault) as caught:
        parse_permissions(data)
    assert message in str(caught.value)


@pytest.fixture
def permissions(state: Folder, clock: Clock) -> PermissionFile:
    return PermissionFile(state, clock=clock)


def allows(permissions: PermissionFile, target: str = "a.md") -> bool:
    return permissions.table().grant(touching(target), ["r"]) is not None


def denies(permissions: PermissionFile, target: str = "a.md") -> bool:
    return permissions.table().denial(touching(target), ["r"]) is not None


def test_no_file_says_nothing(permissions: PermissionFile) -> None:
    assert permissions.table().codes == {}
    assert permissions.fault is None


def test_a_change_by_hand_holds_for_the_next_decision(permissions: PermissionFile, file: Path) -> None:
    file.write_text('{"a.md": "r??"}', encoding="utf-8")
    assert allows(permissions)
    file.write_text('{"a.md": "-??"}', encoding="utf-8")
    assert not allows(permissions)
    assert denies(permissions)
    file.unlink()
    assert not denies(permissions)


def test_a_change_that_leaves_size_and_times_as_they_were_is_seen_while_the_file_is_young(
    permissions: PermissionFile, file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk whose clock ticks every two seconds tells two quick changes not apart."""
    now = clock.now()
    monkeypatch.setattr(type(clock), "now", lambda _clock: now)
    just_now = now.timestamp()
    file.write_text('{"a.md": "r??"}', encoding="utf-8")
    os.utime(file, (just_now, just_now))
    assert allows(permissions)
    with file.open("r+", encoding="utf-8") as same:
        same.write('{"a.md": "-??"}')
    os.utime(file, (just_now, just_now))
    assert not allows(permissions)


def test_a_settled_file_is_not_read_again(
    permissions: PermissionFile, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('{"a.md": "r??"}', encoding="utf-8")
    assert allows(permissions)
    monkeypatch.setattr(Folder, "read", lambda *_args, **_limits: pytest.fail("read again"))
    assert allows(permissions)


def test_a_file_with_a_fault_allows_nothing_and_its_last_denials_hold(permissions: PermissionFile, file: Path) -> None:
    file.write_text('{"a.md": "r??", "b.md": "-??"}', encoding="utf-8")
    assert allows(permissions)
    file.write_text('{\n"a.md": "r??", "b.md": "r??", "c.md": "yes"}', encoding="utf-8")
    assert not allows(permissions)
    assert denies(permissions, "b.md")
    assert "line 2, key 'c.md'" in str(permissions.fault)
    file.write_text('{"b.md": "r??"}', encoding="utf-8")
    assert permissions.fault is None
    assert allows(permissions, "b.md")
    assert not denies(permissions, "b.md")


def test_a_fault_is_logged_once(permissions: PermissionFile, file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text("{", encoding="utf-8")
    for _ in range(3):
        permissions.table()
    assert len(caplog.records) == 1


@pytest.mark.parametrize("kind", ["folder", "link", "empty"])
def test_what_is_no_readable_file_is_a_fault(permissions: PermissionFile, file: Path, kind: str) -> None:
    file.write_text('{"b.md": "-??"}', encoding="utf-8")
    assert denies(permissions, "b.md")
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        (file.parent / "elsewhere").write_text('{"a.md": "r??"}', encoding="utf-8")
        file.symlink_to("elsewhere")
    else:
        file.touch()
    assert permissions.fault is not None
    assert not allows(permissions)
    assert denies(permissions, "b.md")


def test_an_answer_is_written_and_the_rest_of_the_file_kept(permissions: PermissionFile, file: Path) -> None:
    file.write_text('{"Notes/": "rw?", "http://example.org/": "r??"}', encoding="utf-8")
    permissions.set(rungs("a.md", "https://example.org/"), ["w"], allow=False)
    permissions.set(rungs("a.md"), ["r"], allow=True)
    assert permissions.table().codes == {"Notes/": "rw?", "http://example.org/": "r-?", "a.md": "r-?"}
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir() if path.suffix == ".tmp"] == []


def test_an_answer_taken_back_leaves_no_empty_entry(permissions: PermissionFile) -> None:
    permissions.set(rungs("a.md"), ["r", "w"], allow=True)
    permissions.forget("a.md", ["r"])
    assert permissions.table().codes == {"a.md": "?w?"}
    permissions.forget("a.md", ["w"])
    assert permissions.table().codes == {}


def test_a_file_with_a_fault_is_never_overwritten(permissions: PermissionFile, file: Path) -> None:
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ExecutionFailed, match="line 1"):
        permissions.set(rungs("a.md"), ["r"], allow=False)
    assert file.read_text(encoding="utf-8") == "{"


class FullDisk(Disk):
    full = False

    def before(self, operation: str, name: str) -> None:
        del name
        if self.full and operation == "write":
            raise OSError(28, "No space left on device")


def test_a_full_disk_loses_nothing(tmp_path: Path, clock: Clock) -> None:
    disk = FullDisk()
    with VaultRoot(tmp_path, disk) as root, root.state() as state:
        permissions = PermissionFile(state, clock=clock)
        permissions.set(rungs("a.md"), ["r"], allow=True)
        disk.full = True
        with pytest.raises(ExecutionFailed, match="No space left"):
            permissions.set(rungs("b.md"), ["r"], allow=True)
        assert permissions.table().codes == {"a.md": "r??"}
        assert sorted(state.names()) == [".gitignore", "permissions.json"]
