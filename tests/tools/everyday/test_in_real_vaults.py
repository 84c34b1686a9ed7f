"""The everyday jobs in vaults that people made: one call, one question, one undo, and no link is lost."""

import difflib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.notes.frontmatter import all_tags
from bridge.notes.markdown import parse_note
from bridge.testing import Sandbox, sandbox
from bridge.toolkit.tool import ToolSpec
from tests.tools.everyday.links import Led, Links

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """These vaults are large: no call is stopped because the machine is busy with something else."""
    monkeypatch.setattr(ToolSpec, "seconds", lambda _spec, _params: 600.0)


FORMS = (
    "[[{name}#{heading}]] [[{name}#{heading}|said]] ![[{path}#{heading}]] [x](</{path}#{heading}>)\n"
    "[[{name}]] [[{name}#Nothing of this name]]\n"
)


def notes_of(vault: Sandbox) -> dict[str, bytes]:
    """Every file of the vault that is not hidden."""
    return {path: data for path, data in vault.files().items() if not any(p[:1] == "." for p in path.split("/"))}


async def done(vault: Sandbox, tool: str, /, **arguments: Any) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The vault before and after a call, which asks once and is taken back to the byte by one undo, and made again."""
    before = notes_of(vault)
    asked = len([each for each in vault.asked if each["planDigest"]])
    result = await vault.succeed(tool, **arguments)
    assert len([each for each in vault.asked if each["planDigest"]]) == asked + 1
    assert not (result.data or {}).get("broken")
    after = notes_of(vault)
    await vault.undo()
    assert notes_of(vault) == before
    await vault.redo()
    assert notes_of(vault) == after
    return before, after


def check_links(before: dict[str, bytes], after: dict[str, bytes], follow: Callable[[Led], Led]) -> None:
    """Every link of every file that is still there leads where the one before it led, but for what is to follow."""
    old, new = Links(before).of, Links(after).of
    for path in old.keys() & new.keys():
        assert [follow(led) for led in old[path]] == new[path], path


def most_linked(files: dict[str, bytes], fits: Callable[[str], bool]) -> list[str]:
    """The notes that fit, the most linked to first."""
    counts = Counter(led.path for led in Links(files).counted().elements() if led.path)
    return [path for path, _count in counts.most_common() if path.endswith(".md") and fits(path)]


def headings_of(files: dict[str, bytes], path: str) -> list[str]:
    return [heading.heading for heading in parse_note(files[path].decode("utf-8", "surrogateescape")).headings]


def put_links(vault: Sandbox, path: str, heading: str) -> None:
    """A note of ours with links of every form to a heading."""
    name = path.rpartition("/")[2].removesuffix(".md")
    vault.write("Our links.md", FORMS.format(name=path.removesuffix(".md"), path=path, heading=heading) + name)


async def test_a_heading_is_renamed_with_its_links(real_vault: Path) -> None:
    async with sandbox(folder=real_vault) as vault:
        files = notes_of(vault)
        path = most_linked(files, lambda each: len(set(headings_of(files, each))) > 1)[0]
        heading = next(each for each in headings_of(files, path) if headings_of(files, path).count(each) == 1)
        put_links(vault, path, heading)
        before, after = await done(vault, "rename_heading", path=path, heading=heading, new_heading="Quite new: [x]")
        check_links(before, after, lambda led: Led(path, "Quite new: [x]") if led == Led(path, heading) else led)
        assert Links(after).counted()[Led(path, "Quite new: [x]")] >= 4


async def test_a_tag_is_renamed_everywhere(real_vault: Path) -> None:
    def tags_of(data: bytes) -> list[str]:
        return [tag.lower() for tag in all_tags(parse_note(data.decode("utf-8", "surrogateescape")))]

    async with sandbox(folder=real_vault) as vault:
        for number in range(200):
            vault.write(f"Tagged/{number}.md", f"---\ntags: [ours/{number % 3}, other]\n---\nText #Ours here\n")
        files = notes_of(vault)
        counts = Counter(tag for path, data in files.items() if path.endswith(".md") for tag in set(tags_of(data)))
        for tag in {"ours", counts.most_common(1)[0][0][1:]}:
            before, after = await done(vault, "rename_tag", tag=tag, new_tag="brand/new")
            check_links(before, after, lambda led: led)
            for path in (each for each in before if each.endswith(".md")):
                old = f"#{tag}"
                wished = [
                    "#brand/new" + each[len(old) :] if each == old or each.startswith(f"{old}/") else each
                    for each in tags_of(before[path])
                ]
                assert tags_of(after[path]) == wished, path


async def test_twenty_notes_are_tagged(real_vault: Path) -> None:
    async with sandbox(folder=real_vault) as vault:
        paths: list[str] = []
        for path, data in sorted(notes_of(vault).items()):
            note = parse_note(data.decode("utf-8", "surrogateescape"))
            if path.endswith(".md") and len(paths) < 20 and "#to-review" not in all_tags(note):
                paths.append(path)
        before, after = await done(vault, "set_properties", paths=paths, add_tags=["to-review"])
        check_links(before, after, lambda led: led)
        assert {path for path in after if before.get(path) != after[path]} == set(paths)
        for path in paths:
            assert "#to-review" in all_tags(parse_note(after[path].decode("utf-8", "surrogateescape")))


async def test_notes_are_merged_with_their_backlinks(real_vault: Path) -> None:
    async with sandbox(folder=real_vault) as vault:
        files = notes_of(vault)
        source, target = most_linked(files, lambda path: not headings_of(files, path) or "britannica" in str(vault))[:2]
        before, after = await done(vault, "merge_notes", sources=[source], target=target, headings=True)
        name = source.rpartition("/")[2].removesuffix(".md")
        assert source not in after

        def follow(led: Led) -> Led:
            if led.path != source:
                return led
            return Led(target, led.part or name)

        old, new = Links(before).of, Links(after).of
        for path in old.keys() & new.keys() - {target}:
            assert [follow(led) for led in old[path]] == new[path], path
        both = [follow(led) for path in (target, source) for led in old[path]]
        assert len(new[target]) >= len({*both})
        assert {led.path for led in new[target]} == {led.path for led in both}


async def test_a_note_is_split_and_links_to_its_sections_follow(real_vault: Path) -> None:
    async with sandbox(folder=real_vault) as vault:
        files = notes_of(vault)

        def fits(path: str) -> bool:
            note = parse_note(files[path].decode("utf-8", "surrogateescape"))
            return bool([each for each in note.headings if each.level == 2])

        path = most_linked(files, fits)[0]
        note = parse_note(files[path].decode("utf-8", "surrogateescape"))
        heading = next(each.heading for each in note.headings if each.level == 2)
        put_links(vault, path, heading)
        before, after = await done(vault, "split_note", path=path, level=2, folder="Our parts")
        made = {each for each in after if each not in before}
        parts = {text: place for place in made for text in headings_of(after, place)}

        def follow(led: Led) -> Led:
            return Led(parts[led.part], led.part) if led.path == path and led.part in parts else led

        old, new = Links(before).of, Links(after).of
        for other in old.keys() - {path}:
            assert [follow(led) for led in old[other]] == new[other], other
        left = [led for place in {path, *made} for led in new[place] if led.path not in made or led.part]
        assert Counter(follow(led) for led in old[path]) == Counter(left)


async def test_thirty_broken_links_are_found_and_mended_by_one_change(real_vault: Path) -> None:
    async with sandbox(folder=real_vault) as vault:
        for number in range(15):
            vault.write(f"Broken/{number}.md", f"See [[Missing {number}]]\n\nand [[Our taget|this]].\n")
        vault.write("Our target.md", "here\n")
        report = await vault.succeed("vault_report", sections=["broken_links"], limit=500)
        found = report.data["broken_links"]
        files = notes_of(vault)
        broken = sum(led.path is None for links in Links(files).of.values() for led in links)
        assert found["total"] == broken
        ours = [item for item in found["items"] if item["path"].startswith("Broken/")]
        assert len(ours) == 30
        assert all("Our target.md" in item["likely"] for item in ours if item["link"] == "Our taget")
        diffs: list[str] = []
        for path in sorted({item["path"] for item in ours}):
            lines = files[path].decode().splitlines(keepends=True)
            mended = list(lines)
            for item in (each for each in ours if each["path"] == path):
                number = item["line"] - 1
                mended[number] = mended[number].replace(f"[[{item['link']}", "[[Our target")
            diffs += difflib.unified_diff(lines, mended, path, path)
        _before, after = await done(vault, "apply_patch", patch="".join(diffs))
        assert sum(led.path is None for links in Links(after).of.values() for led in links) == broken - 30


async def test_a_survey_of_a_real_vault_names_what_is_there(real_vault: Path) -> None:
    async with sandbox(folder=real_vault) as vault:
        report = await vault.succeed("vault_report", limit=500)
        links = Links(notes_of(vault))
        linked = {led.path for path, found in links.of.items() for led in found if led.path != path}
        notes = {path for path in notes_of(vault) if path.endswith(".md")}
        assert {item["path"] for item in report.data["orphans"]["items"]} <= notes - linked
        assert report.data["orphans"]["total"] == len(notes - linked)
