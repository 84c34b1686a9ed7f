"""Making a chain of calls and, at the end, all that they would change."""

from typing import TYPE_CHECKING

from bridge.toolkit.chain import Chain
from bridge.toolkit.effects.kind import EffectKind, PreparedEffect
from bridge.toolkit.effects.writing import Writing, not_in_chain
from bridge.toolkit.tool import ChainEffect, Output

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


class Chaining(PreparedEffect[ChainEffect]):
    """A chain of calls."""

    async def ask(self, running: "Running") -> EffectKind:
        """Refuse what no chain can hold. The person is asked once it is known what would change."""
        if running.tool_call.within is not None:
            raise not_in_chain(running.tool)
        _ = running.write_tool
        running.refuse_denied(self)
        for name in dict.fromkeys(call.tool for call in self.effect.calls):
            part = running.lookup(name)
            if part.spec.own or not part.spec.stages:
                raise not_in_chain(part)
        return self

    async def carry_out(self, running: "Running") -> Output:
        """Make the calls, and then ask about all that they would change and apply it."""
        tool_call, services = running.tool_call, running.services
        chain = Chain(
            self.effect,
            tool_call,
            drafts=services.drafts,
            writes=lambda name: running.lookup(name).spec.writes,
            call=services.call,
            threads=services.threads(tool_call),
            progress=running.context().progress,
        )
        async with chain:
            await chain.make_calls()
            if chain.in_draft is not None:
                text = f"Staged in {chain.in_draft}; nothing is written until the user takes the draft.{chain.warning}"
                metadata = {"staged": True, "draft": chain.in_draft}
                return chain.in_answer(Output({"modified": False}, text, metadata=metadata))
            plan = (await chain.plan()).plan
            if plan is None:
                nothing = Output({"modified": False, "files": []}, "All calls were made; no file was changed.")
                return chain.in_answer(nothing)
            change = await (await Writing(plan).examine(running, run=True)).approved(running)
            return chain.in_answer(await change.carry_out(running))
