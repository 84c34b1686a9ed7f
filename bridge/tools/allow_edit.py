"""The tool `allow_edit`: a client's own editor is about to change files, and the person is asked whether it may.

The client changes them itself afterwards. Nothing is written here; what it then writes is compared with what was
allowed (`bridge/versions/allowed_edits.py`). Patches in the form of `*** Begin Patch` are applied by the rules of the
clients that write them: they look for the lines of a hunk from where the one before ended, to the letter, then without
blanks at the ends of lines, then without those at both ends. Only what is found so is known for certain.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from pydantic import Field, model_validator

from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.identity.caller import Caller
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.registry import StaticProvider, ToolProvider
from bridge.toolkit.tool import CallContext, Output, ReadTool, ToolSpec, Unchanged, in_vault
from bridge.tools.files.replacing import find_text, replace_spans
from bridge.tools.formatting import shortened
from bridge.tools.kinds import PathText, SnakeCaseParams, by_text
from bridge.tools.paths import read_text, vault_path
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan, content_hash
from bridge.vault.text import counted, encode

_MOST_COMPARED = 5_000_000
"""Lines that are compared for one patch."""

_WAYS: tuple[Callable[[str], str], ...] = (lambda line: line, str.rstrip, str.strip)


@dataclass(slots=True)
class _Hunk:
    """Lines that are looked for, and what comes in their place.

    Attributes:
        context: A line above them that is looked for first.
        old: The lines.
        new: What comes.
        at_end: Whether they are the last of the file.
    """

    context: str | None = None
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    at_end: bool = False


def patched(data: bytes, patch: str, path: object) -> bytes:
    """Return a file with the hunks of a patch applied. It ends with a line break.

    Args:
        data: Its bytes, which are UTF-8.
        patch: The lines of the patch between the file's marker and the next one.
        path: What the file is called in failures.

    Raises:
        Conflict: A hunk does not fit (`no_match`).
        InvalidParameters: It is not a patch.
    """
    lines = data.decode().split("\n")
    if lines[-1] == "":
        lines.pop()
    search = _Search(lines, path)
    for hunk in _hunks(patch):
        search.take(hunk)
    result = search.result()
    if not result or result[-1] != "":
        result.append("")
    return encode("\n".join(result))


class _Search:
    """The search for the places of hunks, one after the other.

    Args:
        lines: The file's.
        path: What it is called in failures.
    """

    def __init__(self, lines: list[str], path: object) -> None:
        self._lines, self._path = lines, path
        self._at = self._compared = 0
        self._found: list[tuple[int, int, list[str]]] = []

    def take(self, hunk: _Hunk) -> None:
        """Find the next hunk. Raises Conflict."""
        if hunk.context is not None:
            self._at = self._seek([hunk.context], at_end=False) + 1
        if not hunk.old:
            before_blank = bool(self._lines) and self._lines[-1] == ""
            self._found.append((len(self._lines) - before_blank, 0, hunk.new))
            return
        old, new = hunk.old, hunk.new
        try:
            place = self._seek(old, at_end=hunk.at_end)
        except Conflict:
            if old[-1] != "":
                raise
            old = old[:-1]  # an empty last line stands for the end of the file
            new = new[:-1] if new and new[-1] == "" else new
            place = self._seek(old, at_end=hunk.at_end)
        self._found.append((place, len(old), new))
        self._at = place + len(old)

    def result(self) -> list[str]:
        """Return the file's lines then."""
        lines = list(self._lines)
        for place, count, new in sorted(self._found, key=lambda one: one[0], reverse=True):
            lines[place : place + count] = new
        return lines

    def _seek(self, wanted: Sequence[str], *, at_end: bool) -> int:
        """Return where lines stand together, from where the last ones ended. Raises Conflict."""
        last = len(self._lines) - len(wanted)
        places = range(max(last, 0) if at_end else self._at, last + 1)
        for way in _WAYS:
            plain = [way(line) for line in wanted]
            for place in places:
                if self._fits(place, plain, way):
                    return place
        shown = shortened("\n".join(wanted))
        raise Conflict(f"The patch does not fit {str(self._path)!r}: it has no lines '{shown}'", code="no_match")

    def _fits(self, place: int, plain: Sequence[str], way: Callable[[str], str]) -> bool:
        for number, line in enumerate(plain):
            self._compared += 1
            if self._compared > _MOST_COMPARED:
                raise Conflict(f"The patch of {str(self._path)!r} takes too long to be looked for", code="no_match")
            if way(self._lines[place + number]) != line:
                return False
        return True


