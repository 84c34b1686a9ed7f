"""What the arguments alone show is said without a question, and one answer is enough where a failure is asked about."""

from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.testing import sandbox

NOTES = {"A.md": "# A\n", "B/Same.md": "1\n", "C/Same.md": "2\n"}


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=["NUL", "surrogate"])
@pytest.mark.parametrize(
    ("tool", "arguments", "place"),
    [
        ("apply_patch", {"path": "A.md", "patches": [{"startLine": 1, "endLine": 1}]}, "newContent"),
        ("edit", {"path": "A.md", "edits": [{"append": "x"}, {"old_text": "# A"}]}, "new_text"),
        ("edit", {"path": "A.md"}, "append"),
        ("edit", {"path": "A.md"}, "content"),
        ("modify_note", {"name": "A", "operation": "append"}, "content"),
        ("edit_file", {"path": "A.md", "old_text": "# A"}, "new_text"),
        ("update_note", {"name": "A"}, "content"),
        ("write_file", {"path": "A.md"}, "content"),
        ("create_note", {"path": "A.md"}, "content"),
        ("daily_note", {}, "append"),
    ],
)
async def test_text_that_no_file_can_hold_is_refused_at_once(
    tool: str, arguments: dict[str, Any], place: str, text: str
) -> None:
    async with sandbox(NOTES) as vault:
        result = await vault.call(tool, **_with_last(arguments, {place: text}))
        assert "NUL" in (result.error or "") or "\0" not in text
        assert result.error_type == "invalid_parameters"
        assert vault.asked == []


def _with_last(arguments: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    name = next((name for name in ("edits", "patches") if name in arguments), None)
    if name is None:
        return arguments | more
    return arguments | {name: [*arguments[name][:-1], arguments[name][-1] | more]}


async def test_a_place_that_is_none_is_refused_at_once() -> None:
    async with sandbox(NOTES) as vault:
        moves = [{"source": "A", "destination": "B/"}, {"source": "Same", "destination": "../x"}]
        result = await vault.call("move", moves=moves)
        assert (result.data["code"], vault.asked) == ("outside_vault", [])


async def test_a_failure_offers_reading_and_then_no_further_failure_is_asked_about() -> None:
    async with sandbox(NOTES) as vault:
        result = await vault.call("edit", path="Same", append="x")
        assert "'B/Same.md', 'C/Same.md'" in (result.error or "")
        (asked,) = vault.asked
        offered = {option["optionId"]: option["sentence"] for option in asked["options"]}
        everything = next(option for option in offered if option.startswith("allow_session.reading.everywhere"))
        assert "read every note of this vault" in offered[everything]
        assert not any("any program" in sentence.lower() for sentence in offered.values() if "may read" in sentence)
        vault.answer, vault.option = Decision.ALLOW_SESSION, everything
        await vault.call("edit", path="Same", prepend="x")
        assert len(vault.asked) == 2
        failing: list[dict[str, Any]] = [{"path": "Same"}, {"path": "Nothing"}, {"path": "A", "heading": "None"}]
        for arguments in failing:
            assert not (await vault.call("edit", append="y", **arguments)).success
        await vault.succeed("read", path="A.md")
        assert len(vault.asked) == 2, "what was allowed is not asked about"


async def test_a_no_to_it_denies_the_call_and_nothing_more() -> None:
    async with sandbox(NOTES) as vault:
        vault.answer = Decision.DENY_ONCE
        refused = await vault.call("edit", path="Same", append="x")
        assert refused.data["code"] == "denied_by_user"
        vault.answer = Decision.ALLOW_ONCE
        await vault.succeed("read", path="A.md")
