"""move_file and organize_note: their exact texts, and links that follow."""

import asyncio
import dataclasses
import json
import os
import sys
from pathlib import Path

import pytest

from bridge.testing import Sandbox
from bridge.tools.files.moving import MoveFileTool
from tests.tools.files.conftest import said, text_of


def files_of(vault: Path) -> dict[str, bytes]:
    """Everything in the vault outside dot-folders, folders too."""
    found: dict[str, bytes] = {}
    for path in sorted(vault.rglob("*")):
        name = path.relative_to(vault).as_posix()
        if not any(part.startswith(".") and (vault / part).is_dir() for part in name.split("/")):
            found[name] = path.read_bytes() if path.is_file() else b"folder"
    return found


async def test_a_file_moves_and_links_follow_in_one_change_that_undo_takes_back(any_vault: Sandbox) -> None:
    any_vault.write("Links.md", "See [[Ideas]] and [Ideas](Ideas.md).\n")
    any_vault.write("Board.canvas", json.dumps({"nodes": [{"type": "file", "file": "Ideas.md"}]}))
    any_vault.write("Other.md", "[[Meeting]] [[nothing]]\n")
    before = any_vault.files()
    result = await any_vault.succeed("move_file", source="Ideas.md", destination="Archive/2026/Thoughts.md")
    assert said(result) == 'Moved "Ideas.md" to "Archive/2026/Thoughts.md".'
    assert result.data == {
        "source": "Ideas.md",
        "destination": "Archive/2026/Thoughts.md",
        "files": 1,
        "updated": ["Board.canvas", "Links.md"],
        "updatedCount": 2,
        "broken": [],
        "brokenCount": 0,
    }
    asked = any_vault.asked[-1]
    assert asked["summary"] == "Move Ideas.md to Archive/2026/Thoughts.md; 3 links in 2 notes follow"
    assert asked["canBypass"] is False
    assert [(file["path"], file["change"]) for file in asked["preview"]["files"]] == [
        ("Archive", "mkdir"),
        ("Archive/2026", "mkdir"),
        ("Ideas.md", "move"),
        ("Board.canvas", "modify"),
        ("Links.md", "modify"),
    ]
    assert (
        "-See [[Ideas]] and [Ideas](Ideas.md).\n+See [[Thoughts]] and [Thoughts](Thoughts.md)."
        in (asked["preview"]["files"][-1]["diff"])
    )
    assert any_vault.data("Links.md") == b"See [[Thoughts]] and [Thoughts](Thoughts.md).\n"
    assert json.loads(any_vault.data("Board.canvas"))["nodes"][0]["file"] == "Archive/2026/Thoughts.md"
    assert any_vault.data("Other.md") == before["Other.md"]
    await any_vault.undo()
    assert any_vault.files() == before
    redone = await any_vault.call("history_redo", role="host")
    assert redone.success, redone.text
    assert any_vault.data("Links.md") == b"See [[Thoughts]] and [Thoughts](Thoughts.md).\n"


async def test_a_moved_notes_own_links_are_shown_with_its_move(any_vault: Sandbox) -> None:
    any_vault.write("Notes/Own.md", "[[./Meeting]] and me: [[Own#x]]\n")
    before = any_vault.files()
    await any_vault.succeed("move_file", source="Notes/Own.md", destination="Own.md")
    (shown,) = any_vault.asked[-1]["preview"]["files"]
    assert (shown["change"], shown["path"], shown["newPath"]) == ("move", "Notes/Own.md", "Own.md")
    assert "-[[./Meeting]] and me: [[Own#x]]\n+[[Meeting]] and me: [[Own#x]]" in shown["diff"]
    assert any_vault.data("Own.md") == b"[[Meeting]] and me: [[Own#x]]\n"
    await any_vault.undo()
    assert any_vault.files() == before


