"""templates.*: the chains that the user keeps under a name. Only the user's programs make and change them."""

import asyncio
from collections.abc import Sequence

from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.result import PendingCall, ToolResult
from bridge.contract.templates import (
    TemplateInfo,
    TemplateRemoved,
    TemplateRemoveParams,
    TemplateRunParams,
    TemplateSaveParams,
)
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.tools import call_tool
from bridge.tools.templates.templates import TemplatesTool


def list_templates(context: RequestContext, _params: Params) -> Sequence[TemplateInfo]:
    """All templates, by name."""
    return context.services.templates.all()


async def run(context: RequestContext, params: TemplateRunParams) -> ToolResult | PendingCall:
    """Run one, with the rights of whoever asks, which is a call of the tool `templates`."""
    arguments = {"action": "run", "name": params.name, "values": params.values}
    return await call_tool(context, TemplatesTool.spec.name, arguments, params)


async def save(context: RequestContext, params: TemplateSaveParams) -> TemplateInfo:
    """Keep one."""
    await asyncio.to_thread(context.services.templates.save, params.template, replace=params.replace)
    return TemplateInfo(template=params.template, shipped=False)


async def remove(context: RequestContext, params: TemplateRemoveParams) -> TemplateRemoved:
    """Remove one of the user's own."""
    restored = await asyncio.to_thread(context.services.templates.remove, params.name)
    return TemplateRemoved(name=params.name, restored=restored)


METHODS = (
    Method("templates.list", list_templates, list[TemplateInfo]),
    Method("templates.run", run, ToolResult | PendingCall, TemplateRunParams),
    Method("templates.save", save, TemplateInfo, TemplateSaveParams, needs=Capability.ADMINISTER),
    Method("templates.remove", remove, TemplateRemoved, TemplateRemoveParams, needs=Capability.ADMINISTER),
)