def _hunks(patch: str) -> Iterator[_Hunk]:
    """Yield the hunks of one file. Raises InvalidParameters."""
    hunk: _Hunk | None = None
    for line in (line.removesuffix("\r") for line in patch.removesuffix("\n").split("\n")):
        if line.startswith("@@"):
            if hunk is not None:
                yield hunk
            hunk = _Hunk(context=line[3:] if line.startswith("@@ ") else None)
        elif line == "*** End of File" and hunk is not None:
            hunk.at_end = True
            yield hunk
            hunk = None
        elif line.strip() or hunk is not None:
            hunk = hunk or _Hunk()
            mark, text = line[:1], line[1:]
            if mark not in {"", " ", "+", "-"}:
                raise InvalidParameters(f"The patch has a line that belongs to no hunk: '{shortened(line)}'")
            if mark != "+":
                hunk.old.append(text)
            if mark != "-":
                hunk.new.append(text)
    if hunk is not None:
        yield hunk


MOST_FILES: Final = 200
MOST_REPLACEMENTS: Final = 1000
_NAMED: Final = 3

Allowed = Callable[[ChangePlan, Caller], None]
"""Told what a person has allowed a client to change itself. Blocks. Raises ExecutionFailed, and Conflict where a file
is open with text that is not saved."""


class Replacement(SnakeCaseParams):
    """A text that stands in the file once, or everywhere, and what comes in its place."""

    old: str = Field(min_length=1)
    new: str
    all: bool = False


class ClientEdit(SnakeCaseParams):
    """The change to one file, in exactly one way: other content, texts replaced, a patch, or its deletion."""

    path: PathText = Field(description="The file, relative to the vault")
    to: PathText | None = Field(default=None, description="Where a patch moves it")
    content: str | None = Field(default=None, description="Its whole content")
    new: bool = Field(default=False, description="With content: the file is new, or empty")
    replace: list[Replacement] | None = Field(default=None, min_length=1, max_length=MOST_REPLACEMENTS)
    patch: str | None = Field(default=None, description="Hunks of the form of *** Begin Patch")
    delete: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> "ClientEdit":
        ways = (self.content is not None, self.replace is not None, self.patch is not None, self.delete)
        if sum(ways) != 1:
            raise ValueError("an edit has exactly one of content, replace, patch and delete")
        if self.to is not None and self.patch is None:
            raise ValueError("to goes with patch")
        return self


class AllowEditParams(SnakeCaseParams):
    """The edits that a client is about to make to files of the vault."""

    edits: list[ClientEdit] = Field(min_length=1, max_length=MOST_FILES)


_REPLACES: Final = frozenset({"edit", "edit_file", "modify_note"})
_WRITES: Final = frozenset({"edit", "write_file", "update_note", "create_note"})
_DELETES: Final = frozenset({"delete", "delete_file", "delete_note"})
_MOVES: Final = frozenset({"move", "move_file", "organize_note"})


def _acts(params: AllowEditParams, paths: Sequence[str]) -> Iterator[frozenset[str]]:
    for edit in params.edits:
        if edit.delete:
            yield _DELETES
        else:
            text = _REPLACES if edit.content is None else _WRITES
            yield from by_text(paths, text, text)
        if edit.to is not None:
            yield _MOVES


@dataclass(slots=True)
class _File:
    """One file with its bytes now (None if it does not exist) and after the edits (None if they delete it)."""

    path: VaultPath
    data: bytes | None
    new: bytes | None
    to: VaultPath | None = None
    replaces: bool = False


