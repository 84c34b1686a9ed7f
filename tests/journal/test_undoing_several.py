"""Several changes are taken back by one plan, to the byte, also after a restart."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.testing import sandbox

FILES = {"a.md": "one\n", "b.md": "two [[a]]\n", "x/c.md": "three [[b]]\n"}
NAMES = ("a.md", "b.md", "x/c.md", "x/a.md", "y/z.md")
STEPS = st.one_of(
    st.tuples(st.just("write_file"), st.sampled_from(NAMES), st.sampled_from(["1\n", "2\n", "[[a]] [[x/a]]\n"])),
    st.tuples(st.just("move_file"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.just(("move_file", "x", "w/x")),
    st.tuples(st.just("delete_file"), st.sampled_from([*NAMES, "x"]), st.just("")),
    st.tuples(st.just("create_folder"), st.sampled_from(["y", "x/q"]), st.just("")),
)
ARGUMENTS = {
    "write_file": ("path", "content"),
    "move_file": ("source", "destination"),
    "delete_file": ("path",),
    "create_folder": ("path",),
}


async def taken_back(steps: list[tuple[str, str, str]], several: int) -> None:
    async with sandbox(FILES) as vault:
        arguments: dict[str, Any]
        states, made = [(vault.files(), vault.folders())], 0
        for tool, *values in steps:
            arguments = dict(zip(ARGUMENTS[tool], values, strict=False))
            result = await vault.call(tool, **arguments)
            if result.success and (vault.files(), vault.folders()) != states[-1]:
                made += 1
                states.append((vault.files(), vault.folders()))
        count = min(several, made)
        if count:
            await vault.succeed("history", action="undo", count=count)
            assert (vault.files(), vault.folders()) == states[-1 - count]
            await vault.redo()
            assert (vault.files(), vault.folders()) == states[-1]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=2, max_size=7), st.integers(2, 7))
def test_the_newest_changes_are_taken_back_as_one(steps: list[tuple[str, str, str]], several: int) -> None:
    asyncio.run(taken_back(steps, several))


async def test_what_was_undone_together_is_repeated_together_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "Vault"
    folder.mkdir()
    async with sandbox(FILES, folder=folder) as vault:
        before = vault.files()
        await vault.succeed("write_file", path="a.md", content="1\n")
        await vault.succeed("write_file", path="b.md", content="2\n")
        after = vault.files()
        await vault.succeed("history", action="undo", count=2)
    async with sandbox(folder=folder) as vault:
        assert vault.files() == before
        assert [entry["state"] for entry in (await vault.succeed("history", role="host")).data] == ["undone"] * 2
        await vault.redo()
        assert vault.files() == after
