"""The two kinds of tools over a vault, with what most tools of a kind declare alike."""

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import VAULT, ToolSpec

_IN_VAULT = frozenset({VAULT})


def read_spec(
    *,
    name: str,
    title: str,
    description: str,
    icon: str,
    parameters: type[Params],
    risk: RiskLevel = RiskLevel.LOW,
    default_rate: int = 100,
    presets: frozenset[str] = _IN_VAULT,
) -> ToolSpec:
    """The spec of a tool that reads the vault. A yes holds for the tool, not for one file, and may hold always.

    Args:
        name: What it is called by.
        title: For people.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: What it takes.
        risk: How dangerous it is.
        default_rate: Calls a minute, where the settings do not say.
        presets: The named sets of tools that it belongs to.
    """
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        icon=icon,
        parameters=ModelParameters(parameters),
        operation=Operation.READ,
        risk=risk,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.SESSION_ALLOW,
        covers=Covers.TOOL,
        default_rate=default_rate,
        presets=presets,
    )


def write_spec(
    *,
    name: str,
    title: str,
    description: str,
    icon: str,
    parameters: type[Params],
    id_prefix: str = "",
    operation: Operation = Operation.UPDATE,
    risk: RiskLevel = RiskLevel.HIGH,
    consent_class: ConsentClass = ConsentClass.SESSION,
    default_rate: int = 10,
    listed: bool = True,
    timeout: float = 30.0,
    presets: frozenset[str] = _IN_VAULT,
) -> ToolSpec:
    """The spec of a tool that changes the vault. A yes holds for one file, and at most for the session.

    Args:
        name: What it is called by.
        title: For people.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: What it takes.
        id_prefix: What execution ids begin with; the name when empty.
        operation: What it does.
        risk: How dangerous it is.
        consent_class: How far it may ever be trusted.
        default_rate: Calls a minute, where the settings do not say.
        listed: Whether it is listed and can be enabled.
        timeout: Seconds that planning may take.
        presets: The named sets of tools that it belongs to.
    """
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        icon=icon,
        parameters=ModelParameters(parameters),
        id_prefix=id_prefix,
        operation=operation,
        risk=risk,
        consent_class=consent_class,
        default_rate=default_rate,
        listed=listed,
        timeout=timeout,
        presets=presets,
    )