async def test_a_folder_moves_with_everything_in_it(disk_vault: Sandbox) -> None:
    disk_vault.write("Notes/sub/pic.png", b"\x89PNG\0")
    disk_vault.write("Notes/.hidden", "x")
    disk_vault.write("Notes/sub/In.md", "[[../Meeting]] ![[pic.png]]")
    (disk_vault.folder / "Notes" / "empty").mkdir()
    disk_vault.write("Out.md", "[[Notes/Meeting]] ![](Notes/sub/pic.png)")
    before = disk_vault.files()
    result = await disk_vault.succeed("move_file", source="Notes", destination="Archive/Old Notes")
    assert said(result) == 'Moved "Notes" to "Archive/Old Notes".'
    assert result.data["files"] == 5
    assert disk_vault.asked[-1]["summary"] == ("Move Notes to Archive/Old Notes (5 files); 2 links in 1 note follow")
    assert "Notes" not in disk_vault.files().keys() | disk_vault.folders()
    assert "Archive/Old Notes/empty" in disk_vault.folders()
    assert disk_vault.data("Archive/Old Notes/.hidden") == b"x"
    assert disk_vault.data("Archive/Old Notes/sub/In.md") == b"[[../Meeting]] ![[pic.png]]"
    assert disk_vault.data("Out.md") == b"[[Meeting]] ![](pic.png)"
    await disk_vault.undo()
    assert disk_vault.files() == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs a disk that tells upper and lower case apart")
@pytest.mark.parametrize(("source", "target"), [("Notes", "notes"), ("Ideas.md", "IDEAS.md")])
async def test_another_spelling_of_the_name_is_a_rename_rule_9(any_vault: Sandbox, source: str, target: str) -> None:
    any_vault.write("Notes/sub/Deep.md", "[[../Meeting]]")
    any_vault.write("Out.md", "[[Notes/Meeting]] [[ideas]]")
    before = any_vault.files()
    result = await any_vault.succeed("move_file", source=source, destination=target)
    assert said(result) == f'Moved "{source}" to "{target}".'
    names = any_vault.files().keys() | any_vault.folders()
    assert target in names
    assert source not in names
    assert any_vault.data("Out.md") == b"[[Notes/Meeting]] [[ideas]]"
    await any_vault.undo()
    assert any_vault.files() == before


async def test_organize_note_adds_the_extension_and_makes_folders(any_vault: Sandbox) -> None:
    result = await any_vault.succeed("organize_note", source="Ideas", destination="/Meetings/2026/Good Ideas/")
    assert said(result) == 'Moved "Ideas.md" to "Meetings/2026/Good Ideas.md".'
    assert "Meetings/2026/Good Ideas.md" in any_vault.files()
    assert (
        await text_of(any_vault, "organize_note", source="Notes", destination="x")
        == 'Error: Source not found: "Notes.md"'
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"destination": "x"}, "Error: source is required and must be a non-empty string."),
        ({"source": "", "destination": "x"}, "Error: source is required and must be a non-empty string."),
        ({"source": "Ideas.md"}, "Error: destination is required and must be a non-empty string."),
        ({"source": "Ideas.md", "destination": " "}, "Error: destination is required and must be a non-empty string."),
        ({"source": "nonexistent.md", "destination": "x.md"}, 'Error: Source not found: "nonexistent.md"'),
        (
            {"source": "Ideas.md", "destination": "Notes/Meeting.md"},
            'Error: Destination already exists: "Notes/Meeting.md"',
        ),
        (
            {"source": "Ideas.md", "destination": "notes/MEETING.md"},
            'Error: Destination already exists: "notes/MEETING.md"',
        ),
        ({"source": "Notes", "destination": "Ideas.md"}, 'Error: Destination already exists: "Ideas.md"'),
        (
            {"source": ".obsidian/app.json", "destination": "x.json"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (
            {"source": "Ideas.md", "destination": ".OBSIDIAN/x.md"},
            "Error: Access denied: Cannot access files in '.OBSIDIAN/' directory (protected system folder)",
        ),
        ({"source": "Notes", "destination": "Notes/sub"}, 'Error: Cannot move "Notes" into itself ("Notes/sub")'),
        ({"source": "Notes", "destination": "notes/sub"}, 'Error: Cannot move "Notes" into itself ("Notes/sub")'),
        ({"source": "/", "destination": "x"}, "Error: The vault itself cannot be moved or replaced"),
        ({"source": "Ideas.md", "destination": "/"}, "Error: The vault itself cannot be moved or replaced"),
        ({"source": "Ideas.md", "destination": "a?.md"}, "Error: The name 'a?.md' holds '?'"),
        ({"source": "Ideas.md", "destination": "../x.md"}, "Error: The path leads outside the vault"),
        ({"source": "Ideas.md", "destination": ".x.md"}, "Error: The name '.x.md' starts with a dot"),
        ({"source": "Ideas.md", "destination": "Ideas.md/x.md"}, 'Error: Cannot move "Ideas.md" into itself'),
    ],
)  # fmt: skip
async def test_what_cannot_be_moved_is_refused_in_exact_sentences(
    any_vault: Sandbox, arguments: dict[str, str], message: str
) -> None:
    before = any_vault.files()
    assert (await text_of(any_vault, "move_file", **arguments)).startswith(message)
    assert any_vault.files() == before
    assert {question["operation"] for question in any_vault.asked} <= {"read"}


