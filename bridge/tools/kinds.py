"""The two kinds of tools over a vault, with what most tools of a kind declare alike."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.notes.canvas_board import CANVAS
from bridge.toolkit.output_schema import Schema
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import VAULT, P, ReadTool, ToolSpec, WriteTool
from bridge.tools.parameters import WrittenParameters
from bridge.tools.storage import PlanningStorage, Storage
from bridge.vault.text import is_note

_IN_VAULT = frozenset({VAULT})

Acts = Callable[[Any, Sequence[str]], Iterable[frozenset[str]]]


def by_kind(paths: Sequence[str], notes: frozenset[str], others: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield acts that some tools do with notes, and some with other files; what has no extension may be a note.

    Args:
        paths: The paths that a call is about.
        notes: The tools that do it with notes.
        others: The tools that do it with other files.
    """
    kinds = {is_note(path) or "." not in path.rpartition("/")[2] for path in paths}
    if True in kinds:
        yield notes
    if False in kinds or not kinds:
        yield others


def by_text(paths: Sequence[str], notes: frozenset[str], others: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield acts as of `by_kind` that change text: in a canvas, they are the work of `edit_canvas` too."""
    canvases = {path for path in paths if path.lower().endswith(CANVAS)}
    if canvases:
        yield others | {"edit_canvas"}
    if canvases != set(paths) or not paths:
        yield from by_kind([path for path in paths if path not in canvases], notes, others)


class VaultReadTool(ReadTool[P]):
    """A tool that reads the vault and needs nothing else.

    Args:
        storage: The vault.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage


class VaultWriteTool(WriteTool[P]):
    """A tool that changes the vault and needs nothing else.

    Args:
        storage: The vault.
    """

    def __init__(self, storage: PlanningStorage) -> None:
        self._storage = storage


class SpecFields(TypedDict, total=False):
    """The fields in which specs of both kinds differ from most; `ToolSpec` has what each of them means."""

    action: str
    risk: RiskLevel
    consent_class: ConsentClass
    default_rate: int
    presets: frozenset[str]
    replaces: frozenset[str]
    acts: Acts | None
    bulky: frozenset[str]


class WriteFields(SpecFields, total=False):
    """The further fields of specs of tools that change something."""

    id_prefix: str
    operation: Operation
    fixed_risk: bool
    listed: bool
    stages: bool
    timeout: float | Callable[[Any], float]


class _Unlisted(TypedDict):
    consent_class: ConsentClass
    listed: bool
    stages: bool
    presets: frozenset[str]


UNLISTED: Final = _Unlisted(consent_class=ConsentClass.NEVER, listed=False, stages=False, presets=frozenset())
"""A tool behind a method of the protocol: it is asked about each time, is not listed and never staged."""


def read_spec(
    *,
    name: str,
    title: str,
    description: str,
    icon: str,
    parameters: type[Params],
    output: Schema | None = None,
    **differing: Unpack[SpecFields],
) -> ToolSpec:
    """Return the spec of a tool that reads the vault. A yes holds for the tool, not for one file, and may hold always.

    Args:
        name: Its name.
        title: For people.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: Its parameters.
        output: The shape of what it answers, where that is always the same.
        **differing: What it says otherwise than most.
    """
    usual = ToolSpec(
        name=name,
        title=title,
        description=description,
        icon=icon,
        parameters=ModelParameters(parameters),
        output=output,
        operation=Operation.READ,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.SESSION_ALLOW,
        covers=Covers.TOOL,
        default_rate=100,
        presets=_IN_VAULT,
    )
    return replace(usual, **differing)


def write_spec(
    *, name: str, title: str, description: str, icon: str, parameters: type[Params], **differing: Unpack[WriteFields]
) -> ToolSpec:
    """Return the spec of a tool that changes the vault. A yes holds for one file, and at most for the session.

    Args:
        name: Its name.
        title: For people.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: Its parameters.
        **differing: What it says otherwise than most.
    """
    per_session = differing.get("consent_class", ConsentClass.SESSION) is ConsentClass.SESSION
    usual = ToolSpec(
        name=name,
        title=title,
        description=description,
        icon=icon,
        parameters=WrittenParameters(parameters),
        default_mode=ConsentMode.SESSION_ALLOW if per_session else ConsentMode.ALWAYS_ASK,
        operation=Operation.UPDATE,
        risk=RiskLevel.HIGH,
        consent_class=ConsentClass.SESSION,
        default_rate=10,
        presets=_IN_VAULT,
    )
    return replace(usual, **differing)
