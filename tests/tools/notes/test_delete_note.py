"""A note is deleted by its name, and only when it is certain which one is meant."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.errors import Ambiguous, InvalidParameters, NotFound, PermissionDenied
from bridge.identity.caller import PERSON
from bridge.index.vault_index import VaultIndex
from bridge.journal.ledger import Ledger
from bridge.policy.consent import Rule
from bridge.settings.model import Settings
from bridge.toolkit.tool import CallContext
from bridge.tools.notes.changing import DeleteNoteTool
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

NOTES = {
    "Home.md": "---\naliases: [Start]\n---\n[[projects/Plan]] [[Tea]]\n",
    "projects/Plan.md": "# Plan\n\n## Steps\n",
    "projects/old/Plan.md": "old\n",
    "Tea.md": "",
    "Secret/Diary.md": "[[Tea]]\n",
    "Photo.png": "",
}
Plan = Callable[[str], ChangePlan]


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[DeleteNoteTool]:
    """The tool over a small vault of which a folder is closed."""
    folder = tmp_path / "Vault"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    def denies(path: str) -> Rule | None:
        return Rule("file:Secret/", "it is closed") if path.startswith("Secret") else None

    with VaultRoot(folder) as root:
        index = VaultIndex(VaultFiles(root), SystemClock())
        index.refresh()
        history = Ledger.__new__(Ledger)  # not asked anything here
        services = ToolServices(VaultFiles(root), index, history, denied=lambda: denies)
        yield DeleteNoteTool(services.storage, services.clock)
        index.close()


@pytest.fixture
def plan(tool: DeleteNoteTool) -> Plan:
    """Plans the deletion of a note."""
    clock = SystemClock()

    def plan(name: str) -> ChangePlan:
        context = CallContext(PERSON, Settings(), clock.monotonic() + PATIENCE)
        return tool.prepare(tool.spec.parameters.parse({"name": name}), context)

    return plan


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Tea", "Tea.md"),
        ("tea", "Tea.md"),
        ("[[Tea]]", "Tea.md"),
        ("[[Tea|so]]", "Tea.md"),
        ("Start", "Home.md"),
        ("projects/Plan", "projects/Plan.md"),
        ("projects/old/Plan.md", "projects/old/Plan.md"),
    ],
)
def test_a_note_is_found_by_name_path_link_or_alias(plan: Plan, name: str, path: str) -> None:
    made = plan(name)
    assert made.targets == (path,)
    assert made.summary == f"Delete {path}: it goes to the system trash"
    assert made.disposal == "system"


def test_links_from_closed_notes_are_counted_and_not_named(plan: Plan) -> None:
    assert plan("Tea").warnings == ("2 notes link to it: Home.md, and 1 more",)


def test_of_several_notes_none_is_chosen(plan: Plan) -> None:
    with pytest.raises(Ambiguous) as caught:
        plan("Plan")
    assert caught.value.data["match_count"] == 2


@pytest.mark.parametrize("name", ["Nothing", "Photo.png", "Diary", "projects"])
def test_what_is_no_note_or_closed_is_not_found(plan: Plan, name: str) -> None:
    with pytest.raises((NotFound, PermissionDenied)):
        plan(name)


@pytest.mark.parametrize("name", ["projects/Plan#Steps", "[[Tea#^block]]"])
def test_a_part_of_a_note_is_not_deleted(plan: Plan, name: str) -> None:
    with pytest.raises(InvalidParameters, match="names a part of"):
        plan(name)


@pytest.mark.parametrize("name", ["", "[[]]", "../Tea", "a\x00b"])
def test_what_names_no_note_is_refused(plan: Plan, name: str) -> None:
    with pytest.raises(InvalidParameters):
        plan(name)


def test_it_answers_as_delete_file_does(tool: DeleteNoteTool, plan: Plan) -> None:
    params = tool.spec.parameters.parse({"name": "Tea"})
    output = tool.report(params, Applied("delete-1", "backups/", plan("Tea"), "system"))
    assert output.text == "Deleted 'Tea.md' to trash."
    assert output.data["linkedFrom"] == 2
