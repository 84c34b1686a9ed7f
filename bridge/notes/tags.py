"""Tags of one note that are added at its end, removed from its text, or renamed in its properties and its text.

Rules 55 and 59 to 64 of docs/obsidian.md. Nothing else that the note says changes.
"""

import re
from collections.abc import Mapping, Sequence

from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import find_frontmatter, property_tags, read_properties
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, Tag, Work
from bridge.notes.properties import TAGS, is_plain_item, known_name, remove_tag
from bridge.notes.rewriting import Edit, apply
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
    wished = [f"#{renamed(each.tag[1:], old, new) or each.tag[1:]}" for each in before.tags]
    edits = [Edit(each.start, each.end, tag) for each, tag in zip(before.tags, wished, strict=True) if tag != each.tag]
    if not edits:
        return text
    failure = InvalidParameters("with the new tag, its text would mean something else")
    return _verified(apply(text, edits), before, wished, failure)


def _in_properties(text: str, old: str, new: str) -> str:
    block = find_frontmatter(text)
    yaml = text[block.yaml_start : block.yaml_end] if block else ""
    properties = read_properties(yaml)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for tag in (each[1:] for each in property_tags(properties)):
        name = renamed(tag, old, new)
        if name is None or name == tag:
            taken.add(fold(tag))
        else:
            names.setdefault(fold(tag), name)
    twice = []
    for tag, name in list(names.items()):
        if fold(name) in taken:
            twice.append(tag)
            del names[tag]
        taken.add(fold(name))
    text = remove_tag(text, *twice) if twice else text
    return _replaced(text, names) if names else text


def _replaced(text: str, names: Mapping[str, str]) -> str:
    """Return the note with some tags of its properties replaced where they stand.

    Args:
        text: The whole note.
        names: The new names, by the folded old ones.

    Raises:
        InvalidParameters: The properties cannot be edited safely.
    """
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
        name = names.get(fold(bare))
        if name is not None and item.plain:
            at = item.start + width + said.index(bare)
            written = name if item.quote or is_plain_item(name) else f'"{name}"'
            edits.append(Edit(at, at + len(bare), written))
    edited = apply(yaml, edits)
    properties = read_properties(yaml) or {}
    key = known_name(properties, TAGS)
    value = properties.get(key)
    new = [_renamed_item(item, names) for item in value] if isinstance(value, list) else _renamed_item(value, names)
    if not edits or repr({**properties, key: new}) != repr(read_properties(edited)):
        raise InvalidParameters("its tags are written in a way that is not edited")
    return text[: block.yaml_start] + edited + text[block.yaml_end :]


def _renamed_item(item: object, names: Mapping[str, str]) -> object:
    said = str(item).strip()
    name = names.get(fold(said.removeprefix("#")))
    if name is None or isinstance(item, bool) or not isinstance(item, str | int | float):
        return item
    return f"#{name}" if said.startswith("#") else name


def _verified(written: str, before: ParsedNote, tags: Sequence[str], failure: InvalidParameters) -> str:
    """Return an edited note that has these tags and is otherwise as before.

    Raises:
        InvalidParameters: It has other tags, or something else in it means something else.
    """
    after = parse_note(written, outline=False, work=Work.of_one_note())
    if [each.tag for each in after.tags] != tags or _others(before) != _others(after):
        raise failure
    return written


def _others(note: ParsedNote) -> tuple[object, ...]:
    """Return what must stay as it is."""
    return (
        repr(note.frontmatter),
        [link.original for link in note.all_links],
        [heading.level for heading in note.headings],
        [block.id for block in note.blocks],
    )


_WORD = re.compile(r"\w")


def tag_places(note: ParsedNote, tag: str) -> Sequence[Tag]:
    """Return where a tag occurs in a note's text; nested tags are others.

    Args:
        note: The parsed note.
        tag: The tag, without `#`.
    """
    return [each for each in note.tags if fold(each.tag.removeprefix("#")) == fold(tag)]


def append_tag(text: str, tag: str) -> str:
    """Return the note with a tag at its end: in a last line of tags, else in a paragraph of its own.

    Args:
        text: The whole note.
        tag: The tag, without `#`.

    Raises:
        InvalidParameters: The text ends with something that would swallow it, such as a code block left open.
    """
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    body = text.rstrip(" \t\r\n")
    start = body.rfind("\n") + 1
    last = [f"#{word.removeprefix('#')}" for word in body[start:].split()]
    before = parse_note(text, outline=False, work=Work.of_one_note())
    if last and last == body[start:].split() == [each.tag for each in before.tags if each.start >= start]:
        added = f"{body} #{tag}{text[len(body) :]}"
    else:
        kept = text if text.endswith("\n") or not text else text + ending
        gap = ending if body and not kept.endswith(ending * 2) else ""
        added = f"{kept}{gap}#{tag}{ending}"
    failure = _refused("its text ends with something that the tag would become a part of")
    return _verified(added, before, [*(each.tag for each in before.tags), f"#{tag}"], failure)


def remove_tags(text: str, tag: str) -> str:
    """Return the note without a tag in its text; the same text when it is not there.

    A line that held nothing else is removed with it; otherwise one space beside the tag is.

    Args:
        text: The whole note.
        tag: The tag, without `#`.

    Raises:
        InvalidParameters: Without it the text would say something else.
    """
    before = parse_note(text, outline=False, work=Work.of_one_note())
    places = tag_places(before, tag)
    if not places:
        return text
    gone, cuts, at = {place.start for place in places}, list[Edit](), 0
    for place in places:
        start, at = _cut(text, place, at)
        cuts.append(Edit(start, at, ""))
    left = [each.tag for each in before.tags if each.start not in gone]
    return _verified(apply(text, cuts), before, left, _refused(f"without #{tag}, its text would mean something else"))


def _cut(text: str, place: Tag, after: int) -> tuple[int, int]:
    """Return the range to remove with a tag: its whole line, or one space next to it, or the tag alone."""
    start = max(text.rfind("\n", 0, place.start) + 1, after)
    found = text.find("\n", place.end)
    end = len(text) if found < 0 else found + 1
    before, behind = text[start : place.start], text[place.end : end]
    if not before.strip() and not behind.strip():
        return start, end
    spaced = before.endswith((" ", "\t"))
    if spaced and not behind[:1].strip() and (behind.strip() or _WORD.search(before)):
        return place.start - 1, place.end
    return place.start, place.end + (not spaced and behind.startswith((" ", "\t")))


def _refused(why: str) -> InvalidParameters:
    return InvalidParameters(f"The note's text was left as it is: {why}. Edit it by hand, or with apply_patch")
