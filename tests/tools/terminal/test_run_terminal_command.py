"""Commands through a running bridge, as an agent gives them and a person allows them."""

import asyncio
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.sandbox.sandbox import NO_SANDBOX, SandboxKind, probe, probe_one
from tests.people import Person, person_at
from tests.processes import bridge_process, children, until_gone
from tests.sandbox.conftest import living

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the commands are those of POSIX"),
]
HERE = probe()


class World:
    """A vault that is served, an agent, and a person who says yes once to everything."""

    def __init__(self, vault: Path, bridge: Bridge, agent: Connection, person: Person) -> None:
        self.vault = vault
        self.bridge = bridge
        self.agent = agent
        self.person = person

    async def run(self, command: str) -> Any:
        """What comes of a command."""
        return await self.agent.call("run_terminal_command", {"command": command})

    async def ran(self, command: str) -> dict[str, Any]:
        """The data of a command that was run."""
        result = (await self.run(command)).or_raise()
        data: dict[str, Any] = result.raw["data"] | {"id": result.raw["executionId"]}
        return data

    async def undo(self, execution_id: str) -> None:
        """The person takes a change back."""
        await self.person.host.request("history.undo", executionId=execution_id)

    def texts(self) -> dict[str, bytes]:
        """Every file of the vault that is not hidden, with its bytes."""
        return {
            str(path.relative_to(self.vault)): path.read_bytes()
            for path in sorted(self.vault.rglob("*"))
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(self.vault).parts)
        }


Serve = Callable[..., Any]


@asynccontextmanager
async def serve(vault: Path, **settings: Any) -> AsyncIterator[World]:
    """Serve a vault in which commands are allowed."""
    async with Bridge(vault) as bridge:
        allowed = {"enabledTools": ["*"], "allowTerminal": True, "requireSandbox": "never"}
        bridge.settings.update(allowed | settings, confirms=True)
        async with person_at(vault) as person, connect(vault, name="agent") as agent:
            person.answer = "allow_once"
            yield World(vault, bridge, agent, person)


@pytest.fixture
async def world(vault: Path) -> AsyncIterator[World]:
    async with serve(vault) as made:
        yield made


@pytest.fixture(params=[kind for kind in SandboxKind if probe_one(kind) is not None], ids=str)
async def anywhere(
    request: pytest.FixtureRequest, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """In each sandbox that works here, and without one."""
    found = probe_one(request.param)
    monkeypatch.setattr("bridge.capabilities.network.probe", lambda: found)
    async with serve(vault) as made:
        yield made


async def test_a_command_is_refused_until_commands_are_allowed_on_this_computer(vault: Path) -> None:
    settings = vault / ".vault-bridge" / "settings.json"
    settings.parent.mkdir(mode=0o700)
    settings.write_text('{"enabledTools": ["*"], "allowTerminal": true}', encoding="ascii")
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="agent") as agent:
        result = await agent.call("run_terminal_command", {"command": "ls"})
        assert not result.ok
        assert "allowTerminal" in result.raw["text"]
        assert person.asked == [], "a synced file opens nothing, and nobody is asked"
        faults = (await person.host.request("bridge.faults"))["faults"]
        assert any("allowTerminal" in fault and "confirmed" in fault for fault in faults)
        await person.host.request("settings.update", patch={"allowTerminal": True})
        person.answer = "allow_once"
        result = await agent.call("run_terminal_command", {"command": "ls"})
        assert result.ok is (HERE.confines or sys.platform == "win32")