@pytest.mark.parametrize(
    ("source", "target"), [("Ideas.md", "Ideas.md"), ("Notes", "/Notes/"), ("ideas.md", "Ideas.md")]
)
async def test_what_is_there_already_needs_no_move(disk_vault: Sandbox, source: str, target: str) -> None:
    result = await disk_vault.succeed("move_file", source=source, destination=target)
    place = target.strip("/")
    assert said(result) == f'No changes made: source and destination are the same path ("{place}").'
    assert disk_vault.ledger.history() == []


async def test_a_folder_with_a_dot_folder_in_it_does_not_move(any_vault: Sandbox) -> None:
    any_vault.write("Notes/.git/config", "x")
    before = any_vault.files()
    assert (await text_of(any_vault, "move_file", source="Notes", destination="x")).startswith(
        "Error: Access denied: Cannot access files in '.git/' directory"
    )
    assert any_vault.files() == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
async def test_links_of_the_file_system_do_not_move(disk_vault: Sandbox) -> None:
    (disk_vault.folder / "Alias.md").symlink_to("Ideas.md")
    (disk_vault.folder / "Notes" / "Inner.md").symlink_to("../Ideas.md")
    assert (await text_of(disk_vault, "move_file", source="Alias.md", destination="x.md")).startswith(
        'Error: "Alias.md" is a symbolic link'
    )
    assert "it is a symbolic link" in await text_of(disk_vault, "move_file", source="Notes", destination="x")


async def test_a_closed_note_that_links_here_stops_the_move_and_is_not_named(any_vault: Sandbox) -> None:
    any_vault.write("Private/Diary.md", "[[Ideas]]")
    any_vault.close_path("Private/")
    result = await any_vault.call("move_file", source="Ideas.md", destination="Thoughts.md")
    assert result.data["code"] == "denied_by_rule"
    assert "Diary" not in result.text
    assert "Private" not in json.dumps(result.data)
    assert (await any_vault.succeed("move_file", source="Ideas.md", destination="sub/Ideas.md")).success
    assert (await any_vault.call("move_file", source="Private", destination="x")).data["code"] == "denied_by_rule"
    assert (await any_vault.call("move_file", source="sub/Ideas.md", destination="Private/x.md")).data["code"] == (
        "denied_by_rule"
    )


async def test_a_folder_with_a_closed_file_in_it_does_not_move(any_vault: Sandbox) -> None:
    any_vault.close_path("Notes/Meeting.md")
    result = await any_vault.call("move_file", source="Notes", destination="x")
    assert result.data["code"] == "denied_by_rule"
    assert "Meeting" not in result.text
    assert any_vault.data("Notes/Meeting.md")


async def test_the_question_names_links_that_cannot_follow(any_vault: Sandbox) -> None:
    any_vault.write("Links.md", "[[Ideas]]")
    any_vault.write("Broken.md", b"[[Ideas]]\0")
    await any_vault.succeed("move_file", source="Ideas.md", destination="C#.md")
    warnings = any_vault.asked[-1]["preview"]["warnings"]
    assert warnings[0] == "Obsidian cannot follow links to a name with # in it"
    assert any("'Links.md' holds links that cannot be written" in warning for warning in warnings)
    assert any_vault.data("Links.md") == b"[[Ideas]]"


