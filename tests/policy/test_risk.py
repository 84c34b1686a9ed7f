"""How dangerous a change is, by what it does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.contract.consent import Operation, RiskLevel
from bridge.notes.additions import judge
from bridge.policy.risk import MANY_CHANGED_LINES, MANY_FILES, MANY_LINES, Risk, assess, with_hazards
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import PlanBuilder, content_hash
from bridge.vault.root import VaultRoot

IDEAS = parse_path("Ideas.md")
LOW, MEDIUM, HIGH = RiskLevel.LOW, RiskLevel.MEDIUM, RiskLevel.HIGH
LINES = b"".join(b"line %d\n" % number for number in range(500))


def cut(count: int) -> bytes:
    return b"".join(LINES.splitlines(keepends=True)[count:])


def other(count: int) -> bytes:
    return LINES.replace(b"line", b"row", count)


def files(count: int, step: Callable[[PlanBuilder, VaultPath], None]) -> Callable[[PlanBuilder], None]:
    def all_of_them(builder: PlanBuilder) -> None:
        for number in range(count):
            step(builder, parse_path(f"Many/N{number}.md"))

    return all_of_them


def create(builder: PlanBuilder, path: VaultPath) -> None:
    builder.create(path, b"new\n")


def follow(builder: PlanBuilder, path: VaultPath) -> None:
    builder.modify(path, b"[[A]]\n", b"[[B]]\n", follows=True)


def extend(builder: PlanBuilder, path: VaultPath) -> None:
    builder.modify(path, b"a\n", b"a\nb\n")


def alter(builder: PlanBuilder, path: VaultPath) -> None:
    builder.modify(path, b"a\n", b"b\n")


def shift(builder: PlanBuilder, path: VaultPath) -> None:
    builder.move(path, parse_path(f"Other/{path.name}"), content_hash(b"a"))


@pytest.mark.parametrize(
    ("change", "level", "reasons"),
    [
        (lambda b: create(b, parse_path("New.md")), LOW, ("creates 1 file",)),
        (lambda b: b.mkdir(parse_path("A/B")), LOW, ("creates 2 folders",)),
        (lambda b: b.modify(IDEAS, b"---\ntags: [a]\n---\n", b"---\ntags: [a, b]\n---\n"), LOW, ("adds tags",)),
        (lambda b: b.modify(IDEAS, b"a\n", b"---\nup: x\n---\na\n"), LOW, ("adds properties",)),
        (lambda b: extend(b, IDEAS), LOW, ("adds text",)),
        (lambda b: b.modify(IDEAS, LINES, other(3)), MEDIUM, ("changes 3 lines",)),
        (lambda b: b.modify(IDEAS, LINES, other(MANY_CHANGED_LINES)), HIGH, ("changes 100 lines",)),
        (lambda b: b.modify(IDEAS, LINES, cut(1)), MEDIUM, ("removes 1 line",)),
        (lambda b: b.modify(IDEAS, LINES, cut(MANY_LINES)), HIGH, ("removes 20 lines",)),
        (lambda b: b.modify(IDEAS, b"x\n", b"x\n---\n"), MEDIUM, ("adds lines that may change how others are read",)),
        (lambda b: b.modify(parse_path("a.css"), b"x\n", b"x\ny\n"), MEDIUM,
         ("adds lines that may change how others are read",)),
        (lambda b: b.modify(IDEAS, b"a\n", b"b\n", replaces=True), MEDIUM,
         ("replaces the whole text of a file", "changes 1 line")),
        (lambda b: b.modify(IDEAS, LINES, b"Gone\n", replaces=True), HIGH,
         ("replaces the whole text of a file", "removes 499 lines", "changes 1 line")),
        (lambda b: b.delete(IDEAS, b"a\n"), HIGH, ("deletes 1 file",)),
        (lambda b: b.rmdir(parse_path("Empty")), MEDIUM, ("removes 1 folder",)),
        (lambda b: shift(b, IDEAS), MEDIUM, ("moves 1 file",)),
        (files(MANY_FILES, shift), HIGH, ("moves 20 files",)),
        (files(3, follow), MEDIUM, ("changes links in 3 files",)),
        (files(300, follow), HIGH, ("changes links in 300 files",)),
        (files(MANY_FILES, create), MEDIUM, ("creates 20 files",)),
        (files(MANY_FILES - 1, create), LOW, ("creates 19 files",)),
        (files(MANY_FILES, extend), MEDIUM, ("changes 20 files", "adds text")),
        (files(MANY_FILES, alter), HIGH, ("changes 20 files", "changes 20 lines")),
        (lambda b: b.create(IDEAS, b"```dataviewjs\nx\n```\n"), HIGH,
         ("adds text that runs as a program", "creates 1 file")),
        (lambda b: b.create(IDEAS, b"a\xe2\x80\x8bb\n"), HIGH,
         ("adds characters that cannot be seen", "creates 1 file")),
        (lambda b: b.create(IDEAS, b"![](https://x.example/y)\n"), MEDIUM,
         ("adds text that loads something from the network", "creates 1 file")),
        (lambda b: b.create(IDEAS, b"[a](obsidian://open)\n"), MEDIUM,
         ("adds a link that leads out of the vault", "creates 1 file")),
    ],
)  # fmt: skip
def test_the_risk_is_that_of_what_is_done(
    vault: Path, change: Callable[[PlanBuilder], None], level: RiskLevel, reasons: tuple[str, ...]
) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root, judge)
        if reasons[-1].startswith("creates") and "file" in reasons[-1]:
            (vault / "Many").mkdir()
        change(builder)
    assert assess(None, with_hazards(builder.build(Operation.UPDATE, "Write"))) == Risk(level, reasons)


def test_a_tool_may_have_one_level_whatever_it_does(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root, judge)
        extend(builder, IDEAS)
    assert assess(HIGH, builder.build(Operation.UPDATE, "Write")) == Risk(HIGH, ("adds text",))


def test_what_the_plan_warns_of_is_a_reason(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root, judge)
        extend(builder, IDEAS)
    plan = builder.build(Operation.UPDATE, "Write", ["The note has unsaved text"])
    assert assess(None, plan) == Risk(MEDIUM, ("comes with a warning", "adds text"))


def test_a_file_that_goes_in_two_steps_moves_once(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root, judge)
        stop = parse_path("stop/Ideas.md")
        builder.move(IDEAS, stop, content_hash(b"a"))
        builder.move(stop, parse_path("ideas/Ideas.md"), content_hash(b"a"))
    assert assess(None, builder.build(Operation.UPDATE, "Move")).reasons == ("moves 1 file",)
