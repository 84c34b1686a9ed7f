"""The nodes of YAML, with the places where they stand. ruamel.yaml is slow to import, and few notes need it."""

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


class BrokenYaml(ValueError):
    """It is broken, or too deep."""


def compose(yaml: str, *, duplicate_keys: bool = False) -> "Node | None":
    """Return the node of a text; None where it holds nothing.

    Args:
        yaml: The text.
        duplicate_keys: Whether a key may be there twice.

    Raises:
        BrokenYaml: It is none.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - see above
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - see above

    reader: Any = YAML(typ="safe", pure=True)
    if duplicate_keys:
        reader.allow_duplicate_keys = True
    try:
        root: Node | None = reader.compose(yaml)
    except (YAMLError, ValueError, RecursionError):
        raise BrokenYaml from None
    return root


def is_scalar(node: "Node | None") -> "TypeGuard[ScalarNode]":
    """Return whether it is one value."""
    return type(node).__name__ == "ScalarNode"


def is_sequence(node: "Node | None") -> "TypeGuard[SequenceNode]":
    """Return whether it is a list."""
    return type(node).__name__ == "SequenceNode"


def is_mapping(node: "Node | None") -> "TypeGuard[MappingNode]":
    """Return whether it is a group of keys with values."""
    return type(node).__name__ == "MappingNode"