async def test_a_note_that_changes_while_the_person_thinks_stops_the_move(any_vault: Sandbox) -> None:
    any_vault.write("Links.md", "[[Ideas]]")
    any_vault.before_answer = lambda: any_vault.write("Links.md", "[[Ideas]] and more")
    result = await any_vault.call("move_file", source="Ideas.md", destination="Thoughts.md")
    assert result.data["code"] == "stale"
    assert any_vault.data("Links.md") == b"[[Ideas]] and more"
    assert "Ideas.md" in any_vault.files()


async def test_notes_that_another_program_just_wrote_are_not_missed(any_vault: Sandbox) -> None:
    await any_vault.succeed("move_file", source="Ideas.md", destination="A.md")
    for number in range(30):
        any_vault.write(f"new/{number}.md", "[[A]]")
    await any_vault.succeed("move_file", source="A.md", destination="B.md")
    assert {any_vault.data(f"new/{number}.md") for number in range(30)} == {b"[[B]]"}


async def test_bytes_that_are_no_utf_8_stay_as_they_are(any_vault: Sandbox) -> None:
    any_vault.write("Latin.md", b"caf\xe9 [[Ideas]]\r\n")
    await any_vault.succeed("move_file", source="Ideas.md", destination="Thoughts.md")
    assert any_vault.data("Latin.md") == b"caf\xe9 [[Thoughts]]\r\n"


async def test_the_users_link_format_is_obeyed_rule_75(any_vault: Sandbox) -> None:
    settings = {"newLinkFormat": "relative", "useMarkdownLinks": True}
    any_vault.write(".obsidian/app.json", json.dumps(settings))
    any_vault.write("Notes/Links.md", "[[Ideas]] [x](../Ideas.md)")
    await any_vault.succeed("move_file", source="Ideas.md", destination="sub/Thoughts.md")
    assert any_vault.data("Notes/Links.md") == b"[[../sub/Thoughts]] [x](../sub/Thoughts.md)"


async def test_a_file_that_makes_a_name_ambiguous_changes_the_links_that_meant_another_rule_88(
    any_vault: Sandbox,
) -> None:
    any_vault.write("Links.md", "[[Meeting]]")
    await any_vault.succeed("move_file", source="Ideas.md", destination="Meeting.md")
    assert any_vault.data("Links.md") == b"[[Notes/Meeting]]"


