"""The replay: `python3 scripts/replay`. Counts how often a person is asked during everyday tasks.

An agent carries out tasks on a copy of a vault, through a real bridge in a process of its own; a scripted person
answers over a second connection. Nobody thinks: the calls are data (`replay_tasks.py`), and the notes that they are
about (`replay_cast.py`) and the person's answers (`replay_person.py`) are chosen by rule. What is counted is how often
the person is asked for each hundred calls.

The calls stay what the tools needed when the list was written, so that versions can be compared; `--checkout` runs the
bridge of another one. A bridge that knows clients with names of their own gives the agent one; with an older bridge the
agent uses the shared token.

The "narrow" answers are those that every version offers: a question about reading is answered with "allow for the
session", which holds for one tool, and every other question with "allow once".
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.lib import replay_jobs, replay_page, replay_shell
from scripts.lib.environment import ROOT
from scripts.lib.replay_cast import UnfitVaultError, choose_cast
from scripts.lib.replay_person import POLICIES
from scripts.lib.replay_run import prepare_vault, replay
from scripts.lib.replay_tasks import everyday, mostly_reading
from scripts.lib.replay_ways import in_batches, in_own_drafts, in_shared_drafts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scripts.lib.replay_run import Run
    from scripts.lib.replay_tasks import Task

DESCRIPTION = """Counts how often a person is asked while an agent carries out everyday tasks.

A real bridge serves a copy of a vault; an agent makes the calls of 66 tasks, of which a third change the vault; a
scripted person answers. Printed are the questions for each hundred calls, and which tasks made them."""

EPILOG = """Ways to answer (--answers):
{policies}

Examples:
  scripts/replay                           on a vault of its own, the same each time
  scripts/replay --vault ~/Notes           on a copy of your notes, which stay as they are
  scripts/replay --tasks                   also each task with its questions
  scripts/replay --checkout ../older       the bridge of another version, from its checkout
  scripts/replay --shell 100               thirty jobs, also done in a shell
  scripts/replay --jobs                    ten jobs of a vault's owner
  scripts/replay --limits                  with the rate limits that everybody has; takes many minutes

Rate limits are raised as far as the settings allow, so that the replay takes seconds; --limits leaves them alone. What
is deleted goes into the trash of the copy."""


_REPORT = """{tasks} tasks ({writingTasks} of them write), {calls} calls ({writingCalls} of them write)
answers: {answers} ({rule})

asked {timesAsked} times: {timesAskedPerHundredCalls} for each 100 calls; about {tokens:,} tokens
{questions} questions ({readQuestions} about reading, {writeQuestions} about writing)
{seconds} seconds; {waitedForLimits} calls met a rate limit, {refusedByLimits} were refused and made again"""


WAYS: Mapping[str, Callable[[Sequence[Task]], tuple[Task, ...]]] = {
    "as they are": tuple,
    "mostly-reading": mostly_reading,
    "drafts": in_own_drafts,
    "shared-drafts": in_shared_drafts,
    "batches": in_batches,
    "shared-drafts-and-batches": lambda tasks: in_shared_drafts(in_batches(tasks)),
}
"""The ways to change the tasks, by name."""
ROWS = {
    "Narrow answers": ("narrow", "as they are"),
    "Wide answers": ("wide", "as they are"),
    "Wide answers, nine calls that read to each that writes": ("wide", "mostly-reading"),
    "Each task that writes in a draft": ("reading", "drafts"),
    "Ten tasks in a draft": ("reading", "shared-drafts"),
    "Many files in one call": ("reading", "batches"),
    "Many files in one call, wide answers": ("wide", "batches"),
    "Many files in one call, ten tasks in a draft": ("reading", "shared-drafts-and-batches"),
}
"""The rows of docs/performance.md: the answers, and the way the tasks are changed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, and print what was counted; the exit code is 1 if a call did not end as its task says."""
    options = _parse(arguments)
    try:
        if options.shell is not None:
            measured = replay_shell.measure(options.shell)
            if options.json:
                print(replay_shell.as_json(measured))
            else:
                print(replay_shell.details(measured), replay_shell.table({options.shell: measured}), sep="\n\n", end="")
            return 0
        if options.jobs:
            print(replay_jobs.table(replay_jobs.measure()), end="")
            return 0
        if options.write:
            replay_page.write_jobs(replay_jobs.table(replay_jobs.measure()))
            runs = rows()
            replay_page.write(runs)
            replay_page.write_answers(runs["Wide answers"])
            replay_page.write_shell(
                replay_shell.table({size: replay_shell.measure(size) for size in replay_shell.SIZES})
            )
            print(replay_page.table(runs), end="")
            return int(any(run.failed for run in runs.values()))
        run = one_run(
            options.answers,
            way=options.way,
            source=options.vault,
            checkout=options.checkout,
            keep_limits=options.limits,
        )
    except UnfitVaultError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(summary(run), indent=2, ensure_ascii=False) if options.json else report(run, tasks=options.tasks))
    return int(run.failed)


def rows() -> dict[str, Run]:
    """Replay everything that docs/performance.md shows, on the replay's own vault."""
    return {title: one_run(answers, way=way) for title, (answers, way) in ROWS.items()}


