"""A tag gets another name in one note, in its properties and in its text, with the tags nested in it.

Rules 55, 59 to 64 of docs/obsidian.md. Only the characters of the tags change.
"""

from bridge.errors import InvalidParameters
from bridge.notes.edits import Edit, apply
from bridge.notes.frontmatter import find_frontmatter, property_tags, read_properties
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote
from bridge.notes.properties import TAGS, remove_tag
from bridge.notes.work import Work
from bridge.notes.yaml_places import CannotEdit, locate_property
from bridge.vault.paths import fold


def renamed(tag: str, old: str, new: str) -> str | None:
    """Return the new name of a tag, if it is the renamed one or nested in it; None otherwise.

    Args:
        tag: A tag, without `#`.
        old: The tag that is renamed, without `#`.
        new: Its new name.
    """
    parts, wanted = tag.split("/"), old.split("/")
    if [fold(part) for part in parts[: len(wanted)]] != [fold(part) for part in wanted]:
        return None
    return "/".join([new, *parts[len(wanted) :]])


def rename_tag(text: str, old: str, new: str) -> str:
    """Return the note with another name for a tag; the same text when it does not have it.

    Args:
        text: The whole note.
        old: The tag, without `#`.
        new: Its new name.

    Raises:
        InvalidParameters: The properties cannot be edited safely, or the text would say something else.
        TooMuchWork: The note is nested too deeply or holds too much.
    """
    text = _in_properties(text, old, new)
    before = parse_note(text, outline=False, work=Work.of_one_note())
    wished = [renamed(each.tag[1:], old, new) or each.tag[1:] for each in before.tags]
    edits = [
        Edit(each.start, each.end, f"#{name}")
        for each, name in zip(before.tags, wished, strict=True)
        if name != each.tag[1:]
    ]
    if not edits:
        return text
    written = apply(text, edits)
    after = parse_note(written, outline=False, work=Work.of_one_note())
    if [each.tag[1:] for each in after.tags] != wished or _others(before) != _others(after):
        raise InvalidParameters("with the new tag its text would say something else")
    return written


def _in_properties(text: str, old: str, new: str) -> str:
    block = find_frontmatter(text)
    yaml = text[block.yaml_start : block.yaml_end] if block else ""
    tags = [tag[1:] for tag in property_tags(read_properties(yaml) if yaml.strip() else None)]
    for tag in dict.fromkeys(tags):
        name = renamed(tag, old, new)
        if name is None or name == tag:
            continue
        if any(fold(each) == fold(name) for each in tags if fold(each) != fold(tag)):
            text = remove_tag(text, tag)
        else:
            text = _replaced(text, tag, name)
        tags = [name if each == tag else each for each in tags]
    return text


def _replaced(text: str, tag: str, name: str) -> str:
    """Return the note with one tag of its properties replaced where it stands."""
    block = find_frontmatter(text)
    if block is None:
        return text
    yaml = text[block.yaml_start : block.yaml_end]
    try:
        found = locate_property(yaml, TAGS).wanted
    except CannotEdit as error:
        raise InvalidParameters(f"its properties cannot be edited safely: {error}") from None
    edits = []
    for item in found.items if found else ():
        width = len(item.quote)
        said = yaml[item.start + width : item.end - width]
        bare = said.strip().removeprefix("#")
        if fold(bare) == fold(tag) and item.plain:
            at = item.start + width + said.index(bare)
            edits.append(Edit(at, at + len(bare), name))
    written = apply(yaml, edits)
    if _expected(yaml, tag, name) != repr(read_properties(written)):
        written = apply(yaml, [Edit(edit.start, edit.end, f'"{name}"') for edit in edits])  # YAML took it for a number
    if not edits or _expected(yaml, tag, name) != repr(read_properties(written)):
        raise InvalidParameters("its tags are written in a way that is not edited")
    return text[: block.yaml_start] + written + text[block.yaml_end :]


def _expected(yaml: str, tag: str, name: str) -> str:
    """Return what the properties must say afterwards."""
    properties = read_properties(yaml) or {}
    key = TAGS if TAGS in properties else next(each for each in properties if each.lower() == TAGS)
    value = properties[key]
    items = value if isinstance(value, list) else [value]
    new = [_renamed_item(item, tag, name) for item in items]
    return repr({**properties, key: new if isinstance(value, list) else new[0]})


def _renamed_item(item: object, tag: str, name: str) -> object:
    said = str(item).strip()
    if isinstance(item, bool) or not isinstance(item, str | int | float) or fold(said.removeprefix("#")) != fold(tag):
        return item
    return f"#{name}" if said.startswith("#") else name


def _others(note: ParsedNote) -> tuple[object, ...]:
    """Return what must stay as it is."""
    return (
        repr(note.frontmatter),
        [link.original for link in note.all_links],
        [heading.level for heading in note.headings],
        [block.id for block in note.blocks],
    )