async def test_a_call_that_takes_too_long_ends_and_changes_nothing(
    any_vault: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_vault.write("Links.md", "[[Ideas]]")
    monkeypatch.setattr(MoveFileTool, "spec", dataclasses.replace(MoveFileTool.spec, timeout=-1.0))
    result = await any_vault.call("move_file", source="Ideas.md", destination="x.md")
    assert not result.success
    assert any_vault.data("Links.md") == b"[[Ideas]]"


async def test_a_move_that_many_notes_link_to_is_one_change(any_vault: Sandbox) -> None:
    for number in range(150):
        any_vault.write(f"many/{number}.md", f"{number} [[Ideas]]\n")
    await any_vault.succeed("move_file", source="Ideas.md", destination="Thoughts.md")
    assert any_vault.asked[-1]["summary"].endswith("; 150 links in 150 notes follow")
    assert any_vault.data("many/149.md") == b"149 [[Thoughts]]\n"
    await any_vault.undo()
    assert any_vault.data("many/149.md") == b"149 [[Ideas]]\n"


async def test_two_moves_at_once_do_not_lose_a_link(any_vault: Sandbox) -> None:
    any_vault.write("Links.md", "[[Ideas]] [[Meeting]]")
    await asyncio.gather(
        any_vault.call("move_file", source="Ideas.md", destination="I.md"),
        any_vault.call("move_file", source="Notes/Meeting.md", destination="M.md"),
    )
    moved = [name for name in ("I.md", "M.md") if name in any_vault.files().keys() | any_vault.folders()]
    text = any_vault.data("Links.md").decode()
    assert ("[[I]]" in text) == ("I.md" in moved)
    assert ("[[M]]" in text) == ("M.md" in moved)
    assert moved


async def test_what_cannot_be_read_is_left_and_named_in_a_warning(disk_vault: Sandbox) -> None:
    if sys.platform == "win32" or os.geteuid() == 0:
        pytest.skip("needs a file that cannot be read")
    disk_vault.write("Links.md", "[[Ideas]]")
    (disk_vault.folder / "Links.md").chmod(0)
    await disk_vault.succeed("move_file", source="Ideas.md", destination="x.md")
    assert any("cannot be read" in warning for warning in disk_vault.asked[-1]["preview"]["warnings"])


def node(path: str, **rest: str) -> dict[str, str]:
    """A canvas' node that shows a file."""
    return {"type": "file", "file": path, **rest}


def nodes_of(vault: Sandbox, canvas: str) -> list[str]:
    """The files that the nodes of a canvas name."""
    return [each["file"] for each in json.loads(vault.data(canvas))["nodes"] if each["type"] == "file"]


@pytest.mark.parametrize(
    ("source", "target", "becomes"),
    [
        ("C# basics.md", "moved/C# basics.md", ["moved/C# basics.md"] * 2 + ["pic #1.png", "C# notes/N.md"]),
        ("pic #1.png", "moved/pic 1.png", ["C# basics.md"] * 2 + ["moved/pic 1.png", "C# notes/N.md"]),
        ("C# notes", "Csharp", ["C# basics.md"] * 2 + ["pic #1.png", "Csharp/N.md"]),
    ],
)
async def test_the_nodes_of_canvases_follow_paths_with_a_hash_rules_84_and_94(
    any_vault: Sandbox, source: str, target: str, becomes: list[str]
) -> None:
    any_vault.write("C# basics.md", "x")
    any_vault.write("pic #1.png", "x")
    any_vault.write("C# notes/N.md", "x")
    nodes = [node("C# basics.md"), node("C# basics.md", subpath="#Head"), node("pic #1.png"), node("C# notes/N.md")]
    any_vault.write("sub/top.canvas", json.dumps({"nodes": nodes}))
    before = any_vault.files()
    assert (await any_vault.succeed("move_file", source=source, destination=target)).data["updated"] == [
        "sub/top.canvas"
    ]
    assert nodes_of(any_vault, "sub/top.canvas") == becomes
    assert json.loads(any_vault.data("sub/top.canvas"))["nodes"][1]["subpath"] == "#Head"
    await any_vault.undo()
    assert any_vault.files() == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs a disk that tells upper and lower case apart")
@pytest.mark.parametrize(
    ("source", "target", "becomes"),
    [("sub/Case.md", "sub/case.md", "sub/case.md"), ("sub", "SUB", "SUB/Case.md")],
)
async def test_nodes_are_spelled_exactly_as_their_files_rule_94(
    any_vault: Sandbox, source: str, target: str, becomes: str
) -> None:
    any_vault.write("sub/Case.md", "x")
    any_vault.write("b.canvas", json.dumps({"nodes": [node("sub/Case.md"), node("ideas.md")]}))
    await any_vault.succeed("move_file", source=source, destination=target)
    assert nodes_of(any_vault, "b.canvas") == [becomes, "ideas.md"]


async def test_such_nodes_count_as_backlinks_and_are_named_before_a_deletion(any_vault: Sandbox) -> None:
    any_vault.write("C# basics.md", "x")
    any_vault.write("b.canvas", json.dumps({"nodes": [node("C# basics.md", subpath="#Head")]}))
    assert (await any_vault.succeed("get_metadata", name="C# basics.md")).data["backlinks"] == ["b.canvas"]
    plan = (await any_vault.preview("delete_file", path="C# basics.md")).plan.to_wire()
    assert plan["warnings"] == ["1 note links to it: b.canvas"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("move_file", {"source": "Ideas.md", "destination": " Lead .md"}),
        ("move_file", {"source": "Ideas.md", "destination": "sub /x/Ideas.md"}),
        ("organize_note", {"source": "Ideas", "destination": "sub/Name\u3000.md"}),
        ("create_note", {"path": "Foo .md", "content": "x"}),
        ("create_note", {"path": " Bar.md", "content": "x"}),
        ("write_file", {"path": "sub/\xa0Bar.md", "content": "x"}),
    ],
)
async def test_a_new_name_has_no_spaces_at_its_ends_rules_8_and_15(
    any_vault: Sandbox, tool: str, arguments: dict[str, str]
) -> None:
    before = any_vault.files()
    assert "space" in await text_of(any_vault, tool, **arguments)
    assert any_vault.files() == before