class AllowEditTool(ReadTool[AllowEditParams]):
    """The tool that asks whether a client may change files itself.

    Args:
        storage: The vault.
        allowed: Told what was allowed.
    """

    spec = ToolSpec(
        name="allow_edit",
        title="Edit by the program itself",
        action="propose/proposed a change of {files|files} with its own editor",
        description="Ask the user whether a program may change files of the vault with its own editor.",
        icon="pencil-line",
        parameters=ModelParameters(AllowEditParams),
        operation=Operation.UPDATE,
        risk=RiskLevel.HIGH,
        consent_class=ConsentClass.SESSION,
        default_rate=60,
        id_prefix="allowed",
        listed=False,
        stages=False,
        by_caller=True,
        acts=_acts,
    )

    def __init__(self, storage: PlanningStorage, allowed: Allowed) -> None:
        self._storage = storage
        self._allowed = allowed

    def prepare(self, params: AllowEditParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what each file will be, by the rules of the clients' own editors."""
        files: dict[VaultPath, _File] = {}
        for edit in params.edits:
            self._take(files, edit)
        changed = [file for file in files.values() if file.new != file.data or file.to is not None]
        if not changed:
            what = f"Compare {_listed(files)} with an edit"
            output = Output({"allowed": True}, "Nothing changes: the files are like that already.")
            return Unchanged(in_vault(*map(str, files)), what, output)
        builder = self._storage.plan()
        for file in changed:
            if file.data is None:
                builder.create(file.path, file.new or b"")
            elif file.new is None:
                builder.delete(file.path, file.data)
            elif file.to is not None:
                builder.move(file.path, file.to, content_hash(file.data), (file.data, file.new))
            else:
                builder.modify(file.path, file.data, file.new, replaces=file.replaces)
        operation = Operation.CREATE if all(file.data is None for file in changed) else Operation.UPDATE
        if any(file.new is None for file in changed):
            operation = Operation.DELETE
        who = context.caller.name
        note = (
            f"{who} writes this itself. What it then writes is compared with this, and other programs' changes are kept"
        )
        return builder.build(operation, f"Let {who} change {_listed([file.path for file in changed])} itself", [note])

    def run(self, _params: AllowEditParams, context: CallContext) -> Output:
        """Note what was allowed."""
        if context.approved is None:
            raise TypeError("nothing was approved")
        self._allowed(context.approved, context.caller)
        return Output({"allowed": True}, "The user allows it.")

    def _take(self, files: dict[VaultPath, _File], edit: ClientEdit) -> None:
        """Apply one edit to the files of a call, each as the edits before have left it.

        Raises:
            Conflict: It does not fit the file as it is.
            InvalidParameters: It cannot be written, or makes no sense.
            NotFound: There is no such file.
            PermissionDenied: It is closed, or in a dot-folder.
        """
        file = self._file(files, edit)
        now = file.new
        if edit.content is not None:
            if edit.new and now:
                raise Conflict(f"There is {str(file.path)!r} already, and it is not empty", code="exists")
            file.new, file.replaces = encode(edit.content), True
        elif now is None:
            raise NotFound(f"There is no file {str(file.path)!r}")
        elif edit.replace is not None:
            for replacement in edit.replace:
                file.new = _replaced(file.new or b"", replacement, file.path)
        elif edit.patch is not None:
            file.new = patched(now, edit.patch, file.path)
            if edit.to is not None:
                file.to = self._storage.resolve_new(self._path(edit.to))
        else:
            file.new = None

    def _path(self, text: str) -> VaultPath:
        path = vault_path(text, self._storage)
        if not path.parts:
            raise InvalidParameters("This is the vault itself, not a file")
        return path

    def _file(self, files: dict[VaultPath, _File], edit: ClientEdit) -> _File:
        path = self._path(edit.path)
        try:
            place, data = read_text(self._storage, path)
        except NotFound:
            if edit.content is None:
                raise
            place, data = self._storage.resolve_new(path), None
        known = files.get(place)
        if known is not None and (known.to is not None or known.new is None):
            raise InvalidParameters(f"{str(place)!r} is moved or deleted by an edit before this one")
        return files.setdefault(place, known or _File(place, data, data))


def _replaced(data: bytes, replacement: Replacement, path: VaultPath) -> bytes:
    """Return some bytes with a text replaced, which must be certain to be meant."""
    spans = list(find_text(data, encode(replacement.old)))
    shown = shortened(replacement.old)
    if not spans:
        raise Conflict(f"Text '{shown}' is not in {str(path)!r}. Read the file again", code="no_match")
    if len(spans) > 1 and not replacement.all:
        many = counted(len(spans), "time")
        raise Conflict(f"Text '{shown}' is {many} in {str(path)!r}. Give more of what is around it", code="no_match")
    return replace_spans(data, spans, encode(replacement.new)).data


def _listed(paths: Collection[VaultPath]) -> str:
    named = ", ".join(map(str, islice(paths, _NAMED)))
    return f"{named} and {counted(len(paths) - _NAMED, 'more file')}" if len(paths) > _NAMED else named


def edits_provider(storage: PlanningStorage, allowed: Allowed) -> ToolProvider:
    """Return the provider that gives this tool to everybody. It is in no list: only programs that know of it call it.

    Args:
        storage: The vault.
        allowed: Told what was allowed.
    """
    return StaticProvider("edits", [AllowEditTool(storage, allowed)])
