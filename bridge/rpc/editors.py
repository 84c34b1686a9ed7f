"""The editors of a connected host, for the ledger: from its worker threads over the event loop to the host and back.

Every wait is bounded, and none is begun where nobody could answer, so the ledger can never hang on a host.
"""

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from bridge.clock import Clock, stamp
from bridge.contract import hosts as wire
from bridge.contract.base import Wire
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.journal.editors import OpenFiles
from bridge.rpc.hub import Hub, Peer

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 2.0
WRITE_SECONDS: Final = 5.0
TRASH_SECONDS: Final = 20.0
_GRACE: Final = 1.0
"""Seconds more for the event loop to say that the host did not answer."""
_NEEDED: Final = frozenset({"dirty", "write"})

A = TypeVar("A", bound=Wire)


class HostEditors:
    """The editors of the host that connected last of those that can `dirty` and `write`.

    Args:
        hub: Knows the hosts.
        clock: For until when a write holds.
    """

    def __init__(self, hub: Hub, clock: Clock) -> None:
        self._hub = hub
        self._clock = clock

    @property
    def connected(self) -> bool:
        """Return whether a host with editors is connected."""
        return self._host() is not None

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Return which of these files are open in the host, and which of those have unsaved text.

        Args:
            paths: Vault-relative paths.

        Returns:
            Those of the paths that are open; none where no host is connected.

        Raises:
            DeadlineExceeded: The host is there and gave no answer that can be used.
        """
        host = self._host()
        if host is None:
            return OpenFiles()
        try:
            answer = self._ask(
                host, "host.dirty", wire.DirtyQuestion(paths=tuple(paths)), wire.DirtyAnswer, LOOK_SECONDS
            )
        except ExecutionFailed as failure:
            if host not in self._hub.peers:
                return self.look(paths)  # it has left; there may be another
            raise DeadlineExceeded(failure.message) from failure
        known = frozenset(paths)
        return OpenFiles(known & {*answer.open, *answer.unsaved}, known & {*answer.unsaved})

    def write(self, path: str, expected: str, text: str) -> wire.WriteOutcome | None:
        """Have the host write a file that is open there.

        Args:
            path: The file, vault-relative.
            expected: The sha256, in hex, of the bytes that it must still have.
            text: All of its new text.

        Returns:
            What became of it; None when the host did not say.
        """
        host = self._host()
        if host is None:
            return None
        until = stamp(self._clock.now() + timedelta(seconds=WRITE_SECONDS))
        change = wire.HostWrite(path=path, expected=expected, content=text)
        question = wire.WriteQuestion(changes=(change,), expires_at=until)
        try:
            answer = self._ask(host, "host.write", question, wire.WriteAnswer, WRITE_SECONDS)
        except (ExecutionFailed, DeadlineExceeded):
            logger.warning("The host %r did not say whether it wrote %r", host.name, path)
            return None
        return next((result.outcome for result in answer.results if result.path == path), None)

    def trash(self, paths: Sequence[str]) -> Mapping[str, wire.TrashOutcome] | None:
        """Have the host put files where the user's deleted files go.

        Args:
            paths: Vault-relative paths.

        Returns:
            What became of each; None when the host did not say.
        """
        host = self._host()
        if host is None:
            return None
        try:
            answer = self._ask(
                host, "host.trash", wire.TrashQuestion(paths=tuple(paths)), wire.TrashAnswer, TRASH_SECONDS
            )
        except (ExecutionFailed, DeadlineExceeded):
            return None
        return {result.path: result.outcome for result in answer.results}

    def _host(self) -> Peer | None:
        return next((peer for peer in reversed(self._hub.peers) if peer.can >= _NEEDED), None)

    def _ask(self, host: Peer, method: str, question: Wire, kind: type[A], within: float) -> A:
        """Ask from a worker thread.

        Raises:
            DeadlineExceeded: No answer in time.
            ExecutionFailed: The host went away, or answered with an error or with something else.
        """
        home = self._hub.home
        if home is None or home[1] == threading.get_ident():
            # On the loop's own thread nobody could bring the answer while we wait for it.
            raise ExecutionFailed(f"Nobody can be asked {method!r} from here")
        answer = self._wait(host.request(method, question, within), home[0], within + _GRACE)
        try:
            return kind.model_validate(answer, by_alias=True, by_name=False)
        except ValidationError:
            logger.warning("The host %r answered %s with something else than it should", host.name, method)
            raise ExecutionFailed(f"The host's answer to {method!r} cannot be read") from None

    @staticmethod
    def _wait(request: Any, loop: asyncio.AbstractEventLoop, seconds: float) -> Any:
        try:
            future = asyncio.run_coroutine_threadsafe(request, loop)
        except RuntimeError:  # the loop has been closed: the bridge has stopped
            request.close()
            raise ExecutionFailed("The bridge is stopping; connect again") from None
        try:
            return future.result(seconds)
        except concurrent.futures.CancelledError:
            raise ExecutionFailed("The bridge is stopping; connect again") from None
        except TimeoutError:
            future.cancel()
            raise DeadlineExceeded("The bridge is too busy to ask the host; try again") from None
