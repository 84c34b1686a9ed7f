"""What a call touches, as the wire names it."""

from enum import StrEnum

from bridge.contract.base import Wire


class TargetKind(StrEnum):
    """What sort of thing a call touches."""

    FILE = "file"
    FOLDER = "folder"
    URL = "url"
    COMMAND = "command"
    SERVER_TOOL = "server_tool"
    CUSTOM_TOOL = "custom_tool"


class Reach(StrEnum):
    """How far an answer for longer holds: the rungs of all ladders, each kind of target having some of them."""

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


class RungView(Wire):
    """One rung of a question's ladder.

    Attributes:
        reach: How far it holds; an answer names the rung by this.
        keys: What it holds for, in the spelling of the permission file.
        label: The same for people, such as `the folder Projects/`.
    """

    reach: Reach
    keys: tuple[str, ...]
    label: str


class TargetView(Wire):
    """One thing that a call touches.

    Attributes:
        kind: What it is.
        label: Its name, as people know it.
    """

    kind: TargetKind
    label: str
