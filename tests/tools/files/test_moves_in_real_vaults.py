"""Moves in vaults that people made: every link of the whole vault leads where it led."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.errors import ToolFailure
from bridge.identity.caller import PERSON
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.notes.markdown import parse_note
from bridge.notes.names import Names, split_link
from bridge.settings.model import Settings
from bridge.toolkit.tool import CallContext
from bridge.tools.files.moving import MovePlanner
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.root import VaultRoot

pytestmark = pytest.mark.slow


def targets(files: dict[str, bytes]) -> dict[str, list[str | None]]:
    """Where every link of every note leads, in order."""
    names = Names(files)
    found: dict[str, list[str | None]] = {}
    for path, data in files.items():
        if path.endswith(".md"):
            links = [split_link(link.link)[0] for link in parse_note(data.decode("utf-8", "surrogateescape")).all_links]
            found[path] = [names.resolve(link, path) if link else None for link in links]
    return found


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if not any(p[:1] == "." for p in name.split("/"))}


def test_links_of_a_real_vault_survive_being_moved_about(
    real_vault: Path, indexed: Callable[[Path], VaultIndex]
) -> None:
    first = files_of(real_vault)
    with VaultRoot(real_vault) as root:
        ledger = Ledger(root, clock=SystemClock(), keep_backups=lambda: True)
        ledger.recover()
        services = ToolServices(files=VaultFiles(root), everything=indexed(real_vault), history=ledger)
        planner = MovePlanner(services.storage, services.clock)
        made = 0
        for number in range(4):
            before = files_of(real_vault)
            linked = sorted({path for links in targets(before).values() for path in links if path})
            source = linked[number * 41 % len(linked)]
            folders = sorted({path.rpartition("/")[0] for path in before})
            folder = folders[number * 7 % len(folders)]
            name = (source if number % 2 else linked[number * 13 % len(linked)]).rpartition("/")[2]
            try:
                context = CallContext(PERSON, Settings(), services.clock.monotonic() + 600)
                plan = planner.plan([(parse_path(source), parse_path(f"{folder}/{name}".lstrip("/")))], context)
            except ToolFailure:
                continue
            if plan is None or plan.warnings:
                continue
            ledger.apply(plan, Cause(execution_id=f"move-{number}", tool="move_file", client="Ada", session_id="s"))
            made += 1
            moves = {change.path: change.new_path for change in plan.changes if change.new_path}
            after = targets(files_of(real_vault))
            for path, old in targets(before).items():
                new = after[moves.get(path) or path] if (moves.get(path) or path).endswith(".md") else old
                assert len(old) == len(new)
                for was, leads in zip(old, new, strict=True):
                    assert was is None or leads == (moves.get(was) or was)
        for _turn in range(made):
            _id, undo = ledger.undo_plan()
            cause = Cause(f"undo-{_turn}", "history_undo", "Ada", "s", kind="undo", reverses=undo.reverses)
            ledger.apply(undo, cause)
        ledger.close()
    assert made
    assert files_of(real_vault) == first
