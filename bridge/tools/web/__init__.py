"""Tools of the web. They are in no preset: they come on top where they are switched on."""

from typing import Any

from bridge.toolkit.tool import Tool
from bridge.tools.web.web_fetch import WebFetchTool
from bridge.tools.web.web_search import WebSearchTool
from bridge.web.search import WebSearch
from bridge.web.services import WebServices


def web_tools(web: WebServices, search: WebSearch) -> list[Tool[Any]]:
    """Return all of them, in the order they are listed.

    Args:
        web: The services they are built from.
        search: Searches the web.
    """
    return [WebSearchTool(search, web), WebFetchTool(web)]
