"""`docs/protocol.md` has every method that the bridge registers, where its role is, and no other.

Parameters, errors and notifications are made by `scripts/write-reference`.
"""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from bridge.contract.audit import AuditRecord
from bridge.contract.base import Wire
from bridge.contract.consent import ConsentRequest, Decision
from bridge.contract.identity import Capability
from bridge.contract.session import PROTOCOL
from bridge.contract.tools import PendingCall, SettingsSchema, ToolResult
from bridge.errors import ErrorType
from bridge.rpc.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
BY_NAME = {method.name: method for method in METHODS.values()}
ELSEWHERE = {ConsentRequest, ToolResult, PendingCall, SettingsSchema, AuditRecord}
"""Results that have a chapter of their own, or are described otherwise."""
CHAPTERS = {
    Capability.CALL: "Methods for every client",
    Capability.ANSWER: "Methods for those who answer",
    Capability.ADMINISTER: "Methods for those who administer",
}
RESULTS: dict[str, type[Wire]] = {
    method.name: part
    for method in METHODS.values()
    for part in (method.result, *get_args(method.result))
    if isinstance(part, type) and issubclass(part, Wire) and part not in ELSEWHERE
}


def sections() -> dict[str, str]:
    """The text below each method's heading."""
    pieces = re.split(r"^###? (.*)$", PAGE, flags=re.MULTILINE)
    titles, texts = pieces[1::2], pieces[2::2]
    return {title.strip("`"): text for title, text in zip(titles, texts, strict=True) if title.startswith("`")}


def chapter(title: str) -> str:
    """A chapter with all its sections."""
    return re.split(r"^## ", PAGE.split(f"\n## {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_every_method_has_its_section_and_every_section_its_method() -> None:
    assert sorted(sections()) == sorted(BY_NAME)


@pytest.mark.parametrize("name", RESULTS)
def test_a_section_names_every_member_of_the_result(name: str) -> None:
    members = {field.alias or key for key, field in RESULTS[name].model_fields.items()}
    assert members <= set(re.findall(r"\w+", sections()[name]))


@pytest.mark.parametrize("name", BY_NAME)
def test_a_method_is_in_the_chapter_of_the_capability_that_it_needs(name: str) -> None:
    assert f"\n### `{name}`\n" in chapter(CHAPTERS[BY_NAME[name].needs])


@pytest.mark.parametrize("member", [*ErrorType, *Decision])
def test_every_kind_of_failure_and_every_decision_is_named(member: Any) -> None:
    assert f"`{member.value}`" in PAGE


def test_the_newest_version_in_the_table_is_the_one_that_is_sent() -> None:
    newest = re.search(r"^\| (\d+) \|", chapter("Versions"), re.MULTILINE)
    assert newest is not None
    assert int(newest[1]) == PROTOCOL
    assert f'"protocol": {PROTOCOL}' in chapter("Connecting")
