"""The tool `edit`: changes to the text of one file or of several, in one change."""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.errors import Conflict, InvalidParameters
from bridge.identity.caller import Caller
from bridge.pictures.reader import PictureReader
from bridge.toolkit.parameters import respelled
from bridge.toolkit.permitted import Screens
from bridge.toolkit.tool import AGENT, CallContext, Output, Unchanged, WriteEffect, in_vault
from bridge.tools import incoming
from bridge.tools.core.screen import SCREEN, SELECTED, with_selection
from bridge.tools.everyday.places import heading_number, with_text_below
from bridge.tools.files.editing import EditTarget, append_text, prepend_text, replace_text
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper
from bridge.tools.formatting import changed_files, diff_facts, shortened, some
from bridge.tools.joining import parsed
from bridge.tools.kinds import PathText, Several, SnakeCaseParams, VaultWriteTool, by_text, write_spec
from bridge.tools.notes.changing import rewritten, shrinking
from bridge.tools.paths import existing_path, failing_as, read_text
from bridge.tools.storage import PlanningStorage
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import counted, encode, is_note

MOST_EDITS = 1000
_LINES = frozenset({"edit", "edit_file"})
_TEXT = frozenset({"edit", "edit_file", "modify_note"})
_ADDS = frozenset({"edit", "modify_note"})
_WHOLE_NOTE = frozenset({"edit", "update_note", "write_file"})
_WHOLE_FILE = frozenset({"edit", "write_file"})
_WAYS = ("old_text", "start_line", "after_line", "append", "url", "prepend", "content")
_TEXTS = ("new_text", "append", "prepend", "content")


class Edit(SnakeCaseParams):
    """One edit: in exactly one of its ways."""

    path: PathText | None = Field(default=None, description="Default: the call's path")
    old_text: str | None = Field(default=None, min_length=1, description="Exact text to replace, with new_text")
    new_text: str | None = None
    replace_all: bool = Field(default=False, description="Every place")
    start_line: int | None = Field(default=None, ge=1, description="Instead: first line to replace")
    end_line: int | None = Field(default=None, ge=1, description="Default: start_line")
    after_line: int | None = Field(
        default=None, ge=0, description="Instead: insert new_text below this line (0: at the top)"
    )
    append: str | None = Field(default=None, min_length=1, description="Instead: add at the end")
    url: str | None = Field(
        default=None, min_length=1, max_length=incoming.LONGEST_URL, description="Instead: add this web page at the end"
    )
    heading: PathText | None = Field(default=None, description="With append, url: below this heading")
    prepend: str | None = Field(default=None, min_length=1, description="Instead: add below the properties")
    content: str | None = Field(
        default=None, description="Instead: all of its text; the properties stay unless new ones are in it"
    )

    @model_validator(mode="before")
    @classmethod
    def _deletes(cls, sent: Any) -> Any:
        """Accept the `delete_lines` of `edit_file` too, and `content` for the lines of an edit by lines."""
        if not isinstance(sent, dict):
            return sent
        sent = dict(sent)
        lines = sent.pop("delete_lines", None)
        if isinstance(lines, dict) and not {"start_line", "end_line", "new_text"} & sent.keys():
            sent |= {"start_line": lines.get("start"), "end_line": lines.get("end"), "new_text": ""}
        elif lines is not None:
            sent["delete_lines"] = lines
        by_line = {"start_line", "after_line", "old_text"} & {name for name, value in sent.items() if value is not None}
        if by_line and "new_text" not in sent and "content" in sent:
            sent["new_text"] = sent.pop("content")
        return sent

    @model_validator(mode="after")
    def _one_way(self) -> "Edit":
        given = [name for name in _WAYS if getattr(self, name) is not None]
        if len(given) != 1:
            instead = f", not {' and '.join(given)}" if given else ""
            raise ValueError(f"an edit needs exactly one of {', '.join(_WAYS)}{instead}")
        by_text = given[0] in {"old_text", "start_line", "after_line"}
        if by_text and self.new_text is None:
            raise ValueError(f"{given[0]} needs new_text; empty text deletes")
        if not by_text and self.new_text is not None:
            raise ValueError(f"new_text does not go with {given[0]}")
        if self.heading is not None and given[0] not in {"append", "url"}:
            raise ValueError(f"heading goes with append or url, not with {given[0]}")
        if self.end_line is not None and self.end_line < (self.start_line or self.end_line + 1):
            raise ValueError("end_line goes with start_line, and is not before it")
        return self


_FLAT = frozenset(Edit.model_fields) - {"path"} | {"delete_lines"}