def one_run(
    answers: str,
    *,
    way: str = "as they are",
    source: Path | None = None,
    checkout: Path = ROOT,
    keep_limits: bool = False,
) -> Run:
    """Replay once.

    Args:
        answers: The name of a policy.
        way: What is made of the tasks, by name.
        source: The vault that a copy is made of; None for the replay's own.
        checkout: The checkout of this repository whose bridge is run.
        keep_limits: Whether the rate limits stay as they are by default.

    Raises:
        UnfitVaultError: The vault lacks something that the tasks need.
    """
    policy = next(policy for policy in POLICIES if policy.name == answers)
    with tempfile.TemporaryDirectory(prefix="replay-", ignore_cleanup_errors=True) as folder:
        vault = prepare_vault(source, Path(folder) / "Notes")
        tasks = WAYS[way](everyday(choose_cast(vault)))
        preset = "everything" if "batches" in way else "vault"
        return asyncio.run(replay(vault, tasks, policy, checkout=checkout, keep_limits=keep_limits, preset=preset))


def summary(run: Run) -> dict[str, Any]:
    """Return the counts of a run, as JSON."""
    calls, asked = run.calls, run.asked
    by_task: Counter[str] = Counter()
    for one in run.tasks:
        by_task[one.task.said] += one.times_asked
    return {
        "protocol": run.protocol,
        "answers": run.policy.name,
        "tasks": len(run.tasks),
        "writingTasks": sum(one.task.writes for one in run.tasks),
        "calls": len(calls),
        "writingCalls": sum(call.writes for call in calls),
        "timesAsked": run.times_asked,
        "timesAskedPerHundredCalls": round(run.per_hundred, 1),
        "tokens": run.tokens,
        "questions": len(asked),
        "readQuestions": sum(each.reads for each in asked),
        "writeQuestions": sum(not each.reads for each in asked),
        "questionsByTool": dict(Counter(each.tool for each in asked).most_common()),
        "seconds": round(run.seconds, 1),
        "waitedForLimits": run.waited,
        "refusedByLimits": run.refused,
        "timesAskedByTask": {said: times for said, times in by_task.items() if times},
        "surprises": run.surprises,
        "unaccepted": run.unaccepted,
    }


def report(run: Run, *, tasks: bool = False) -> str:
    """Return the counts of a run, for people.

    Args:
        run: The run.
        tasks: Whether to list every task.
    """
    counts = summary(run)
    lines = [_REPORT.format(rule=run.policy.rule, **counts)]
    if tasks:
        lines += ["", "asked  calls  task"]
        lines += [f"{one.times_asked:5}  {len(one.task.calls):5}  {one.task.said}" for one in run.tasks]
    if run.surprises:
        lines += ["", "Not as the tasks say:", *(f"  {surprise}" for surprise in run.surprises)]
    if run.unaccepted:
        lines += ["", "Answers that were not accepted:", *(f"  {reason}" for reason in run.unaccepted)]
    return "\n".join(lines)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    policies = "\n".join(f"  {policy.name:<9}{policy.rule}" for policy in POLICIES)
    parser = argparse.ArgumentParser(
        prog="scripts/replay",
        description=DESCRIPTION,
        epilog=EPILOG.format(policies=policies),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--vault", type=_folder, metavar="DIR", help="replay on a copy of this vault")
    parser.add_argument(
        "--answers",
        choices=[policy.name for policy in POLICIES],
        default=POLICIES[0].name,
        help="how the person answers",
    )
    parser.add_argument(
        "--checkout",
        type=_folder,
        metavar="DIR",
        default=ROOT,
        help="a checkout of this repository with another version",
    )
    parser.add_argument(
        "--mostly-reading",
        dest="way",
        action="store_const",
        const="mostly-reading",
        default="as they are",
        help="repeat the tasks that read, until there are nine calls that read to each that writes",
    )
    parser.add_argument(
        "--way",
        choices=list(WAYS),
        help="do the same tasks in drafts, ten in a draft, or with the tools that take many files",
    )
    parser.add_argument("--limits", action="store_true", help="keep the default rate limits")
    parser.add_argument("--tasks", action="store_true", help="list every task with its questions")
    parser.add_argument(
        "--write", action="store_true", help="write the table of docs/performance.md; goes with no other option"
    )
    parser.add_argument(
        "--shell",
        type=int,
        metavar="NOTES",
        help="do thirty jobs with the tools and in a shell, in a vault of so many notes, and count what is read",
    )
    parser.add_argument(
        "--jobs", action="store_true", help="do ten jobs of a vault's owner, and count calls, questions and characters"
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    return parser.parse_args(arguments)


def _folder(text: str) -> Path:
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return folder.resolve()


if __name__ == "__main__":
    sys.exit(main())