async def test_where_a_sandbox_is_required_and_none_works_nothing_runs(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.capabilities.network.probe", lambda: NO_SANDBOX)
    async with serve(vault, requireSandbox="always") as world:
        assert (await world.run("ls")).raw["data"]["code"] == "no_sandbox"
    async with serve(vault, requireSandbox="never") as world:
        assert (await world.run("ls")).ok
        (question,) = world.person.asked
        assert "Runs without a sandbox here" in question["preview"]["warnings"]


async def test_output_errors_and_exit_code_come_apart_and_as_they_are(anywhere: World) -> None:
    pieces: list[str] = []
    anywhere.agent.on("tool.output", lambda told: pieces.append(told["text"]))
    data = await anywhere.ran("echo out; echo err >&2; pwd; exit 3")
    assert data["exitCode"] == 3
    assert data["stderr"] == "err\n"
    assert data["stdout"].startswith("out\n")
    assert sorted("".join(pieces).splitlines()) == sorted((data["stdout"] + data["stderr"]).splitlines())
    assert data["changed"] == []


async def test_what_a_command_does_is_one_change_in_the_history_and_undone(anywhere: World) -> None:
    before = anywhere.texts()
    data = await anywhere.ran(
        "mv Ideas.md Moved.md; rm Notes/Windows.md; echo more >> Notes/Meeting.md; mkdir -p a/b; echo n > a/b/N.md"
    )
    assert set(data["changed"]) == {"Ideas.md", "Moved.md", "Notes/Windows.md", "Notes/Meeting.md", "a/b/N.md"}
    assert set(anywhere.texts()) == set(before) - {"Ideas.md", "Notes/Windows.md"} | {"Moved.md", "a/b/N.md"}
    (change,) = await anywhere.person.host.request("history.list", outside=False)
    assert (change["executionId"], change["tool"]) == (data["id"], "run_terminal_command")
    await anywhere.undo(data["id"])
    assert anywhere.texts() == before
    assert not (anywhere.vault / "a").exists()


async def test_what_would_become_of_a_command_is_explained_and_nothing_runs(world: World) -> None:
    async def explained(command: str) -> dict[str, Any]:
        call = {"name": "run_terminal_command", "arguments": {"command": command}}
        answer: dict[str, Any] = await world.person.host.request("policy.explain", **call)
        return answer

    plain = await explained("wc Ideas.md")
    assert (plain["outcome"], plain["summary"]) == ("ask", "Run command: wc Ideas.md")
    assert "allow_session" in plain["choices"]
    assert "allow_session" not in (await explained("rm Ideas.md"))["choices"]
    by_shell = await explained("rm Ideas.md; ls")
    assert (by_shell["outcome"], "a shell runs this" in by_shell["why"]) == ("ask", True)
    assert "allow_session" not in by_shell["choices"]
    assert (await explained("no-such-program x"))["outcome"] == "fail"
    world.bridge.settings.update({"allowTerminal": False}, confirms=True)
    assert (await explained("ls"))["outcome"] in {"deny", "fail"}
    assert (world.vault / "Ideas.md").exists()


async def test_commands_run_in_the_folder_that_is_set(vault: Path) -> None:
    async with serve(vault, terminalFolder="Notes") as world:
        data = await world.ran("pwd; echo new > Made.md; cat ../Ideas.md > Copy.md")
        assert data["stdout"].rstrip("\n").endswith("/Notes")
        assert data["changed"] == ["Notes/Copy.md", "Notes/Made.md"]
        world.person.answer = "allow_session"
        for name in ("Made.md", "Copy.md"):
            assert (await world.ran(f"cat {name}"))["exitCode"] == 0
        warnings = [asked["preview"]["warnings"] for asked in world.person.asked if asked["preview"]["request"]]
        assert len(warnings) == 2, "a place in that folder is a place in the vault"
        assert all("It runs in the folder 'Notes'" in each for each in warnings)


@pytest.mark.parametrize(
    ("folder", "said"),
    [("Nowhere", "no folder 'Nowhere'"), ("Ideas.md", "no folder 'Ideas.md'"), ("Private", "may not be read")],
)
async def test_where_the_folder_that_is_set_is_not_there_or_closed_nothing_runs(
    vault: Path, folder: str, said: str
) -> None:
    (vault / "Private").mkdir()
    async with serve(vault, terminalFolder=folder) as world:
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="ascii")
        result = await world.run("ls")
        assert (result.ok, "exitCode" in result.raw["data"], said in result.text) == (False, False, True)


def git(vault: Path, *words: str) -> str:
    """Git as the user runs it."""
    own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    argv = [shutil.which("git") or "git", *own, *words]
    return subprocess.run(argv, cwd=vault, capture_output=True, text=True, check=True).stdout  # noqa: S603 - git itself


