"""A proposal is edited in the person's own editor, in a file that nobody else can read and that is gone afterwards."""

import errno
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from bridge.cli.text_files import NotEdited, edit, new_file

pytestmark = pytest.mark.slow

UseEditor = Callable[..., None]


def typed(words: list[str]) -> str:
    """A command as people write it on this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


@pytest.fixture
def use_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UseEditor:
    """Makes a Python program the editor; it gets the file as `file`."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)

    def use(program: str, variable: str = "EDITOR", *words: str) -> None:
        script = tmp_path / "my editor.py"
        script.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[-1])\n{program}\n", encoding="utf-8")
        monkeypatch.setenv(variable, typed([sys.executable, str(script), *words]))

    return use


@pytest.mark.parametrize("variable", ["VISUAL", "EDITOR"])
def test_what_is_saved_is_the_text(use_editor: UseEditor, variable: str) -> None:
    program = "file.write_bytes(file.read_bytes().replace('é'.encode(), 'ü 日'.encode()))"
    use_editor(program, variable, "--wait")
    assert edit("one\ntwo é\n") == "one\ntwo ü 日\n"


def test_visual_goes_before_editor(use_editor: UseEditor, monkeypatch: pytest.MonkeyPatch) -> None:
    use_editor("file.write_text('visual')", "VISUAL")
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert edit("x\n") == "visual"


def test_line_ends_and_a_byte_order_mark_of_another_system_are_no_text(use_editor: UseEditor) -> None:
    use_editor(r"file.write_bytes(b'\xef\xbb\xbfone\r\ntwo\r\n')")
    assert edit("x\n") == "one\ntwo\n"


def test_the_file_is_private_and_gone_afterwards_with_what_the_editor_left(
    use_editor: UseEditor, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    use_editor(
        "file.with_name('proposal.md~').write_text('backup')\n"
        f"pathlib.Path({str(seen)!r}).write_text(f'{{file}}\\n{{file.parent.stat().st_mode}}')"
    )
    edit("secret\n")
    file, mode = seen.read_text(encoding="utf-8").splitlines()
    assert not Path(file).parent.exists()
    if sys.platform != "win32":
        assert stat.S_IMODE(int(mode)) == 0o700


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("sys.exit(3)", "exit code 3"),
        (r"file.write_bytes(b'\xff\xfe')", "cannot be edited"),
        ("file.unlink()", "cannot be edited"),
    ],
)
def test_an_editor_that_fails_changes_nothing(use_editor: UseEditor, program: str, said: str) -> None:
    use_editor(program)
    with pytest.raises(NotEdited, match=said):
        edit("x\n")


@pytest.mark.parametrize("editor", ["no-such-editor", "no-such-editor 'unclosed"])
def test_an_editor_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch, editor: str) -> None:
    monkeypatch.setenv("VISUAL", editor)
    with pytest.raises(NotEdited, match="no-such-editor"):
        edit("x\n")


@pytest.mark.parametrize("value", ["", "  "])
def test_without_an_editor_it_says_how_to_set_one(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.setenv(name, value)
    with pytest.raises(NotEdited, match="export EDITOR=nano"):
        edit("x\n")


def test_a_text_that_no_file_can_hold_is_refused(use_editor: UseEditor) -> None:
    use_editor("pass")
    with pytest.raises(NotEdited, match="cannot be edited"):
        edit("\ud83d\n")


def test_a_new_file_that_cannot_be_written_ends_the_command_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), new_file(tmp_path / "log.csv"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
