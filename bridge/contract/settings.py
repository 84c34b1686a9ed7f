"""Reading and changing a vault's settings: `settings.*`. The settings themselves are in `bridge/settings/model.py`."""

from typing import Any, Literal

from bridge.contract.base import Params, Wire
from bridge.contract.consent import ConsentMode
from bridge.contract.tools import ToolSummary

Section = Literal["tools", "chat", "apis", "network", "performance", "privacy", "toolSpecific"]
"""The sections of the settings screen."""


class SettingsUpdateParams(Params):
    """Merged deeply into what is set, validated as a whole."""

    patch: dict[str, Any]


class SettingsResetParams(Params):
    """One section, or everything."""

    section: Section | None = None


class SettingsUpdated(Wire):
    """All settings as they are now, and a sentence for each value that is allowed and risky."""

    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()


class SettingsSection(Wire):
    """One section of the form."""

    id: str
    title: str
    description: str


class ToolSetting(ToolSummary):
    """A tool with what is set for it.

    Attributes:
        group: Of the settings screen: what kinds of tools belong together.
        enabled: Whether agents can see it.
        mode: When it asks.
        modes: The modes it can be set to, the most cautious first; each differs from the others for this tool.
        rate: The calls a minute that one client can make.
        default_rate: The same where nothing is set.
    """

    group: str
    enabled: bool
    mode: ConsentMode
    modes: tuple[ConsentMode, ...]
    rate: int
    default_rate: int


class SettingsSchema(Wire):
    """The JSON Schema of the settings, and what a form needs beside it.

    Attributes:
        properties: The schema of each setting, by its name.
        sections: The sections of the form, in order.
        presets: Named sets for `enabledTools`.
        tools: Every tool that the settings can be about: also those that are not enabled.
    """

    type: Literal["object"] = "object"
    title: str
    description: str
    additional_properties: bool = False
    properties: dict[str, Any]
    sections: tuple[SettingsSection, ...]
    presets: dict[str, tuple[str, ...]]
    tools: tuple[ToolSetting, ...]
