"""Thirty jobs, done with the bridge's tools and in a shell: how many characters of a model's context each takes.

The shell is a real one, on a copy of the same vault; what counts are its commands and what they print, as an agent
writes and reads them that has `ls`, `find`, `grep`, `sed`, `cat` and `mv` and knows how Obsidian's links work. What
counts of the tools are the arguments of the calls and the texts of the answers. Five of the jobs are those that a shell
is best at: they are the last rows of the table by themselves.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.lib.environment import ROOT
from scripts.lib.replay_person import POLICIES
from scripts.lib.replay_run import prepare_vault, replay
from scripts.lib.replay_tasks import Call, Task
from scripts.lib.vault_generator import generate

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = (100, 10_000)
"""Notes of the vaults that docs/performance.md shows."""
MOST_PRINTED = 30_000
"""Characters of what a command prints that programs show their model."""
_SECONDS = 120
_WORDS = 4
"""Of a line that sentences are taken from."""
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Attributes:
        said: What a person wants.
        calls: The calls of the tools.
        commands: The commands of the shell, in the vault's folder.
        plain: Whether it is one that a shell is best at.
    """

    said: str
    calls: tuple[Call, ...]
    commands: tuple[str, ...]
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one job.

    Attributes:
        job: The job.
        calls: Characters with the tools.
        commands: Characters in a shell.
    """

    job: Job
    calls: int
    commands: int


def measure(notes: int) -> list[Measured]:
    """Do every job both ways, each way on a vault of its own.

    Raises:
        RuntimeError: A call or a command did not end as it should.
    """
    with tempfile.TemporaryDirectory(prefix="replay-shell-", ignore_cleanup_errors=True) as folder:
        made = generate(Path(folder) / "Made", notes=notes)
        vault = prepare_vault(made, Path(folder) / "Notes")
        jobs = thirty_jobs(vault)
        shell = Path(folder) / "Shell"
        shutil.copytree(vault, shell)
        policy = next(policy for policy in POLICIES if policy.name == "reading")
        tasks = [Task(job.said, tuple((call,) for call in job.calls)) for job in jobs]
        sizes: list[int] = []
        run = asyncio.run(replay(vault, tasks, policy, checkout=ROOT, preset="agent", sizes=sizes))
        if run.failed:
            raise RuntimeError("\n".join([*run.surprises, *run.unaccepted]))
        return [Measured(job, size, _in_shell(job, shell)) for job, size in zip(jobs, sizes, strict=True)]


def table(measured: dict[int, list[Measured]]) -> str:
    """Return the measurements, for docs/performance.md."""
    lines = ["| | notes | tools | shell | tools of shell |", "|---|---|---|---|---|"]
    for title, plain in (("Thirty jobs", False), ("Of these, the five that a shell is best at", True)):
        for notes, every in measured.items():
            chosen = [one for one in every if one.job.plain or not plain]
            calls, commands = (sum(getattr(one, name) for one in chosen) for name in ("calls", "commands"))
            lines.append(f"| {title} | {notes:,} | {calls:,} | {commands:,} | {calls / commands:.0%} |")
    return "\n".join(lines) + "\n"


def _in_shell(job: Job, folder: Path) -> int:
    taken = 0
    for command in job.commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if done.returncode > 1:  # grep that finds nothing ends with 1
            raise RuntimeError(f"{command}: {done.stderr}")
        taken += len(command) + min(len(done.stdout) + len(done.stderr), MOST_PRINTED)
    return taken


@dataclass(frozen=True, slots=True)
class _Note:
    path: str
    text: str

    @property
    def name(self) -> str:
        return Path(self.path).stem

    @property
    def heading(self) -> str:
        """Its second heading that it has once."""
        found: list[str] = _HEADING.findall(self.text)
        return next(each for each in found if found.count(each) == 1)

    @property
    def shell(self) -> str:
        return shlex.quote(self.path)

    def line(self, number: int) -> str:
        """A line of its body, counted from its first heading."""
        lines = [line for line in self.text.split("\n") if not line.startswith(("#", "See [["))]
        return [line for line in lines if len(line.split()) >= _WORDS][-number]


def _notes(vault: Path) -> list[_Note]:
    paths = sorted(vault.rglob("*.md"), key=lambda path: int(path.stem.rpartition(" ")[2]))
    return [_Note(path.relative_to(vault).as_posix(), path.read_text("utf-8")) for path in paths]


def thirty_jobs(vault: Path) -> tuple[Job, ...]:
    """The jobs, about the notes of a generated vault."""
    every = _notes(vault)
    # Notes with a few headings, and those that have properties; none is in two jobs that change it.
    headed = [note for note in every if len(set(_HEADING.findall(note.text))) > 2]  # noqa: PLR2004 - a few
    tagged = [note for note in headed if note.text.startswith("---")]
    tag = re.search(r"tags: \[(\w+)", tagged[0].text)[1]  # type: ignore[index] # it was made so
    linked = next(note for note in headed if f"[[{note.name}]]" in "".join(each.text for each in every))
    words = linked.line(2).split()[:3]
    phrase = " ".join(headed[1].line(2).split()[:3])
    free = iter([note for note in headed if note not in {linked, tagged[0]}])

    def take() -> _Note:
        """The next note that no job has changed."""
        return next(free)

    read, part, outlined, edited, added = take(), take(), take(), take(), take()
    moved, renamed, deleted, split = take(), take(), take(), take()
    ten, five = [take() for _ in range(10)], [take() for _ in range(5)]
    three, twice, undone, inserted = [take() for _ in range(3)], take(), take(), take()
    old = " ".join(edited.line(2).split()[:4])

    def job(said: str, calls: Sequence[tuple[str, dict[str, Any]]], *commands: str, plain: bool = False) -> Job:
        return Job(said, tuple(Call(tool, arguments) for tool, arguments in calls), commands, plain)

    def located(note: _Note) -> str:
        return f"find . -name {shlex.quote(f'{note.name}.md')}"

    ten_paths, five_paths = " ".join(note.shell for note in ten), " ".join(note.shell for note in five)
    section = "sed -n '/^## {}$/,/^## /p' {}"
    return (
        job("What is in this vault?", [("find", {"folder": "/"})], "ls", "ls *"),
        job("Every TODO.", [("search", {"pattern": "TODO"})], "grep -rn TODO --include=*.md .", plain=True),
        job(f"Where is {phrase!r}?", [("search", {"pattern": phrase})], f"grep -rn '{phrase}' .", plain=True),
        job(
            f"Which notes are about {' and '.join(words)}?",
            [("search", {"query": " ".join(words)})],
            f"grep -rnwE '{'|'.join(words)}' --include=*.md .",
        ),
        job(f"Read {read.name}.", [("read", {"path": read.path})], f"cat {read.shell}", plain=True),
        job(
            f"Read {outlined.name} by name.",
            [("read", {"path": outlined.name})],
            located(outlined),
            f"cat {outlined.shell}",
        ),
        job(
            f"What does {part.name} say under {part.heading}?",
            [("read", {"path": f"{part.name}#{part.heading}"})],
            located(part),
            section.format(part.heading, part.shell),
        ),
        job(
            f"The headings of {outlined.name}.",
            [("read", {"path": outlined.path, "outline": True})],
            f"grep -n '^#' {outlined.shell}",
        ),
        job(
            f"What links to {linked.name}?",
            [("read", {"path": linked.name, "info": True})],
            f"grep -rnF '[[{linked.name}' --include=*.md .",
            f"head -5 {linked.shell}",
            f"grep -n '^#' {linked.shell}",
        ),
        job(
            f"Notes tagged {tag}.",
            [("query", {"tags": [tag]})],
            f"grep -rnE 'tags:.*\\b{tag}\\b|#{tag}\\b' --include=*.md .",
        ),
        job(
            "Which tags are there?",
            [("query", {"list_tags": True, "limit": 20})],
            "grep -rhoE '^tags: .*' --include=*.md . | tr -d '[],' | tr ' ' '\\n' | sort | uniq -c | sort -rn",
        ),
        job(
            "Notes whose number is over 50.",
            [("query", {"properties": {"number": ">50"}, "limit": 20})],
            "grep -rn '^number:' --include=*.md .",
        ),
        job(
            f"A note called something like {headed[2].name.split()[0]}.",
            [("find", {"pattern": headed[2].name.split()[0]})],
            f"find . -iname '*{headed[2].name.split()[0]}*'",
        ),
        job(
            "What did I change last?",
            [("find", {"pattern": "**/*.md", "details": True, "maxResults": 10})],
            "find . -name '*.md' -printf '%T@ %s %p\\n' | sort -rn | head -10",
        ),
        job(
            "Which links lead nowhere?",
            [("vault_report", {"sections": ["broken_links"]})],
            "find . -name '*.md' -printf '%f\\n' | sort -u",
            "grep -rohE '\\[\\[[^]|#]+' --include=*.md . | sort -u",
        ),
        job(
            "Which notes does nothing link to?",
            [("vault_report", {"sections": ["orphans"]})],
            "grep -rohE '\\[\\[[^]|#]+' --include=*.md . | sort | uniq -c",
            "find . -name '*.md'",
        ),
        job(
            f"Change a sentence in {edited.name}.",
            [("edit", {"path": edited.path, "old_text": old, "new_text": "Something else"})],
            f"grep -n '{old}' {edited.shell}",
            f"sed -i '0,/{old}/s//Something else/' {edited.shell}",
            f"grep -n 'Something else' {edited.shell}",
            plain=True,
        ),
        job(
            f"Add a line to {added.name}.",
            [("edit", {"path": added.path, "append": "One more line.\n"})],
            f"printf 'One more line.\\n' >> {added.shell}",
            f"tail -5 {added.shell}",
        ),
        job(
            f"Add a line under {inserted.heading} in {inserted.name}.",
            [("edit", {"path": inserted.path, "append": "Below.", "heading": inserted.heading})],
            f"grep -n '^#' {inserted.shell}",
            section.format(inserted.heading, inserted.shell),
            f"sed -i '/^## {inserted.heading}$/a Below.' {inserted.shell}",
            section.format(inserted.heading, inserted.shell),
        ),
        job(
            f"Move {moved.name} to the archive.",
            [("move", {"moves": [{"source": moved.path, "destination": "Archive/"}]})],
            f"mv {moved.shell} Archive/",
            f"ls Archive/{shlex.quote(moved.name)}.md",
            plain=True,
        ),
        job(
            f"Call {renamed.name} Quarry.",
            [("move", {"moves": [{"source": renamed.path, "destination": "Quarry"}]})],
            f"grep -rnF '[[{renamed.name}' --include=*.md .",
            f"mv {renamed.shell} Quarry.md",
            f"grep -rlF '[[{renamed.name}' --include=*.md . | xargs -r -d '\\n' "
            f"sed -i 's/\\[\\[{renamed.name}/[[Quarry/g'",
            f"grep -rnF '[[{renamed.name}' --include=*.md .",
            "grep -rnF '[[Quarry' --include=*.md .",
        ),
        job(
            "Move ten notes to a new folder.",
            [("move", {"moves": [{"source": note.path, "destination": "Sorted/"} for note in ten]})],
            "mkdir -p Sorted",
            f"mv {ten_paths} Sorted/",
            "ls Sorted",
        ),
        job(
            "Tag five notes with later.",
            [("set_properties", {"paths": [note.path for note in five], "add_tags": ["later"]})],
            f"head -n 5 {five_paths}",
            *(
                f"sed -i '0,/^tags: \\[/s//tags: [later, /' {note.shell}"
                if note.text.startswith("---")
                else f"sed -i '1i ---\\ntags: [later]\\n---' {note.shell}"
                for note in five
            ),
            f"head -n 5 {five_paths}",
        ),
        job(
            f"Rename the tag {tag}.",
            [("move", {"what": "tag", "moves": [{"source": tag, "destination": "renamed"}]})],
            f"grep -rnE 'tags:.*\\b{tag}\\b|#{tag}\\b' --include=*.md .",
            f"grep -rlE 'tags:.*\\b{tag}\\b' --include=*.md . | xargs -r -d '\\n' "
            f"sed -i '/^tags:/s/\\b{tag}\\b/renamed/'",
            f"grep -rnE 'tags:.*\\b{tag}\\b|#{tag}\\b' --include=*.md .",
            "grep -rn 'renamed' --include=*.md .",
        ),
        job(
            "Write a note.",
            [("create_note", {"path": "Areas/New.md", "content": "# New\n\nA short note.\n"})],
            "printf '# New\\n\\nA short note.\\n' > Areas/New.md",
            "cat Areas/New.md",
        ),
        job(
            f"Delete {deleted.name}.",
            [("delete", {"paths": [deleted.path]})],
            f"grep -rnF '[[{deleted.name}' --include=*.md .",
            f"mkdir -p .trash && mv {deleted.shell} .trash/",
        ),
        job(
            f"Make a note of {split.heading} in {split.name}.",
            [
                (
                    "move",
                    {"what": "section", "moves": [{"source": f"{split.name}#{split.heading}", "destination": "Parts"}]},
                )
            ],
            section.format(split.heading, split.shell),
            f"mkdir -p Parts && {section.format(split.heading, split.shell)} | sed '$d' > "
            f"Parts/{shlex.quote(split.heading)}.md",
            f"grep -n '^## ' {split.shell}",
            f"sed -i '/^## {split.heading}$/,/^## /{{/^## {split.heading}$/!{{/^## /!d}}}}' {split.shell}",
            f"cat {split.shell}",
        ),
        job(
            "Put the same sentence into three notes.",
            [("edit", {"edits": [{"path": note.path, "append": "Reviewed in May.\n"} for note in three]})],
            *(f"printf 'Reviewed in May.\\n' >> {note.shell}" for note in three),
            *(f"tail -2 {note.shell}" for note in three),
        ),
        job(
            f"Change two lines of {twice.name}, having looked at them.",
            [
                ("read", {"path": twice.path, "startLine": 1, "endLine": 12}),
                (
                    "edit",
                    {
                        "path": twice.path,
                        "edits": [{"start_line": 7, "new_text": "Seven"}, {"start_line": 9, "new_text": "Nine"}],
                    },
                ),
            ],
            f"sed -n 1,12p {twice.shell}",
            f"sed -i -e '7c Seven' -e '9c Nine' {twice.shell}",
            f"sed -n 6,10p {twice.shell}",
        ),
        job(
            f"Add a line to {undone.name}, and take it back.",
            [("edit", {"path": undone.path, "append": "No.\n"}), ("history", {"action": "undo"})],
            f"cp {undone.shell} /tmp/replay-shell-copy",
            f"printf 'No.\\n' >> {undone.shell}",
            f"tail -3 {undone.shell}",
            f"mv /tmp/replay-shell-copy {undone.shell}",
            f"tail -3 {undone.shell}",
        ),
    )


def details(measured: Sequence[Measured]) -> str:
    """Each job with its characters, for people."""
    lines = [f"{one.calls:8,} {one.commands:10,}  {one.job.said}" for one in measured]
    return "\n".join(["   tools      shell  job", *lines])


def as_json(measured: Sequence[Measured]) -> str:
    """The same for programs."""
    return json.dumps([{"job": one.job.said, "tools": one.calls, "shell": one.commands} for one in measured])
