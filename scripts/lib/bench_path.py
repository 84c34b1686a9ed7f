"""The path of a call: how many files and functions of the bridge a warm call passes through, in all threads."""

import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import bridge
from bridge.testing import Sandbox, sandbox

NOTES = 20
WARM = 3
"""Calls before the one that is counted."""
_BRIDGE = Path(bridge.__file__).parent


class Passed(NamedTuple):
    """The code that one call passed through.

    Attributes:
        files: The files, relative to `bridge/`.
        functions: How many functions, comprehensions included.
        calls: How often those were called.
    """

    files: frozenset[str]
    functions: int
    calls: int


class _Profile:
    """Counts what is called in this thread and in those that are started after it."""

    def __init__(self) -> None:
        self._prefix = f"{_BRIDGE}{os.sep}"
        self._called: Counter[Any] | None = None

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        called = self._called
        if called is not None and event == "call" and frame.f_code.co_filename.startswith(self._prefix):
            called[frame.f_code] += 1

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Listen; what is counted is said by `of`."""
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    async def of(self, call: Callable[[], Awaitable[object]]) -> Passed:
        """Return what a call passes through."""
        self._called = called = Counter[Any]()
        try:
            await call()
        finally:
            self._called = None
        testing = _BRIDGE / "testing"
        codes = [code for code in called if testing not in Path(code.co_filename).parents]
        files = frozenset(Path(code.co_filename).relative_to(_BRIDGE).as_posix() for code in codes)
        return Passed(files, len(codes), sum(called[code] for code in codes))


async def passed() -> dict[str, Passed]:
    """Return what `grep` and `apply_patch` pass through, once each has been called before."""
    profile = _Profile()
    with tempfile.TemporaryDirectory(prefix="vault-bridge-bench-") as place, profile.installed():
        folder = Path(place)
        long_ago = time.time() - 3600
        for number in range(NOTES):
            note = folder / f"Note {number}.md"
            note.write_text(f"# Note {number}\ngreen tea {number}\nand more\n", encoding="utf-8")
            os.utime(note, (long_ago, long_ago))
        async with sandbox(folder=folder) as vault:
            found = {"grep": await _warm(profile, _grep(vault))}
            found["apply_patch"] = await _warm(profile, _patch(vault))
    return found


async def _warm(profile: _Profile, call: Callable[[int], Awaitable[object]]) -> Passed:
    for number in range(WARM):
        await call(number)
    return await profile.of(lambda: call(WARM))


def _grep(vault: Sandbox) -> Callable[[int], Awaitable[object]]:
    return lambda _number: vault.succeed("grep", pattern="tea")


def _patch(vault: Sandbox) -> Callable[[int], Awaitable[object]]:
    def patch(number: int) -> Awaitable[object]:
        patches = [{"startLine": 2, "endLine": 2, "newContent": f"black tea {number}"}]
        return vault.succeed("apply_patch", path=f"Note {number}.md", patches=patches)

    return patch


async def run() -> None:
    """Print both paths."""
    for name, path in (await passed()).items():
        rooms = Counter(file.split("/")[0] for file in path.files)
        print(f"  {name:<12} {len(path.files)} files, {path.functions} functions, {path.calls} calls")
        print("               " + ", ".join(f"{room} {count}" for room, count in rooms.most_common()))
