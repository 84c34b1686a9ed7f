"""The two kinds of tools over a vault, with what most tools of a kind declare alike."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.notes.canvas_board import CANVAS
from bridge.toolkit.output_schema import Schema
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import VAULT, ToolSpec
from bridge.tools.parameters import WrittenParameters
from bridge.vault.file_types import is_note

_IN_VAULT = frozenset({VAULT})

Acts = Callable[[Any, Sequence[str]], Iterable[frozenset[str]]]


def by_kind(paths: Sequence[str], notes: frozenset[str], others: frozenset[str]) -> Iterator[frozenset[str]]:
    """Acts that some tools do with notes, and some with other files; what has no extension may be a note.

    Args:
        paths: What a call is about.
        notes: The tools that do it with notes.
        others: The tools that do it with other files.
    """
    kinds = {is_note(path) or "." not in path.rpartition("/")[2] for path in paths}
    if True in kinds:
        yield notes
    if False in kinds or not kinds:
        yield others


def by_text(paths: Sequence[str], notes: frozenset[str], others: frozenset[str]) -> Iterator[frozenset[str]]:
    """Acts as of `by_kind` that change text: where it is that of a canvas, it is the work of `edit_canvas` too."""
    canvases = {path for path in paths if path.lower().endswith(CANVAS)}
    if canvases:
        yield others | {"edit_canvas"}
    if canvases != set(paths) or not paths:
        yield from by_kind([path for path in paths if path not in canvases], notes, others)


def read_spec(
    *,
    name: str,
    title: str,
    description: str,
    icon: str,
    parameters: type[Params],
    output: Schema | None = None,
    action: str = "",
    risk: RiskLevel = RiskLevel.LOW,
    default_rate: int = 100,
    presets: frozenset[str] = _IN_VAULT,
    replaces: frozenset[str] = frozenset(),
    acts: Acts | None = None,
) -> ToolSpec:
    """The spec of a tool that reads the vault. A yes holds for the tool, not for one file, and may hold always.

    Args:
        name: What it is called by.
        title: For people.
        action: How the log words its use; see `audit/phrase.py`.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: What it takes.
        output: The shape of what it answers, where that is always the same.
        risk: How dangerous it is.
        default_rate: Calls a minute, where the settings do not say.
        presets: The named sets of tools that it belongs to.
        replaces: The tools whose work it does too.
        acts: What a call does, by the names of the tools whose work it is; see `bridge/toolkit/acts.py`.
    """
    return ToolSpec(
        name=name,
        title=title,
        action=action,
        description=description,
        icon=icon,
        parameters=ModelParameters(parameters),
        output=output,
        operation=Operation.READ,
        risk=risk,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.SESSION_ALLOW,
        covers=Covers.TOOL,
        default_rate=default_rate,
        presets=presets,
        replaces=replaces,
        acts=acts,
    )


def write_spec(
    *,
    name: str,
    title: str,
    description: str,
    icon: str,
    parameters: type[Params],
    action: str = "",
    id_prefix: str = "",
    operation: Operation = Operation.UPDATE,
    risk: RiskLevel = RiskLevel.HIGH,
    fixed_risk: bool = False,
    consent_class: ConsentClass = ConsentClass.SESSION,
    default_rate: int = 10,
    listed: bool = True,
    stages: bool = True,
    timeout: float | Callable[[Any], float] = 30.0,
    presets: frozenset[str] = _IN_VAULT,
    replaces: frozenset[str] = frozenset(),
    acts: Acts | None = None,
) -> ToolSpec:
    """The spec of a tool that changes the vault. A yes holds for one file, and at most for the session.

    Args:
        name: What it is called by.
        title: For people.
        action: How the log words its use; see `audit/phrase.py`.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: What it takes.
        id_prefix: What execution ids begin with; the name when empty.
        operation: What it does.
        risk: How dangerous it is, as the list of tools has it.
        fixed_risk: Whether every question shows that, whatever the call would change.
        consent_class: How far it may ever be trusted.
        default_rate: Calls a minute, where the settings do not say.
        listed: Whether it is listed and can be enabled.
        stages: Whether its plans are staged while its caller has a draft.
        timeout: Seconds that planning may take, or a function that works them out from the parameters.
        presets: The named sets of tools that it belongs to.
        replaces: The tools whose work it does too.
        acts: What a call does, by the names of the tools whose work it is; see `bridge/toolkit/acts.py`.
    """
    return ToolSpec(
        name=name,
        title=title,
        action=action,
        description=description,
        icon=icon,
        parameters=WrittenParameters(parameters),
        default_mode=ConsentMode.SESSION_ALLOW if consent_class is ConsentClass.SESSION else ConsentMode.ALWAYS_ASK,
        id_prefix=id_prefix,
        operation=operation,
        risk=risk,
        fixed_risk=fixed_risk,
        consent_class=consent_class,
        default_rate=default_rate,
        listed=listed,
        stages=stages,
        timeout=timeout,
        presets=presets,
        replaces=replaces,
        acts=acts,
    )


def unlisted_write_spec(
    *, name: str, title: str, description: str, icon: str, parameters: type[Params], action: str, id_prefix: str
) -> ToolSpec:
    """The spec of a tool behind a method of the protocol: it is asked about each time, is not listed and never staged.

    Args:
        name: What it is called by.
        title: For people.
        action: How the log words its use; see `audit/phrase.py`.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: What it takes.
        id_prefix: What execution ids begin with.
    """
    return write_spec(
        name=name,
        title=title,
        description=description,
        icon=icon,
        parameters=parameters,
        action=action,
        id_prefix=id_prefix,
        consent_class=ConsentClass.NEVER,
        listed=False,
        stages=False,
        presets=frozenset(),
    )
