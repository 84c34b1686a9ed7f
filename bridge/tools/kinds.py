"""The two kinds of tools over a vault, what their specs have alike, and the parameters that several take."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, TypedDict, TypeVar, Unpack

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import DeadlineExceeded
from bridge.notes.canvas_board import CANVAS
from bridge.toolkit.parameters import ModelParameters, Schema, Sentence
from bridge.toolkit.tool import VAULT, CallContext, P, ReadTool, ToolSpec, WriteTool
from bridge.tools.storage import PlanningStorage, Storage
from bridge.vault.app_settings import IgnoreRules
from bridge.vault.edits import Edited
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan
from bridge.vault.text import encode, is_note

WP = TypeVar("WP", bound=Params)

LONGEST_PATH = 4096
LONGEST_NAME = 2000
LONGEST_TAG = 500
_LONGEST_COUNT = 9


class SnakeCaseParams(Params):
    """Parameters whose names on the wire are those of the fields, in snake_case."""

    model_config = ConfigDict(alias_generator=None)


PathText = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]
"""A path, perhaps a note's name or a wikilink."""
RequiredPath = Annotated[PathText, Sentence("path is required and must be a non-empty string.")]
RequiredSource = Annotated[PathText, Sentence("source is required and must be a non-empty string.")]
RequiredDestination = Annotated[PathText, Sentence("destination is required and must be a non-empty string.")]

NO_CONTENT = "content is required and must be a string."
RequiredContent = Annotated[str, Sentence(NO_CONTENT)]
"""The `content` of the tools that write; it may be empty."""

NoteName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""A note's name, a wikilink, or a path."""

Tag = Annotated[str, Field(min_length=1, max_length=LONGEST_TAG)]
"""A tag, with or without `#`."""

Cursor = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]
"""The place where an answer goes on: the `metadata.cursor` of the one before."""


def _as_text(value: Any) -> Any:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return str(whole) if type(whole) is int else whole


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


def until(clock: Clock, context: CallContext, late: str) -> Callable[[], None]:
    """Return a function that raises DeadlineExceeded with a sentence once the time of a call is over."""

    def check() -> None:
        if clock.monotonic() > context.deadline:
            raise DeadlineExceeded(late)

    return check


def left_out(storage: Storage, context: CallContext) -> tuple[IgnoreRules, ...]:
    """Return the rule for what the user keeps out of searches; nothing where there is none."""
    rules = storage.ignored(context.settings.ignore_patterns)
    return (rules,) if rules else ()


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

    def _changed(
        self,
        path: VaultPath,
        old: bytes,
        new: bytes | Edited,
        summary: str,
        warnings: Sequence[str] = (),
        *,
        replaces: bool = False,
    ) -> ChangePlan:
        """Return the plan by which a file gets another content, which differs.

        Args:
            path: The file.
            old: Its bytes as they were read; the ledger refuses the plan when they are others by then.
            new: The bytes it gets, perhaps with the regions in which they differ.
            summary: One sentence for the person.
            warnings: Warnings of what the diff does not show.
            replaces: Whether the caller gave the whole content.
        """
        builder = self._storage.plan()
        data, regions = (new, None) if isinstance(new, bytes) else (new.data, new.regions or None)
        builder.modify(path, old, data, regions, replaces=replaces)
        return builder.build(self.spec.operation, summary, warnings)


class SpecFields(TypedDict, total=False):
    """The fields in which specs of both kinds differ from most; `ToolSpec` has what each of them means."""

    title: str
    action: str
    output: Schema
    risk: RiskLevel
    consent_class: ConsentClass
    default_rate: int
    presets: frozenset[str]
    replaces: frozenset[str]
    acts: Acts
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
    *, name: str, description: str, icon: str, parameters: type[Params], **differing: Unpack[SpecFields]
) -> ToolSpec:
    """Return the spec of a tool that reads the vault. A yes holds for the tool, not for one file, and may hold always.

    Args:
        name: Its name.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: Its parameters.
        **differing: The fields in which it differs from most.
    """
    usual = ToolSpec(
        name=name,
        description=description,
        icon=icon,
        parameters=ModelParameters(parameters),
        operation=Operation.READ,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.ALWAYS,
        covers=Covers.TOOL,
        presets=_IN_VAULT,
    )
    return replace(usual, **differing)


def write_spec(
    *, name: str, description: str, icon: str, parameters: type[Params], **differing: Unpack[WriteFields]
) -> ToolSpec:
    """Return the spec of a tool that changes the vault. A yes holds for one file, and at most for the session.

    Args:
        name: Its name.
        description: For models and people.
        icon: The name of a Lucide icon.
        parameters: Its parameters.
        **differing: The fields in which it differs from most.
    """
    per_session = differing.get("consent_class", ConsentClass.SESSION) is ConsentClass.SESSION
    usual = ToolSpec(
        name=name,
        description=description,
        icon=icon,
        parameters=WrittenParameters(parameters),
        operation=Operation.UPDATE,
        risk=RiskLevel.HIGH,
        consent_class=ConsentClass.SESSION,
        default_mode=ConsentMode.SESSION_ALLOW if per_session else ConsentMode.ALWAYS_ASK,
        default_rate=10,
        presets=_IN_VAULT,
    )
    return replace(usual, **differing)


MOST_FILES: Final = 100
"""Files that one call names."""


Several: Final = BeforeValidator(lambda value: [value] if isinstance(value, str | dict) else value)
"""Marks a list in place of which its only item may be sent."""