@pytest.fixture
def repository(vault: Path) -> Path:
    """A vault that is a repository, with a hook and a setting that would tell if they were used."""
    if shutil.which("git") is None or not HERE.moves:
        pytest.skip("needs git, and a sandbox with a file system of its own")
    git(vault, "init", "-q", "-b", "main")
    git(vault, "config", "user.name", "Ada")
    git(vault, "config", "user.email", "ada@example.org")
    (vault / ".gitignore").write_text(".vault-bridge/\n", encoding="ascii")
    git(vault, "add", ".")
    git(vault, "commit", "-q", "-m", "first")
    for hook in ("pre-commit", "post-commit", "post-index-change"):
        place = vault / ".git" / "hooks" / hook
        place.write_text("#!/bin/sh\necho ran >> .git/ran\n", encoding="ascii")
        place.chmod(0o755)
    return vault


@pytest.mark.usefixtures("repository")
async def test_git_commits_what_it_is_told_and_nothing_else_is_lost_by_that(world: World) -> None:
    tracked = set(git(world.vault, "ls-files").splitlines())
    assert any(name.startswith(".obsidian/") for name in tracked)
    (world.vault / "New.md").write_text("new\n", encoding="ascii")
    for command in ("git add New.md", "git mv Ideas.md Thoughts.md", "git commit -m 'by an agent'"):
        data = await world.ran(command)
        assert data["exitCode"] == 0, data
    assert not (world.vault / ".git" / "ran").exists(), "no hook runs"
    assert (world.vault / "Thoughts.md").exists()
    assert set(git(world.vault, "ls-files").splitlines()) == tracked - {"Ideas.md"} | {"New.md", "Thoughts.md"}
    assert git(world.vault, "log", "--format=%an %ae %s", "-1").strip() == "Ada ada@example.org by an agent"
    assert git(world.vault, "status", "--porcelain").strip() == ""
    warned = [asked["preview"]["warnings"] for asked in world.person.asked if asked["preview"]["request"]]
    assert all(any("which undo does not take back" in warning for warning in each) for each in warned)
    assert len(warned) == 3


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "command",
    [
        "git -c core.hooksPath=hooks commit --allow-empty -m x",
        "git --git-dir=.git commit --allow-empty -m x",
        "git --exec-path=/tmp commit --allow-empty -m x",
        "git commit --allow-empty -m x && true",
        "git commit -a -m x",
        "git commit --allow-empty -S -m x",
        "git add .",
        "git add -A",
        "git add Notes",
        "git add :/",
        "git rm -r Notes",
        "git config user.name Eve",
        "git checkout -b other",
        "git stash",
        "git reset --hard",
        "sh -c 'git add Ideas.md'",
        "env git add Ideas.md",
    ],
)
async def test_all_else_that_git_is_told_changes_nothing_in_the_repository(world: World, command: str) -> None:
    (world.vault / "Ideas.md").write_text("changed\n", encoding="ascii")
    before = repository_bytes(world.vault)
    data = await world.ran(command)
    assert data["exitCode"] != 0
    assert repository_bytes(world.vault) == before
    if command not in {"git add .", "git add Notes"}:  # that these are no files is looked at when they are run
        (question,) = world.person.asked
        assert not any("which undo does not" in warning for warning in question["preview"]["warnings"])


@pytest.mark.parametrize(
    "setting",
    [
        *('[filter "x"]\n\tclean = ./x\n', "[include]\n\tpath = x\n", "[core]\n\tworktree = /\n"),
        *('[filter ";x"] clean = ./x\n', '[filter "#"] process = ./x\n', "[core] [include]\n\tpath = x\n"),
    ],
)
async def test_a_repository_that_names_programs_or_other_places_is_not_written(
    world: World, repository: Path, setting: str
) -> None:
    with (repository / ".git" / "config").open("a", encoding="ascii") as config:
        config.write(setting)
    before = repository_bytes(repository)
    await world.run("git add Ideas.md")
    assert repository_bytes(repository) == before


async def test_where_a_note_is_closed_a_repository_is_neither_read_nor_written(world: World, repository: Path) -> None:
    (repository / ".vault-bridge" / "permissions.json").write_text('{"Notes/": "---"}', encoding="ascii")
    before = repository_bytes(repository)
    data = await world.ran("git commit --allow-empty -m x")
    assert data["exitCode"] != 0
    assert "not a git repository" in data["stderr"]
    assert repository_bytes(repository) == before


def repository_bytes(vault: Path) -> dict[str, bytes]:
    """Every file of a repository."""
    return {str(path): path.read_bytes() for path in sorted((vault / ".git").rglob("*")) if path.is_file()}


