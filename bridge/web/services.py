"""The services that the tools of the web are built from."""

from typing import NamedTuple

from bridge.clock import Clock
from bridge.web.cache import WebCache
from bridge.web.credentials import WebCredentials
from bridge.web.door import WebDoor
from bridge.web.extraction.reader import PageReader
from bridge.web.last_used import LastUsed
from bridge.web.robots import RobotsRules


class WebServices(NamedTuple):
    """The web, as tools reach it.

    Attributes:
        door: Makes requests.
        cache: Keeps what was fetched.
        credentials: The user's own headers by host.
        reader: Reads pages.
        robots: The rules of robots.txt.
        clock: Time.
        last_used: When each site was fetched last.
    """

    door: WebDoor
    cache: WebCache
    credentials: WebCredentials
    reader: PageReader
    robots: RobotsRules
    clock: Clock
    last_used: LastUsed
