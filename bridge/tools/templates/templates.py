"""The tools `chain`, which makes several calls as one, and `templates`, which lists and runs chains of the user's."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.chains import ChainParams, Template, TemplateParameter
from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.references import chain_effect
from bridge.toolkit.tool import (
    AGENT,
    VAULT,
    Applied,
    CallContext,
    ChainEffect,
    Output,
    ReadEffect,
    ReadTool,
    ToolSpec,
    WriteTool,
)
from bridge.tools.templates.template_store import TemplateStore, template_effect


class ChainTool(WriteTool[ChainParams]):
    """The tool that makes several calls as one."""

    spec = ToolSpec(
        name="chain",
        action="make/made several calls as one[: {files}]",
        description="Several calls as one, all or nothing: changes are staged and the user is asked once about them. "
        'Arguments can use earlier answers: {"$from": "search.results[0].path"}, '
        '{"$text": ["Notes/", {"$from": …}]}, {"$each": [LIST, {"path": {"$item": "path"}}]}.',
        icon="link",
        parameters=ModelParameters(ChainParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.NEVER,
        default_mode=ConsentMode.ALWAYS_ASK,
        sensitive=frozenset({"arguments"}),
        presets=frozenset({VAULT}),
        stages=False,
    )

    def prepare(self, params: ChainParams, context: CallContext) -> ChainEffect:
        """Return the calls, which say themselves what they do."""
        del context
        return chain_effect(params.calls)

    def report(self, params: ChainParams, applied: Applied) -> Output:
        """Report what all the calls changed."""
        del params
        return changed(applied)


def changed(applied: Applied) -> Output:
    """Return the report on what a chain has changed."""
    plan = applied.plan
    return Output(
        {"modified": True, "files": list(plan.targets), "count": plan.files},
        f"All calls were made; {plan.counted_files} changed as one.",
    )


MOST_SHOWN = 20
"""Templates that a list shows with their parameters; of others it has the names."""


class TemplatesParams(Params):
    """The action, and the template that it is for."""

    action: Literal["list", "run"] = Field("list")
    name: str | None = Field(None, min_length=1, max_length=100)
    values: dict[str, Any] = Field(default_factory=dict, description="Of its parameters")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.action == "run" and self.name is None:
            raise ValueError("run needs the name of a template, as `list` has them")
        return self


class TemplatesTool(ReadTool[TemplatesParams], WriteTool[TemplatesParams]):
    """The tool that lists the user's templates, and runs one with the rights of whoever calls.

    Args:
        store: The templates.
        clock: For what day it is.
    """

    spec = ToolSpec(
        name="templates",
        action="run/ran the template[ {name}]",
        description="The user's templates for recurring work: list them, or run one as one change.",
        icon="list-checks",
        parameters=ModelParameters(TemplatesParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.NEVER,
        default_mode=ConsentMode.ALWAYS_ASK,
        sensitive=frozenset({"values"}),
        presets=frozenset({AGENT, VAULT}),
        stages=False,
    )

    def __init__(self, store: TemplateStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def prepare(self, params: TemplatesParams, context: CallContext) -> ChainEffect | ReadEffect:  # type: ignore[override] # it is both kinds
        """Return the calls of the template, which say themselves what they do; for listing nobody is asked."""
        del context
        if params.action == "list":
            return ReadEffect((), "List the templates", own=True)
        today = self._clock.now().astimezone().date()
        return template_effect(self._store.get(params.name or ""), params.values, today)

    def run(self, params: TemplatesParams, context: CallContext) -> Output:
        """List them."""
        del context
        found = [info.template for info in self._store.all()] if params.name is None else [self._store.get(params.name)]
        lines = [*map(_said, found[:MOST_SHOWN])]
        if others := [template.name for template in found[MOST_SHOWN:]]:
            lines.append(f"[{MOST_SHOWN} of {len(found)} in full; list with name shows one of: {', '.join(others)}]")
        return Output([_shown(template) for template in found], "\n".join(lines))

    def report(self, params: TemplatesParams, applied: Applied) -> Output:
        """Report what its calls changed."""
        del params
        return changed(applied)


def _shown(template: Template) -> dict[str, Any]:
    shown: dict[str, Any] = template.model_dump(
        mode="json", by_alias=True, include={"name", "title", "description", "parameters"}
    )
    return shown


def _said(template: Template) -> str:
    lines = [f"{template.name}: {template.title}. {template.description}".rstrip()]
    return "\n".join([*lines, *(f"  {_parameter(parameter)}" for parameter in template.parameters)])


def _parameter(parameter: TemplateParameter) -> str:
    need = "" if parameter.default is None else f", {parameter.default!r} if left out"
    if parameter.default is None and parameter.optional:
        need = ", may be left out"
    choices = f"; one of {', '.join(parameter.choices)}" if parameter.choices else ""
    said = f": {parameter.description}" if parameter.description else ""
    return f"{parameter.name} ({parameter.type}{need}{choices}){said}"
