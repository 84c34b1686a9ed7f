"""The one way in which the bridge starts programs for agents: the user's commands, tools and servers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bridge.errors import PermissionDenied
from bridge.sandbox.probing import probe
from bridge.sandbox.profile import Profile
from bridge.sandbox.sandbox import Ready, Running, Sandbox, start


class Programs:
    """A starter of programs. None is given what belongs to the bridge, and none runs without a required sandbox.

    Args:
        hidden: What no program may reach, whatever it is given: the bridge's own folders, keys and credentials.
        scratch: A folder in there of which programs may be given parts.
        required: Whether programs run only in a sandbox.
        find: Finds out which sandbox works here. Blocks at the first time.
        on_end: Called in a thread after each program.
    """

    def __init__(
        self,
        hidden: Sequence[Path],
        scratch: Path,
        required: Callable[[], bool],
        find: Callable[[], Sandbox] = probe,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.scratch = scratch
        self._hidden = (*hidden, scratch)
        self._required = required
        self._find = find
        self._on_end = on_end

    @property
    def sandbox(self) -> Sandbox:
        """Return the sandbox for programs here. Blocks the first time."""
        return self._find()

    def refuse_unconfined(self) -> None:
        """Refuse where no sandbox works and one is required.

        Raises:
            PermissionDenied: `no_sandbox`.
        """
        if self._required() and not self.sandbox.confines:
            raise PermissionDenied(
                "No sandbox works on this computer, and programs may not run without one. `vault-bridge doctor` says "
                "what is missing; the user can change that with `vault-bridge settings set requireSandbox=never`",
                code="no_sandbox",
            )

    async def start(
        self,
        profile: Profile,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        talks: bool = False,
        ready: Ready | None = None,
    ) -> Running:
        """Start a program; the arguments are those of `bridge.sandbox.sandbox.start`.

        Raises:
            PermissionDenied: No sandbox works, and one is required.
            ValueError: It would be given what belongs to the bridge.
            OSError: The system has no more processes.
        """
        sandbox = await asyncio.to_thread(self._find)  # the first time, by starting some programs
        self.refuse_unconfined()
        guarded = profile.guarded(self._hidden, self.scratch)
        running = await start(sandbox, guarded, argv, folder=folder, environment=environment, talks=talks, ready=ready)
        running.on_end = self._on_end
        return running
