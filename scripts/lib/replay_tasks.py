"""The tasks of the replay: what a person says to an agent, and the calls that the agent then makes.

The calls are those that the tools needed when the list was written, and stay as they are: every later version is
measured against them. "Tag these twenty notes" is twenty calls of `add_tag`. Calls that an agent makes at the same
time, because none needs the result of another, are a tuple of their own.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.lib.replay_cast import Cast, Note

WRITERS = frozenset(
    {
        "add_tag",
        "apply_patch",
        "create_folder",
        "create_note",
        "delete",
        "delete_file",
        "delete_note",
        "edit",
        "edit_file",
        "modify_note",
        "move",
        "move_file",
        "organize_note",
        "remove_tag",
        "set_properties",
        "update_note",
        "write_file",
    }
)
"""The tools that change the vault; all others read."""
READS_TO_A_WRITE = 9


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    Attributes:
        tool: Its name.
        arguments: Its arguments.
        failure: The kind of failure (`errorType`) that it ends in, as agents make such calls too; empty: it succeeds.
    """

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    failure: str = ""

    @property
    def writes(self) -> bool:
        """Return whether it changes the vault."""
        return self.tool in WRITERS or (self.tool == "draft" and self.arguments["action"] == "submit")

    def failing(self, kind: str) -> Call:
        """The same call, which is known to fail."""
        return replace(self, failure=kind)


