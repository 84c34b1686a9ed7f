"""Whether a note's properties only gained something: new ones, or more tags."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from bridge.contract.consent import Addition
from bridge.notes.frontmatter import FrontmatterBlock, find_frontmatter, read_properties
from bridge.notes.properties import TAGS
from bridge.notes.syntax import is_tag

_TAGS_LINE = re.compile(r"""(["']?)tags\1[ \t]*:""", re.IGNORECASE)
_CONTINUES = (" ", "\t", "-", "]")
_PLUGIN = "-plugin"
_PUBLISH = "publish"
_REMOTE = re.compile(r"https?:|[/\\]{2}", re.IGNORECASE)
"""An address on the network, also one without its scheme, as programs that load it understand it."""
_IGNORED = str.maketrans("", "", "\t\r\n")
"""What those programs leave out of an address."""

Properties = dict[str, Any]


def added_properties(
    before: str, old: FrontmatterBlock | None, after: str, new: FrontmatterBlock | None
) -> frozenset[Addition] | None:
    """What the properties gained, when every old one keeps its value and its lines.

    Tags may be written otherwise than before, with the old ones first found in their order.

    Args:
        before: The note now.
        old: Where its properties stand.
        after: The note afterwards.
        new: Where they stand then.

    Returns:
        `PROPERTY`, `TAG`, both, or nothing; None when anything else happened to them.
    """
    if new is None:
        return None if old else frozenset()
    yaml, written = before[old.yaml_start : old.yaml_end] if old else "", after[new.yaml_start : new.yaml_end]
    if old and _fences(before, old) != _fences(after, new):
        return None
    if old and yaml == written:
        return frozenset()
    had, has = _read(yaml), read_properties(written)
    if had is None or has is None or not (_keeps(had, has) and _keeps_lines(yaml, written)):
        return None
    gained = {name: value for name, value in has.items() if name not in had}
    rules = any(_rules_the_note(name, had) for name in gained)
    if rules or _may_take_comments(yaml, gained.values()) or _is_remote(gained):
        return None
    found = {Addition.TAG if name.lower() == TAGS else Addition.PROPERTY for name in gained}
    if any(name.lower() == TAGS and repr(value) != repr(has[name]) for name, value in had.items()):
        found.add(Addition.TAG)
    return frozenset(found) or None


def may_load(text: str) -> bool:
    """Whether a new note's properties name something on the network, which is loaded with the note as a banner is.

    Args:
        text: The note. Properties that cannot be read may do so too.
    """
    block = find_frontmatter(text)
    properties = _read(text[block.yaml_start : block.yaml_end]) if block else {}
    return properties is None or _is_remote(properties)


def _is_remote(value: Any) -> bool:
    """Whether an address on the network is anywhere in a value."""
    match value:
        case str():
            return bool(_REMOTE.search(value.translate(_IGNORED)))
        case dict():
            return any(_is_remote(each) for pair in value.items() for each in pair)
        case list():
            return any(map(_is_remote, value))
    return False


def _fences(text: str, block: FrontmatterBlock) -> tuple[str, str]:
    """The lines around the properties."""
    end = text.find("\n", block.end)
    return text[: block.yaml_start], text[block.yaml_end : end if end >= 0 else None].rstrip("\r")


def _read(yaml: str) -> Properties | None:
    blank = not any(line.strip() and not line.lstrip().startswith("#") for line in yaml.splitlines())
    return {} if blank else read_properties(yaml)


def _keeps(had: Properties, has: Properties) -> bool:
    """Whether every property is still there, in the same order, with its value; tags may have become more."""
    if [name for name in has if name in had] != list(had):
        return False
    gained = [name for name in has if name not in had and name.lower() == TAGS]
    return all(_tags(has[name]) is not None for name in gained) and all(
        repr(value) == repr(has[name]) or (name.lower() == TAGS and _has_more_tags(value, has[name]))
        for name, value in had.items()
    )


def _rules_the_note(name: str, had: Properties) -> bool:
    """Whether a property does more than say something.

    It takes the place of one that differs in case, publishes the note, or has a plugin take all of it for something
    else.
    """
    plain = name.lower()
    return plain in {each.lower() for each in had} or plain == _PUBLISH or plain.endswith(_PLUGIN)


def _has_more_tags(old: Any, new: Any) -> bool:
    """Whether tags were added to others, which are all there in their order."""
    before, after = _tags(old), _tags(new)
    return before is not None and after is not None and len(after) > len(before) and is_embedded(before, after)


def _tags(value: Any) -> list[str] | None:
    values = [] if value is None or value == "" else value if isinstance(value, list) else [value]
    names = [each.strip().removeprefix("#") if isinstance(each, str) else "" for each in values]
    return names if all(map(is_tag, names)) else None


def _keeps_lines(old: str, new: str) -> bool:
    """Whether every line is still there, in order; those of the tags only where they hold a comment."""
    kept, tags = _parted(old)
    kept_then, tags_then = _parted(new)
    if any("#" in line for line in tags) and not is_embedded(tags, tags_then):
        return False
    return is_embedded(kept, kept_then)


def _parted(yaml: str) -> tuple[list[str], list[str]]:
    """The lines without those of the tags, and those of the tags."""
    others: list[str] = []
    tags: list[str] = []
    within = False
    for line in yaml.split("\n"):
        within = bool(_TAGS_LINE.match(line)) or (within and line.startswith(_CONTINUES))
        (tags if within else others).append(line)
    return others, tags


def _may_take_comments(yaml: str, values: Iterable[Any]) -> bool:
    """Whether a comment may have become a part of a new value."""
    return "#" in yaml and any("#" in repr(value) for value in values)


def is_embedded(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether all of some texts are among others, in the same order.

    Args:
        old: The texts.
        new: The others.
    """
    rest = iter(new)
    return all(any(each == other for other in rest) for each in old)
