"""The replay counts how often a person is asked during everyday tasks, through a real bridge."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bridge.toolkit.tool import AGENT
from bridge.tools import specs
from scripts.lib import replay, replay_jobs, replay_page
from scripts.lib.replay_cast import Cast, UnfitVaultError, choose_cast
from scripts.lib.replay_person import answer_narrowly, answer_widely
from scripts.lib.replay_run import Run
from scripts.lib.replay_shell import measure
from scripts.lib.replay_tasks import WRITERS, Task, everyday, mostly_reading
from scripts.lib.replay_vault import write_vault
from scripts.lib.replay_ways import in_batches, in_own_drafts, in_shared_drafts


@pytest.fixture(scope="module")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Cast:
    return choose_cast(write_vault(tmp_path_factory.mktemp("replay") / "Notes"))


@pytest.fixture(scope="module")
def tasks(cast: Cast) -> tuple[Task, ...]:
    return everyday(cast)


def test_there_are_at_least_sixty_tasks_and_a_third_of_them_write(tasks: tuple[Task, ...]) -> None:
    assert len(tasks) >= 60
    assert sum(task.writes for task in tasks) == pytest.approx(len(tasks) / 3, abs=1)


def test_every_task_is_said_once_and_every_call_has_a_tool(tasks: tuple[Task, ...]) -> None:
    assert [said for said, count in Counter(task.said for task in tasks).items() if count > 1] == []
    assert all(task.calls and all(call.tool for call in task.calls) for task in tasks)


def test_every_tool_of_the_notes_and_files_is_used(tasks: tuple[Task, ...]) -> None:
    used = {call.tool for task in tasks for call in task.calls}
    assert used >= WRITERS - {"delete", "edit", "move", "set_properties"}, "which take many files in one call"
    assert len(used - WRITERS) == 16


def test_twenty_notes_of_one_folder_are_tagged_by_twenty_calls(cast: Cast, tasks: tuple[Task, ...]) -> None:
    (tagging,) = (task for task in tasks if task.said.startswith("Tag these 20 notes"))
    assert sum(call.tool == "add_tag" for call in tagging.calls) == 20
    assert len({note.folder for note in cast.crowd}) == 1


def test_in_the_other_mix_nine_calls_read_to_each_that_writes(tasks: tuple[Task, ...]) -> None:
    mixed = mostly_reading(tasks)
    calls = [call for task in mixed for call in task.calls]
    writing = sum(call.writes for call in calls)
    assert 0 <= (len(calls) - writing) - 9 * writing < 10
    assert [task for task in mixed if task.writes] == [task for task in tasks if task.writes]
    assert list(dict.fromkeys(task.said for task in mixed)) == [task.said for task in tasks]


def test_what_is_moved_or_deleted_plays_no_other_part(cast: Cast) -> None:
    gone = {note.path for note in (cast.renamed, *cast.moved, cast.rewritten, *cast.deleted)}
    groups = (cast.crowd, cast.days, cast.linked, cast.essays, cast.tagged, cast.label.notes, cast.described)
    others = {note.path for group in groups for note in group}
    others |= {note.path for note in (cast.popular, cast.linking, cast.headed)}
    assert len(gone) == 7
    assert not gone & others


def test_the_same_vault_gives_the_same_cast(cast: Cast, tmp_path: Path) -> None:
    assert choose_cast(write_vault(tmp_path / "Notes")) == cast


def test_a_vault_without_a_large_folder_is_refused_by_name(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnfitVaultError, match="folder with 20 notes"):
        choose_cast(vault)
    assert replay.main(["--vault", str(vault)]) == 2
    assert "folder with 20 notes" in capsys.readouterr().err


@pytest.mark.slow
def test_narrow_answers_give_a_question_for_most_writes_and_each_tool_that_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert replay.main(["--json"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert counted["surprises"] == counted["unaccepted"] == []
    assert counted["timesAsked"] <= counted["questions"] == counted["readQuestions"] + counted["writeQuestions"]
    assert counted["readQuestions"] >= 16
    assert counted["writeQuestions"] == counted["writingCalls"]
    assert counted["timesAskedPerHundredCalls"] >= 40
    assert counted["refusedByLimits"] == 0


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return replay.rows()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "most"),
    [
        ("Wide answers", 15),
        ("Many files in one call, wide answers", 15),
        ("Ten tasks in a draft", 5),
        ("Wide answers, nine calls that read to each that writes", 10),
    ],
)
def test_with_wide_answers_the_person_is_rarely_asked(runs: dict[str, Run], title: str, most: int) -> None:
    run = runs[title]
    assert not run.failed, [*run.surprises, *run.unaccepted]
    asked = {one.task.said: one.times_asked for one in run.tasks if one.times_asked}
    assert run.per_hundred <= most, asked


@pytest.mark.slow
def test_with_wide_answers_reading_is_asked_about_once_and_what_does_more_than_add_each_time(
    runs: dict[str, Run],
) -> None:
    run = runs["Wide answers"]
    assert sum(asked.counts for asked in run.asked if asked.reads) == 1
    never_in_advance = {"apply_patch", "delete_file", "delete_note", "move_file", "organize_note"}
    calls = Counter(call.tool for call in run.calls if call.tool in never_in_advance)
    questions = Counter(asked.tool for asked in run.asked if asked.tool in never_in_advance)
    assert questions == calls
    assert {"remove_tag", "update_note", "write_file"} <= {asked.tool for asked in run.asked}


@pytest.mark.slow
def test_the_page_on_performance_has_the_figures_of_this_version(runs: dict[str, Run]) -> None:
    tokens = re.compile(r"[0-9,]+ \|$", re.MULTILINE)  # what is answered may be a few letters longer tomorrow
    written, counted = (tokens.sub("|", table) for table in (replay_page.written(), replay_page.table(runs)))
    assert written == counted, "write them with `scripts/replay --write`"
    for line, run in zip(replay_page.written().splitlines()[2:], runs.values(), strict=True):
        assert int(line.split()[-2].replace(",", "")) == pytest.approx(run.tokens, rel=0.1)


@pytest.mark.slow
def test_thirty_jobs_take_half_of_what_a_shell_takes_and_the_plainest_no_more() -> None:
    measured = measure(100)
    assert len(measured) == 30
    for most, chosen in ((0.5, measured), (1.0, [one for one in measured if one.job.plain])):
        assert sum(one.calls for one in chosen) <= most * sum(one.commands for one in chosen)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["Each task that writes in a draft", "Ten tasks in a draft"])
def test_in_drafts_a_task_that_writes_is_asked_about_once_at_most(runs: dict[str, Run], title: str) -> None:
    run = runs[title]
    assert not run.failed, [*run.surprises, *run.unaccepted]
    assert sum(asked.counts for asked in run.asked if asked.reads) <= 1
    for one in run.tasks:
        assert sum(asked.counts for asked in one.asked if not asked.reads) <= 1, one.task.said
        assert not any(asked.counts for asked in one.asked) or one.task.writes or one is run.tasks[0]


@pytest.mark.slow
@pytest.mark.parametrize("title", ["Ten tasks in a draft", "Many files in one call, ten tasks in a draft"])
def test_where_ten_tasks_share_a_draft_at_most_ten_of_a_hundred_calls_are_asked_about(
    runs: dict[str, Run], title: str
) -> None:
    run = runs[title]
    assert not run.failed, [*run.surprises, *run.unaccepted]
    assert len(run.tasks) >= 60
    assert run.per_hundred <= 10


@pytest.mark.slow
def test_many_files_in_one_call_are_fewer_calls_and_questions(runs: dict[str, Run]) -> None:
    single, batched = runs["Narrow answers"], runs["Many files in one call"]
    assert not batched.failed, [*batched.surprises, *batched.unaccepted]
    assert len(batched.calls) < len(single.calls)
    assert sum(call.writes for call in batched.calls) <= sum(call.writes for call in single.calls) / 2
    asked = {one.task.said: one.times_asked for one in batched.tasks if one.task.writes}
    assert asked[next(said for said in asked if said.startswith("Tag these 20 notes"))] == 1


def test_a_draft_is_begun_once_and_submitted_with_the_last_task_that_writes(tasks: tuple[Task, ...]) -> None:
    for drafted, groups in ((in_own_drafts(tasks), 22), (in_shared_drafts(tasks), 7)):
        calls = [call.arguments["action"] for task in drafted for call in task.calls if call.tool == "draft"]
        assert calls == ["begin", "submit"] * groups
        plain = [call for task in drafted for call in task.calls if call.tool != "draft"]
        assert plain == [call for task in tasks for call in task.calls]


def test_batches_name_every_file_that_the_single_calls_name(tasks: tuple[Task, ...]) -> None:
    for one, batched in zip(tasks, in_batches(tasks), strict=True):
        said = json.dumps([call.arguments for call in batched.calls])
        for call in one.calls:
            for member in ("path", "name", "source"):
                assert json.dumps(call.arguments.get(member, ""))[1:-1] in said, (one.said, call)


@pytest.mark.slow
def test_a_real_vault_is_copied_and_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = write_vault(tmp_path / "Mine")
    (vault / "Books" / "Flatland.md").unlink()
    before = tmp_path / "Before"
    shutil.copytree(vault, before)
    assert replay.main(["--vault", str(vault), "--tasks"]) == 0
    assert "Tag these 20 notes in Books/" in capsys.readouterr().out
    assert _contents(vault) == _contents(before)


def option(
    what: str, where: tuple[str, ...] = (), *, decision: str = "allow_session", kinds: int = 0
) -> dict[str, Any]:
    option_id = f"{decision}.{what}.{'+'.join(where)}.{kinds}"
    return {
        "optionId": option_id,
        "decision": decision,
        "what": what,
        "where": list(where),
        "additions": ["tag", "append", "create"][:kinds],
    }


ONCE = option("call", decision="allow_once")
READING, ADDING = option("reading"), option("adding", kinds=3)
WIDELY: dict[str, tuple[str, list[dict[str, Any]], dict[str, Any]]] = {
    "reading for the vault, before a tool": ("read", [ONCE, option("tool"), READING], READING),
    "reading until the bridge stops, before for good": (
        "read",
        [ONCE, READING, option("reading", decision="allow_always")],
        READING,
    ),
    "adding in the vault, before a folder": ("update", [ONCE, option("adding", ("Books/",), kinds=3), ADDING], ADDING),
    "adding in the upper folder, before one below": (
        "update",
        [option("adding", ("A/B/",), kinds=1), option("adding", ("A/",), kinds=1)],
        option("adding", ("A/",), kinds=1),
    ),
    "adding of more kinds, before fewer": ("update", [ONCE, option("adding", kinds=1), ADDING], ADDING),
}


@pytest.mark.parametrize(("operation", "options", "chosen"), WIDELY.values(), ids=WIDELY.keys())
def test_wide_answers_take_the_widest_place_and_the_most_kinds(
    operation: str, options: list[dict[str, Any]], chosen: dict[str, Any]
) -> None:
    answer = answer_widely({"operation": operation, "choices": [], "options": options})
    assert answer == {"decision": chosen["decision"], "option": chosen["optionId"]}


@pytest.mark.parametrize("what", ["changing", "tool"])
def test_wide_answers_never_allow_changes_in_advance(what: str) -> None:
    options = [ONCE, option(what, kinds=3), option("adding", decision="deny_always")]
    assert answer_widely({"operation": "update", "choices": [], "options": options}) == {"decision": "allow_once"}


def test_without_such_answers_the_wide_ones_are_the_narrow_ones() -> None:
    for operation in ("read", "update"):
        question = {"operation": operation, "choices": ["allow_once", "allow_session"]}
        assert answer_widely(question) == answer_narrowly(question)


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_page_of_mcp_has_how_long_answers_are_and_text_alone_is_no_longer_than_the_longer_part() -> None:
    page = replay_page.ANSWERS_PAGE.read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| (`\w+`|all) \| \d+ \|", line)]
    assert len(rows) > 20
    figures = [[int(cell.replace(",", "")) for cell in row[1:]] for row in rows]
    assert all(text <= 1.1 * max(text, data) and both == text + data for _, text, data, both in figures)
    assert figures[-1] == [sum(column) for column in zip(*figures[:-1], strict=True)]


@pytest.mark.slow
def test_how_long_answers_are_is_counted_by_tool_and_put_into_the_page(runs: dict[str, Run], tmp_path: Path) -> None:
    run = runs["Wide answers"]
    assert sum(sizes.calls for sizes in run.answers.values()) == len(run.calls)
    page = tmp_path / "mcp.md"
    page.write_text("before\n<!-- answers -->\nLAST RUN\n<!-- end of answers -->\nafter\n", encoding="utf-8")
    replay_page.write_answers(run, page)
    assert page.read_text(encoding="utf-8").startswith("before\n<!-- answers -->\n| tool | calls |")
    assert "LAST RUN" not in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_ten_jobs_of_an_owner_are_done_in_as_many_calls_and_questions_as_the_page_says(tmp_path: Path) -> None:
    counted = replay_jobs.measure()
    assert len(counted) == 10
    written = [line.strip("| ").split(" | ") for line in replay_page.written_jobs().splitlines()[2:]]
    found = [line.strip("| ").split(" | ") for line in replay_jobs.table(counted).splitlines()[2:]]
    assert [row[:3] for row in written] == [row[:3] for row in found], "write them with `scripts/replay --write`"
    for (*_, before), (*_, after) in zip(written, found, strict=True):
        assert int(before.replace(",", "")) == pytest.approx(int(after.replace(",", "")), rel=0.1)
    page = tmp_path / "performance.md"
    page.write_text("before\n<!-- jobs -->\nLAST RUN\n<!-- end of jobs -->\nafter\n", encoding="utf-8")
    replay_page.write_jobs(replay_jobs.table(counted), page)
    assert replay_page.written_jobs(page) == replay_jobs.table(counted)


def test_every_job_is_done_with_tools_that_are_listed() -> None:
    jobs = replay_jobs.ten_jobs("http://127.0.0.1/")
    listed = {spec.name for spec in specs() if AGENT in spec.presets}
    assert {call.tool for job in jobs for call in job.calls} <= listed
