"""Bounds that the kernel holds itself, where it leaves us a control group."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.sandbox import processes
from bridge.sandbox.processes import ControlGroup
from bridge.sandbox.profile import MEGABYTE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
TASKS = 20


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A group, which is gone afterwards."""
    made = ControlGroup.make(64 * MEGABYTE, TASKS)
    if made is None:
        pytest.skip("this system leaves us no control group")
    yield made
    made.remove()
    assert not made.folder.exists()


def in_group(group: ControlGroup, code: str) -> subprocess.CompletedProcess[str]:
    """Run a program of Python in a group."""
    command = [sys.executable, "-c", code]
    return subprocess.run(  # noqa: S603 - our own
        command, preexec_fn=group.enter, start_new_session=True, capture_output=True, text=True, check=False
    )


def test_what_stays_within_its_bounds_ends_by_itself(group: ControlGroup) -> None:
    assert in_group(group, "print(len(bytearray(8 << 20)))").stdout == f"{8 * MEGABYTE}\n"
    assert not group.was_full


def test_all_in_it_end_when_it_has_no_more_memory(group: ControlGroup) -> None:
    ended = in_group(group, "import os\nif os.fork(): os.wait()\nelse: bytearray(200 << 20)\nprint('went on')")
    assert (ended.returncode, ended.stdout) == (-9, "")
    assert group.was_full


def test_one_that_was_left_behind_is_taken_for_no_new_one(group: ControlGroup) -> None:
    in_group(group, "bytearray(200 << 20)")
    assert group.was_full
    anew = ControlGroup.make(64 * MEGABYTE, TASKS)
    assert anew is not None
    assert (anew.folder, anew.was_full) == (group.folder, False)
    anew.remove()


def test_no_more_threads_are_started_in_it_than_it_may_have(group: ControlGroup) -> None:
    code = f"""
import os, signal
for _ in range({TASKS}):
    try:
        child = os.fork()
    except OSError as error:
        print(error.strerror, flush=True)
        os.killpg(0, signal.SIGKILL)
    if child == 0:
        signal.pause()
"""
    assert in_group(group, code).stdout == "Resource temporarily unavailable\n"


@pytest.mark.parametrize(
    ("own", "files"),
    [
        ("9:memory:/elsewhere\n", {}),
        ("0::/a/b\n", {}),
        ("0::/a/b\n", {"a/cgroup.subtree_control": "cpu pids"}),
        ("0::/a/b\n", {"a/cgroup.subtree_control": "cpu memory pids"}),  # a folder that is made has no files in it
    ],
)
def test_there_is_none_where_the_system_does_not_let_us(
    own: str, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").write_text(own)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(processes, "_OWN_GROUP", tmp_path / "own")
    assert ControlGroup.make(MEGABYTE, TASKS, tmp_path) is None
    assert sorted(tmp_path.rglob("*")) == before
