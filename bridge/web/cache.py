"""Pages that were fetched, kept for a while in the user's cache folder, in files that nobody else can read.

It is asked only after the guard and the consent of the client that asks now, and holds what the settings of that
moment would fetch too: their version is part of the key. Nothing that credentials went along with is kept, and nothing
that was refused. If an entry is unusable, the page is fetched again.
"""

import contextlib
import hashlib
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from bridge.clock import Clock
from bridge.settings.model import Settings

_SUFFIX: Final = ".page"
_LONGEST_HEAD: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Cached:
    """An entry.

    Attributes:
        head: What is known of the content: JSON.
        content: The content.
    """

    head: dict[str, Any]
    content: bytes = field(repr=False)


class CacheStats(NamedTuple):
    """The state of the cache.

    Attributes:
        entries: The number of its results.
        size: Bytes that they take.
        hits: The number of times one of them was used since the bridge started.
        misses: The number of times there was none.
    """

    entries: int
    size: int
    hits: int
    misses: int


class WebCache:
    """The cache of one vault's bridge. Its methods block.

    Args:
        folder: Where it lies, or None where nothing can be kept.
        settings: The settings, asked anew each time.
        clock: Time.
    """

    def __init__(self, folder: Path | None, settings: Callable[[], Settings], clock: Clock) -> None:
        self._folder = folder
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._sizes: dict[str, int] | None = None
        self._hits = self._misses = 0

    def get(self, *key: str) -> Cached | None:
        """Return what is kept under a key and not too old; None where there is nothing."""
        settings = self._settings()
        if not settings.cache_enabled or self._folder is None:
            return None
        name = self._name(key)
        found = self._read(name, settings.cache_ttl)
        with self._lock:
            self._hits += found is not None
            self._misses += found is None
            if found is not None and self._sizes is not None and name in self._sizes:
                self._sizes[name] = self._sizes.pop(name)  # used last
        return found

    def put(self, key: tuple[str, ...], head: dict[str, Any], content: bytes) -> None:
        """Keep a result. One that does not fit is not kept, and a disk that is full is no failure."""
        settings = self._settings()
        if not settings.cache_enabled or self._folder is None or settings.cache_ttl == 0:
            return
        encoded = orjson.dumps({"at": self._clock.now().timestamp(), "head": head}) + b"\n"
        size = len(encoded) + len(content)
        if size > settings.max_cache_size // 4 or len(encoded) > _LONGEST_HEAD:
            return
        name = self._name(key)
        with self._lock, contextlib.suppress(OSError):
            sizes = self._known()
            while sizes and sum(sizes.values()) + size > settings.max_cache_size:
                self._remove(next(iter(sizes)))
            self._write(name, encoded + content)
            sizes.pop(name, None)
            sizes[name] = size

    def clear(self) -> CacheStats:
        """Remove everything; returns what there was."""
        with self._lock:
            sizes = self._known()
            before = CacheStats(len(sizes), sum(sizes.values()), self._hits, self._misses)
            for name in list(sizes):
                self._remove(name)
        return before

    def stats(self) -> CacheStats:
        """Return how full it is."""
        with self._lock:
            sizes = self._known()
            return CacheStats(len(sizes), sum(sizes.values()), self._hits, self._misses)

    def _name(self, key: tuple[str, ...]) -> str:
        return hashlib.sha256(orjson.dumps([policy_version(self._settings()), *key])).hexdigest() + _SUFFIX

    def _read(self, name: str, seconds: int) -> Cached | None:
        if self._folder is None:
            return None
        try:
            data = (self._folder / name).read_bytes()
            line, _, content = data.partition(b"\n")
            entry = orjson.loads(line)
            age = self._clock.now().timestamp() - entry["at"]
            return Cached(entry["head"], content) if 0 <= age <= seconds else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _known(self) -> dict[str, int]:
        """Return the size of every entry, the one used longest ago first. Looked up once: nobody else writes here."""
        if self._sizes is None:
            found: list[tuple[float, str, int]] = []
            with contextlib.suppress(OSError):
                for entry in os.scandir(self._folder) if self._folder is not None else ():
                    status = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(_SUFFIX):
                        found.append((status.st_mtime, entry.name, status.st_size))
                    else:
                        Path(entry.path).unlink(missing_ok=True)  # begun, and never finished
            self._sizes = {name: size for _time, name, size in sorted(found)}
        return self._sizes

    def _write(self, name: str, data: bytes) -> None:
        if self._folder is None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        begun = self._folder / f"{secrets.token_hex(8)}.new"
        descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            begun.replace(self._folder / name)
        except OSError:
            begun.unlink(missing_ok=True)
            raise

    def _remove(self, name: str) -> None:
        if self._sizes is not None:
            self._sizes.pop(name, None)
        if self._folder is not None:
            with contextlib.suppress(OSError):
                (self._folder / name).unlink(missing_ok=True)


def policy_version(settings: Settings) -> str:
    """Return a version that changes with what the settings allow: results kept before are then fetched again."""
    said = [
        sorted(settings.allowed_domains),
        settings.allow_all_domains,
        settings.only_allowed_domains,
        settings.block_external_requests,
        settings.https_only,
        settings.allow_self_signed_localhost,
        settings.max_response_size,
        settings.follow_redirects,
        settings.max_redirects,
    ]
    return hashlib.sha256(orjson.dumps(said)).hexdigest()
