"""Ten jobs that the owner of a vault gives an agent, with the tools of the preset `agent`, on a vault made for them.

What counts of each is its calls, how often the person is asked, and the characters that a model writes and reads:
arguments and answers. Whether it is done is seen in the vault's files. Real programs do the same jobs in
`tests/programs`.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web

from scripts.lib.environment import ROOT
from scripts.lib.replay_person import POLICIES
from scripts.lib.replay_run import prepare_vault, replay
from scripts.lib.replay_tasks import Call, Task

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

MEETINGS = 40
MONTHS = 4
PAGE = """<html><head><title>Tides</title><meta name="author" content="Ann Field"></head><body><main><h1>Tides</h1>
<p>There are two tides a day, because the moon pulls the near sea more than the earth, and the earth more still.</p>
</main></body></html>"""
MIME = "text/html"


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Attributes:
        said: What the person wants.
        calls: What the agent calls, one after the other.
        done: Whether the files of the vault, by their paths, say that it is done.
    """

    said: str
    calls: tuple[Call, ...]
    done: Callable[[dict[str, str]], bool]


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of one job.

    Attributes:
        job: The job.
        asked: How often the person was asked.
        size: The characters of its arguments and answers.
    """

    job: Job
    asked: int
    size: int


def meeting(number: int) -> tuple[str, str]:
    """The month and the name of a meeting's note."""
    month = 1 + number % MONTHS
    return f"2025-{month:02}", f"2025-{month:02}-{1 + number // MONTHS:02} Meeting {number}"


def write_notes(vault: Path) -> None:
    """Write the notes that the jobs are about."""
    notes = {f"Meetings/{meeting(each)[1]}.md": f"# Meeting {each}\n\nSee [[Plan]].\n" for each in range(MEETINGS)}
    notes |= {
        "Plan.md": "---\nstate: open\n---\n# Plan\n\nFor #projekt/alpha only, says [[Long#Soil]].\n\n## Soil\n\nDig.\n",
        "Alpha.md": "---\ntags:\n  - projekt/alpha\nstate: open\n---\n# Alpha\n\n[The soil](Plan.md#Soil)\n",
        "Tasks.md": "# Tasks\n\n## Garden\n\n- [ ] Water the beds 📅 2025-05-02\n- [ ] Prune 📅 2025-09-01\n",
        "Long.md": "# Long\n\n## Soil\n\nLoam.\n\n## Seeds\n\nBeans.\n\n## Water\n\nRain.\n",
        "Short.md": "# Short\n\nA thought.\n",
        "Index.md": "# Index\n\n[[Shorter]] and [[Alpha]]\n",
    }
    for path, text in notes.items():
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def ten_jobs(url: str) -> tuple[Job, ...]:
    """Return the jobs, in an order in which each finds the notes as it needs them.

    Args:
        url: Where `PAGE` is served.
    """
    moved = [f"Meetings/{month}/{name}" for month, name in map(meeting, range(MEETINGS))]
    sorting = [{"source": f"Meetings/{Path(path).name}", "destination": f"{Path(path).parent}/"} for path in moved]
    index = "".join(f"- [[{Path(path).name}]]\n" for path in moved)

    def job(said: str, done: Callable[[dict[str, str]], bool], *calls: tuple[str, dict[str, Any]]) -> Job:
        return Job(said, tuple(Call(tool, arguments) for tool, arguments in calls), done)

    def today(files: dict[str, str]) -> bool:
        return any("Called Bob." in text and path.count("-") == len(("month", "day")) for path, text in files.items())

    return (
        job(
            f"Sort {MEETINGS} notes of meetings into folders by month, tag them, and write an index.",
            lambda files: (
                all("meeting" in files[f"{path}.md"].split("---")[1] for path in moved)
                and files["Meetings/Index of meetings.md"].endswith(index)
            ),
            ("find", {"folder": "Meetings"}),
            ("draft", {"action": "begin"}),
            ("move", {"moves": sorting}),
            ("set_properties", {"paths": [f"{path}.md" for path in moved], "add_tags": ["meeting"]}),
            ("create_note", {"path": "Meetings/Index of meetings", "content": f"# Meetings\n\n{index}"}),
            ("draft", {"action": "submit"}),
        ),
        job(
            "Rename a tag that stands in properties and in a sentence.",
            lambda files: "For #project/alpha only" in files["Plan.md"] and "- project/alpha\n" in files["Alpha.md"],
            ("move", {"what": "tag", "moves": [{"source": "projekt/alpha", "destination": "project/alpha"}]}),
        ),
        job(
            "List the tasks due by June, tick the first, and add one.",
            lambda files: "- [x] Water the beds" in files["Tasks.md"] and "- [ ] Buy a hose" in files["Tasks.md"],
            ("query", {"tasks": "todo", "due_before": "2025-06-01"}),
            (
                "edit",
                {
                    "path": "Tasks",
                    "edits": [
                        {"old_text": "- [ ] Water", "new_text": "- [x] Water"},
                        {"append": "- [ ] Buy a hose", "heading": "Garden"},
                    ],
                },
            ),
        ),
        job(
            "Rename a heading; the links to it follow.",
            lambda files: "## Earth\n" in files["Plan.md"] and "(Plan.md#Earth)" in files["Alpha.md"],
            ("move", {"what": "heading", "moves": [{"source": "Plan#Soil", "destination": "Earth"}]}),
        ),
        job(
            "Make notes of two sections, and merge a short note into another.",
            lambda files: (
                "Beans." in files["Parts/Seeds.md"]
                and "Rain." in files["Parts/Water.md"]
                and "A thought." in files["Long.md"]
                and "Short.md" not in files
            ),
            (
                "move",
                {
                    "what": "section",
                    "moves": [
                        {"source": "Long#Seeds", "destination": "Parts"},
                        {"source": "Long#Water", "destination": "Parts"},
                    ],
                },
            ),
            ("move", {"what": "merge", "moves": [{"source": "Short", "destination": "Long"}]}),
        ),
        job("Write a line into today's note.", today, ("daily_note", {"append": "Called Bob."})),
        job(
            "Save a page of the web as a note, with its source and its author.",
            lambda files: (
                f"source: {url}\n" in files["Tides.md"]
                and "author: Ann Field\n" in files["Tides.md"]
                and "two tides a day" in files["Tides.md"]
            ),
            ("create_note", {"url": url}),
        ),
        job(
            "Run the template that collects the open tasks.",
            lambda files: "Prune" in files["Open tasks.md"],
            ("templates", {}),
            ("templates", {"action": "run", "name": "collect-tasks"}),
        ),
        job(
            "Which links lead nowhere? Repair them.",
            lambda files: "[[Long]] and [[Alpha]]" in files["Index.md"],
            ("vault_report", {"sections": ["broken_links"]}),
            ("edit", {"path": "Index", "edits": [{"old_text": "[[Shorter]]", "new_text": "[[Long]]"}]}),
        ),
        job(
            "Rename a property in all notes, look at what that changed, and take it back.",
            lambda files: files["Plan.md"].startswith("---\nstate: open\n---\n"),
            ("query", {"properties": {"state": "open"}}),
            ("move", {"what": "property", "moves": [{"source": "state", "destination": "status"}]}),
            ("history", {"action": "diff"}),
            ("history", {"action": "undo"}),
        ),
    )


