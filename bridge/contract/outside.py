"""What the person is told of other programs' changes. It is for the person's own programs alone."""

from typing import ClassVar

from bridge.contract.base import Event, Time


class OutsideNotice(Event):
    """What the person is to be told of other programs' changes. Sent to the person's own programs alone.

    Attributes:
        entries: The ids of the entries that it is about, the newest first; without any there is nothing to be told
            (any more).
        message: It in a few words: `17 notes changed, 3 deleted`.
        began: When the first change was seen, ISO 8601 in UTC; None without entries.
        ended: When the last was.
        unattended: Whether the bridge was not running then, so that only the end is known.
    """

    event_name: ClassVar[str] = "versions.noticed"

    entries: tuple[str, ...] = ()
    message: str = ""
    began: Time | None = None
    ended: Time | None = None
    unattended: bool = False
