"""What a profile comes to."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bridge.errors import PermissionDenied
from bridge.sandbox.job import Ending, ProgramJob, Report, remove_tree
from bridge.sandbox.kernel_rules import landlock_abi
from bridge.sandbox.processes import Growth
from bridge.sandbox.profile import MEGABYTE, Profile, environment, readable_places, seatbelt_command
from bridge.sandbox.sandbox import NO_SANDBOX, Programs, Sandbox, SandboxKind, probe, probe_one
from tests.sandbox.users import NOBODY

posix = pytest.mark.skipif(os.name != "posix", reason="paths as POSIX has them")


def _folder(place: Path, *names: str) -> list[Path]:
    made = [place / name for name in names]
    for path in made:
        path.mkdir(parents=True)
    return made


def test_what_belongs_to_the_bridge_is_given_to_no_program(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    state, _inner, other = _folder(place, "state", "state/run", "other")
    for wrong in (state, state / "run", place / "other" / ".." / "state"):
        with pytest.raises(ValueError, match="belongs to the bridge"):
            Profile(read=(wrong,)).guarded([state])
    assert Profile(write=(other,)).guarded([state]).write == (other,)


@pytest.mark.skipif(os.name != "posix", reason="links need no privilege on POSIX")
def test_no_link_leads_to_what_is_hidden(tmp_path: Path) -> None:
    state, other = _folder(tmp_path.resolve(), "state", "other")
    (other / "link").symlink_to(state)
    with pytest.raises(ValueError, match="belongs to the bridge"):
        Profile(write=(other / "link",)).guarded([state])


def test_a_part_of_the_scratch_folder_can_be_given_and_not_the_whole(tmp_path: Path) -> None:
    state, scratch, part = _folder(tmp_path.resolve(), "state", "state/scratch", "state/scratch/one")
    assert Profile(write=(part,)).guarded([state], scratch).write == (part,)
    with pytest.raises(ValueError, match="belongs to the bridge"):
        Profile(write=(scratch,)).guarded([state], scratch)


def test_a_folder_that_holds_something_hidden_is_given_without_it(tmp_path: Path) -> None:
    home, hidden, deep, other = _folder(tmp_path.resolve() / "home", ".", "keys", "a/keys", "b")
    (home / "a" / "note").touch()
    profile = Profile(write=(home,), hidden=(hidden, deep), kept=(other,)).guarded([])
    readable = [path for path in profile.readable() if path.is_relative_to(home)]
    assert sorted(readable) == [home / "a" / "note", other]
    assert list(profile.writable()) == [home / "a" / "note"]


def test_the_systems_own_places_hold_nothing_of_a_users() -> None:
    places = [str(place) for place in readable_places()]
    assert not [place for place in places if place.startswith(("/home", "/root", "/var", "/run"))]
    assert not {"/etc", "/etc/shadow", "/etc/ssl/private", "/"} & set(places)


def test_the_environment_is_made_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    made = environment(home=tmp_path, temporary=tmp_path)
    assert "SECRET_KEY" not in made
    assert made["HOME"] == str(tmp_path)


@posix
def test_the_rules_of_macos_deny_last_and_quote_what_they_name(tmp_path: Path) -> None:
    given, hidden = _folder(tmp_path.resolve(), 'gi"ven', 'gi"ven/hidden')
    rules = seatbelt_command(Profile(write=(given,), hidden=(hidden,)).guarded([]))[-1]
    assert rules.index('gi\\"ven"') < rules.index("(deny file-read* file-write*")
    assert rules.startswith("(version 1)\n(deny default)")
    assert "network-outbound" not in rules
    assert "network-outbound" in seatbelt_command(Profile(network=True))[-1]
    with pytest.raises(ValueError, match="control character"):
        seatbelt_command(Profile(read=(Path("/a\n(allow default)"),)))


def test_a_job_and_a_report_are_told_as_they_are(tmp_path: Path) -> None:
    job = ProgramJob(
        argv=("/bin/ls", "a b\n"),
        folder="/",
        environment={"A": "ü"},
        report="r",
        read=("/usr",),
        layers=(("read", "/usr", "/usr"),),
        seconds=None,
        grace=1,
        memory=2,
        processes=3,
        file_size=4,
        disk=5,
    )
    assert ProgramJob.from_json(job.to_json()) == job
    assert job.to_json().count(b"\n") == 1
    report = Report(ending=Ending.EXITED, code=-9)
    assert Report.from_json(report.to_json()) == report
    report.write(tmp_path / "report")
    assert Report.from_json((tmp_path / "report").read_bytes()) == report
    own = tmp_path / "own"
    own.mkdir()
    Report(ending=Ending.STOPPED).write(own / "report")
    assert not own.exists(), "nobody is there to read it and remove the folder"


def test_growth_counts_what_was_added(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(os.urandom(2 * MEGABYTE))
    assert not Growth([str(tmp_path)], MEGABYTE).is_too_much()
    growth = Growth([str(tmp_path)], MEGABYTE)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_bytes(os.urandom(2 * MEGABYTE))
    assert growth.is_too_much()


@pytest.mark.parametrize("kind", [SandboxKind.NONE, SandboxKind.LANDLOCK])
async def test_where_a_sandbox_is_required_and_none_works_nothing_is_started(tmp_path: Path, kind: SandboxKind) -> None:
    programs = Programs([], tmp_path, lambda: True, lambda: Sandbox(kind))
    with pytest.raises(PermissionDenied, match="requireSandbox") as refused:
        await programs.start(Profile(), ["/bin/true"], folder=tmp_path, environment={})
    assert refused.value.code == "no_sandbox"


def test_the_probe_finds_the_best_that_works_and_says_what_it_lacks() -> None:
    found = probe()
    works = [kind for kind in SandboxKind if probe_one(kind) is not None]
    assert found.kind is works[0], "in the order of the kinds"
    assert NO_SANDBOX.lacks, "without one, that much is said"
    if landlock_abi() > 0:
        assert SandboxKind.LANDLOCK in works
    landlock = probe_one(SandboxKind.LANDLOCK)
    assert landlock is None or (not landlock.confines and landlock.lacks == NO_SANDBOX.lacks)
    for kind in works:
        one = probe_one(kind)
        assert one is not None
        assert all(lack.strip() and not lack.endswith(".") for lack in one.lacks)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions as POSIX has them")
def test_a_place_is_removed_however_deep_and_closed_a_program_has_left_it() -> None:
    with TemporaryDirectory() as outer:
        ordinary = sys.platform != "win32" and os.geteuid() == 0
        if ordinary:  # root may remove everything
            os.chown(outer, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            place, other = Path(outer, "place"), Path(outer, "other")
            other.mkdir(mode=0o750)
            (place / "closed" / "inner").mkdir(parents=True)
            (place / "closed" / "inner" / "file").write_bytes(b"x")
            (place / "link").symlink_to(other)
            at = os.open(place, os.O_RDONLY)
            for _ in range(1200):
                os.mkdir("deep", dir_fd=at)
                inner = os.open("deep", os.O_RDONLY, dir_fd=at)
                os.close(at)
                at = inner
            os.close(at)
            for folder, mode in ((place / "closed" / "inner", 0o400), (place / "closed", 0)):
                folder.chmod(mode)
            remove_tree(place)
            assert [path.name for path in Path(outer).iterdir()] == ["other"]
            (outer_link := Path(outer, "link")).symlink_to(other)
            (other / "file").write_bytes(b"x")
            remove_tree(outer_link)
            assert (other / "file").exists(), "a link is not followed"
            assert other.stat().st_mode & 0o777 == 0o750
        finally:
            if ordinary:
                os.seteuid(0)