LINKED = {
    "Tea.md": "# Tea\n\n[[Tea#Tea]] [[Cups]]\n",
    "Cups.md": "[[Tea]]\n",
    "Day.md": "[[Tea]] ![[tea#Tea]] [[Nowhere]]\n",
    "Far/Plan.md": "[x](../Tea.md) [[Far/Cups]]\n",
}


async def linked(world: World) -> None:
    """Put notes that link to each other into the vault, and let them be known."""
    for path, text in LINKED.items():
        (world.vault / path).parent.mkdir(exist_ok=True)
        (world.vault / path).write_text(text, encoding="utf-8")
    await asyncio.to_thread(world.bridge.index.refresh)


@pytest.mark.parametrize(
    ("command", "asked", "told", "lost"),
    [
        (
            "mv Tea.md Coffee.md",
            "4 links in 3 notes to what it moves or deletes will not follow",
            "5 links in 4 notes lead nowhere now",
            {("Coffee.md", "Tea"), ("Cups.md", "Tea"), ("Day.md", "Tea"), ("Day.md", "tea")}
            | {("Far/Plan.md", "../Tea.md")},
        ),
        ("rm Cups.md", "1 link in 1 note to", "1 link in 1 note leads nowhere now", {("Tea.md", "Cups")}),
        ("mv Cups.md Far", "1 link in 1 note to", "", set()),
        ("rm Day.md", "", "", set()),
        ("rm -r Far", "", "", set()),
        ("echo '[[Gone]]' > Day.md; mkdir Far", "", "", set()),
        ("mv Tea.md Coffee.md; echo '[[Coffee]]' > Day.md", "", "3 links in 3 notes lead nowhere now", None),
        ("mv Tea.md Coffee.md; rm Cups.md Far/Plan.md; echo x > Tea.md", "", "", None),
    ],
)  # fmt: skip
async def test_links_that_a_command_breaks_are_told_before_where_that_is_known_and_counted_afterwards(
    world: World, command: str, asked: str, told: str, lost: set[tuple[str, str]] | None
) -> None:
    await linked(world)
    result = (await world.run(command)).or_raise()
    question = world.person.asked[0]
    warned = [warning for warning in question["preview"]["warnings"] if "will not follow" in warning]
    assert [warning.startswith(asked) for warning in warned] == ([True] if asked else [])
    assert (told in result.raw["text"]) if told else ("nowhere" not in result.raw["text"])
    if lost is not None:
        assert {(link["path"], link["link"]) for link in result.raw["data"]["lostLinks"]} == lost
    (change,) = await world.person.host.request("history.list", outside=False)
    assert change["summary"].endswith(f"; {told}" if told else command)


async def test_links_in_closed_notes_that_a_command_breaks_are_counted_and_not_named(world: World) -> None:
    await linked(world)
    (world.vault / ".vault-bridge" / "permissions.json").write_text('{"Far/": "---"}', encoding="ascii")
    result = (await world.run("rm Tea.md")).or_raise()
    assert "4 links in 3 notes lead nowhere now: in Cups.md, Day.md" in result.raw["text"]
    assert "Far" not in result.raw["text"] + str(result.raw["data"])


async def test_a_command_that_deletes_500_notes_is_undone_byte_for_byte(world: World) -> None:
    for number in range(500):
        place = world.vault / f"many {number % 7}" / f"Note {number}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(secrets.token_bytes(20).hex().encode() + b"\r\n" * (number % 3))
    before = world.texts()
    data = await world.ran("rm -r many*")
    assert len(world.texts()) == len(before) - 500
    assert not list(world.vault.glob("many*"))
    await world.undo(data["id"])
    assert world.texts() == before


