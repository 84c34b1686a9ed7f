"""templates.*: the chains that the user keeps under a name. Only the user's programs make and change them."""

import asyncio
from collections.abc import Sequence

from bridge.contract.base import Params
from bridge.contract.chains import (
    TemplateInfo,
    TemplateRemoved,
    TemplateRemoveParams,
    TemplateRunParams,
    TemplateSaveParams,
)
from bridge.contract.identity import Capability
from bridge.contract.tools import PendingCall, ToolResult
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.tools import call_tool
from bridge.tools.templates.templates import TemplatesTool


def list_templates(context: RequestContext, _params: Params) -> Sequence[TemplateInfo]:
    """Return all templates, by name.

    Returns the [templates](tools.md#templates) by name, `{template, shipped}` each: `template` as in its file, `{name,
    title, description, parameters, calls}`, and whether it came with the bridge.
    """
    return context.services.templates.all()


async def run(context: RequestContext, params: TemplateRunParams) -> ToolResult | PendingCall:
    """Run one, with the rights of whoever asks, which is a call of the tool `templates`.

    Runs a template, with the rights of the client that asks: a call of the tool [`templates`](tools.md#templates),
    whose [ToolResult](#toolresult) is returned. `values` are those of its parameters. The other parameters are as those
    of [`tools.call`](#toolscall). The reading that a template does for the person's own programs is not asked about;
    what it changes is.
    """
    arguments = {"action": "run", "name": params.name, "values": params.values}
    return await call_tool(context, TemplatesTool.spec.name, arguments, params)


async def save(context: RequestContext, params: TemplateSaveParams) -> TemplateInfo:
    """Keep one.

    Keeps a [template](tools.md#templates), which is checked as far as it can be without being run. One of the user's
    own with this name is only overwritten with `replace`; else the answer is `conflict` with `exists`. One that came
    with the bridge is hidden by one of the same name. Returns `{template, shipped}`, as `templates.list` does.
    """
    await asyncio.to_thread(context.services.templates.save, params.template, replace=params.replace)
    return TemplateInfo(template=params.template, shipped=False)


async def remove(context: RequestContext, params: TemplateRemoveParams) -> TemplateRemoved:
    """Remove one of the user's own.

    Removes one of the user's own. Returns `{name, restored}`; `restored` says that the one of this name which came with
    the bridge is there again.
    """
    restored = await asyncio.to_thread(context.services.templates.remove, params.name)
    return TemplateRemoved(name=params.name, restored=restored)


METHODS = (
    Method("templates.list", list_templates, list[TemplateInfo]),
    Method("templates.run", run, ToolResult | PendingCall, TemplateRunParams),
    Method("templates.save", save, TemplateInfo, TemplateSaveParams, needs=Capability.ADMINISTER),
    Method("templates.remove", remove, TemplateRemoved, TemplateRemoveParams, needs=Capability.ADMINISTER),
)
