"""Exports and figures of the log, and the thread that looks after it."""

import csv
import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.audit import service
from bridge.audit.files import GENERATIONS, NAME
from bridge.audit.log import DAY_SECONDS, LogMaintenance
from bridge.audit.service import safe_cell
from bridge.audit.verify import HEAD_FILE, KEY_FILE
from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.records.folder import MemoryFolder
from bridge.settings.model import Settings
from tests.audit.audit_world import FaultyDisk, World, open_world
from tests.patience import PATIENCE


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path, max_size=4_000) as world:
        yield world


def test_json_holds_the_records_that_fit_oldest_first(world: World) -> None:
    assert json.loads(world.service.export("json")["text"]) == []
    world.fill(2)
    world.add(tool="grep", client="Ada")
    told = world.service.export("json")
    records = json.loads(told["text"])
    assert records == list(reversed(world.log.query(limit=1_000)))
    assert (told["format"], told["records"], told["truncated"]) == ("json", len(records), False)
    assert [record["tool"] for record in json.loads(world.service.export("json", client="Ada")["text"])] == ["grep"]


def test_csv_has_a_column_for_what_is_asked_and_runs_nothing_in_a_spreadsheet(world: World) -> None:
    world.add(client="=cmd|' /C calc'!A0", reason='say "hi",\nthen go', by="@x", feedback="\x1b[31mred", extra={"a": 1})
    world.add(client="+1", tool="-grep", parameters=None, success=False, why="\uff1dSUM(A1)", message=" =1+1")
    first, second = csv.DictReader(io.StringIO(world.service.export("csv")["text"], newline=""))
    assert (first["client"], first["by"], first["feedback"]) == ("'=cmd|' /C calc'!A0", "'@x", "\\x1b[31mred")
    assert first["reason"] == 'say "hi",\nthen go'
    assert json.loads(first["files"])[0]["change"] == "modify"
    assert json.loads(first["more"])["extra"] == {"a": 1}
    assert (first["seq"], first["success"], first["duration"]) == ("1", "true", "12.5")
    assert (second["client"], second["tool"], second["why"]) == ("'+1", "'-grep", "'\uff1dSUM(A1)")
    assert (second["message"], second["parameters"], second["success"]) == ("' =1+1", "", "false")


@pytest.mark.parametrize("text", ["", "plain", "a=b", "1-2", "Notes/a.md"])
def test_what_is_no_formula_is_left_as_it_is(text: str) -> None:
    assert safe_cell(text) == text


