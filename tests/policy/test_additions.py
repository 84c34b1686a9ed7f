"""Which plans only add."""

import dataclasses
from pathlib import Path

import pytest

from bridge.contract.consent import Addition, Operation
from bridge.notes.additions import MOST_BYTES, judge
from bridge.policy.risk import additions_of, with_hazards
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash
from bridge.vault.root import VaultRoot


@pytest.fixture
def builder(vault: Path) -> PlanBuilder:
    return PlanBuilder(VaultRoot(vault), judge)


def built(builder: PlanBuilder) -> ChangePlan:
    return with_hazards(builder.build(Operation.UPDATE, "Write"))


def test_a_plan_adds_what_its_steps_add(builder: PlanBuilder) -> None:
    builder.create(parse_path("Deep/New.md"), b"x")
    builder.mkdir(parse_path("Empty"))
    builder.modify(parse_path("Ideas.md"), b"a\n", b"a\nb\n")
    builder.modify(parse_path("Notes/Meeting.md"), b"a\n", b"---\ntags: [x]\n---\na\n")
    plan = built(builder)
    assert additions_of(plan) == frozenset({Addition.CREATE, Addition.APPEND, Addition.TAG})
    assert plan.digest == dataclasses.replace(plan, additions=None, replaces=True).digest


@pytest.mark.parametrize(
    "step", ["modify", "move", "delete", "rmdir", "follows", "replaces", "hidden", "large", "loads", "warned"]
)
def test_one_step_that_does_more_makes_the_whole_plan_no_addition(builder: PlanBuilder, step: str) -> None:
    ideas = parse_path("Ideas.md")
    builder.create(parse_path("New.md"), b"x")
    match step:
        case "modify":
            builder.modify(ideas, b"a\n", b"b\n")
        case "move":
            builder.move(ideas, parse_path("Other.md"), content_hash(b"a"))
        case "delete":
            builder.delete(ideas, b"a")
        case "rmdir":
            builder.rmdir(parse_path("Empty"))
        case "follows":
            builder.modify(ideas, b"a\n", b"a\nb\n", follows=True)
        case "replaces":
            builder.modify(ideas, b"a\n", b"a\nb\n", replaces=True)
        case "hidden":
            builder.create(parse_path(".secret.md"), b"a")
        case "large":
            builder.create(parse_path("Large.md"), b"a" * (MOST_BYTES + 1))
        case "loads":
            builder.create(parse_path("Banner.md"), b"---\nbanner: https://example.org/b.png\n---\n")
        case _:
            builder.modify(ideas, b"a\n", b"a\n![](https://evil.example/x.png)\n")
    assert additions_of(built(builder)) is None


def test_without_a_judge_no_change_is_an_addition(vault: Path) -> None:
    builder = PlanBuilder(VaultRoot(vault))
    builder.modify(parse_path("Ideas.md"), b"a\n", b"a\nb\n")
    assert additions_of(built(builder)) is None


def test_taking_a_deletion_back_is_no_addition(builder: PlanBuilder) -> None:
    builder.create(parse_path("New.md"), b"x")
    assert additions_of(dataclasses.replace(built(builder), reversal="undo")) is None
