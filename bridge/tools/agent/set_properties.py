"""The tool `set_properties`: properties and tags of one note or of many, in one change."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from bridge.errors import InvalidParameters
from bridge.notes.properties import TAGS, check_tag, remove_property, set_property
from bridge.toolkit.tool import AGENT, CallContext, Output, Unchanged, in_vault
from bridge.tools.formatting import changed_files
from bridge.tools.kinds import LONGEST_NAME, MOST_FILES, Several, SnakeCaseParams, Tag, write_spec
from bridge.tools.notes.changing import has_tag, with_tag, without_tag
from bridge.tools.notes.lookup import NoteWriteTool, decoded, encoded
from bridge.vault.paths import parse_path
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import counted

_OWN = frozenset({"set_properties"})
_ADDS = frozenset({"set_properties", "add_tag"})
_REMOVES = frozenset({"set_properties", "remove_tag"})
_Name = Annotated[str, Field(min_length=1, max_length=500)]


class SetPropertiesParams(SnakeCaseParams):
    """The notes, and what changes in them."""

    paths: Annotated[list[Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]], Several] = Field(
        min_length=1, max_length=MOST_FILES, description="Notes, by path, name or wikilink"
    )
    properties: Annotated[dict[_Name, Any], Field(max_length=50)] = Field(
        default_factory=dict, description="Values by name; null leaves one empty"
    )
    remove: Annotated[list[_Name], Several, Field(max_length=50)] = Field(
        default_factory=list, description="Properties"
    )
    add_tags: Annotated[list[Tag], Several, Field(max_length=50)] = Field(default_factory=list)
    remove_tags: Annotated[list[Tag], Several, Field(max_length=50)] = Field(default_factory=list)
    in_text: bool = Field(default=False, description="Add tags at the end of the text instead; remove them there too")

    @model_validator(mode="after")
    def _something(self) -> "SetPropertiesParams":
        if not (self.properties or self.remove or self.add_tags or self.remove_tags):
            raise ValueError("give properties, remove, add_tags or remove_tags")
        return self


def _acts(params: SetPropertiesParams, _paths: Sequence[str]) -> Iterator[frozenset[str]]:
    """Yield the acts; tags are tags, also where they are set as the property `tags`."""
    names = {name.strip().lower() for name in (*params.properties, *params.remove)}
    if names:
        yield _OWN
    if params.add_tags or TAGS in names:
        yield _ADDS
    if params.remove_tags or TAGS in names:
        yield _REMOVES


class SetPropertiesTool(NoteWriteTool[SetPropertiesParams]):
    """The tool that sets properties and tags."""

    spec = write_spec(
        name="set_properties",
        action="set/set the properties of {files|notes}",
        description=("Set or remove properties (frontmatter) and tags of notes, as one change."),
        icon="list-plus",
        parameters=SetPropertiesParams,
        id_prefix="properties",
        presets=frozenset({AGENT}),
        replaces=(_ADDS | _REMOVES) - _OWN,
        acts=_acts,
    )

    def prepare(self, params: SetPropertiesParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what each note will be."""
        add, remove = ([check_tag(tag) for tag in tags] for tags in (params.add_tags, params.remove_tags))
        builder, paths, changed = self._storage.plan(), [], []
        for name in params.paths:
            path, data = self._note(name)
            if path in paths:
                raise InvalidParameters(f"{path!r} is named twice")
            paths.append(path)
            text = decoded(data)
            for each, value in params.properties.items():
                text = set_property(text, each, value)
            for each in params.remove:
                text = remove_property(text, each)
            for tag in add:
                text = text if has_tag(text, tag) else with_tag(text, tag, in_body=params.in_text)
            for tag in remove:
                text = without_tag(text, tag, in_body=params.in_text)
            if (new := encoded(text)) != data:
                builder.modify(parse_path(path), data, new)
                changed.append(path)
        if not changed:
            message = f"No changes made: {counted(len(paths), 'note')} already as asked."
            return Unchanged(in_vault(*paths), "Look at properties and tags", Output({"files": []}, message))
        return builder.build(self.spec.operation, f"{_deed(params)} in {changed_files(changed)}")

    def report(self, params: SetPropertiesParams, applied: Applied) -> Output:
        """Report what was done, and how many notes needed no change."""
        changed = [shown.path for shown in applied.plan.previews]
        same = len(params.paths) - len(changed)
        text = f"Done: {applied.plan.summary}." + (f" {counted(same, 'note')} needed no change." if same else "")
        files = [{"path": shown.path, "diff": shown.diff} for shown in applied.plan.previews]
        return Output({"files": files, "unchanged": same}, text)


def _deed(params: SetPropertiesParams) -> str:
    add, remove = (" ".join(f"#{check_tag(tag)}" for tag in tags) for tags in (params.add_tags, params.remove_tags))
    deeds = (
        ("set", ", ".join(params.properties)),
        ("remove", ", ".join(params.remove)),
        ("add", add),
        ("remove", remove),
    )
    parts = [f"{verb} {what}" for verb, what in deeds if what]
    said = ", ".join(parts)
    return said[:1].upper() + said[1:]
