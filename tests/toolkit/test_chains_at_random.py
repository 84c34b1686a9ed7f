"""A chain leaves what the same calls leave that are made one by one in a draft; one that fails leaves nothing."""

import asyncio
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox

NOTES: dict[str, bytes | str] = {
    "Home.md": "# Home\n\n[[Tea]] and [[Work/Plan#Steps|the plan]]\n\n![[Tea]]\n",
    "Tea.md": "---\ntags: [drink]\n---\n# Tea\n\nHot. See [plan](Work/Plan.md).\n",
    "Work/Plan.md": "# Plan\n\n## Steps\n\n- [ ] one [[Home]]\n",
    "Work/Old/Log.md": "log [[Plan]] [[Tea]]\n",
}
PATHS = st.sampled_from([*NOTES, "New.md", "Work/Tea 2.md", "Fresh/Deep/Note.md"])
TEXTS = st.sampled_from(["plain\n", "[[Tea]] [[Plan]]\n", "---\nx: 1\n---\nbody [[Home]]\n"])


def call(tool: str, **arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    return st.tuples(st.just(tool), st.fixed_dictionaries(arguments))


CALLS = st.lists(
    st.one_of(
        call("write_file", path=PATHS, content=TEXTS),
        call("create_note", path=PATHS, content=TEXTS),
        call("modify_note", path=PATHS, operation=st.just("append"), content=st.just("\nmore [[Plan]]\n")),
        call("set_properties", paths=st.lists(PATHS, min_size=1, max_size=2), add_tags=st.just(["green"])),
        call("move_file", source=PATHS, destination=PATHS),
        call("delete_file", path=PATHS),
        call("read", path=PATHS),
        call("find", pattern=st.just("*.md")),
    ),
    min_size=1,
    max_size=6,
)


def chained(calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [{"name": f"c{at}", "tool": tool, "arguments": arguments} for at, (tool, arguments) in enumerate(calls)]


async def seen(vault: Sandbox) -> list[Any]:
    """What an agent sees of all the vault; but for when a file was made, which no disk keeps of one that was away."""
    looks: list[tuple[str, dict[str, Any]]] = [
        ("find", {"pattern": "**"}),
        ("query", {"list_tags": True}),
        ("search", {"query": "plan"}),
        *(("note_info", {"path": path}) for path in NOTES),
    ]
    found = [await vault.call(tool, **arguments) for tool, arguments in looks]
    for one in found:
        if isinstance(one.data, dict):
            one.data.pop("created", None)
    return [(one.success, one.data) for one in found]


def kept(vault: Sandbox) -> dict[str, bytes]:
    return {path: data for path, data in vault.files().items() if not path.startswith(".trash/")}


async def one_by_one(calls: list[tuple[str, dict[str, Any]]]) -> tuple[dict[str, bytes] | None, list[Any]]:
    """The files after the calls in a draft that is taken; None where one of them fails."""
    async with sandbox(NOTES) as vault:
        await vault.succeed("draft", action="begin")
        for tool, arguments in calls:
            made = await vault.call(tool, **arguments)
            if not made.success:
                return None, []
        if (await vault.succeed("draft", action="status")).data["steps"]:
            await vault.succeed("draft", action="submit")
        return kept(vault), await seen(vault)


async def compare(calls: list[tuple[str, dict[str, Any]]]) -> None:
    expected, expected_looks = await one_by_one(calls)
    async with sandbox(NOTES) as vault:
        before, looks = kept(vault), await seen(vault)
        made = await vault.call("chain", calls=chained(calls))
        assert made.success == (expected is not None), made.text
        assert vault.drafts is not None
        assert vault.drafts.ids == []
        if expected is None:
            assert kept(vault) == before
            assert await seen(vault) == looks
            assert list(vault.ledger.history()) == []
        else:
            assert kept(vault) == expected
            assert [success for success, _ in await seen(vault)] == [success for success, _ in expected_looks]
            if made.data["modified"]:
                await vault.undo()
            assert kept(vault) == before


@pytest.mark.slow
@given(calls=CALLS)
@settings(max_examples=25, deadline=None)
def test_a_chain_is_the_same_calls_in_a_draft(calls: list[tuple[str, dict[str, Any]]]) -> None:
    asyncio.run(compare(calls))


async def fail_in_draft(first: list[tuple[str, dict[str, Any]]], calls: list[tuple[str, dict[str, Any]]]) -> None:
    """A chain that fails in an open draft leaves it as it was, and what is staged before and after it is taken."""
    failing = [*calls, ("read", {"path": "No such note.md"})]
    async with sandbox(NOTES) as vault:
        await vault.succeed("draft", action="begin")
        for tool, arguments in first:
            await vault.call(tool, **arguments)
        before, looks = (await vault.succeed("draft", action="status")).data, await seen(vault)
        failed = await vault.call("chain", calls=chained(failing))
        assert not failed.success
        assert (await vault.succeed("draft", action="status")).data == before
        assert await seen(vault) == looks
        assert kept(vault) == {path: str(text).encode() for path, text in NOTES.items()}


@pytest.mark.slow
@given(first=CALLS, calls=CALLS)
@example(
    first=[("write_file", {"path": "Home.md", "content": "plain\n"})], calls=[("delete_file", {"path": "Home.md"})]
)
@settings(max_examples=20, deadline=None)
def test_one_that_fails_in_a_draft_leaves_the_draft_as_it_was(
    first: list[tuple[str, dict[str, Any]]], calls: list[tuple[str, dict[str, Any]]]
) -> None:
    asyncio.run(fail_in_draft(first, calls))