async def test_files_that_a_person_edits_meanwhile_are_named_and_left_alone_by_the_undo_too(vault: Path) -> None:
    for number in range(500):
        (vault / f"Note {number}.md").write_bytes(b"text %d\n" % number)
    # What is too large for the copy is seen as it is in the vault: by that the command hears that it may go on.
    sign = vault / "sign.bin"
    sign.write_bytes(b"wait" * 10)
    async with serve(vault, terminalLargestFile=10) as world:
        before = world.texts()
        begun = asyncio.Event()
        world.agent.on("tool.output", lambda _told: begun.set())
        waiting = "echo begun; until grep -q go sign.bin; do sleep 0.05; done"
        running = asyncio.create_task(world.ran(f'{waiting}; for f in Note*.md; do echo changed >> "$f"; done'))
        await begun.wait()
        theirs = {f"Note {number}.md": b"theirs %d\n" % number for number in (7, 77, 377)}
        for name, text in theirs.items():
            (vault / name).write_bytes(text)
        with sign.open("r+b") as file:
            file.write(b"go")
        data = await running
        assert {left["path"] for left in data["leftAlone"]} == set(theirs)
        assert all("somebody else" in left["why"] for left in data["leftAlone"])
        assert len(data["changed"]) == 497
        after = world.texts()
        assert {name: after[name] for name in theirs} == theirs
        assert after["Note 8.md"] == b"text 8\nchanged\n"
        await world.undo(data["id"])
        assert world.texts() == before | theirs | {"sign.bin": sign.read_bytes()}


async def test_closed_notes_dot_folders_and_the_bridges_own_are_not_there(anywhere: World) -> None:
    vault = anywhere.vault
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text("secret diary", encoding="ascii")
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="ascii")
    data = await anywhere.ran(
        "find . -type f; cat Private/*; cat .obsidian/app.json .vault-bridge/*; echo x > Private.md; "
        "mkdir Private; echo x > Private/New.md; mkdir .hidden; echo x > .hidden/f"
    )
    assert "secret diary" not in data["stdout"]
    assert ".obsidian" not in data["stdout"]
    assert data["changed"] == ["Private.md"]
    assert {left["path"] for left in data["leftAlone"]} == {"Private/New.md", ".hidden"}
    assert sorted(path.name for path in (vault / "Private").iterdir()) == ["Diary.md"]


async def test_what_may_not_be_written_is_left_alone(world: World) -> None:
    (world.vault / ".vault-bridge" / "permissions.json").write_text('{"Notes/": "r--"}', encoding="ascii")
    data = await world.ran("echo x >> Notes/Meeting.md; echo x >> Ideas.md")
    assert data["changed"] == ["Ideas.md"]
    assert [left["path"] for left in data["leftAlone"]] == ["Notes/Meeting.md"]


