"""Targets: the things a call touches, as the wire names them."""

from enum import StrEnum

from bridge.contract.base import Wire


class TargetKind(StrEnum):
    """The kind of thing that a call touches."""

    FILE = "file"
    FOLDER = "folder"
    URL = "url"
    COMMAND = "command"
    SERVER_TOOL = "server_tool"
    CUSTOM_TOOL = "custom_tool"


class Reach(StrEnum):
    """The reach of a lasting answer: the rungs of all ladders, each kind of target having some of them."""

    FILE = "file"
    FOLDER = "folder"
    VAULT = "vault"
    PAGE = "page"
    SECTION = "section"
    SITE = "site"
    COMMAND = "command"
    EXECUTABLE = "executable"
    TOOL = "tool"
    SERVER = "server"
    CUSTOM_TOOL = "custom_tool"


class TargetView(Wire):
    """One thing that a call touches.

    Attributes:
        kind: Its kind.
        label: Its name, as people know it.
    """

    kind: TargetKind
    label: str