def test_a_text_that_is_too_long_holds_the_newest(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add(5)
    monkeypatch.setattr(service, "MAX_TEXT", 2_000)
    told = world.service.export("json")
    assert told["truncated"]
    assert [record["seq"] for record in json.loads(told["text"])] == list(range(6 - told["records"], 6))
    assert len(json.dumps(told["text"])) < 2_100
    assert world.service.export("csv")["truncated"]


@pytest.mark.parametrize("path", ["all.json", ".vault-bridge/exports/all.json"])
def test_an_export_goes_into_a_new_file_of_its_folder(world: World, path: str) -> None:
    world.fill(2)
    told = world.service.export_to(path, "json")
    assert told["path"] == ".vault-bridge/exports/all.json"
    records = json.loads((world.folder / "exports" / "all.json").read_text(encoding="utf-8"))
    assert (len(records), records) == (told["records"], list(reversed(world.log.query(limit=1_000))))
    with pytest.raises(InvalidParameters, match="is there already"):
        world.service.export_to(path, "csv")
    assert [file.name for file in (world.folder / "exports").iterdir()] == ["all.json"]


@pytest.mark.parametrize(
    "path",
    ["", "../x.json", "/etc/x", "a/b.json", ".hidden", "x.json ", "nul.csv", "COM1", "a\x00b", "ä.json", "x" * 101],
)
def test_an_export_goes_nowhere_else(world: World, path: str) -> None:
    with pytest.raises(InvalidParameters, match="name of a new file"):
        world.service.export_to(path, "json")
    assert not (world.folder / "exports").exists()


def test_an_export_on_a_full_disk_leaves_nothing(world: World) -> None:
    world.add()
    disk = world.disk
    assert isinstance(disk, FaultyDisk)
    disk.full = True
    with pytest.raises(ExecutionFailed):
        world.service.export_to("x.json", "json")
    assert list((world.folder / "exports").iterdir()) == []


def test_the_figures_of_a_log(world: World) -> None:
    figures = {"size": 0, "generations": 0, "records": 0, "oldest": None, "newest": None, "fault": None, "lost": 0}
    assert world.service.stats() == figures | {"chain": world.service.verify()["head"]}
    world.fill(2)
    world.add(timestamp="2026-02-01T00:00:00.000Z")
    told = world.service.stats()
    assert told["generations"] == 2
    assert told["records"] == told["chain"]["seq"] == world.found(limit=1)[0]
    assert (told["oldest"], told["newest"]) == ("2026-01-31T10:30:00.000Z", "2026-02-01T00:00:00.000Z")
    assert told["size"] == sum((world.logs / name).stat().st_size for name in world.names())


def test_a_damaged_generation_costs_no_other_records(world: World) -> None:
    world.fill(3)
    (world.logs / GENERATIONS[1]).write_bytes(b"\x1f\x8b\x08\x04 no more")
    found = world.log.query(limit=1_000)
    assert found[0]["seq"] == world.service.stats()["chain"]["seq"]
    assert found[-1]["seq"] == 1
    assert json.loads(world.service.export("json")["text"])[0]["seq"] == 1
    world.log.retain()
    world.fill(4)
    assert world.log.fault is None


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_keeper_seals_packs_and_drops_without_being_asked(world: World) -> None:
    now = [0.0]
    keeper = LogMaintenance(world.log, lambda: Settings.parse(world.settings), lambda: now[0])
    keeper.start()
    world.add(12)
    until(lambda: world.names() == [GENERATIONS[0], NAME] and world.key_store.read(HEAD_FILE))
    world.settings["auditLogRetentionDays"] = 7
    now[0] += DAY_SECONDS
    world.add(timestamp="2026-01-31T11:00:00.000Z")
    keeper.close()
    kept = json.loads(world.key_store.read(HEAD_FILE) or b"")
    assert (kept["seq"], kept["chain"]) == (13, world.service.stats()["chain"]["chain"])
    assert world.service.verify()["whole"]


def test_without_a_place_for_the_key_the_log_is_written_and_the_fault_is_reported(world: World) -> None:
    class Broken(MemoryFolder):
        def write(self, name: str, data: bytes) -> None:  # noqa: ARG002 (the signature is RecordFolder's)
            raise PermissionError(13, "Permission denied")

    world.key_store = Broken()
    world.log = world.reopened()
    world.add()
    assert len(world.lines()) == 1
    assert world.log.fault == (
        "The key of the audit log cannot be kept: Permission denied. "
        "Make room, or correct the permissions of that folder"
    )


def test_a_head_that_cannot_be_kept_is_reported_and_kept_later(world: World) -> None:
    class Fickle(MemoryFolder):
        broken = False

        def write(self, name: str, data: bytes) -> None:
            if self.broken:
                raise OSError(28, "No space left on device")
            super().write(name, data)

    key_store = Fickle()
    world.key_store = key_store
    world.log = world.reopened()
    world.add()
    key_store.broken = True
    world.log.seal()
    assert world.log.fault is not None
    assert "cannot be sealed: No space left" in world.log.fault
    key_store.broken = False
    world.log.seal()
    assert json.loads(key_store.read(HEAD_FILE) or b"")["seq"] == 1
    assert len(key_store.read(KEY_FILE) or b"") == 32


def test_a_record_that_is_too_long_for_a_line_is_kept_without_its_bulk(world: World) -> None:
    world.max_size = 20_000_000
    world.log = world.reopened()
    world.add(files=[{"path": "\u20ac" * 1_990, "newPath": "\u20ac" * 1_990}] * 1_000)
    (record,) = world.lines()
    assert (record["tool"], "files" in record) == ("apply_patch", False)
    assert world.service.verify()["whole"]
