"""The two kinds of tools over a vault, what their specs have alike, and the parameters that several take."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, TypedDict, TypeVar, Unpack

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.notes.canvas_board import CANVAS
from bridge.toolkit.parameters import ModelParameters, Schema, Sentence
from bridge.toolkit.tool import VAULT, P, ReadTool, ToolSpec, WriteTool
from bridge.tools.storage import PlanningStorage, Storage
from bridge.vault.text import encode, is_note

WP = TypeVar("WP", bound=Params)

LONGEST_PATH = 4096
LONGEST_NAME = 2000
LONGEST_TAG = 500
LONGEST_CURSOR = 4096
_LONGEST_COUNT = 9


class SnakeCaseParams(Params):
    """Parameters whose names on the wire are those of the fields, in snake_case."""

    model_config = ConfigDict(alias_generator=None)


_Path = Field(min_length=1, max_length=LONGEST_PATH)
RequiredPath = Annotated[str, _Path, Sentence("path is required and must be a non-empty string.")]
RequiredSource = Annotated[str, _Path, Sentence("source is required and must be a non-empty string.")]
RequiredDestination = Annotated[str, _Path, Sentence("destination is required and must be a non-empty string.")]

NO_CONTENT = "content is required and must be a string."
RequiredContent = Annotated[str, Sentence(NO_CONTENT)]
"""The `content` of the tools that write; it may be empty."""

NoteName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""A note's name, a wikilink, or a path."""

Tag = Annotated[str, Field(min_length=1, max_length=LONGEST_TAG)]
"""A tag, with or without `#`."""

Cursor = Annotated[str, Field(min_length=1, max_length=LONGEST_CURSOR)]
"""The place where an answer goes on: the `metadata.cursor` of the one before."""


def _as_text(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if type(value) is int else value


def _counting(value: str) -> str:
    if not (value.isascii() and value.isdigit() and len(value) < _LONGEST_COUNT):
        raise ValueError("it is the number that the last answer ended with")
    return value


CountingCursor = Annotated[str, BeforeValidator(_as_text), AfterValidator(_counting)]
"""A cursor that says how many items come before it. As models see a number, they may give it as one."""

_WRITTEN: Final = frozenset({"content", "append", "prepend", "new_text", "new_content", "patch", "texts"})
"""The parameters whose text is put into files."""


class WrittenParameters(ModelParameters[WP]):
    """The parameters of a tool that writes. Text that no file can hold is refused before anything is looked at."""

    def parse(self, arguments: Any) -> WP:
        """Return the arguments as an instance of the model. Raises InvalidParameters."""
        params = super().parse(arguments)
        _check_texts(params, "")
        return params


def _check_texts(value: Any, name: str, of: str = "") -> None:
    match value:
        case str() if name in _WRITTEN:
            encode(value, f"The text{of}")
        case BaseModel():
            for member, inner in value:
                _check_texts(inner, member, of)
        case list() | tuple():
            for number, inner in enumerate(value, 1):
                of = f" of edit {number}" if isinstance(inner, BaseModel) else ""
                _check_texts(inner, name, of)


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
    title: str = "",
    description: str,
    icon: str,
    parameters: type[Params],
    output: Schema | None = None,
    **differing: Unpack[SpecFields],
) -> ToolSpec:
    """Return the spec of a tool that reads the vault. A yes holds for the tool, not for one file, and may hold always.

    Args:
        name: Its name.
        title: For people; the words of the name where it is empty.
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
    *,
    name: str,
    title: str = "",
    description: str,
    icon: str,
    parameters: type[Params],
    **differing: Unpack[WriteFields],
) -> ToolSpec:
    """Return the spec of a tool that changes the vault. A yes holds for one file, and at most for the session.

    Args:
        name: Its name.
        title: For people; the words of the name where it is empty.
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


MOST_FILES: Final = 100
"""Files that one call names."""
_NAMED_FILES: Final = 3


def one_or_many(value: Any) -> Any:
    """Return a list, also of the one thing that was sent without one."""
    return [value] if isinstance(value, str | dict) else value


Several: Final = BeforeValidator(one_or_many)
"""Marks a list in place of which its only item may be sent."""


def changed_files(paths: Sequence[str]) -> str:
    """Return files in the middle of a sentence: a few by name."""
    shown = ", ".join(paths[:_NAMED_FILES])
    more = len(paths) - _NAMED_FILES
    return f"{len(paths)} files: {shown} and {more} more" if more > 0 else shown