async def test_links_that_a_command_makes_lead_nowhere(world: World, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the token", encoding="ascii")
    data = await world.ran(f"ln -s {secret} Linked.md; ln -s / Folder; rm Ideas.md; ln -s {secret} Ideas.md")
    assert {left["path"] for left in data["leftAlone"]} == {"Linked.md", "Folder", "Ideas.md"}
    assert not any(path.is_symlink() for path in world.vault.rglob("*"))


async def test_large_files_are_read_and_not_changed_and_the_question_says_so(vault: Path) -> None:
    (vault / "film.mp4").write_bytes(b"film" * 1000)
    async with serve(vault, terminalLargestFile=1000) as world:
        data = await world.ran("head -c 4 film.mp4; wc -c < film.mp4; echo x > film.mp4; rm -f film.mp4")
        assert data["stdout"].split() == ["film4000"] or data["stdout"] == "film4000\n"
        assert (vault / "film.mp4").read_bytes() == b"film" * 1000
        assert data["changed"] == []
        (question,) = world.person.asked
        assert any("are not changed" in warning for warning in question["preview"]["warnings"])


async def test_a_command_that_is_ended_changes_nothing(vault: Path) -> None:
    async with serve(vault, terminalTimeout=1) as world:
        before = world.texts()
        data = await world.ran("echo x > Ideas.md; while :; do sleep 1; done")
        assert data["ended"] == "timed_out"
        assert world.texts() == before


async def test_a_call_that_is_cancelled_leaves_no_process_and_changes_nothing(world: World) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    before = world.texts()
    begun = asyncio.Event()
    world.agent.on("tool.output", lambda _told: begun.set())
    call = asyncio.create_task(
        world.agent.call("run_terminal_command", {"command": f"rm Ideas.md; echo up; sleep {mark}"}, call_id="c1")
    )
    await begun.wait()
    await world.agent.request("tools.cancel", callId="c1")
    await asyncio.gather(call, return_exceptions=True)
    assert world.texts() == before
    await world.ran("true")  # one at a time: the first has been cleared away
    assert _living(mark) == []


def _living(mark: str) -> list[int]:
    """The processes whose command line holds a mark, where the system shows them."""
    return living(mark) if Path("/proc/self/cmdline").exists() else []


async def test_what_steers_a_terminal_is_shown_as_code_points_and_is_data_as_it_came(world: World) -> None:
    hostile = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u202egnp.exe\u2066\x9b31m\u200b"
    (world.vault / "Hostile.md").write_text(f"begin {hostile} end\r\n\ttab é 日本 👩‍👩‍👧\n", encoding="utf-8")
    pieces: list[str] = []
    world.agent.on("tool.output", lambda told: pieces.append(told["text"]))
    result = (await world.run("cat Hostile.md; cat Hostile.md >&2; ls NoSuch$(printf '\\033')file")).or_raise()
    shown = "<U+001B>]52;c;ZXZpbA==<U+0007><U+001B>[2J<U+202E>gnp.exe<U+2066><U+009B>31m<U+200B>"
    for text in (result.text, "".join(pieces)):
        assert text.count(f"begin {shown} end\n\ttab é 日本 👩‍👩‍👧\n") == 2
        assert not set(hostile) & set(text) - set(shown)
    assert hostile in result.raw["data"]["stdout"]
    assert hostile in result.raw["data"]["stderr"]


# -- what is asked ---------------------------------------------------------------------------------------------------


async def test_a_simple_command_is_remembered_with_its_options_and_other_places_of_the_vault(world: World) -> None:
    world.person.answer = "allow_session"
    await world.ran("wc -l Ideas.md")
    (question,) = world.person.asked
    assert [option["decision"] for option in question["options"] if option["decision"].startswith("allow")][:2] == [
        "allow_once",
        "allow_session",
    ]
    assert (await world.ran("wc -l Notes/Meeting.md"))["stdout"].split()[-1] == "Notes/Meeting.md"
    assert len(world.person.asked) == 1, "another note, and nothing else"
    for other in ("wc -c Ideas.md", "wc -l", "wc -l /etc/hosts", "wc -l -- Ideas.md", "cat Ideas.md"):
        await world.run(other)
    assert len(world.person.asked) == 6


@pytest.mark.parametrize(
    "command",
    [
        "ls | wc",
        "ls > New.md",
        "cat *.md",
        "echo $(id)",
        "sh -c ls",
        "env ls",
        "find . -exec ls {} +",
        "find . -delete",
        "git -c core.pager=id log",
        f"{sys.executable} -V",
        "xargs ls",
        "prlimit ./ok.sh",
        "sort --compress-p=sh Ideas.md",
    ],
)
async def test_what_runs_others_or_needs_a_shell_is_asked_about_every_time_and_shown_whole(
    world: World, command: str
) -> None:
    results = [await world.run(command) for _ in range(2)]
    before = [question for question in world.person.asked if question["preview"]["request"]]
    assert len(before) == 2 or "There is no program" in str(results[1].raw)
    assert all(question["preview"]["request"] == command for question in before)
    for question in world.person.asked:
        assert not {"allow_session", "allow_always"} & set(question["choices"])


@pytest.mark.parametrize(
    ("first", "second", "changed"),
    [
        ("rm Ideas.md", "rm Notes/Meeting.md", ("Ideas.md", "Notes/Meeting.md")),
        ("tee Ideas.md", "tee Notes/Meeting.md", ("Ideas.md", "Notes/Meeting.md")),
        ("cp Ideas.md New.md", "cp Notes/Meeting.md New.md", ("New.md", "New.md")),
    ],
)
async def test_what_a_command_has_changed_is_shown_as_a_diff_and_asked_about_every_time(
    world: World, first: str, second: str, changed: tuple[str, str]
) -> None:
    for command, path in zip((first, second), changed, strict=True):
        before = world.texts()
        world.person.asked.clear()
        world.person.answer = None
        running = asyncio.create_task(world.run(command))
        for count in (1, 2):
            question = await world.person.until_asked(count)
            assert not {"allow_session", "allow_always"} & set(question["choices"])
            assert world.texts() == before
            await world.person.respond(question, "allow_once")
        (file,) = question["preview"]["files"]
        assert (file["path"], bool(file["diff"])) == (path, True)
        assert (await running).ok
        assert world.texts() != before


async def test_a_no_to_what_a_command_has_changed_leaves_the_vault_as_it_was(world: World) -> None:
    before = world.texts()
    world.person.answer = None
    running = asyncio.create_task(world.run("rm -r Notes"))
    await world.person.respond(await world.person.until_asked(), "allow_once")
    outcome = await world.person.until_asked(2)
    assert {file["path"] for file in outcome["preview"]["files"]} >= {path for path in before if "Notes/" in path}
    other = asyncio.create_task(world.run("ls"))
    await world.person.respond(await world.person.until_asked(3), "allow_once")
    assert (await other).ok, "another command does not wait for that answer"
    await world.person.respond(outcome, "deny_once")
    assert (await running).raw["data"]["code"] == "denied_by_user"
    assert world.texts() == before


async def test_what_the_person_makes_of_the_changes_of_a_command_is_what_is_written(world: World) -> None:
    world.person.answer = None
    running = asyncio.create_task(world.run("echo proposed > New.md"))
    await world.person.respond(await world.person.until_asked(), "allow_once")
    question = await world.person.until_asked(2)
    digest = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
    assert question["editable"]
    revision = await world.person.host.request("consent.revise", path="New.md", hunk=0, text="reworded\n", **digest)
    assert (await world.person.respond(revision["question"], "allow_once"))["accepted"]
    result = (await running).or_raise()
    assert world.texts()["New.md"] == b"reworded\n"
    assert [line[1:] for line in result.raw["data"]["revised"][0]["diff"].splitlines()] == ["proposed", "reworded"]
    await world.undo(result.raw["executionId"])
    assert "New.md" not in world.texts()


async def test_a_note_that_is_edited_while_its_change_is_asked_about_is_left_alone(world: World) -> None:
    world.person.answer = None
    running = asyncio.create_task(world.run("rm Ideas.md Notes/Meeting.md"))
    await world.person.respond(await world.person.until_asked(), "allow_once")
    outcome = await world.person.until_asked(2)
    (world.vault / "Ideas.md").write_text("theirs\n", encoding="ascii")
    await world.person.respond(outcome, "allow_once")
    again = await world.person.until_asked(3)
    assert [file["path"] for file in again["preview"]["files"]] == ["Notes/Meeting.md"]
    await world.person.respond(again, "allow_once")
    result = (await running).or_raise()
    assert [left["path"] for left in result.raw["data"]["leftAlone"]] == ["Ideas.md"]
    assert (world.vault / "Ideas.md").read_text(encoding="ascii") == "theirs\n"
    assert not (world.vault / "Notes" / "Meeting.md").exists()


async def test_the_question_says_what_the_sandbox_lets_it_touch(anywhere: World) -> None:
    await anywhere.ran("ls")
    (question,) = anywhere.person.asked
    kind = question_kind(question)
    sandbox = probe_one(SandboxKind(kind)) if kind else NO_SANDBOX
    assert sandbox is not None
    assert set(sandbox.lacks) <= set(question["preview"]["warnings"])
    assert question["summary"] == "Run command: ls"
    assert question["riskLevel"] == "high"


def question_kind(question: dict[str, Any]) -> str | None:
    said = " ".join(question["preview"]["warnings"])
    return next((kind.value for kind in SandboxKind if f"({kind.value})" in said), None)


async def test_commands_are_not_run_in_drafts(world: World) -> None:
    (await world.agent.call("draft", {"action": "begin"})).or_raise()
    result = await world.run("ls")
    assert not result.ok
    assert "draft" in result.raw["text"]


# -- the end of the bridge -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes as Linux shows them")
async def test_killing_the_bridge_leaves_no_process_and_the_vault_as_it_was(vault: Path) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    ideas = (vault / "Ideas.md").read_bytes()
    settings = {"enabledTools": ["*"], "allowTerminal": True, "requireSandbox": "never"}
    begun = asyncio.Event()
    async with (
        bridge_process(vault, **settings) as process,
        person_at(vault) as person,
        connect(vault, name="agent") as agent,
    ):
        person.answer = "allow_once"
        agent.on("tool.output", lambda _told: begun.set())
        command = f"rm Ideas.md; setsid sleep {mark} & trap '' TERM; echo up; sleep {mark}"
        call = asyncio.create_task(agent.call("run_terminal_command", {"command": command}))
        await begun.wait()
        supervisors = children(process.pid)
        process.send_signal(signal.SIGKILL)
        await asyncio.gather(call, return_exceptions=True)
    for supervisor in supervisors:
        await until_gone(supervisor)
    assert _living(mark) == []
    assert (vault / "Ideas.md").read_bytes() == ideas
