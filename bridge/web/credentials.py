"""Headers that the user has written down for hosts, in `web_auth.json` in their configuration folder.

    {"auth": {"api.example.org": {"headers": {"Authorization": "Bearer …"}}}}

They go to exactly that host, over https only, and never along with a redirect to another one.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from bridge.web.url import BadUrl, WebUrl, parse_host

NAME: Final = "web_auth.json"
_LARGEST: Final = 256 * 1024

_HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]
_HeaderValue = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$", max_length=4096)]


class _Site(BaseModel):
    model_config = ConfigDict(extra="forbid")

    headers: dict[_HeaderName, _HeaderValue]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    auth: dict[str, _Site]


class WebCredentials:
    """The user's own headers by host, read anew whenever the file changes.

    Args:
        folder: The user's configuration folder.
        keep_secret: Called with every value, so that no log shows it.

    Attributes:
        fault: Why the file cannot be used, as a sentence; None while it can, or where there is none.
    """

    def __init__(self, folder: Path, keep_secret: Callable[[str], None] = lambda _value: None) -> None:
        self.fault: str | None = None
        self._path = folder / NAME
        self._keep_secret = keep_secret
        self._lock = threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._sites: dict[str, Mapping[str, str]] = {}

    def headers_for(self, url: WebUrl) -> Mapping[str, str]:
        """Return the headers for a URL; none where its host has none, or it is not reached over https. Blocks."""
        if url.scheme != "https":
            return {}
        with self._lock:
            self._refresh()
            # A host alone means its usual port; another port is another server.
            return self._sites.get(url.netloc, {})

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp == self._read_at:
                return
            self._read_at, self._sites, self.fault = stamp, {}, None
            parsed = _File.model_validate_json(self._path.read_bytes()[:_LARGEST])
            self._sites = {_site(name): dict(site.headers) for name, site in parsed.auth.items()}
        except FileNotFoundError:
            self._read_at, self._sites, self.fault = None, {}, None
            return
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            self.fault = f"{NAME} is not used: {'.'.join(map(str, first['loc'][:2]))}: {first['msg']}"
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self.fault = f"{NAME} is not used: {why}"
        for headers in self._sites.values():
            for value in headers.values():
                self._keep_secret(value)
                self._keep_secret(value.rpartition(" ")[2])


def _site(name: str) -> str:
    """Return a host, or host and port, in its one spelling."""
    host, colon, port = name.rpartition(":")
    try:
        if colon and port.isdigit() and not host.endswith(":"):
            return f"{parse_host(host)}:{int(port)}"
        return parse_host(name)
    except BadUrl:
        raise ValueError(f"{name[:100]!r} is no host") from None
