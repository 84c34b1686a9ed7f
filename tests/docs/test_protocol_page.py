"""`docs/protocol.md` has every method that the bridge registers, with its parameters and its role, and no other."""

import re
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.errors import ErrorType
from bridge.rpc.dispatch import HOST_ONLY, Method
from bridge.rpc.frames import CODES
from bridge.rpc.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
BY_NAME = {method.name: method for method in METHODS}


def sections() -> dict[str, str]:
    """The text below each method's heading."""
    pieces = re.split(r"^###? (.*)$", PAGE, flags=re.MULTILINE)
    titles, texts = pieces[1::2], pieces[2::2]
    return {title.strip("`"): text for title, text in zip(titles, texts, strict=True) if title.startswith("`")}


def chapter(title: str) -> str:
    """A chapter with all its sections."""
    return re.split(r"^## ", PAGE.split(f"\n## {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def parameters(method: Method) -> str:
    names = [
        f"`{field.alias or name}{'' if field.is_required() else '?'}`"
        for name, field in method.params.model_fields.items()
    ]
    return f"Parameters: {', '.join(names) or 'none'}"


def test_every_method_has_its_section_and_every_section_its_method() -> None:
    assert sorted(sections()) == sorted(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_section_begins_with_the_parameters(name: str) -> None:
    assert sections()[name].strip().splitlines()[0] == parameters(BY_NAME[name])


@pytest.mark.parametrize("name", BY_NAME)
def test_a_method_is_in_the_chapter_of_its_role(name: str) -> None:
    title = "Methods for the host" if BY_NAME[name].roles == HOST_ONLY else "Methods for agents"
    assert f"\n### `{name}`\n" in chapter(title)


def test_every_error_code_is_in_the_table_and_no_other() -> None:
    assert {int(code) for code in re.findall(r"^\| (-\d+) \|", chapter("JSON-RPC"), re.MULTILINE)} == set(CODES)


@pytest.mark.parametrize("member", [*ErrorType, *Decision])
def test_every_kind_of_failure_and_every_decision_is_named(member: Any) -> None:
    assert f"`{member.value}`" in PAGE


def test_every_notification_is_in_the_table_and_no_other() -> None:
    spoken = set()
    for file in (ROOT / "bridge").rglob("*.py"):
        if not {"cli", "client", "journal", "audit"} & set(file.parts):  # those speak of others', or name files so
            spoken |= set(re.findall(r'"((?:consent|tool|limits|audit|vault|index)\.[a-z]+)"', file.read_text("utf-8")))
    spoken.discard("index.sqlite")  # a file
    listed = set(re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", chapter("Notifications"), re.MULTILINE))
    assert listed == spoken - set(BY_NAME)