@dataclass(frozen=True, slots=True)
class Task:
    """A wish of a person.

    Attributes:
        said: In their words.
        turns: What the agent calls: one turn after the other, and the calls of each at the same time.
    """

    said: str
    turns: tuple[tuple[Call, ...], ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls, in order."""
        return tuple(call for turn in self.turns for call in turn)

    @property
    def writes(self) -> bool:
        """Return whether it changes the vault."""
        return any(call.writes for call in self.calls)


def task(said: str, *turns: Call | tuple[Call, ...]) -> Task:
    """A task; a turn of one call need not be a tuple."""
    return Task(said, tuple(turn if isinstance(turn, tuple) else (turn,) for turn in turns))


def call(tool: str, /, **arguments: Any) -> Call:
    """A call."""
    return Call(tool, arguments)


def everyday(cast: Cast) -> tuple[Task, ...]:
    """The tasks of some days, in order; a third of them change the vault.

    Args:
        cast: Which notes they are about.
    """
    reading, writing = _reading(cast), _writing(cast)
    # Two tasks that read, then one that writes, as far as they go.
    mixed: list[Task] = []
    for number, one in enumerate(writing):
        mixed += [*reading[2 * number : 2 * number + 2], one]
    return (*mixed, *reading[2 * len(writing) :])


def mostly_reading(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The same tasks, with nine calls that read to each that writes: those that only read come again and again.

    Args:
        tasks: All of them; each that writes stays as it is, once and in its place.
    """
    calls = [call for task in tasks for call in task.calls]
    missing = READS_TO_A_WRITE * sum(call.writes for call in calls) - sum(not call.writes for call in calls)
    reading = [number for number, task in enumerate(tasks) if not task.writes]
    times = Counter(range(len(tasks)))
    for number in itertools.cycle(reading):
        if missing <= 0:
            break
        times[number] += 1
        missing -= len(tasks[number].calls)
    return tuple(task for number, task in enumerate(tasks) for _ in range(times[number]))


def _reading(cast: Cast) -> tuple[Task, ...]:
    """The tasks that read only."""
    popular, linking, headed, word = cast.popular, cast.linking, cast.headed, cast.word
    essay, second, third = cast.essays
    today, yesterday, before = cast.days
    label, tag, tagged = cast.label, cast.tag, cast.tagged
    crowd, folder = cast.crowd, cast.crowd[0].folder.rstrip("/")
    misspelt = popular.name[:2] + popular.name[3:]
    half = essay.name.split()[0]
    return (
        task(
            "What is in this vault?",
            (call("list_files", pattern="*"), call("list_tags")),
            call("list_files", path=folder, pattern="*"),
        ),
        task(
            f"What did I write in {today.name}, and the two notes before it?",
            call("resolve_note", name=today.name),
            (
                call("read_note", name=today.name),
                call("read_note", name=yesterday.name),
                call("read_note", name=before.name),
            ),
        ),
        task(f"Where do I mention {word!r}?", call("search_notes", query=word), call("grep", pattern=word)),
        task(f"Read {popular.name} to me.", call("read_note", name=popular.name)),
        task(
            f"Which notes link to {popular.name}, and what do they say there?",
            call("get_metadata", name=popular.name),
            call("grep", pattern=rf"\[\[[^\]]*{_as_pattern(popular)}"),
        ),
        task(
            f"What should I read before I go on with {linking.name}?",
            call("read_note", name=linking.name),
            call("find_related", name=linking.name),
            call("read_note", name=cast.linked[0].name),
        ),
        task(
            "Find everything that I still have to do.",
            (call("grep", pattern=r"- \[ \]|TODO"), call("search_notes", query='task-todo:""')),
        ),
        task(
            f"Show me what has the tag {tag}.",
            call("search_by_tags", tags=[tag]),
            call("read_note", name=tagged[0].name),
        ),
        task(
            f"Which notes have {label.name} {label.value}?",
            call("search_by_properties", properties={label.name: label.value}),
        ),
        task(f"How long is {essay.name}, and when did I change it?", call("get_file_info", path=essay.path)),
        task(f"Summarise {essay.name}.", call("read_file", path=essay.path)),
        task(
            f"What does {headed.name} say under {headed.heading!r}?",
            call("read_note", name=f"{headed.name}#{headed.heading}"),
        ),
        task("Is there a note called Plans for May yet?", call("is_available", name="Plans for May")),
        task(
            f"Read me {misspelt!r}.",
            call("read_note", name=misspelt).failing("not_found"),
            call("find", pattern=misspelt),
            call("read_note", name=popular.name),
        ),
        task(
            f"Compare {essay.name} with {second.name}.",
            (call("read_note", name=essay.name), call("read_note", name=second.name)),
        ),
        task(
            f"What do I know about {word!r} and {linking.name}?",
            call("search_notes", query=f"{word} {linking.name}"),
            (call("read_note", name=linking.name), call("get_metadata", name=linking.name)),
        ),
        task("Which files still have a FIXME or a TODO?", call("search_files", pattern="TODO|FIXME")),
        task(f"What is new in {folder}?", call("list_files", path=folder, pattern="*.md", max_results=10)),
        task("Which tags do I use most?", call("list_tags", limit=10)),
        task(f"How does {third.name} begin?", call("read", path=third.path, startLine=1, endLine=10)),
        task(
            f"There was a note about {half}; how is it called?",
            call("find", pattern=half),
            call("resolve_note", name=essay.name),
        ),
        task(
            f"Tell me in a sentence each what {crowd[0].name}, {crowd[1].name} and {crowd[2].name} are about.",
            tuple(call("read_note", name=note.name) for note in crowd[:3]),
        ),
        task(
            f"For which notes did I fill in {label.name}?",
            call("search_by_properties", having=[label.name], limit=100),
        ),
        task(
            f"Give me an overview of {folder}.",
            call("list_files", path=folder, pattern="**"),
            tuple(call("get_metadata", name=note.name) for note in crowd[3:7]),
        ),
        task(
            f"Prepare me for a talk about {popular.name}.",
            (call("search_notes", query=popular.name), call("get_metadata", name=popular.name)),
            call("find_related", name=popular.name, limit=5),
            (call("read_note", name=popular.name), call("read_note", name=linking.name)),
        ),
        task("Are there any pictures or PDFs?", call("find", pattern="**/*.{png,jpg,pdf}")),
        task(
            f"How do {linking.name} and {cast.linked[0].name} belong together?",
            call("find_related", name=linking.name),
            (call("get_metadata", name=linking.name), call("get_metadata", name=cast.linked[0].name)),
        ),
        task(
            f"Which properties does {essay.name} have, and which notes have the same?",
            call("get_metadata", name=essay.name),
            call("search_by_properties", having=[next(iter(essay.properties), label.name)]),
        ),
        task(f"How many notes have the tag {tag}?", call("search_by_tags", tags=[tag], limit=1)),
        task(f"Read on in {third.name}, from line 5.", call("read_file", path=third.path, start_line=5)),
        task(
            f"Where does it say {_start(essay)!r}?",
            call("grep", pattern=_start(essay)),
            call("read", path=essay.path),
        ),
        task(
            f"Does {linking.name} link to anything that is not there?",
            call("get_metadata", name=linking.name),
            call("resolve_note", name="Nothing of this name").failing("not_found"),
        ),
        task(
            f"Translate what {headed.name} says under {headed.heading!r} into French.",
            call("read_note", name=f"{headed.name}#{headed.heading}"),
        ),
        task("List the notes with a year in their names.", call("find", pattern="**/*20[0-9][0-9]*.md")),
        task(
            f"Which notes mention {word!r} but not {half!r}?",
            call("search_notes", query=f'"{word}" -"{half}"'),
        ),
        task(f"Do I spell {popular.name!r} the same everywhere?", call("search_files", pattern=_as_pattern(popular))),
        task(
            f"Read {linking.name} and what it links to, and tell me what is missing.",
            call("read_note", name=linking.name),
            tuple(call("read_note", name=note.name) for note in cast.linked),
        ),
        task(
            f"Which of the first five notes in {folder} is the longest?",
            tuple(call("get_file_info", path=note.path) for note in crowd[:5]),
        ),
        task(f"Make an outline of {second.name}.", call("read_file", path=second.path)),
        task(
            f"Is there more than one note about {half}?",
            (call("find", pattern=half), call("search_notes", query=half)),
            call("get_metadata", name=essay.name),
        ),
        task(
            f"Which of {tagged[0].name}, {tagged[1].name} and {tagged[2].name} should I read first?",
            tuple(call("get_metadata", name=note.name) for note in tagged),
            call("read_note", name=tagged[1].name),
        ),
        task(
            "What did I plan last, and did I do it?",
            call("search_notes", query="plan next"),
            call("list_files", pattern="**/*.md", max_results=5),
            call("read_note", name=today.name),
        ),
        task(
            f"Quote the best sentence of {second.name}.",
            call("search_notes", query=second.name, read_content=True),
        ),
        task(
            f"Who else has {label.name} {label.value}, and what do they have in common?",
            call("search_by_properties", properties={label.name: label.value}),
            tuple(call("read_note", name=note.name) for note in label.notes),
        ),
    )


def _writing(cast: Cast) -> tuple[Task, ...]:
    """The tasks that change the vault."""
    essay, second, third = cast.essays
    today, yesterday, _ = cast.days
    label, folder = cast.label, cast.crowd[0].folder
    return (
        task(
            f"Tag these {len(cast.crowd)} notes in {folder} as to-review.",
            call("list_files", path=folder.rstrip("/"), pattern="*.md"),
            *(call("add_tag", name=note.name, tag="to-review") for note in cast.crowd),
        ),
        task(
            "Make a note of what we agreed on.",
            call("create_note", path="Agreement on the lamps.md", content="# Agreement\n\nTwo lamps, before June.\n"),
        ),
        task(
            f"Add to {today.name} that I finished the report.",
            call("read_note", name=today.name),
            call("modify_note", path=today.path, operation="append", content="\n- Finished the report\n"),
        ),
        task(
            f"There is a mistake in {essay.name}; correct that sentence.",
            call("read_note", name=essay.name),
            call("edit_file", path=essay.path, old_text=_prose(essay), new_text=_prose(essay) + " (As of May.)"),
        ),
        task(
            "Make a note for each of the three people of the meeting.",
            tuple(
                call("create_note", path=f"People/{name}.md", content=f"# {name}\n\nMet in May.\n")
                for name in ("Ada Kwame", "Ines Duarte", "Jon Berg")
            ),
        ),
        task(
            f"Write the weather at the top of {yesterday.name}.",
            call("modify_note", path=yesterday.path, operation="prepend", content="Sunny, 19 degrees.\n"),
        ),
        task(
            f"Mark {len(cast.described)} notes as checked in May.",
            tuple(call("read_file", path=note.path, end_line=20) for note in cast.described),
            *(
                call("edit_file", path=note.path, insert_after_line=1, content="checked: 2025-05")
                for note in cast.described
            ),
        ),
        task(
            f"Rename {cast.renamed.name} to {cast.renamed.name} (old).",
            call("is_available", name=f"{cast.renamed.name} (old)"),
            call(
                "move_file",
                source=cast.renamed.path,
                destination=f"{cast.renamed.folder}{cast.renamed.name} (old).md",
            ),
        ),
        task(
            f"Take the tag {cast.tag} off these {len(cast.tagged)} notes.",
            call("search_by_tags", tags=[cast.tag]),
            tuple(call("remove_tag", name=note.name, tag=cast.tag) for note in cast.tagged),
        ),
        task(
            "Save the packing list as a file.",
            call("write_file", path="Lists/Packing.md", content="- boots\n- map\n- soap\n"),
        ),
        task(
            "The packing list has changed; here is the new one.",
            call("read_file", path="Lists/Packing.md"),
            call("write_file", path="Lists/Packing.md", content="- boots\n- compass\n- soap\n- towel\n"),
        ),
        task(
            f"Rewrite this paragraph of {second.name} in plain words.",
            call("read_file", path=second.path),
            call("modify_note", path=second.path, operation="replace", search=_prose(second), content="In short: yes."),
        ),
        task(
            f"Move {cast.moved[0].name} and {cast.moved[1].name} to Cellar.",
            tuple(call("organize_note", source=note.path, destination=f"Cellar/{note.name}.md") for note in cast.moved),
        ),
        task(
            f"Delete {cast.deleted[0].name}; nobody needs it.",
            call("get_metadata", name=cast.deleted[0].name),
            call("delete_note", name=cast.deleted[0].name),
        ),
        task(
            "Plan my trip: a folder, a note for the route and one for the trains.",
            call("create_folder", path="Trip in May"),
            (
                call("create_note", path="Trip in May/Route.md", content="# Route\n\n1. Harbour\n2. Lighthouse\n"),
                call("create_note", path="Trip in May/Trains.md", content="# Trains\n\nSee [[Route]].\n"),
            ),
        ),
        task(
            f"Change {label.name} from {label.value} to 9 in these {len(label.notes)} notes.",
            call("search_by_properties", properties={label.name: label.value}),
            tuple(
                call(
                    "edit_file",
                    path=note.path,
                    old_text=f"\n{label.name}: {label.value}\n",
                    new_text=f"\n{label.name}: 9\n",
                )
                for note in label.notes
            ),
        ),
        task(
            f"Add a line to {third.name} with a patch.",
            call("read", path=third.path),
            call("apply_patch", patch=_line_added(third, "It was read again in May.")),
        ),
        task(
            f"Add a link to {cast.popular.name} at the end of these four notes.",
            tuple(call("read_note", name=note.name) for note in cast.crowd[4:8]),
            *(
                call("modify_note", path=note.path, operation="append", content=f"\nSee [[{cast.popular.name}]].\n")
                for note in cast.crowd[4:8]
            ),
        ),
        task(
            f"Delete {cast.deleted[1].name} and {cast.deleted[2].name}.",
            (
                call("delete_file", path=cast.deleted[1].path),
                call("delete_file", path=cast.deleted[2].path),
            ),
        ),
        task(
            f"Replace {cast.rewritten.name} by a short summary of it.",
            call("read_note", name=cast.rewritten.name),
            call("update_note", name=cast.rewritten.name, content="# Summary\n\nAll of it in one sentence.\n"),
        ),
        task(
            f"Put the tag summer at the end of {today.name} and {yesterday.name}.",
            (
                call("add_tag", name=today.name, tag="summer", in_body=True),
                call("add_tag", name=yesterday.name, tag="summer", in_body=True),
            ),
        ),
        task(
            "Write up the meeting of today as a note, and mention it in my daily note.",
            call("search_notes", query="meeting"),
            call(
                "create_note",
                path="Meetings/Meeting in May.md",
                content="---\ntags: [meeting]\n---\n# Meeting in May\n\nWe open in June.\n",
            ),
            call("modify_note", path=today.path, operation="append", content="\nSee [[Meeting in May]].\n"),
        ),
    )


def _prose(note: Note) -> str:
    """The line of prose that the cast has found in it."""
    return note.prose.text if note.prose else ""


def _start(note: Note) -> str:
    """The first words of that line that are only letters, to look for."""
    words = _prose(note).split()
    plain = [word for word in words[:4] if word.isalpha()]
    return " ".join(plain[:1])


def _as_pattern(note: Note) -> str:
    """A note's name as a regular expression."""
    return "".join(each if each.isalnum() or each == " " else "." for each in note.name)


def _line_added(note: Note, line: str) -> str:
    """A unified diff that adds a line after the note's line of prose."""
    number = note.prose.number if note.prose else 1
    return f"--- a/{note.path}\n+++ b/{note.path}\n@@ -{number},1 +{number},2 @@\n {_prose(note)}\n+{line}\n"
