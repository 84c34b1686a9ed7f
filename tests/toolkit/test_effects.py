"""An effect of a kind that nothing else knows: it goes the way of every call."""

import ast
import asyncio
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import bridge.toolkit
from bridge.contract.consent import ConsentClass, Decision, Operation, Preview, RiskLevel
from bridge.contract.tools import CallPlan, RequestPlan
from bridge.errors import PermissionDenied
from bridge.identity.caller import PERSON
from bridge.policy.risk import Risk
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.effects import running as kinds
from bridge.toolkit.effects.kind import EffectKind, Terms
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.registry import StaticProvider
from bridge.toolkit.tool import CallContext, Output, Tool, ToolSpec, in_vault
from bridge.toolkit.tool_call import Phase, ToolCall
from tests.toolkit.conftest import PathParams

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


@dataclass(frozen=True)
class Printing(EffectKind):
    """Puts a note on paper: nothing is written, and it cannot be taken back."""

    path: str
    paper: list[str]

    @property
    def targets(self) -> tuple[Target, ...]:
        return in_vault(self.path)

    @property
    def summary(self) -> str:
        return f"Print {self.path}"

    def risk(self, spec: ToolSpec) -> Risk:
        del spec
        return Risk(RiskLevel.HIGH, ("uses paper",))

    def terms(self) -> Terms:
        return Terms((self.path,), insists="Paper is scarce" if self.path == "Long.md" else "")

    def preview(self, spec: ToolSpec, tool_call: ToolCall, settings: Settings, insists: str) -> Preview:
        del spec, tool_call, settings
        return Preview(request=f"lp {self.path}", warnings=(insists,) if insists else ())

    def call_plan(self, spec: ToolSpec) -> CallPlan:
        return RequestPlan(**self._members(spec), request=f"lp {self.path}", warnings=("Mind the paper",))

    async def ask_to_show(self, running: "Running") -> None:
        await running.ask_to_tell(self.targets, f"Show what printing {self.path} would do")

    async def carry_out(self, running: "Running") -> Output:
        running.tool_call.phase = Phase.RUNNING
        running.context().progress(1, 1, "printing")
        await running.in_thread(lambda: self.paper.append(self.path))
        return Output({"pages": len(self.paper)}, f"Printed {self.path}")


class Print(Tool[PathParams]):
    """Prints."""

    spec = ToolSpec(
        name="print",
        title="Print",
        description="Prints.",
        parameters=ModelParameters(PathParams),
        operation=Operation.EXECUTE,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.SESSION,
    )

    def __init__(self) -> None:
        self.paper: list[str] = []

    def prepare(self, params: PathParams, context: CallContext) -> Printing:
        del context
        return Printing(params.path, self.paper)


@pytest.fixture
async def printer(rig: Any) -> Print:
    tool = Print()
    await rig.pipeline.registry.add(StaticProvider(id="p", tools=[tool]))
    return tool


async def test_it_is_asked_about_in_its_own_words_and_done_after_a_yes(rig: Any, printer: Print) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("print", path="Long.md")))
    await rig.asked()
    (question,) = person.asked
    assert (question["summary"], question["targets"], question["operation"]) == (
        "Print Long.md",
        ["Long.md"],
        "execute",
    )
    assert (question["riskLevel"], question["riskReasons"]) == ("high", ["uses paper"])
    assert (question["preview"]["request"], question["preview"]["warnings"]) == ("lp Long.md", ["Paper is scarce"])
    assert printer.paper == []
    await person.answer(Decision.ALLOW_ONCE)
    result = await call
    assert (result.success, result.data, result.text) == (True, {"pages": 1}, "Printed Long.md")
    assert printer.paper == ["Long.md"]
    (execution,) = rig.records("execution")
    (decision,) = rig.records("decision")
    assert (execution["tool"], execution["success"], execution["result"]) == ("print", True, {"pages": 1})
    assert (decision["outcome"], decision["targets"]) == ("allow", ["Long.md"])
    assert [name for name, _ in rig.events] == ["tool.started", "tool.progress", "tool.finished"]


async def test_it_is_not_done_after_a_no(rig: Any, printer: Print) -> None:
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("print", path="Ideas.md")))
    await rig.asked()
    await person.answer(Decision.DENY_ONCE)
    assert (await call).data["code"] == "denied_by_user"
    assert printer.paper == []


async def test_it_is_shown_in_a_preview_to_who_may_read(rig: Any, printer: Print) -> None:
    with pytest.raises(PermissionDenied) as caught:
        await rig.pipeline.preview(rig.tool_call("print", path="Ideas.md"))
    assert caught.value.code == "no_ui"
    shown = (await rig.pipeline.preview(rig.tool_call("print", role="host", path="Ideas.md"))).to_wire()["plan"]
    assert (shown["summary"], shown["request"], shown["warnings"]) == (
        "Print Ideas.md",
        "lp Ideas.md",
        ["Mind the paper"],
    )
    assert (shown["operation"], shown["riskLevel"], shown["targets"]) == ("execute", "high", ["Ideas.md"])
    assert printer.paper == []


async def test_it_is_explained_and_nothing_is_done(rig: Any, printer: Print) -> None:
    explained = (await rig.pipeline.explain(rig.tool_call("print", path="Ideas.md"))).to_wire()
    assert (explained["outcome"], explained["summary"], explained["targets"]) == (
        "ask",
        "Print Ideas.md",
        ["Ideas.md"],
    )
    rig.settings.update({"consentMode": {"print": "never_allow"}})
    denied = (await rig.pipeline.explain(rig.tool_call("print", path="Ideas.md"))).to_wire()
    assert (denied["outcome"], denied["rule"]) == ("deny", "mode:never_allow")
    assert (printer.paper, rig.events, rig.records("decision")) == ([], [], [])


async def test_a_kind_that_asks_nobody_is_not_carried_out(
    rig: Any, printer: Print, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask(self: Printing, _running: Any) -> EffectKind:
        return self

    monkeypatch.setattr(Printing, "ask", ask)
    for role in ("agent", "host"):
        result = await rig.pipeline.call(rig.tool_call("print", role=role, path="Ideas.md"))
        assert (result.success, result.error_type) == (False, "execution_failed")
    assert printer.paper == []
    assert "before it is decided about" in caplog.text


async def test_its_tool_is_found_like_any_other(rig: Any, printer: Print) -> None:
    assert rig.pipeline.registry.get("print", PERSON) is printer


def _told_apart(source: Path, effects: set[str]) -> set[str]:
    """The classes of effects that a file tells apart with `isinstance` or `match`."""
    found = set[str]()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            found |= {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.MatchClass):
            found |= {name.id for name in ast.walk(node.cls) if isinstance(name, ast.Name)}
    return found & effects


def test_kinds_of_effects_are_told_apart_in_one_file() -> None:
    toolkit = Path(inspect.getfile(bridge.toolkit)).parent
    effects = {"ReadEffect", "RequestEffect", "Unchanged", "ChainEffect", "ChangePlan", "EffectKind"}
    effects |= {name for name, value in vars(kinds).items() if inspect.isclass(value) and issubclass(value, EffectKind)}
    users = {
        source.relative_to(toolkit).as_posix(): apart
        for source in toolkit.rglob("*.py")
        if (apart := _told_apart(source, effects))
    }
    assert users == {"effects/running.py": {"ChangePlan", "EffectKind"}}