async def test_links_that_still_lead_there_from_their_own_folder_do_not_break(any_vault: Sandbox) -> None:
    any_vault.write("C# x/Aaa.md", "x")
    any_vault.write("Zz/Mmm.md", "x")
    any_vault.write("C# x/Bbb.md", "[[Aaa]] [t](Aaa.md)")
    result = await any_vault.succeed("move_file", source="C# x/Aaa.md", destination="C# x/Mmm.md")
    assert said(result) == 'Moved "C# x/Aaa.md" to "C# x/Mmm.md".'
    assert (result.data["broken"], result.data["brokenCount"]) == ([], 0)
    assert any_vault.data("C# x/Bbb.md") == b"[[Mmm]] [t](Mmm.md)"


async def test_the_answer_lists_the_links_that_a_move_broke_with_their_places(any_vault: Sandbox) -> None:
    any_vault.write("Links.md", "one [[Ideas]]\r\n\r\n[[Ideas|x]]\r\n")
    any_vault.write("b.canvas", json.dumps({"nodes": [{"type": "text", "text": "[[Ideas]]"}, node("Ideas.md")]}))
    result = await any_vault.succeed("move_file", source="Ideas.md", destination="C#.md")
    assert said(result) == (
        'Moved "Ideas.md" to "C#.md". 3 links in 2 files could not be written so that they follow and do not lead '
        "there any more: Links.md line 1: [[Ideas]]; Links.md line 3: [[Ideas|x]]; b.canvas line 1: [[Ideas]]."
    )
    assert result.data["broken"] == [
        {"path": "Links.md", "line": 1, "link": "[[Ideas]]"},
        {"path": "Links.md", "line": 3, "link": "[[Ideas|x]]"},
        {"path": "b.canvas", "line": 1, "link": "[[Ideas]]"},
    ]
    assert result.data["brokenCount"] == 3
    assert nodes_of(any_vault, "b.canvas") == ["C#.md"]


async def test_of_many_broken_links_the_first_are_named_and_all_are_counted(any_vault: Sandbox) -> None:
    any_vault.write("Links.md", "[[Ideas]]\n" * 1_200)
    result = await any_vault.succeed("move_file", source="Ideas.md", destination="C#.md")
    assert "1,200 links in 1 file" in result.text
    assert said(result).endswith("Links.md line 20: [[Ideas]]; and 1,180 more.")
    assert (len(result.data["broken"]), result.data["brokenCount"]) == (1_000, 1_200)


async def test_definitions_and_anchors_follow_and_are_named_where_they_cannot(any_vault: Sandbox) -> None:
    any_vault.write("Refs.md", "[t][r]\n\n[r]: Ideas.md\n")
    any_vault.write("Html.md", '<a href="Ideas.md">x</a>\n')
    metadata = (await any_vault.succeed("get_metadata", name="Ideas")).data
    assert metadata["backlinks"] == [], "Obsidian does not count them (rule 44)"
    await any_vault.succeed("move_file", source="Ideas.md", destination="Notes/Thought's.md")
    assert any_vault.data("Refs.md") == b"[t][r]\n\n[r]: Thought's.md\n"
    assert any_vault.data("Html.md") == b'<a href="Thought\'s.md">x</a>\n'
    plan = (await any_vault.preview("delete_file", path="Notes/Thought's.md")).plan.to_wire()
    assert plan["warnings"] == ["2 notes link to it: Html.md, Refs.md"]
    result = await any_vault.succeed("move_file", source="Notes/Thought's.md", destination="C#.md")
    assert [link["link"] for link in result.data["broken"]] == ['<a href="Thought\'s.md"', "[r]: Thought's.md"]