class EditParams(SnakeCaseParams):
    """The edits, of one file or of several."""

    path: PathText | None = Field(default=None, description="File or note: path, name or wikilink")
    edits: Annotated[list[Edit], Several] = Field(
        min_length=1, max_length=MOST_EDITS, description="Line numbers are those before the call"
    )
    images: list[incoming.Image] = Field(default_factory=list, max_length=incoming.MOST_SENT)

    @model_validator(mode="before")
    @classmethod
    def _single(cls, sent: Any) -> Any:
        """Accept one edit that is sent without the list."""
        if not isinstance(sent, dict) or "edits" in sent:
            return sent
        known = respelled(Edit, sent)
        single = {name: known[name] for name in known if name in _FLAT}
        return {name: known[name] for name in known if name not in _FLAT} | ({"edits": [single]} if single else {})

    @model_validator(mode="after")
    def _has_paths(self) -> "EditParams":
        if self.path is None and any(edit.path is None for edit in self.edits):
            raise ValueError("path is missing: say which file, in the call or in each edit")
        named = [edit for edit in self.edits if (edit.path or self.path) == SELECTED]
        if named and (len(self.edits) > 1 or named[0].content is None):
            raise ValueError(f"{SELECTED!r} goes with content, the new text in its place, and with no other edit")
        return self


def _acts(params: EditParams, paths: Sequence[str]) -> Iterator[frozenset[str]]:
    for edit in params.edits:
        if edit.old_text is not None and not edit.replace_all:
            yield from by_text(paths, _TEXT, _LINES)
        elif edit.content is not None and SELECTED not in {edit.path, params.path}:
            yield from by_text(paths, _WHOLE_NOTE, _WHOLE_FILE)
        elif edit.append is not None or edit.prepend is not None or edit.url is not None:
            yield from by_text(paths, _ADDS, _LINES)
        else:
            yield from by_text(paths, _LINES, _LINES)


class EditTool(VaultWriteTool[EditParams]):
    """The tool that changes text.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
        screens: The person's screen in Obsidian.
        pictures: Decodes images from clients; None: none are taken.
    """

    spec = write_spec(
        name="edit",
        action="edit/edited {files|files}",
        description="Change notes and files: replace text or lines, insert, append, prepend or rewrite. All edits of "
        "a call are one change.",
        icon="pencil",
        parameters=EditParams,
        presets=frozenset({AGENT}),
        replaces=frozenset({"edit_file", "modify_note", "update_note", "write_file"}),
        acts=_acts,
        bulky=frozenset({"images"}),
        timeout=lambda params: incoming.SECONDS if any(edit.url for edit in params.edits) else 30.0,
    )

    def __init__(
        self, storage: PlanningStorage, clock: Clock, screens: Screens | None, pictures: PictureReader | None
    ) -> None:
        super().__init__(storage)
        self._keeper = LinkKeeper(storage, clock)
        self._screens = screens
        self._pictures = pictures

    def prepare(self, params: EditParams, context: CallContext) -> WriteEffect | Awaitable[WriteEffect]:
        """Work out what each file will be."""
        if any(edit.url is not None for edit in params.edits):
            return self._with_pages(params, context)
        return self._planned(params, {}, context)

    def _of_selection(self, content: str, caller: Caller) -> EditParams:
        """Return the edit of lines that puts a text in the place of what the caller was told is selected.

        Raises:
            Conflict: It was told of none, or other text is there now (`changed`).
        """
        given = None if self._screens is None else self._screens.given(caller)
        if given is None or given.selection is None:
            raise Conflict(f"You know of no selection: call read with path {SCREEN!r} first", code="no_match")
        place, data = read_text(self._storage, existing_path(given.path, self._storage))
        first, last, text = with_selection(str(place), data, given.selection, content)
        return EditParams(path=str(place), edits=[Edit(start_line=first, end_line=last, new_text=text)])

    async def _with_pages(self, params: EditParams, context: CallContext) -> WriteEffect:
        """Fetch the pages first: a failure to fetch tells nothing of the vault."""
        pages: dict[str, incoming.FetchedPage] = {}
        for edit in params.edits:
            if edit.url is None or edit.url in pages:
                continue
            if context.looking:
                return incoming.to_be_fetched(edit.url, f"add its text to {edit.path or params.path}")
            pages[edit.url] = await incoming.page_for_note(context, edit.url)
        return await asyncio.to_thread(self._planned, params, pages, context)

    def _planned(
        self, params: EditParams, pages: Mapping[str, incoming.FetchedPage], context: CallContext
    ) -> ChangePlan | Unchanged:
        texts = (text for edit in params.edits for text in _texts(edit).values())
        images = incoming.check_images(params.images, texts, self._storage, self._pictures, context.deadline)
        if SELECTED in {params.path, params.edits[0].path}:
            params = self._of_selection(params.edits[0].content or "", context.caller)
        places: dict[VaultPath, VaultPath] = {}
        files: dict[VaultPath, _File] = {}
        for number, edit in enumerate(params.edits, 1):
            path = existing_path(edit.path or params.path or "", self._storage)
            if path not in places:
                places[path], data = read_text(self._storage, path)
                files.setdefault(places[path], _File(places[path], data, []))
            file = files[places[path]]
            embedded = {name: images.embedded(text, file.path) for name, text in _texts(edit).items()}
            file.edits.append((number, edit.model_copy(update=embedded)))
        builder, changed = self._storage.plan(), []
        warnings = [warning for page in pages.values() for warning in incoming.warnings_of(page)]
        for file in files.values():
            whole = any(edit.content is not None for _number, edit in file.edits)
            new = _rewritten(file) if whole else _edited(file, len(params.edits), pages)
            if new.data != file.data:
                builder.modify(file.path, file.data, new.data, new.regions or None, replaces=whole)
                changed.append(str(file.path))
                warnings += [f"{file.path}: {said}" for said in (shrinking(file.data, new.data) if whole else ())]
        for place, image in images.files.items():
            builder.create(place, image.data, image.shown)
        kept = self._keeper.keep_for_new(builder, map(str, images.files), context) if images.files else KeptLinks()
        warnings += kept.warnings
        if not changed:
            paths = list(map(str, files))
            output = Output({"files": []}, f"No changes made: {changed_files(paths)} already as asked.")
            return Unchanged(in_vault(*paths), f"Compare {changed_files(paths)} with an edit", output)
        count = f" ({counted(len(params.edits), 'edit')})" if len(params.edits) > 1 else ""
        sources = ", ".join(shortened(page.url, 200) for page in pages.values())
        source = f" with text from {sources}" if pages else ""
        added = f" with {counted(len(images.files), 'image')}" if images.files else ""
        summary = f"Edit {changed_files(changed)}{count}{added}{source}{kept.sentence}"
        return builder.build(self.spec.operation, summary, warnings, broken=kept.broken)

    def report(self, _params: EditParams, applied: Applied) -> Output:
        """Report which files changed, and by how much."""
        files = list(map(diff_facts, applied.plan.previews))
        named = some([f"{file['path']} (+{file['added']} -{file['removed']})" for file in files])
        count = f"{applied.plan.counted_files}: " if len(files) > 1 else ""
        return Output({"files": files}, f"Edited {count}{named}.")


