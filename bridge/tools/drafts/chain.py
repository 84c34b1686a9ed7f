"""The tool `chain`: several calls as one, which is one question and changes the vault all or not at all."""

from bridge.contract.chains import ChainParams
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.chain import chain_effect
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import VAULT, Applied, CallContext, ChainEffect, Output, ToolSpec, WriteTool


class ChainTool(WriteTool[ChainParams]):
    """The tool that makes several calls as one."""

    spec = ToolSpec(
        name="chain",
        title="Chain",
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
        covers=Covers.TARGET,
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
