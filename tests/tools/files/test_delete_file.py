"""Deleting: what is planned, what the person is shown, and what is refused."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import Operation
from bridge.errors import DeadlineExceeded, InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.identity.caller import PERSON
from bridge.index.vault_index import VaultIndex
from bridge.journal.ledger import Ledger
from bridge.policy.consent import Rule
from bridge.settings.model import Settings
from bridge.toolkit.tool import CallContext
from bridge.tools.files import deletion
from bridge.tools.files.deletion import LISTED, DeleteFileTool
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.plan import Applied, ChangeKind, ChangePlan, content_hash
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links are as POSIX has them")
HIDDEN_RULE = Rule("file:Secret/", "the permission file closes 'Secret/'")


@dataclass
class Deleting:
    """The tool over a vault."""

    folder: Path
    tool: DeleteFileTool
    closed: set[str]
    clock: SystemClock
    seconds: float = PATIENCE
    settings: Settings = field(default_factory=Settings)
    progress: list[str] = field(default_factory=list)

    def plan(self, path: object) -> ChangePlan:
        params = self.tool.spec.parameters.parse({"path": path})
        return self.tool.prepare(params, self._context())

    def report(self, path: str, **applied: object) -> tuple[dict[str, object], str]:
        plan = self.plan(path)
        params = self.tool.spec.parameters.parse({"path": path})
        output = self.tool.report(params, Applied("delete-1", "backups/", plan, **applied))  # type: ignore[arg-type]
        return output.data, output.text

    def write(self, path: str, data: bytes = b"text\n") -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    def link(self, source: str, *targets: str) -> None:
        """A note with links."""
        self.write(source, "".join(f"[[{target}]]\n" for target in targets).encode())

    def trash(self, option: str) -> None:
        """What the user set in Obsidian."""
        self.write(".obsidian/app.json", json.dumps({"trashOption": option}).encode())

    def _context(self) -> CallContext:
        deadline = self.clock.monotonic() + self.seconds
        tell = lambda _done, _total, message: self.progress.append(message)  # noqa: E731 (one line of wiring)
        return CallContext(PERSON, self.settings, deadline, tell)


@pytest.fixture
def deleting(vault: Path) -> Iterator[Deleting]:
    closed: set[str] = set()

    def denies(path: str) -> Rule | None:
        return HIDDEN_RULE if any(path == name or path.startswith(f"{name}/") for name in closed) else None

    clock = SystemClock()
    with VaultRoot(vault) as root:
        index = VaultIndex(VaultFiles(root), clock)
        history = Ledger.__new__(Ledger)  # not asked anything here
        services = ToolServices(VaultFiles(root), index, history, clock, lambda: denies)
        tool = DeleteFileTool(services.storage, clock)
        yield Deleting(vault, tool, closed, clock)
        index.close()


# -- the plan -------------------------------------------------------------------------------------------------------


def test_a_file_is_deleted_as_it_is_and_shown_whole(deleting: Deleting) -> None:
    plan = deleting.plan("Notes/Meeting.md")
    (change,) = plan.changes
    data = (deleting.folder / "Notes/Meeting.md").read_bytes()
    assert (change.kind, change.path, change.before) == (ChangeKind.DELETE, "Notes/Meeting.md", content_hash(data))
    assert (plan.operation, plan.disposal, plan.warnings, plan.linked_from) == (Operation.DELETE, "system", (), 0)
    assert plan.summary == "Delete Notes/Meeting.md: it goes to the system trash"
    (shown,) = plan.previews
    assert (shown.change, shown.removed) == ("delete", 4)
    assert "-- TODO: call Ada" in shown.diff


def test_a_folder_is_deleted_with_everything_in_it_and_shown_folded(deleting: Deleting) -> None:
    deleting.write("Notes/Deep/.hidden", b"")
    deleting.write("Notes/Deep/Scan.bin", bytes(range(256)))
    (deleting.folder / "Notes/Empty").mkdir()
    plan = deleting.plan("Notes/")
    assert [(change.kind.value, change.path) for change in plan.changes] == [
        ("delete", "Notes/Meeting.md"),
        ("delete", "Notes/Windows.md"),
        ("delete", "Notes/Deep/.hidden"),
        ("delete", "Notes/Deep/Scan.bin"),
        ("rmdir", "Notes/Empty"),
        ("rmdir", "Notes/Deep"),
        ("rmdir", "Notes"),
    ]
    assert plan.summary == "Delete the folder Notes with 4 files and 2 folders (321 bytes): it goes to the system trash"
    assert [(shown.path, shown.change) for shown in plan.previews][:2] == [
        ("Notes", "rmdir"),
        ("Notes/Meeting.md", "delete"),
    ]
    assert "Binary files Notes/Deep/Scan.bin" in plan.previews[-1].diff
    assert plan.warnings == ("1 hidden file goes with it: Notes/Deep/.hidden",)


@pytest.mark.parametrize(
    ("inner", "message"),
    [([], "the empty folder New"), (["a", "a/b"], "the folder New (2 folders in it)")],
)
def test_folders_without_files_go_too(deleting: Deleting, inner: list[str], message: str) -> None:
    for name in ["", *inner]:
        (deleting.folder / "New" / name).mkdir()
    plan = deleting.plan("New")
    assert plan.summary == f"Delete {message}: it goes to the system trash"
    assert [change.path for change in plan.changes] == [f"New/{name}" for name in reversed(inner)] + ["New"]


@pytest.mark.parametrize(
    ("option", "disposal", "summary"),
    [
        ("system", "system", "it goes to the system trash"),
        ("local", "local", "it goes to .trash in the vault"),
        ("none", None, "it goes for good, as Obsidian is set to keep no trash"),
        ("nonsense", "system", "it goes to the system trash"),
    ],
)
def test_where_it_goes_is_what_the_user_set_in_obsidian(
    deleting: Deleting, option: str, disposal: str | None, summary: str
) -> None:
    # Rule 77
    deleting.trash(option)
    plan = deleting.plan("Ideas.md")
    assert plan.disposal == disposal
    assert plan.summary.endswith(summary)
    assert plan.warnings == ()


def test_that_nothing_at_all_will_be_kept_is_said(deleting: Deleting) -> None:
    deleting.trash("none")
    deleting.settings = Settings(patch_backup_enabled=False)
    assert "This cannot be undone" in deleting.plan("Ideas.md").warnings[0]


def test_case_is_forgiven_and_the_real_name_is_shown(deleting: Deleting) -> None:
    assert deleting.plan("notes/MEETING.md").targets == ("Notes/Meeting.md",)


# -- what links to it -----------------------------------------------------------------------------------------------


def test_the_question_names_notes_that_link_to_it(deleting: Deleting) -> None:
    deleting.link("B.md", "Ideas")
    deleting.link("A.md", "ideas#Old Section", "Ideas|so", "Nowhere")
    deleting.link("Ideas.md", "Ideas", "#Old Section")
    deleting.link("Other.md", "Meeting", "Notes/Ideas")
    plan = deleting.plan("Ideas.md")
    assert plan.warnings == ("2 notes link to it: A.md, B.md",)
    assert plan.linked_from == 2


def test_a_canvas_and_an_image_count_too(deleting: Deleting) -> None:
    deleting.write("Photo.png", b"\x89PNG")
    deleting.write("Board.canvas", b'{"nodes": [{"id": "1", "type": "file", "file": "Photo.png"}], "edges": []}')
    deleting.write("A.md", b"![[photo.png]]")
    assert deleting.plan("Photo.png").warnings == ("2 notes link to it: A.md, Board.canvas",)


def test_at_most_ten_are_named_and_closed_ones_are_only_counted(deleting: Deleting) -> None:
    deleting.closed.add("Secret")
    named = [f"{number:02}.md" for number in range(12)]
    for source in (*named, "Secret/a.md"):
        deleting.link(source, "Ideas")
    (warning,) = deleting.plan("Ideas.md").warnings
    assert warning == f"13 notes link to it: {', '.join(named[:10])}, and 3 more"
    for source in named:
        deleting.link(source, "Elsewhere")
    assert deleting.plan("Ideas.md").warnings == ("1 note links to it",)


def test_of_a_folder_only_links_from_outside_it_count(deleting: Deleting) -> None:
    deleting.link("Notes/Meeting.md", "Windows")
    deleting.link("Ideas.md", "Meeting", "Windows")
    assert deleting.plan("Notes").warnings == ("1 note links to what is in it: Ideas.md",)


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [
        ("", InvalidParameters, "path is required and must be a non-empty string."),
        ("  ", InvalidParameters, "path is required and must be a non-empty string."),
        (7, InvalidParameters, "path is required and must be a non-empty string."),
        ("nonexistent.md", NotFound, 'File or folder not found: "nonexistent.md"'),
        ("/", InvalidParameters, "vault itself"),
        (".", InvalidParameters, "vault itself"),
        ("..", ToolFailure, "outside the vault"),
        (
            ".obsidian/app.json",
            PermissionDenied,
            "Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (".obsidian", PermissionDenied, "Cannot access files in '.obsidian/' directory"),
        (".trash/x.md", PermissionDenied, "Cannot access files in '.trash/' directory"),
        (".smarthole", PermissionDenied, "Cannot access files in '.smarthole/' directory"),
    ],
)
def test_failures_have_their_exact_sentences(
    deleting: Deleting, path: object, kind: type[ToolFailure], message: str
) -> None:
    with pytest.raises(kind) as caught:
        deleting.plan(path)
    assert message in caught.value.message


def test_what_is_closed_cannot_be_deleted_and_a_folder_that_holds_it_does_not_tell_its_name(deleting: Deleting) -> None:
    deleting.write("Notes/Secret/Diary.md")
    deleting.write("Notes/Secret/.git/config")
    deleting.closed.add("Notes/Secret")
    for path in ("Notes/Secret", "Notes/Secret/Diary.md", "Notes/Secret/nothing.md"):
        with pytest.raises(PermissionDenied) as caught:
            deleting.plan(path)
        assert caught.value.code == "denied_by_rule"
    with pytest.raises(PermissionDenied, match="'Notes' holds something that the user has closed") as caught:
        deleting.plan("Notes")
    assert "Secret" not in caught.value.message
    assert "Secret" not in str(caught.value.data)


@posix_only
@pytest.mark.parametrize("target", ["Meeting.md", "../Ideas.md", "../Notes"])
def test_a_link_is_not_taken_for_what_it_leads_to(deleting: Deleting, target: str) -> None:
    (deleting.folder / "Notes/alias.md").symlink_to(target)
    with pytest.raises(InvalidParameters, match=r"'Notes/alias.md' is a link to"):
        deleting.plan("Notes/alias.md")
    with pytest.raises(InvalidParameters, match=r"holds the link 'Notes/alias.md'"):
        deleting.plan("Notes")


@posix_only
def test_a_link_to_a_name_that_differs_in_case_only_is_a_link_all_the_same(deleting: Deleting) -> None:
    place = deleting.folder / "IDEAS.md"
    if place.exists():
        pytest.skip("this disk ignores case")
    place.symlink_to("Ideas.md")
    with pytest.raises(InvalidParameters, match="is a link"):
        deleting.plan("IDEAS.md")


@posix_only
def test_through_a_linked_folder_the_real_file_is_meant(deleting: Deleting) -> None:
    (deleting.folder / "Shortcut").symlink_to("Notes")
    assert deleting.plan("Shortcut/Meeting.md").targets == ("Notes/Meeting.md",)


@posix_only
def test_a_pipe_is_not_deleted(deleting: Deleting) -> None:
    os.mkfifo(deleting.folder / "pipe")
    with pytest.raises(InvalidParameters, match="pipe"):
        deleting.plan("pipe")


def test_too_much_for_the_time_there_is_ends_with_advice(deleting: Deleting) -> None:
    deleting.seconds = -1
    with pytest.raises(DeadlineExceeded, match="in several parts"):
        deleting.plan("Notes")


# -- size -----------------------------------------------------------------------------------------------------------


def test_a_large_folder_is_listed_in_part_and_planned_whole(deleting: Deleting) -> None:
    count = LISTED + 50
    for number in range(count):
        deleting.write(f"Many/{number:05}.md", b"one\ntwo")
    plan = deleting.plan("Many")
    assert len(plan.changes) == count + 1
    assert len(plan.previews) == LISTED + 1
    assert sum(shown.removed for shown in plan.previews) == 2 * count
    assert plan.warnings == ("Only 1,000 of the 1,050 files are listed here; all of them go",)
    assert deleting.progress == ["Reading Many"] * 2


def test_large_files_and_long_diffs_are_counted_and_not_shown(
    deleting: Deleting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "LARGEST", 1000)
    monkeypatch.setattr(deletion, "MOST_TEXT", 1500)
    text, binary = b"line\n" * 300 + b"end", b"\x89PNG\r\n\x1a\n" + bytes(2000)
    deleting.write("Big/a.md", text)
    deleting.write("Big/b.png", binary)
    deleting.write("Big/c.md", b"x\n" * 400)
    deleting.write("Big/d.md", b"x\n" * 400)
    plan = deleting.plan("Big")
    assert [change.before for change in plan.changes[:2]] == [content_hash(text), content_hash(binary)]
    _folder, first, second, third, fourth = plan.previews
    assert (first.removed, first.diff, first.truncated) == (301, "", True)
    assert second.diff == "Binary files Big/b.png (image, 2008 bytes) and /dev/null differ\n"
    assert (third.removed, third.truncated, third.diff.count("\n-x")) == (400, False, 400)
    assert (fourth.removed, fourth.diff, fourth.truncated) == (400, "", True)


# -- the report -----------------------------------------------------------------------------------------------------


def test_the_report_says_where_it_went(deleting: Deleting) -> None:
    deleting.link("Ideas.md", "Meeting")
    data, text = deleting.report("Notes/meeting.md", disposal="system")
    assert text == "Deleted 'Notes/Meeting.md' to trash."
    assert data == {"path": "Notes/Meeting.md", "trash": "system", "files": 1, "linkedFrom": 1}
    data, text = deleting.report("Notes", disposal="local")
    assert text == "Deleted 'Notes' to trash."
    assert (data["files"], data["trash"]) == (2, "local")


def test_without_a_trash_it_does_not_say_trash(deleting: Deleting) -> None:
    deleting.trash("none")
    data, text = deleting.report("Ideas.md", disposal=None)
    assert text == "Deleted 'Ideas.md' permanently: Obsidian is set to keep no trash. It can be undone."
    assert data["trash"] == "none"