def _texts(edit: Edit) -> dict[str, str]:
    """Return the text that an edit puts into a file, by the name of its parameter."""
    return {name: text for name in _TEXTS if (text := getattr(edit, name)) is not None}


class _File(NamedTuple):
    """One file, and what is to be done to it, each edit with its number in the call."""

    path: VaultPath
    data: bytes
    edits: list[tuple[int, Edit]]


def _edited(file: _File, of: int, pages: Mapping[str, incoming.FetchedPage]) -> Edited:
    """Return the new content of one file: first its lines are edited, numbered as before the call, then its texts."""
    steps: list[Edited] = []
    if lines := [line for _number, edit in file.edits if (line := _line_edit(edit)) is not None]:
        steps.append(apply_edits(file.data, lines, file.path))
    for number, edit in file.edits:
        if _line_edit(edit) is None:
            target = EditTarget(file.path, steps[-1].data if steps else file.data)
            with failing_as(f"Edit {number}") if of > 1 else nullcontext():
                steps.append(_step(target, edit, pages))
    return steps[0] if len(steps) == 1 else Edited(steps[-1].data, ())


def _step(target: EditTarget, edit: Edit, pages: Mapping[str, incoming.FetchedPage]) -> Edited:
    """Return a file after an edit that names no lines."""
    if edit.old_text is not None:
        try:
            return replace_text(target, edit.old_text, edit.new_text or "", everywhere=edit.replace_all).edited
        except Conflict as failure:
            sentence = f"{failure.message}: read it again, and give the text as it is there, to the letter"
            raise Conflict(sentence, code="no_match") from None
    if edit.prepend is not None:
        return prepend_text(target, edit.prepend).edited
    if edit.append is not None and edit.heading is None:
        return append_text(target, edit.append).edited
    text, path = target.data.decode(), str(target.path)
    added = edit.append or ""
    if edit.url is not None:
        level = 0
        if edit.heading is not None:
            level = parsed(text).headings[heading_number(text, path, edit.heading)].level
        added = incoming.section_of(pages[edit.url], level)
    return Edited(with_text_below(text, path, added, edit.heading).encode(), ())


def _line_edit(edit: Edit) -> LineEdit | None:
    """Return an edit of lines; None where it is none."""
    text = edit.new_text or ""
    if edit.start_line is not None:
        return LineEdit(edit.start_line, edit.end_line or edit.start_line, text)
    return None if edit.after_line is None else LineEdit(edit.after_line + 1, edit.after_line, text)


def _rewritten(file: _File) -> Edited:
    """Return a file with another text, a note with its own properties where the text has none."""
    if len(file.edits) > 1:
        raise InvalidParameters(f'"{file.path}": content is the whole new text, so no other edit goes with it')
    content = file.edits[0][1].content or ""
    return Edited(rewritten(file.data, content)[0] if is_note(str(file.path)) else encode(content), ())
