"""Loads aiohttp without encryption, for which it reads all certificates twice: commands speak with this computer alone.

Only a process of our own may do without. A script that imports `bridge.client` can need encryption for something else.
"""

import urllib.request  # noqa: F401 - aiohttp would load it without encryption too, for everybody

from bridge.leaving_out import leave_out

with leave_out("ssl"):
    import aiohttp  # noqa: F401 - for whoever imports it later