@contextlib.asynccontextmanager
async def page_served() -> AsyncIterator[str]:
    """Serve the page on this computer; gives its URL."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type=MIME)

    app = web.Application()
    app.router.add_get("/tides", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/tides"
    finally:
        await runner.cleanup()


def files_of(vault: Path) -> dict[str, str]:
    """The notes of a vault by their paths."""
    return {path.relative_to(vault).as_posix(): path.read_text("utf-8") for path in vault.rglob("*.md")}


def measure() -> list[Counted]:
    """Do the ten jobs, one after the other, as a client that was just added; reading is allowed when it first reads.

    Raises:
        RuntimeError: A call did not end as it should, or a job is not done.
    """
    return asyncio.run(_measured())


async def _measured() -> list[Counted]:
    policy = next(policy for policy in POLICIES if policy.name == "reading")
    with tempfile.TemporaryDirectory(prefix="replay-jobs-", ignore_cleanup_errors=True) as folder:
        made = Path(folder) / "Made"
        write_notes(made)
        vault = prepare_vault(made, Path(folder) / "Notes")
        async with page_served() as url:
            jobs, sizes = ten_jobs(url), list[int]()
            tasks = [Task(job.said, tuple((call,) for call in job.calls)) for job in jobs]
            seen: list[dict[str, str]] = []
            run = await replay(
                vault,
                tasks,
                policy,
                checkout=ROOT,
                preset="agent",
                sizes=sizes,
                settings={"enabledTools": ["*"]},
                after=lambda: seen.append(files_of(vault)),
            )
    undone = [job.said for job, files in zip(jobs, seen, strict=True) if not job.done(files)]
    if run.failed or undone:
        raise RuntimeError("\n".join([*run.surprises, *run.unaccepted, *undone]))
    return [Counted(job, one.times_asked, size) for job, one, size in zip(jobs, run.tasks, sizes, strict=True)]


def table(counted: Sequence[Counted]) -> str:
    """Return the counts, for docs/performance.md."""
    lines = ["| | calls | asked | characters |", "|---|---|---|---|"]
    lines += [f"| {one.job.said} | {len(one.job.calls)} | {one.asked} | {one.size:,} |" for one in counted]
    calls, asked, size = (
        sum(figures) for figures in zip(*((len(one.job.calls), one.asked, one.size) for one in counted), strict=True)
    )
    return "\n".join([*lines, f"| All ten | {calls} | {asked} | {size:,} |"]) + "\n"
