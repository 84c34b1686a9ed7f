"""Chains, which are several calls as one, and templates, which are chains that the user keeps: `templates.*`.

A later call of a chain can use what earlier ones answered. A template has a name and parameters.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from bridge.contract.base import Anything, Params, Wire
from bridge.contract.consent import Id
from bridge.contract.tools import Arguments, CallOptions

MOST_CALLS: Final = 50
"""Calls that a chain may list."""

CallName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]


class ChainCall(Params):
    """One call of a chain. With `each`, which stands for a list, it is made once for each item of that."""

    name: CallName = Field(description="by which later calls refer to it")
    tool: Annotated[str, Field(min_length=1, max_length=100)]
    arguments: dict[str, Any] = Field(default_factory=dict)
    each: dict[str, Any] | None = Field(
        default=None, description="what gives a list: the call is made for each item of it, `$item`"
    )


Calls = Annotated[list[ChainCall], Field(min_length=1, max_length=MOST_CALLS)]


class ChainParams(Params):
    """The calls, in order."""

    calls: Calls


class ToolChainParams(CallOptions, ChainParams):
    """The calls; the other members are as those of `tools.call`."""


TemplateName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
ParameterType = Literal["text", "number", "boolean", "list", "date"]


class TemplateParameter(Params):
    """A value to give when a template is run.

    Attributes:
        name: Its name, by which the calls refer to it.
        type: `text`, `number`, `boolean`, `list` (of texts) or `date` (`2026-11-22`; `today`, `yesterday` and
            `tomorrow` stand for their days).
        title: For people; the name where it is empty.
        description: For people and models.
        optional: Whether it may be left out; then it is its default.
        default: Its value where it is left out; null is nothing.
        choices: Of a text: what it can be; anything where there are none.
    """

    name: CallName
    type: ParameterType = "text"
    title: Annotated[str, Field(max_length=80)] = ""
    description: Annotated[str, Field(max_length=500)] = ""
    optional: bool = False
    default: Anything = None
    choices: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=100)] = Field(default_factory=list)


class Template(Params):
    """A chain with a name and parameters.

    Attributes:
        name: Small letters, digits and `-`.
        title: For people.
        description: For people and models: when it is of use.
        parameters: The values to give when it is run.
        calls: As of the tool `chain`, with `{"$param": "name"}` for the parameters.
    """

    name: TemplateName
    title: Annotated[str, Field(min_length=1, max_length=80)]
    description: Annotated[str, Field(max_length=500)] = ""
    parameters: Annotated[list[TemplateParameter], Field(max_length=20)] = Field(default_factory=list)
    calls: Calls


class TemplateInfo(Wire):
    """A template, and where it comes from.

    Attributes:
        template: The template.
        shipped: Whether it came with the bridge. One of the user's own with the same name takes its place.
    """

    template: Template
    shipped: bool


class NamedTemplate(Params):
    """A template and the values of its parameters."""

    name: Id
    values: Arguments = Field(default_factory=dict)


class TemplateRunParams(CallOptions, NamedTemplate):
    """The template to run, and the values of its parameters; the other members are as those of `tools.call`."""


class TemplateSaveParams(Params):
    """The template, whole. With `replace`, one of the user's own with this name is overwritten."""

    template: Template
    replace: bool = False


class TemplateRemoveParams(Params):
    """The template to remove, one of the user's own."""

    name: Id


class TemplateRemoved(Wire):
    """The removal of a template. `restored`: the one of this name that came with the bridge is back."""

    name: str
    restored: bool
